"""The browser is killed seconds after a PIN or a sign-out without Wi-Fi: nobody can act in another person's name
because of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Playwright, expect

from carrete.identity.records import DeviceKind
from tests.support.browser import Screen, Tablets
from tests.support.builders import a_spool
from tests.support.gated import eventually
from tests.support.kept_on_tablet import kill_browser_of, profile, wait_until_kept
from tests.support.people import LP
from tests.support.pin_shop import PinShop, face, locked, pin_shop, put_device_cookie, sign_in, type_pin
from tests.support.signed_in import enrol
from tests.support.signing_in import PIN, WRONG_PIN
from tests.support.wifi import Wifi, wifi_to

pytestmark = pytest.mark.usefixtures("browser")  # which says how long to wait
ONE = "MK-1335-CW-25238-001"
IDLE_S = 15
FLUSHED_MS = 7_000  # Chromium writes localStorage to the disk five seconds after a change
NOBODY = "¿Quién es usted?"
TAKEN = [("TOMAR_SPOOL", LP.label)]


@dataclass(frozen=True, slots=True)
class Tablet:
    shop: PinShop
    wifi: Wifi
    playwright: Playwright
    folder: Path

    @contextmanager
    def opened(self) -> Iterator[Screen]:
        with profile(self.playwright, self.folder) as context:
            yield Screen(context.pages[0], self.wifi.url)

    def begin(self) -> None:
        """LP signs in. The browser is then closed as it should be: all of that is on the disk."""
        with self.opened() as screen:
            put_device_cookie(screen.page.context, self.wifi.url, enrol(self.shop.database, DeviceKind.TABLET).secret)
            page = screen.open()
            sign_in(screen, LP)
            page.evaluate("navigator.serviceWorker.ready.then(() => true)")
            wait_until_kept(page, "cards", 1)

    def kill(self) -> None:
        kill_browser_of(self.folder)


@pytest.fixture
def tablet(playwright: Playwright, tmp_path: Path) -> Iterator[Tablet]:
    nobody = Tablets(None, playwright)  # type: ignore[arg-type]
    data = tmp_path / "data"
    data.mkdir()
    with pin_shop(nobody, data, [a_spool(ONE)], CARRETE_IDLE_S=str(IDLE_S)) as shop, wifi_to(shop.server.url) as wifi:
        yield Tablet(shop, wifi, playwright, tmp_path / "tablet")


def take_after_pin_without_wifi(tablet: Tablet, pin: str) -> None:
    """The tablet has been locked for a while. Somebody types a PIN, takes the spool, and the browser is killed."""
    tablet.begin()
    tablet.wifi.cut()
    with tablet.opened() as screen:
        page = screen.open(f"/trabajo/ARM/{ONE}")
        expect(locked(page, LP)).to_be_visible()
        page.wait_for_timeout(FLUSHED_MS)
        type_pin(page, pin)
        expect(locked(page, LP)).to_have_count(0)
        screen.tap("TOMAR")
        expect(page.get_by_text("Guardado en este tablet.").or_(page.get_by_text("compruebe el PIN"))).to_be_visible()
        wait_until_kept(page, "taps", 1)
        tablet.kill()
    tablet.wifi.mend()


def test_a_tap_after_a_wrong_pin_waits_for_its_author_although_the_browser_was_killed(tablet: Tablet) -> None:
    take_after_pin_without_wifi(tablet, WRONG_PIN)
    with tablet.opened() as screen:
        page = screen.open("/trabajo/ARM")
        expect(locked(page, LP)).to_be_visible()
        page.wait_for_timeout(5_000)
        assert tablet.shop.authors(ONE) == []
        type_pin(page)
        expect(locked(page, LP)).to_have_count(0)
        page.get_by_text("1 acción sin enviar").click()
        expect(page.get_by_text("Se hizo después de un PIN equivocado").first).to_be_visible()
        assert tablet.shop.authors(ONE) == []
        screen.tap("Es mía, enviar")
        eventually(lambda: tablet.shop.authors(ONE) == TAKEN, within_s=10.0)


def test_a_tap_after_the_right_pin_is_sent_by_itself_although_the_browser_was_killed(tablet: Tablet) -> None:
    take_after_pin_without_wifi(tablet, PIN)
    with tablet.opened() as screen:
        page = screen.open("/trabajo/ARM")
        eventually(lambda: tablet.shop.authors(ONE) == TAKEN, within_s=15.0)
        wait_until_kept(page, "taps", 0)


def test_a_sign_out_without_wifi_is_not_undone_by_a_killed_browser(tablet: Tablet) -> None:
    tablet.begin()
    tablet.wifi.cut()
    with tablet.opened() as screen:
        page = screen.open("/trabajo/ARM")
        screen.tap("Salir")
        expect(page.get_by_role("heading", name=NOBODY)).to_be_visible()
        page.wait_for_timeout(300)
        tablet.kill()
    with tablet.opened() as screen:
        page = screen.open("/trabajo/ARM")
        expect(page.get_by_role("heading", name=NOBODY)).to_be_visible()
        expect(page.get_by_text(LP.label)).to_have_count(0)
        tablet.wifi.mend()
        eventually(lambda: tablet.shop.last_taps(LP) == [0], within_s=15.0)
        page.reload()
        expect(face(screen, LP)).to_be_visible()
