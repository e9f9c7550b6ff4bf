"""The browser is killed between a tap and its sending, again and again: no tap that was kept is lost, none doubled.
`scripts/kill_browsers.py` kills it as often as one likes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from carrete.identity.records import DeviceKind
from tests.support.browser import Screen, Tablets
from tests.support.browser_kills import BY_JOINT, WHOLE, Work, judge
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


class TestVerdict:
    TAKEN, PAUSED = ("TOMAR_SPOOL", LP.label), ("PAUSAR_SPOOL", LP.label)

    def wrong(self, *found: tuple[str, str], tapped: int = 2, kept: int = 1) -> list[str]:
        return judge(Work("MK-1", WHOLE, LP, tapped, kept), list(found))

    def test_what_was_kept_must_arrive_and_what_was_tapped_may(self) -> None:
        assert self.wrong(self.TAKEN) == []
        assert self.wrong(self.TAKEN, self.PAUSED) == []
        assert "lost" in self.wrong()[0]
        assert self.wrong(kept=0) == []

    def test_nothing_arrives_twice_or_in_another_order(self) -> None:
        assert "doubled" in self.wrong(self.TAKEN, self.TAKEN)[0]
        assert "doubled" in self.wrong(self.PAUSED, self.TAKEN)[0]

    def test_nothing_arrives_that_nobody_tapped(self) -> None:
        assert "1 were tapped" in self.wrong(self.TAKEN, self.PAUSED, tapped=1)[0]

    def test_nothing_arrives_under_another_name(self) -> None:
        assert "another name" in self.wrong(("TOMAR_SPOOL", "AY(5)"))[0]

    def test_joints_are_part_of_their_step(self) -> None:
        work = Work("MK-2", BY_JOINT, LP, 2, 2)
        assert judge(work, BY_JOINT.after(2, LP.label)) == []
        assert "doubled" in judge(work, [*BY_JOINT.after(2, LP.label), ("UNION_ARM_REGISTRADA", LP.label)])[0]
