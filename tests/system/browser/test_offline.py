"""Between the racks: a tablet that works without a connection, says so, and is confirmed or refused when it is back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Error, Page, expect

from carrete.identity.records import DeviceKind
from tests.support.browser import Screen, Tablets
from tests.support.builders import a_joint, a_spool, held
from tests.support.kept_on_tablet import files_kept, kept, kill_browser_of, profile, wait_until_kept
from tests.support.people import LP, MR, SV
from tests.support.pin_shop import PinShop, pin_shop, posted, sign_in
from tests.support.signed_in import EnrolledTablet, enrol
from tests.support.tablet import Json

WHOLE, JOINTS, MINE = "MK-1335-CW-25238-001", "MK-1335-CW-25238-010", "MK-1335-CW-25238-020"
SPOOLS = 3
NO_DATABASE = (
    "Object.defineProperty(window, 'indexedDB', {get() { throw new DOMException('denied', 'SecurityError'); }});"
)


@pytest.fixture
def shop(tablets: Tablets, tmp_path: Path) -> Iterator[PinShop]:
    spools = [a_spool(WHOLE), a_spool(JOINTS, total_uniones=4), held(a_spool(MINE, total_uniones=2), LP)]
    joints = [a_joint(n, JOINTS) for n in range(1, 5)] + [a_joint(n, MINE) for n in (1, 2)]
    with pin_shop(tablets, tmp_path, spools, joints) as running:
        yield running


def ready(screen: Screen) -> Page:
    """Signed in, with the app and the spools on the tablet."""
    page = screen.open()
    sign_in(screen, LP)
    screen.row(WHOLE).wait_for()
    assert "/index.html" in files_kept(page)
    wait_until_kept(page, "cards", SPOOLS)
    return page


def begin(screen: Screen) -> None:
    """On the spool that is open."""
    screen.tap("INICIAR")
    expect(screen.page.get_by_text(f"Sin enviar: INICIAR {JOINTS}")).to_be_visible()
    expect(screen.page.get_by_text("Guardado en este tablet.")).to_be_visible()


def finish(screen: Screen, *joints: int) -> None:
    for n in joints:
        screen.joint(n).click()
    expect(screen.page.get_by_text(f"Seleccionadas: {len(joints)}/4")).to_be_visible()
    screen.tap("FINALIZAR")
    expect(screen.page.get_by_text(f"Sin enviar: INICIAR + FINALIZAR {JOINTS}")).to_be_visible()


def armed(worker: str, joints: int) -> list[tuple[str, str]]:
    """The events of somebody who began and fitted some of the joints."""
    names = ["INICIAR_SPOOL", *["UNION_ARM_REGISTRADA"] * joints, "SPOOL_ARM_PAUSADO"]
    return [(name, worker) for name in names]


def test_work_without_wifi_survives_reloads_and_arrives_as_one_chain(shop: PinShop) -> None:
    with shop.tablet(installed=True) as screen:
        page = ready(screen)
        page.context.set_offline(True)
        page.reload()
        expect(page.get_by_text("visto recién").or_(page.get_by_text("visto hace"))).to_be_visible()
        expect(screen.mine()).to_have_count(1)
        page.get_by_role("searchbox").fill("-010")
        expect(screen.row(WHOLE)).to_have_count(0)
        screen.pick(JOINTS)
        begin(screen)
        expect(page.get_by_role("article").get_by_text("Provisional")).to_be_visible()
        page.reload()
        expect(page.get_by_role("article").get_by_text("Lo tiene usted")).to_be_visible()  # what would be
        finish(screen, 1, 2, 3)
        assert shop.authors(JOINTS) == []
        page.reload()
        expect(page.get_by_text("2 acciones sin enviar")).to_be_visible()
        posts = posted(page)
        page.context.set_offline(False)
        expect(page.get_by_text("Confirmado:")).to_be_visible()
        expect(page.get_by_text("sin enviar")).to_have_count(0)
        assert [post.url.rpartition("/")[2] for post in posts if "occupation" in post.url] == ["cadena"]
        wait_until_kept(page, "taps", 0)
    assert shop.authors(JOINTS) == armed("LP(7)", 3)


@pytest.mark.long
def test_the_browser_is_killed_after_a_tap_and_the_work_arrives_once(shop: PinShop, tmp_path: Path) -> None:
    folder, playwright = tmp_path / "profile", shop.tablets.playwright
    assert playwright is not None
    with profile(playwright, folder) as context:
        shop.enrol(context, DeviceKind.TABLET)
        ready(Screen(context.pages[0], shop.server.url))
    with profile(playwright, folder) as context:
        context.set_offline(True)
        screen = Screen(context.pages[0], shop.server.url)
        screen.open()
        screen.pick(JOINTS)
        begin(screen)
        finish(screen, 1, 2)
        kill_browser_of(folder)
    with profile(playwright, folder) as context:
        context.set_offline(True)
        screen = Screen(context.pages[0], shop.server.url)
        screen.open()
        expect(screen.page.get_by_text("2 acciones sin enviar")).to_be_visible()
        context.set_offline(False)
        expect(screen.page.get_by_text("sin enviar")).to_have_count(0)
        wait_until_kept(screen.page, "taps", 0)
    assert shop.authors(JOINTS) == armed("LP(7)", 2)


def test_ticks_stay_when_the_connection_comes_back_in_the_middle(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.open()
        sign_in(screen, LP)
        screen.pick(JOINTS)
        page.get_by_role("button", name="INICIAR", exact=True).wait_for()
        wait_until_kept(page, "cards", SPOOLS)
        page.context.set_offline(True)
        expect(page.locator("[data-connection=offline]")).to_be_visible()
        begin(screen)
        screen.joint(1).click()
        screen.joint(2).click()
        page.context.set_offline(False)
        expect(page.get_by_text("Confirmado:")).to_be_visible()
        screen.is_live()
        expect(page.get_by_text("Seleccionadas: 2/4")).to_be_visible()
        screen.tap("FINALIZAR")
        screen.is_back_at_the_list()
    assert shop.authors(JOINTS) == armed("LP(7)", 2)


def act(api: EnrolledTablet, path: str, **more: Json | list[int]) -> None:
    body = {"tag_spool": JOINTS, "worker_id": MR.id, "operacion": "ARM", **more}
    answer = api.post(f"/api/v4/occupation/{path}", body)
    assert answer.status_code == 200, answer.text


def test_work_on_a_spool_that_somebody_else_took_becomes_a_reclamo_that_a_supervisor_decides(shop: PinShop) -> None:
    with shop.tablet() as screen, shop.server.client() as client:
        page = screen.open()
        sign_in(screen, LP)
        screen.row(JOINTS).wait_for()
        wait_until_kept(page, "cards", SPOOLS)
        page.context.set_offline(True)
        expect(page.locator("[data-connection=offline]")).to_be_visible()
        screen.pick(JOINTS)
        begin(screen)
        finish(screen, 1, 2, 3)
        other = EnrolledTablet(client.request, enrol(shop.database), shop.database)
        other.sign_in(MR.id)
        act(other, "iniciar")
        act(other, "finalizar", selected_unions=[3])
        act(other, "iniciar")  # MR has it
        page.context.set_offline(False)
        expect(page.get_by_text("Su trabajo no se pierde")).to_be_visible()
        expect(page.get_by_text("1 reclamo suyo espera a un supervisor.")).to_be_visible()
        assert shop.authors(JOINTS) == [*armed("MR(93)", 1), ("INICIAR_SPOOL", "MR(93)")]
        supervisor_accepts(shop)
        screen.tap("Salir")
        sign_in(screen, LP)
        expect(page.get_by_text("SV(21) aceptó 2 de 3 (8 pulgadas)")).to_be_visible()
        screen.tap("Listo, lo vi")
        expect(page.get_by_text("SV(21) aceptó 2 de 3")).to_have_count(0)
    late = [event for event in shop.history(JOINTS) if event["evento_tipo"] == "REGISTRO_TARDIO"]
    assert [(event["worker"], event["n_union"]) for event in late] == [("LP(7)", 1), ("LP(7)", 2)]


def supervisor_accepts(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA, size=(1280, 800)) as office:
        page = office.open("/supervision")
        sign_in_supervisor(office)
        page.locator("[data-reclamo] button").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_text("Ahora lo tiene MR(93)")).to_be_visible()
        expect(dialog.locator('[data-work="ARM 3"]')).to_be_disabled()  # MR did that one
        dialog.locator('[data-work="ARM 1"]').click()
        dialog.locator('[data-work="ARM 2"]').click()
        dialog.get_by_label("Motivo").fill("Visto en el taller")
        dialog.get_by_role("button", name="Aceptar 2 trabajos").click()
        expect(page.get_by_text("Registrado: 2 · 8 pulgadas.")).to_be_visible()
        expect(page.locator("[data-reclamo]")).to_have_count(0)


def sign_in_supervisor(office: Screen) -> None:
    sign_in(office, SV)


def test_the_api_is_never_answered_from_the_tablet(shop: PinShop) -> None:
    with shop.tablet(installed=True) as screen:
        page = ready(screen)
        page.reload()  # the service worker answers from now on
        screen.row(WHOLE).wait_for()
        page.wait_for_function("navigator.serviceWorker.controller !== null")
        assert not [path for path in files_kept(page) if path.startswith("/api")]
        page.context.set_offline(True)
        for path in ("/api/health", "/api/spools", "/api/acceso"):
            with pytest.raises(Error, match="Failed to fetch"):
                page.evaluate("path => fetch(path).then(answer => answer.status)", path)


def test_a_person_deletes_what_the_tablet_keeps(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.open()
        sign_in(screen, LP)
        screen.row(WHOLE).wait_for()
        wait_until_kept(page, "cards", SPOOLS)
        screen.tap("Idioma y pantalla")
        expect(page.get_by_text("3 spools guardados para trabajar sin conexión, visto")).to_be_visible()
        screen.tap("Borrar los spools guardados")
        expect(page.get_by_text("No hay spools guardados en este tablet.")).to_be_visible()
        assert (kept(page, "cards"), kept(page, "copies")) == (0, 0)


def test_a_browser_without_a_database_works_online_and_says_what_it_cannot_do(shop: PinShop) -> None:
    with shop.tablet(script=NO_DATABASE) as screen:
        page = screen.open()
        sign_in(screen, LP)
        expect(page.get_by_text("no puede guardar spools para trabajar sin conexión")).to_be_visible()
        screen.pick(WHOLE)
        screen.tap("TOMAR")
        screen.says(f"LP(7) tiene el spool {WHOLE} para ARM.")
        screen.is_back_at_the_list()
        page.context.set_offline(True)
        page.wait_for_timeout(500)
        expect(page.get_by_role("searchbox")).to_be_visible()  # no blank screen
