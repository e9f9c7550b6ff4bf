"""People, welding, devices, accesses, integrations in both themes and languages and four sizes: axe finds nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date

import pytest
from playwright.sync_api import Page

from carrete.domain.qualification import Limits, Procedure, Qualification, WeldScope
from carrete.identity.records import DeviceKind
from carrete.ledger.welding import save_procedures, save_qualifications
from tests.support.browser import Tablets, complaints
from tests.support.builders import a_spool, a_worker, put
from tests.support.office import as_administrator
from tests.support.people import JS, LP, SV
from tests.support.pin_shop import PinShop, face, pin_shop, type_pin

ONE = "MK-1335-CW-25238-001"
ENGLISH = 'localStorage.setItem("carrete.language", "en")'
SCOPE = WeldScope(("1", "8"), ("6", "4"), Limits(1_500, 19_000), Limits(2_000, None), ("5G", "6G"))
PROCEDURE = Procedure("MK-WPS-001-GTAW-SMAW", ("GTAW", "SMAW"), SCOPE, "3", date(2026, 1, 1), date(2030, 12, 31))
ENDED = Qualification(JS.id, "GTAW", "WPQ-7", SCOPE, date(2025, 1, 10), date(2026, 1, 10), date(2025, 6, 1))
LONG_NAME = a_worker(301, "Raúl Alejandro del Carmen", "Fuentealba-Echeverría Undurraga")


@pytest.fixture(scope="module")
def shop(tablets: Tablets, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PinShop]:
    with pin_shop(tablets, tmp_path_factory.mktemp("administration"), [a_spool(ONE)]) as running:
        put(running.database, workers=[LONG_NAME])
        with running.database.writing() as tx:
            tx.run("role_ask", worker_id=LP.id, rol="Supervisor", activo=1)
            tx.run("pin_lock_insert", who=f"w:{JS.id}", device_id="", at="2026-11-16T11:00:00+00:00")
            save_procedures(tx, [PROCEDURE])
            save_qualifications(tx, [ENDED])
        yield running


def either(page: Page, spanish: str, english: str) -> None:
    """Presses the button, in the question that is open if there is one."""
    dialog = page.locator("dialog[open]")
    place = dialog.last if dialog.count() else page
    name = re.compile(f"^({spanish}|{english})$")
    place.get_by_role("button", name=name).click()


def list_of_people(page: Page) -> None:
    page.get_by_text(LONG_NAME.nombre).wait_for()


def a_person(page: Page) -> None:
    page.locator("form").first.wait_for()


def add_person(page: Page) -> None:
    either(page, "Agregar persona", "Add a person")
    page.get_by_role("dialog").get_by_role("textbox").first.fill(str(LP.id))
    page.locator("[data-callout=warn]").wait_for()


def ask_for_cards(page: Page) -> None:
    either(page, "Tarjetas con PIN", "PIN cards")
    page.get_by_role("dialog").locator("[aria-pressed=false]").click()


def a_card(page: Page) -> None:
    either(page, "PIN nuevo y tarjeta", "New PIN and card")
    either(page, "PIN nuevo y tarjeta", "New PIN and card")
    page.locator("[role=dialog], dialog[open]").locator("[data-pin-card]").wait_for()


def devices(page: Page) -> None:
    page.locator("[data-device]").first.wait_for()


def rename_device(page: Page) -> None:
    devices(page)
    page.locator("[data-device] button").first.click()


def events(page: Page) -> None:
    page.locator("[data-access]").first.wait_for()


def new_token(page: Page) -> None:
    either(page, "Crear token", "Make a token")
    page.get_by_role("dialog").get_by_role("textbox").fill("ERP")
    either(page, "Crear token", "Make a token")
    page.get_by_text("carrete_").wait_for()


def integrations(page: Page) -> None:
    page.locator("form").wait_for()


def home(page: Page) -> None:
    page.get_by_role("main").get_by_role("listitem").nth(8).wait_for()


def welding(page: Page) -> None:
    page.locator("[data-record]").nth(1).wait_for()


def refused_procedure(page: Page) -> None:
    """Two fields with their reasons."""
    either(page, "Agregar WPS", "Add a WPS")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label(re.compile("Número de WPS|WPS number")).fill("W-2")
    dialog.get_by_label(re.compile("mínimo .mm|Least thickness")).fill("9")
    dialog.get_by_label(re.compile("máximo .mm|Greatest thickness")).fill("3")
    either(page, "Guardar", "Save")
    dialog.locator("[aria-invalid=true]").nth(1).wait_for()


def add_qualification(page: Page) -> None:
    welding(page)
    either(page, "Agregar calificación", "Add a qualification")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox").select_option(str(JS.id))
    dialog.get_by_label(re.compile("^(Proceso|Process)$")).fill("gtaw")
    dialog.get_by_label(re.compile("^(Documento|Document)$")).fill("WPQ-7")
    dialog.locator("[data-callout=warn]").wait_for()


PAGES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "home": ("", home),
    "people": ("/personas", list_of_people),
    "person": (f"/personas?persona={LP.id}", a_person),
    "locked person": (f"/personas?persona={JS.id}", a_person),
    "add person": ("/personas", add_person),
    "ask for cards": ("/personas", ask_for_cards),
    "a card": (f"/personas?persona={JS.id}", a_card),
    "welding": ("/soldadura", welding),
    "refused procedure": ("/soldadura", refused_procedure),
    "add qualification": ("/soldadura", add_qualification),
    "devices": ("/dispositivos", devices),
    "rename device": ("/dispositivos", rename_device),
    "accesses": ("/accesos", events),
    "integrations": ("/integraciones", integrations),
    "new token": ("/integraciones", new_token),
}


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_the_administrator_is_accessible(shop: PinShop, name: str, language: str) -> None:
    path, prepare = PAGES[name]
    with shop.tablet(kind=DeviceKind.OFICINA, for_axe=True, script=ENGLISH if language == "en" else "") as screen:
        prepare(as_administrator(screen, f"/administracion{path}"))
        assert complaints(screen) == []


@pytest.mark.parametrize("language", ["es", "en"])
def test_what_a_supervisor_sees_is_accessible(shop: PinShop, language: str) -> None:
    with shop.tablet(for_axe=True, script=ENGLISH if language == "en" else "") as screen:
        page = screen.open("/administracion/sistema")
        face(screen, SV).click()
        assert complaints(screen) == []
        type_pin(page)
        page.locator("[data-pin-pad]").wait_for(state="detached")
        assert complaints(screen) == []
