"""The screens of identity, in both themes, both languages and four sizes: axe finds nothing, nothing overflows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from carrete.identity.records import DeviceKind
from tests.support.browser import Screen, Tablets, complaints, violations
from tests.support.builders import a_spool
from tests.support.people import JS, LP, SV
from tests.support.pin_shop import AD, PinShop, face, locked, pin_shop, sign_in, type_pin
from tests.support.signing_in import WRONG_PIN

ONE = "MK-1335-CW-25238-001"
ENGLISH = 'localStorage.setItem("carrete.language", "en")'


@pytest.fixture(scope="module")
def shop(tablets: Tablets, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PinShop]:
    with pin_shop(tablets, tmp_path_factory.mktemp("screens"), [a_spool(ONE)]) as running:
        yield running


def people(screen: Screen) -> None:
    screen.open()
    sign_in(screen, JS)
    screen.page.get_by_label("Salir").or_(screen.page.get_by_label("Leave")).click()
    face(screen, JS).wait_for()


def pad(screen: Screen) -> None:
    screen.open()
    face(screen, LP).click()


def wrong_pin(screen: Screen) -> None:
    pad(screen)
    type_pin(screen.page, WRONG_PIN)
    expect(screen.page.get_by_role("alert")).not_to_be_empty()


def lock_screen(screen: Screen) -> None:
    """As if the last touch had been long ago; a clock that the test moves would also stop the drawing."""
    people(screen)
    sign_in(screen, LP)
    screen.page.evaluate("localStorage.setItem('carrete.touched', '0')")
    expect(locked(screen.page, LP)).to_be_visible()


def somebody_else(screen: Screen) -> None:
    lock_screen(screen)
    screen.page.get_by_role("button", name="Otra persona").or_(
        screen.page.get_by_role("button", name="Somebody else")
    ).click()


def list_with_faces(screen: Screen) -> None:
    people(screen)
    sign_in(screen, LP)
    screen.row(ONE).wait_for()


def change_pin(screen: Screen) -> None:
    list_with_faces(screen)
    banner = screen.page.get_by_role("banner")
    banner.get_by_label("Idioma y pantalla").or_(banner.get_by_label("Language and screen")).click()
    screen.page.locator("dialog[open] button").filter(has_text="PIN").click()
    screen.page.locator("[data-pin-pad]").wait_for()


def supervisor(screen: Screen) -> None:
    screen.open("/supervision")
    face(screen, SV).wait_for()


def devices(screen: Screen) -> None:
    screen.open("/equipos")
    face(screen, AD).click()
    type_pin(screen.page)
    screen.page.locator("form").wait_for()


def qr_code(screen: Screen) -> None:
    devices(screen)
    screen.page.locator("form input").fill("Tablet 3")
    screen.page.locator("form button[type=submit]").click()
    screen.page.get_by_role("img").wait_for()


OF_A_TABLET: dict[str, Callable[[Screen], None]] = {
    "people": people,
    "pad": pad,
    "wrong pin": wrong_pin,
    "lock": lock_screen,
    "somebody else": somebody_else,
    "list": list_with_faces,
    "change pin": change_pin,
    "supervisor": supervisor,
    "devices": devices,
    "qr code": qr_code,
}
OF_A_STRANGER = ("/", "/inscribir", "/configurar", "/tablero")


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("name", OF_A_TABLET)
def test_a_screen_of_identity_is_accessible(shop: PinShop, name: str, language: str) -> None:
    kind = DeviceKind.OFICINA if name in ("devices", "qr code") else DeviceKind.TABLET
    with shop.tablet(kind=kind, for_axe=True, script=ENGLISH if language == "en" else "") as screen:
        OF_A_TABLET[name](screen)
        assert complaints(screen) == []


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("path", OF_A_STRANGER)
def test_a_page_for_a_device_that_is_not_enrolled_is_accessible(shop: PinShop, path: str, language: str) -> None:
    with shop.tablet(kind=None, for_axe=True, script=ENGLISH if language == "en" else "") as screen:
        screen.open(path).locator("h1").wait_for()
        assert complaints(screen) == []


KEYS = """() => [...document.querySelectorAll('dialog[open] button')].map(e => [e, e.getBoundingClientRect()])
    .map(([e, box]) => [e.textContent, box.top >= 0 && box.bottom <= innerHeight, box.width, box.height])"""


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("name", ["pad", "wrong pin", "lock"])
def test_a_pad_fits_a_small_tablet_held_flat(shop: PinShop, name: str, language: str) -> None:
    script = ENGLISH if language == "en" else ""
    with shop.tablet(size=(1024, 600), for_axe=True, script=script) as screen:
        OF_A_TABLET[name](screen)
        buttons = screen.page.evaluate(KEYS)
        assert [text for text, is_in_sight, _, _ in buttons if not is_in_sight] == []
        digits = [(width, height) for text, _, width, height in buttons if text.isdigit()]
        assert len(digits) == 10
        assert min(map(min, digits)) >= 72
        assert violations(screen.page) == []
