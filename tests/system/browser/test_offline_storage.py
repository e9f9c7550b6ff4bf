"""What the tablet may store: nothing where the disk is full or storage is denied, and nothing after the device was
revoked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from carrete.identity.records import DeviceKind
from tests.support.browser import Screen, Tablets
from tests.support.builders import a_spool
from tests.support.kept_on_tablet import files_kept, kept, wait_until_kept
from tests.support.people import LP
from tests.support.pin_shop import LOST, PinShop, pin_shop, sign_in
from tests.support.signed_in import revoke_device

ONE, TWO = "MK-1335-CW-25238-001", "MK-1335-CW-25238-002"
NO_COPY = "Este tablet no puede guardar spools para trabajar sin conexión."
NOT_SAVED = "Este tablet no pudo guardarlo: no cierre la página."
FULL = "full"
# As with cookies of all sites forbidden: every name of something that keeps throws.
DENIED = """const denied = {get() { throw new DOMException('denied', 'SecurityError'); }};
for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches'])
    Object.defineProperty(window, name, denied);
for (const name of ['serviceWorker', 'storage', 'locks']) Object.defineProperty(Navigator.prototype, name, denied);
window.BroadcastChannel = class { constructor() { throw new DOMException('denied', 'SecurityError'); } };"""


@pytest.fixture
def shop(tablets: Tablets, tmp_path: Path) -> Iterator[PinShop]:
    with pin_shop(tablets, tmp_path, [a_spool(ONE), a_spool(TWO)]) as running:
        yield running


def fill_disk(page: Page, url: str) -> None:
    """The browser's own limit for this shop's pages; it ends with the page."""
    page.context.new_cdp_session(page).send("Storage.overrideQuotaForOrigin", {"origin": url, "quotaSize": 1})


# Chromium itself lets small writes pass for some time after the limit was reached.
NO_ROOM = """() => {
    IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); };
}"""


def take(screen: Screen, tag: str) -> None:
    screen.pick(tag)
    screen.tap("TOMAR")
    screen.says(f"LP(7) tiene el spool {tag} para ARM.")
    screen.is_back_at_the_list()


def loses_wifi(screen: Screen) -> None:
    screen.page.context.set_offline(True)
    expect(screen.page.locator("[data-connection=offline]")).to_be_visible()


def test_a_disk_that_is_full_from_the_start_is_no_obstacle_online(shop: PinShop) -> None:
    with shop.tablet(installed=True, allow=[*LOST, FULL]) as screen:
        fill_disk(screen.page, shop.server.url)
        page = screen.open()
        sign_in(screen, LP)
        expect(page.get_by_text(NO_COPY)).to_be_visible()
        take(screen, ONE)
        assert kept(page, "cards") == 0
        page.reload()
        expect(screen.mine()).to_have_count(1)
    assert shop.authors(ONE) == [("TOMAR_SPOOL", LP.label)]


def test_a_disk_that_fills_up_later_does_not_call_a_tap_kept(shop: PinShop) -> None:
    with shop.tablet(allow=[*LOST, FULL]) as screen:
        page = screen.open()
        sign_in(screen, LP)
        screen.row(ONE).wait_for()
        wait_until_kept(page, "cards", 2)
        page.evaluate(NO_ROOM)
        loses_wifi(screen)
        screen.pick(ONE)
        screen.tap("TOMAR")
        expect(page.get_by_text(NOT_SAVED)).to_be_visible()
        expect(page.get_by_text("Guardado en este tablet.")).to_have_count(0)
        page.context.set_offline(False)
        expect(page.get_by_text("Confirmado:")).to_be_visible()
    assert shop.authors(ONE) == [("TOMAR_SPOOL", LP.label)]


def test_where_all_storage_is_denied_the_page_works_online_and_never_goes_blank(shop: PinShop) -> None:
    with shop.tablet(script=DENIED) as screen:
        page = screen.open()
        sign_in(screen, LP)
        expect(page.get_by_text("Este tablet no puede guardar nada")).to_be_visible()
        take(screen, ONE)
        loses_wifi(screen)
        expect(page.get_by_role("searchbox")).to_be_visible()
        screen.pick(TWO)
        screen.tap("TOMAR")
        expect(page.get_by_text(NOT_SAVED)).to_be_visible()
        page.context.set_offline(False)
        expect(page.get_by_text("Confirmado:")).to_be_visible()
    assert shop.authors(TWO) == [("TOMAR_SPOOL", LP.label)]


@pytest.mark.parametrize("is_open", [True, False], ids=["while it is open", "while it is closed"])
def test_a_revoked_tablet_deletes_its_spools(shop: PinShop, is_open: bool) -> None:
    with shop.tablets.one(shop.server.url, installed=True, allow=LOST) as screen:
        device = shop.enrol(screen.page.context, DeviceKind.TABLET)
        page = screen.open()
        sign_in(screen, LP)
        screen.row(ONE).wait_for()
        assert files_kept(page)
        wait_until_kept(page, "cards", 2)
        if not is_open:
            page.close()
        revoke_device(shop.database, device)
        if not is_open:
            screen.page = page = page.context.new_page()
            screen.open()
        wait_until_kept(page, "cards", 0)
        assert kept(page, "copies") == 0
