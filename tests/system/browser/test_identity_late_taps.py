"""Two people, one tablet, bad Wi-Fi: a tap belongs to its author, however late it is sent and whoever is signed in
then."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from tests.support.answers import refused
from tests.support.browser import Screen, Tablets
from tests.support.builders import a_joint, a_spool, held
from tests.support.gated import eventually
from tests.support.people import JS, LP, SV
from tests.support.pin_shop import PinShop, face, locked, pin_shop, posted, sign_in, type_pin
from tests.support.signed_in import EnrolledTablet, enrol
from tests.support.signing_in import WRONG_PIN

ONE, TWO, JOINTS = "MK-1335-CW-25238-001", "MK-1335-CW-25238-002", "MK-1335-CW-25238-010"
TAPS = "**/api/**/occupation/*"
SIGN_OUT = "**/api/sesion?*"
IDLE = "05:10"


@pytest.fixture
def shop(tablets: Tablets, tmp_path: Path) -> Iterator[PinShop]:
    by_joint = held(a_spool(JOINTS, total_uniones=3), LP)
    joints = [a_joint(n, JOINTS) for n in range(1, 4)]
    with pin_shop(tablets, tmp_path, [a_spool(ONE), a_spool(TWO), by_joint], joints) as running:
        yield running


def take(screen: Screen, tag: str) -> None:
    screen.tap("TOMAR")
    expect(screen.page.get_by_text(f"Sin enviar: TOMAR {tag}")).to_be_visible()


def back_to_list(screen: Screen) -> None:
    screen.tap("Volver")
    screen.page.get_by_role("searchbox").wait_for()


def test_a_tap_of_a_person_who_signed_out_is_sent_in_their_name_and_both_people_see_that(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.open()
        sign_in(screen, LP)
        screen.pick(ONE)
        page.context.set_offline(True)
        take(screen, ONE)
        screen.tap("Salir")
        expect(page.get_by_text("1 acción sin enviar de LP(7)")).to_be_visible()  # whose it is
        face(screen, JS).click()
        type_pin(page)
        expect(page.get_by_text("sin conexión nadie puede entrar")).to_be_visible()
        page.route(TAPS, lambda route: route.abort())
        page.context.set_offline(False)
        type_pin(page)
        expect(page.get_by_role("banner").get_by_text("JS(8)")).to_be_visible()
        page.get_by_text("1 acción sin enviar de LP(7)").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_text("Se envía a nombre de LP(7).")).to_be_visible()
        expect(dialog.get_by_role("button", name="Descartar")).to_have_count(0)  # it is not JS's to drop
        screen.tap("Cerrar")
        screen.open(f"/trabajo/ARM/{ONE}")
        expect(page.get_by_text("LP(7) lo tomó en este tablet y aún no se envía.")).to_be_visible()
        page.unroute(TAPS)
        expect(page.get_by_text("Se envió una acción pendiente a nombre de LP(7).")).to_be_visible()
        expect(page.get_by_role("banner").get_by_text("JS(8)")).to_be_visible()
        expect(page.get_by_text("sin enviar")).to_have_count(0)
        assert shop.authors(ONE) == [("TOMAR_SPOOL", "LP(7)")]
        page.get_by_role("button", name="cambiar a Luis Pérez").click()
        type_pin(page)
        expect(page.get_by_role("banner").get_by_text("LP(7)")).to_be_visible()
        assert page.get_by_text("Se envió una acción pendiente a nombre de LP(7).").count() == 0  # JS was told, not LP
        expect(
            page.get_by_text(f"Lo que usted tocó antes ya se envió: LP(7) tiene el spool {ONE} para ARM.")
        ).to_be_visible()
        # The tablet reports to the server the last tap of the session that ended without Wi-Fi.
        eventually(lambda: shop.last_taps(LP) == [1], within_s=5.0)


@pytest.mark.parametrize("tells", ["at once", "after a reload"])
def test_who_read_the_tap_key_cannot_act_after_the_sign_out_and_the_unsent_tap_still_arrives(
    shop: PinShop, tells: str
) -> None:
    """Developer tools that are open while somebody signs in show the answer, and the key in it."""
    with shop.tablet() as screen, shop.server.client() as elsewhere:
        page = screen.open()
        with page.expect_response("**/api/sesion") as signed_in:
            sign_in(screen, LP)
        thief = EnrolledTablet(elsewhere.request, None, shop.database)
        thief.learn_key(signed_in.value.json())
        screen.pick(ONE)
        screen.tap("TOMAR")
        expect(page.get_by_text(f"LP(7) tiene el spool {ONE} para ARM.").first).to_be_visible()
        page.get_by_role("searchbox").wait_for()  # it goes back by itself; a reload might send that tap once more
        page.context.route(TAPS, lambda route: route.abort())
        screen.pick(TWO)
        take(screen, TWO)
        if tells == "after a reload":
            page.context.route(SIGN_OUT, lambda route: route.abort())
        screen.tap("Salir")
        expect(page.get_by_text("1 acción sin enviar de LP(7)")).to_be_visible()
        if tells == "after a reload":
            page.reload()
            page.context.unroute(SIGN_OUT)
        eventually(lambda: shop.last_taps(LP) == [2], within_s=10.0)
        for number in (1, 2, 3):
            forged = thief.sign_tap("PAUSAR", LP.id, f"forged-{number}", ONE, number=number)
            refused(thief.deliver(forged), 401, "TOQUE_NO_VALIDO")
        sign_in(screen, JS)
        page.context.unroute(TAPS)
        eventually(lambda: shop.authors(TWO) == [("TOMAR_SPOOL", "LP(7)")], within_s=20.0)
        assert shop.authors(ONE) == [("TOMAR_SPOOL", "LP(7)")]
        expect(page.get_by_text("sin enviar")).to_have_count(0)


def test_a_late_notice_is_shown_to_the_person_it_is_about_and_to_nobody_who_came_meanwhile(shop: PinShop) -> None:
    free_taken_spool(shop, ONE)
    with shop.tablet() as screen:
        page = screen.open()
        page.evaluate(f"localStorage.setItem('carrete.held.{LP.id}', '[\"{ONE}\"]')")  # LP worked on it here
        waiting: list[Route] = []
        page.route("**/api/history/*", lambda route: waiting.append(route))
        sign_in(screen, LP)
        expect(page.get_by_role("banner").get_by_text("LP(7)")).to_be_visible()
        while not waiting:
            page.wait_for_timeout(50)
        screen.tap("Salir")
        sign_in(screen, JS)
        with page.expect_response("**/api/history/*"):
            waiting[0].continue_()
        page.wait_for_timeout(500)
        freed = page.get_by_text(f"SV(21) liberó su spool {ONE}: fin de turno")
        expect(freed).to_have_count(0)
        screen.tap("Salir")
        sign_in(screen, LP)
        expect(freed).to_be_visible()


def free_taken_spool(shop: PinShop, tag: str) -> None:
    with shop.server.client() as client:
        worker, supervisor = (EnrolledTablet(client.request, enrol(shop.database), shop.database) for _ in range(2))
        worker.begin(LP.id)
        worker.deliver(worker.sign_tap("TOMAR", LP.id, "k", tag)).raise_for_status()
        supervisor.begin(SV.id)
        body = {"tag_spool": tag, "supervisor_id": SV.id, "motivo": "fin de turno"}
        supervisor.deliver(supervisor.sign("/api/occupation/liberar", body, "free")).raise_for_status()


def test_a_signed_tap_survives_a_reload_and_a_change_of_person(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.open()
        sign_in(screen, LP)
        screen.pick(ONE)
        page.context.route(TAPS, lambda route: route.abort())
        take(screen, ONE)
        page.reload()
        expect(page.get_by_text("1 acción sin enviar de LP(7)")).to_be_visible()
        screen.tap("Salir")
        sign_in(screen, JS)
        page.context.unroute(TAPS)
        page.reload()
        eventually(lambda: shop.authors(ONE) == [("TOMAR_SPOOL", "LP(7)")], within_s=5.0)
        expect(page.get_by_text("sin enviar")).to_have_count(0)


def test_a_tap_without_a_key_waits_for_its_author(shop: PinShop) -> None:
    """A page without crypto.subtle, or a private window without IndexedDB."""
    script = "Object.defineProperty(Crypto.prototype, 'subtle', {get: () => undefined});"
    with shop.tablet(script=script) as screen:
        page = screen.open()
        sign_in(screen, LP)
        screen.pick(ONE)
        page.route(TAPS, lambda route: route.abort())
        take(screen, ONE)
        screen.tap("Salir")
        sign_in(screen, JS)
        page.unroute(TAPS)
        page.get_by_text("1 acción sin enviar de LP(7)").click()
        expect(page.get_by_text("Espera a LP(7): se envía cuando entre con su PIN.")).to_be_visible()
        screen.tap("Cerrar")
        page.wait_for_timeout(3_000)
        assert shop.authors(ONE) == []
        page.get_by_role("button", name="cambiar a Luis Pérez").click()
        type_pin(page)
        expect(page.get_by_text(f"LP(7) tiene el spool {ONE} para ARM.")).to_be_visible()
        assert shop.authors(ONE) == [("TOMAR_SPOOL", "LP(7)")]


@pytest.mark.parametrize("size", [(360, 640), (360, 740), (768, 1024), (1024, 600)])
def test_all_of_the_lock_screen_is_in_sight(shop: PinShop, size: tuple[int, int]) -> None:
    with shop.tablet(size=size) as screen:
        page = screen.page
        page.clock.install()
        screen.open()
        sign_in(screen, LP)
        page.clock.fast_forward(IDLE)
        expect(locked(page, LP)).to_be_visible()
        for button in page.get_by_role("dialog").get_by_role("button").all():
            box = button.bounding_box()
            assert box is not None
            assert 0 <= box["y"] <= box["y"] + box["height"] <= size[1]


def idle_without_wifi(screen: Screen) -> None:
    """LP opens a spool, the Wi-Fi goes, nobody touches the tablet for five minutes."""
    page = screen.page
    page.clock.install()
    screen.open()
    sign_in(screen, LP)
    screen.pick(ONE)
    page.get_by_role("button", name="TOMAR", exact=True).wait_for()
    page.context.set_offline(True)
    page.clock.fast_forward(IDLE)
    expect(locked(page, LP)).to_be_visible()


def test_the_lock_screen_opens_without_wifi_and_the_right_pin_lets_the_taps_go(shop: PinShop) -> None:
    with shop.tablet() as screen:
        idle_without_wifi(screen)
        page = screen.page
        type_pin(page)
        expect(locked(page, LP)).to_have_count(0)
        take(screen, ONE)
        expect(page.get_by_text("Se envía cuando el servidor compruebe el PIN de LP(7).")).to_be_visible()
        posts = posted(page)
        page.context.set_offline(False)
        expect(page.get_by_text(f"Confirmado: LP(7) tiene el spool {ONE} para ARM.")).to_be_visible()
        sent = [post.url.rpartition("/")[2] for post in posts]
        assert sent.index("pin") < sent.index("cadena")  # the PIN first
        assert shop.authors(ONE) == [("TOMAR_SPOOL", "LP(7)")]


def test_what_was_confirmed_while_the_screen_was_locked_is_read_after_it(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.page
        page.clock.install()
        screen.open()
        sign_in(screen, LP)
        screen.pick(ONE)
        page.context.set_offline(True)
        take(screen, ONE)
        page.clock.fast_forward(IDLE)
        expect(locked(page, LP)).to_be_visible()
        page.context.set_offline(False)
        eventually(lambda: shop.authors(ONE) == [("TOMAR_SPOOL", "LP(7)")], within_s=20.0)
        page.wait_for_timeout(1_000)
        page.clock.fast_forward("00:10")  # a notice closes by itself after six seconds
        type_pin(page)
        expect(locked(page, LP)).to_have_count(0)
        expect(page.get_by_text(f"Confirmado: LP(7) tiene el spool {ONE} para ARM.")).to_be_visible()


def test_taps_after_a_wrong_pin_without_wifi_wait_for_their_author_and_the_screen_locks(shop: PinShop) -> None:
    with shop.tablet() as screen:
        idle_without_wifi(screen)
        page = screen.page
        type_pin(page, WRONG_PIN)
        expect(locked(page, LP)).to_have_count(0)
        take(screen, ONE)
        page.context.set_offline(False)
        expect(locked(page, LP)).to_be_visible()
        expect(page.get_by_text("El PIN que se tecleó sin conexión no era el correcto.")).to_be_visible()
        page.wait_for_timeout(2_000)
        assert shop.authors(ONE) == []
        type_pin(page)
        expect(locked(page, LP)).to_have_count(0)
        expect(page.get_by_text("Se hizo después de un PIN equivocado").first).to_be_visible()
        assert shop.authors(ONE) == []
        screen.tap("Es mía, enviar")
        expect(page.get_by_text(f"LP(7) tiene el spool {ONE} para ARM.")).to_be_visible()
        assert shop.authors(ONE) == [("TOMAR_SPOOL", "LP(7)")]


def test_the_lock_keeps_what_was_ticked_for_the_same_person_only(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.page
        page.clock.install()
        screen.open()
        sign_in(screen, LP)
        screen.pick(JOINTS)
        screen.joint(1).click()
        screen.joint(3).click()
        page.clock.fast_forward(IDLE)
        expect(locked(page, LP)).to_be_visible()
        expect(page.get_by_role("button", name="Otra persona")).to_be_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        expect(locked(page, LP)).to_be_visible()
        type_pin(page)
        expect(locked(page, LP)).to_have_count(0)
        expect(page.get_by_text("Seleccionadas: 2/3")).to_be_visible()
        page.clock.fast_forward(IDLE)
        expect(locked(page, LP)).to_be_visible()
        screen.tap("Otra persona")
        sign_in(screen, JS)
        expect(page.get_by_text("Seleccionadas")).to_have_count(0)


def test_a_touch_now_and_then_keeps_the_screen_open(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.page
        page.clock.install()
        screen.open()
        sign_in(screen, LP)
        for _ in range(3):
            page.clock.fast_forward("04:00")
            page.get_by_role("searchbox").click()
        expect(locked(page, LP)).to_have_count(0)
        page.reload()
        page.clock.fast_forward(IDLE)
        expect(locked(page, LP)).to_be_visible()
        page.reload()
        expect(locked(page, LP)).to_be_visible()  # a reload does not open it
