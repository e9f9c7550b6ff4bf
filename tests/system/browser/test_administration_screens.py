"""People, devices, accesses and integrations, in both themes, both languages and four sizes: axe finds nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page

from carrete.identity.records import DeviceKind
from tests.support.browser import Tablets, complaints
from tests.support.builders import a_spool, a_worker, put
from tests.support.office import as_administrator
from tests.support.people import JS, LP, SV
from tests.support.pin_shop import PinShop, face, pin_shop, type_pin

ONE = "MK-1335-CW-25238-001"
ENGLISH = 'localStorage.setItem("carrete.language", "en")'
LONG_NAME = a_worker(301, "Raúl Alejandro del Carmen", "Fuentealba-Echeverría Undurraga")


@pytest.fixture(scope="module")
def shop(tablets: Tablets, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PinShop]:
    with pin_shop(tablets, tmp_path_factory.mktemp("administration"), [a_spool(ONE)]) as running:
        put(running.database, workers=[LONG_NAME])
        with running.database.writing() as tx:
            tx.run("role_ask", worker_id=LP.id, rol="Supervisor", activo=1)
            tx.run("pin_lock_insert", who=f"w:{JS.id}", device_id="", at="2026-11-16T11:00:00+00:00")
        yield running


def either(page: Page, spanish: str, english: str) -> None:
    """Presses the button, in the question that is open if there is one."""
    asked = page.locator("dialog[open]")
    place = asked.last if asked.count() else page
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
    page.get_by_role("main").get_by_role("listitem").nth(7).wait_for()


PAGES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "home": ("", home),
    "people": ("/personas", list_of_people),
    "person": (f"/personas?persona={LP.id}", a_person),
    "locked person": (f"/personas?persona={JS.id}", a_person),
    "add person": ("/personas", add_person),
    "ask for cards": ("/personas", ask_for_cards),
    "a card": (f"/personas?persona={JS.id}", a_card),
    "devices": ("/dispositivos", devices),
    "rename device": ("/dispositivos", rename_device),
    "accesses": ("/accesos", events),
    "integrations": ("/integraciones", integrations),
    "new token": ("/integraciones", new_token),
}


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_the_administrator_is_for_everybody(shop: PinShop, name: str, language: str) -> None:
    path, prepare = PAGES[name]
    with shop.tablet(kind=DeviceKind.OFICINA, for_axe=True, script=ENGLISH if language == "en" else "") as screen:
        prepare(as_administrator(screen, f"/administracion{path}"))
        assert complaints(screen) == []


@pytest.mark.parametrize("language", ["es", "en"])
def test_what_a_supervisor_sees_is_for_everybody(shop: PinShop, language: str) -> None:
    with shop.tablet(for_axe=True, script=ENGLISH if language == "en" else "") as screen:
        page = screen.open("/administracion/sistema")
        face(screen, SV).click()
        assert complaints(screen) == []
        type_pin(page)
        page.locator("[data-pin-pad]").wait_for(state="detached")
        assert complaints(screen) == []
