"""The browser is killed between a tap and its sending, again and again: no tap that was kept is lost, none doubled."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from carrete.identity.records import DeviceKind
from tests.support.browser import Screen, Tablets
from tests.support.builders import a_spool
from tests.support.kept_on_tablet import kill_browser_of, profile, wait_until_kept
from tests.support.people import LP
from tests.support.pin_shop import PinShop, pin_shop, sign_in

KILLS = 6
TAGS = [f"MK-1335-CW-25238-{n:03}" for n in range(1, KILLS + 1)]


@pytest.fixture
def shop(tablets: Tablets, tmp_path: Path) -> Iterator[PinShop]:
    with pin_shop(tablets, tmp_path, [a_spool(tag) for tag in TAGS]) as running:
        yield running


def test_no_tap_that_was_called_kept_is_lost_by_a_killed_browser(shop: PinShop, tmp_path: Path) -> None:
    folder, playwright = tmp_path / "profile", shop.tablets.playwright
    assert playwright is not None
    with profile(playwright, folder) as context:
        shop.enrol(context, DeviceKind.TABLET)
        screen = Screen(context.pages[0], shop.server.url)
        page = screen.open()
        sign_in(screen, LP)
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        wait_until_kept(page, "cards", len(TAGS))
    chosen = random.Random(19)
    called_kept: set[str] = set()
    for tag in TAGS:
        with profile(playwright, folder) as context:
            context.set_offline(True)
            screen = Screen(context.pages[0], shop.server.url)
            screen.open("/trabajo/ARM")
            screen.pick(tag)
            screen.tap("TOMAR")
            if chosen.random() < 0.7:
                expect(screen.page.get_by_text("Guardado en este tablet.")).to_be_visible()
                called_kept.add(tag)
            kill_browser_of(folder)
    assert all(shop.authors(tag) == [] for tag in TAGS)
    with profile(playwright, folder) as context:
        screen = Screen(context.pages[0], shop.server.url)
        page = screen.open("/trabajo/ARM")
        expect(page.get_by_text("sin enviar")).to_have_count(0)
        wait_until_kept(page, "taps", 0)
    arrived = {tag: shop.authors(tag) for tag in TAGS}
    once = [("TOMAR_SPOOL", "LP(7)")]
    assert called_kept
    assert all(arrived[tag] == once for tag in called_kept)
    assert all(events in ([], once) for events in arrived.values())
