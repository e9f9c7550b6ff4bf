"""*Personas* of the administrator's page: people, roles, PINs on cards, badges, and what the workbook asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from carrete.identity.records import DeviceKind
from tests.support.browser import LIFT_MS, Screen, Tablets
from tests.support.builders import a_spool, a_worker, put
from tests.support.office import as_administrator, card, grow_old
from tests.support.people import JS, LP, MI, MR, SV
from tests.support.pin_shop import AD, PinShop, face, name_of, pin_shop, read_badge, sign_in, type_pin
from tests.support.server import RunningServer
from tests.support.signing_in import PIN, WRONG_PIN

ONE = "MK-1335-CW-25238-001"
PEOPLE = "/administracion/personas"


@pytest.fixture
def shop(tablets: Tablets, tmp_path: Path) -> Iterator[PinShop]:
    with pin_shop(tablets, tmp_path, [a_spool(ONE)]) as running:
        yield running


def open_person(screen: Screen, id_: int) -> Page:
    page = as_administrator(screen, f"{PEOPLE}?persona={id_}")
    page.get_by_role("heading", level=1).wait_for()
    return page


def pin_on_card(page: Page) -> str:
    text = page.get_by_role("dialog").locator("[data-pin-card]").inner_text()
    return next(line for line in text.splitlines() if len(line) == 6 and line.isdigit())


def test_somebody_new_gets_a_card_with_a_pin_and_signs_in_with_it(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as office, shop.tablet() as tablet:
        page = as_administrator(office, PEOPLE)
        office.tap("Agregar persona")
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Número").fill(str(MR.id))
        expect(dialog.get_by_text(f"Ese número es de {name_of(MR)}.")).to_be_visible()
        dialog.get_by_label("Número").fill("300")
        dialog.get_by_label("Nombre").fill("Rosa")
        dialog.get_by_label("Apellido").fill("Luna")
        office.tap("Armador")
        office.tap("Agregar persona")
        expect(page.get_by_role("heading", level=1)).to_have_text("Rosa Luna")
        expect(page.get_by_text("No tiene PIN: no puede entrar.")).to_be_visible()
        office.tap("PIN nuevo y tarjeta")
        pin = pin_on_card(page)
        page.keyboard.press("Escape")  # a PIN that nobody has read must not vanish
        office.tap("Ya está, cerrar")
        expect(page.get_by_text(pin)).to_have_count(0)
        expect(page.get_by_text("Tiene un PIN.")).to_be_visible()
        floor = tablet.open()
        face(tablet, a_worker(300, "Rosa", "Luna")).click()
        floor.locator("[data-pin-pad]").wait_for()
        floor.keyboard.type(pin)  # two quick taps on one key count as one, and this PIN may have a digit twice
        expect(floor.get_by_role("banner").get_by_text("RL(300)")).to_be_visible()


def test_a_person_opens_at_the_top_and_the_list_again_where_they_are_in_it(shop: PinShop) -> None:
    put(shop.database, workers=[a_worker(300 + n, "Zoila", f"Zeta{chr(97 + n)}") for n in range(20)])
    with shop.tablet(kind=DeviceKind.OFICINA, size=(360, 740)) as office:
        page = as_administrator(office, PEOPLE)
        row = page.get_by_role("button", name="Zoila Zetap")
        row.wait_for()
        page.wait_for_timeout(LIFT_MS)  # a hand lifts after the PIN
        row.click()
        heading = page.get_by_role("heading", level=1, name="Zoila Zetap")
        expect(heading).to_be_in_viewport()
        expect(heading).to_be_focused()
        page.get_by_role("link", name="Todas las personas").click()
        expect(row).to_be_in_viewport()
        expect(row).to_be_focused()


@pytest.mark.long
def test_the_cards_of_everybody_print_without_the_page_around_them(shop: PinShop) -> None:
    put(shop.database, workers=[a_worker(300, "Rosa", "Luna")])
    with shop.tablet(kind=DeviceKind.OFICINA) as office:
        page = as_administrator(office, PEOPLE)
        office.tap("Tarjetas con PIN")
        expect(page.get_by_role("button", name="Hacer 1 tarjeta")).to_be_enabled()
        office.tap("Todos (8)")
        office.tap("Hacer 8 tarjetas")
        expect(page.get_by_role("dialog").locator("[data-pin-card]")).to_have_count(8)
        assert page.get_by_role("dialog").locator(f'[data-pin-card="{AD.id}"]').count() == 0, "who prints keeps theirs"
        page.emulate_media(media="print")
        expect(page.locator("[data-paper] [data-pin-card]").first).to_be_visible()
        expect(page.locator("#root")).to_be_hidden()
        expect(page.locator(f'[data-paper] [data-pin-card="{JS.id}"]').get_by_role("img")).to_be_visible()  # the badge
        page.emulate_media(media="screen")
        office.tap("Ya está, cerrar")
        page.emulate_media(media="print")
        expect(page.locator("#root")).to_be_visible()


def test_roles_and_a_name_are_changed_with_the_pin_again(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as office:
        page = open_person(office, LP.id)
        grow_old(shop, page)
        office.tap("Soldador")
        office.tap("Guardar roles")
        expect(page.get_by_role("dialog", name="Su PIN otra vez")).to_be_visible()
        type_pin(page, WRONG_PIN)
        expect(page.get_by_text("No coincide. Intente de nuevo.")).to_be_visible()
        type_pin(page)
        expect(page.get_by_text("LP(7) tiene los roles nuevos.")).to_be_visible()
        page.get_by_label("Apellido").fill("Quiroga")
        office.tap("Guardar nombre")
        expect(page.get_by_role("heading", level=1)).to_have_text("Luis Quiroga")
        expect(page.locator("main").get_by_text("LQ(7)").first).to_be_visible()
        page.reload()
        expect(page.get_by_role("button", name="Soldador", exact=True)).to_have_attribute("aria-pressed", "true")
        expect(page.get_by_label("Apellido")).to_have_value("Quiroga")


def test_a_reader_types_a_badge_into_its_field_and_nobody_signs_in(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as office:
        page = open_person(office, LP.id)
        page.get_by_label("Código de la credencial").focus()
        read_badge(page, "0099887766")
        page.get_by_label("Código de la credencial").press("Enter")
        expect(page.get_by_text("Su credencial es 0099887766.")).to_be_visible()
        expect(page.locator("[data-pin-pad]")).to_have_count(0)
        office.tap("Quitar credencial")
        expect(page.get_by_text("Sin credencial.")).to_be_visible()


@pytest.mark.long
def test_who_leaves_is_out_at_once_and_the_last_administrator_stays(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as office, shop.tablet() as tablet:
        floor = tablet.open()
        sign_in(tablet, LP)
        page = open_person(office, LP.id)
        office.tap("Desactivar")
        office.tap("Desactivar")
        expect(card(page, "En el taller").get_by_text("Ya no trabaja aquí")).to_be_visible()
        floor.reload()
        face(tablet, JS).wait_for()
        expect(floor.get_by_role("button", name=name_of(LP))).to_have_count(0)
        office.tap("Activar de nuevo")
        expect(card(page, "En el taller").get_by_text("Trabaja aquí.")).to_be_visible()
        office.open(f"{PEOPLE}?persona={AD.id}")
        expect(page.get_by_role("button", name="PIN nuevo y tarjeta")).to_have_count(0)  # it would end this session
        office.tap("Desactivar")
        office.tap("Desactivar")
        expect(card(page, "En el taller").get_by_role("alert")).to_contain_text("último administrador")


def test_what_the_workbook_asks_for_is_decided_as_it_was_seen(shop: PinShop) -> None:
    with shop.database.writing() as tx:
        tx.run("role_ask", worker_id=LP.id, rol="Metrologia", activo=1)
        tx.run("worker_change_ask", worker_id=MI.id, nombre="Marta", apellido="Ríos", activo=1, at="2026")
    with shop.tablet(kind=DeviceKind.OFICINA) as office:
        page = as_administrator(office, "/administracion")
        expect(page.get_by_text("2 esperan confirmación")).to_be_visible()
        office.open(PEOPLE)
        page.get_by_role("button", name="Por atender (2)").click()
        page.get_by_role("button", name=name_of(LP)).click()
        requests = card(page, "La planilla pide")
        expect(requests.get_by_text("Rol Metrología")).to_be_visible()
        with shop.database.writing() as tx:
            tx.run("role_ask", worker_id=LP.id, rol="Administrador", activo=1)
        office.tap("Confirmar")
        expect(requests.get_by_role("alert")).to_be_visible()
        expect(requests.get_by_text("Rol Administrador")).to_be_visible()  # read anew, and not given
        office.tap("Rechazar")
        expect(requests).to_have_count(0)
        office.open(f"{PEOPLE}?persona={MI.id}")
        expect(requests.get_by_text("Que se llame Marta Ríos")).to_be_visible()
        office.tap("Confirmar")
        expect(page.get_by_role("heading", level=1)).to_have_text("Marta Ríos")


def test_a_supervisor_gives_pins_to_the_floor_and_sees_nothing_else(shop: PinShop) -> None:
    with shop.database.writing() as tx:
        tx.run("pin_lock_insert", who=f"w:{JS.id}", device_id="", at="2026-11-16T11:00:00+00:00")
    with shop.tablet() as screen:
        page = screen.open("/administracion")
        face(screen, SV).click()
        type_pin(page)
        expect(page.get_by_role("main").get_by_role("link")).to_have_count(2)  # people, and the weld record
        screen.open(PEOPLE)
        listed = page.get_by_role("list", name="Personas")
        expect(listed.get_by_text(name_of(LP))).to_be_visible()
        for privileged in (MI, SV, AD):
            expect(listed.get_by_text(name_of(privileged))).to_have_count(0)
        listed.get_by_text(name_of(JS)).click()
        expect(page.get_by_role("button", name="Guardar roles")).to_have_count(0)
        screen.tap("Desbloquear")
        expect(page.get_by_text("Bloqueado en todos los equipos")).to_have_count(0)
        screen.tap("PIN nuevo y tarjeta")
        screen.tap("PIN nuevo y tarjeta")
        assert pin_on_card(page) != PIN
        for section in ("dispositivos", "planilla", "ajustes", "respaldo", "integraciones", "accesos", "sistema"):
            screen.open(f"/administracion/{section}")
            expect(page.get_by_role("heading", name="Esta sección es sólo para administradores.")).to_be_visible()


def test_a_worker_is_told_that_the_page_is_not_theirs(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.open()
        sign_in(screen, LP)
        screen.open("/administracion/personas")
        expect(page.get_by_text("LP(7) no es administrador ni supervisor")).to_be_visible()
        expect(page.get_by_role("button", name=name_of(JS))).to_have_count(0)
        face(screen, AD).click()
        type_pin(page)
        expect(page.get_by_role("list", name="Personas")).to_be_visible()


def test_a_server_without_identities_says_that_there_is_nothing_to_administer(
    tablets: Tablets, demo: RunningServer
) -> None:
    with tablets.one(demo.url) as screen:
        page = screen.open("/administracion/personas")
        expect(page.get_by_role("heading", name="CARRETE_ACCESS=open")).to_be_visible()


def test_a_change_without_an_answer_says_that_it_may_have_been_done(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as office:
        page = open_person(office, LP.id)
        page.route("**/roles", lambda route: route.abort())
        office.tap("Soldador")
        office.tap("Guardar roles")
        expect(card(page, "Roles").get_by_role("alert")).to_contain_text("Puede que se haya hecho")
        expect(page.get_by_role("button", name="Soldador", exact=True)).to_have_attribute("aria-pressed", "true")
        page.unroute("**/roles")
        office.tap("Guardar roles")
        expect(page.get_by_text("LP(7) tiene los roles nuevos.")).to_be_visible()
