"""The browser is killed between a tap and its sending, again and again: no stored tap is lost, none is doubled, none is
sent under another name. `scripts/kill_browsers.py` kills it as often as one likes."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Playwright

from tests.support.browser_kills import BY_JOINT, WHOLE, Moment, Work, judge, kill_campaign, tags_of
from tests.support.people import LP

pytestmark = pytest.mark.usefixtures("browser")  # which says how long to wait
KILLS, SEED = 6, 39
# The page believes that its taps are stored.
FORGETS = """const put = IDBObjectStore.prototype.put;
IDBObjectStore.prototype.put = function (...what) {
    return this.name === 'taps' ? this.count() : put.apply(this, what);
};"""


def test_no_tap_that_was_called_kept_is_lost_by_a_killed_browser(playwright: Playwright, tmp_path: Path) -> None:
    with kill_campaign(playwright, tmp_path, KILLS, SEED) as campaign:
        campaign.run(tags_of(KILLS))
        assert campaign.verdict() == []
        assert set(campaign.kills) == set(Moment)
        assert campaign.changes > 0
        assert sum(work.kept for work in campaign.works) > 0


def test_a_tablet_that_only_says_that_it_keeps_taps_is_caught(playwright: Playwright, tmp_path: Path) -> None:
    with kill_campaign(playwright, tmp_path, 1, SEED) as campaign:
        campaign.moments, campaign.steps_max, campaign.script = (Moment.KEPT,), 1, FORGETS
        campaign.run(tags_of(1))
        (wrong,) = campaign.verdict()
        assert "lost" in wrong


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
