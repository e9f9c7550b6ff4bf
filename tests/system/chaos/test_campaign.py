"""The campaign itself: a short one in the suite, and that it finds every kind of bug that it is made for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from carrete_chaos.campaign_log import CampaignLog, run_missing
from carrete_chaos.campaign_report import render
from carrete_chaos.running import campaign
from tests.system.chaos import planted
from tests.system.chaos.planted_stage import HASTE, WITHOUT_A_BUG, bugs_of, seen

LOCKS = {"locks"}
LEDGER = {"answers are final", "acknowledged is kept", "as answered", "once", "each change has a cause", "one holder"}
HOLDS = {*LEDGER, "holds overlap", "linearizable"}
SEEN_BY = {
    "a_refusal_names_the_wrong_worker": {"linearizable"},
    "locks_are_never_released": LOCKS,
    "locks_are_never_held": LOCKS,
    "nothing_heals": LOCKS,
    "an_event_is_skipped_in_the_stream": {"stream"},
    "a_row_is_never_written": {"sheet"},
    "an_edit_is_dropped": {"sheet", "edits are recorded"},
    "a_value_in_the_wrong_row": {"each change has a cause"},
    "our_own_writes_are_taken_for_a_persons": {"each change has a cause"},
    "events_are_sent_again": {"sheet events"},
    "a_person_is_obeyed_without_a_word": {"one holder"},
    "a_person_frees_the_present_holder": {"one holder"},
}
SHEET_FAULTS = frozenset({"Sheets answer lost"})
WITH_A_SHEET = replace(
    HASTE,
    seconds=1.5,
    tablets=6,
    haste=planted.HASTE,
    edit_every_s=(0.05, 0.15),
    faults=SHEET_FAULTS,
    rest_s_max=4.0,
)


@pytest.mark.parametrize("db", ["sqlite", "postgres"])
def test_nothing_breaks_in_the_short_profile(db: str) -> None:
    verdict = campaign("S", seed=7, db=db)
    assert not verdict.violations, [*verdict.violations[:5], *verdict.history[:40]]
    assert not verdict.shortcomings


@pytest.mark.parametrize("bug", bugs_of(planted.BUGS))
def test_a_planted_bug_is_caught(bug: str, tmp_path: Path) -> None:
    wanted = SEEN_BY.get(bug, HOLDS)
    verdict = seen(bug, HASTE, tmp_path, wanted)
    assert wanted & {violation.rule for violation in verdict.violations}, verdict.violations[:5]


@pytest.mark.parametrize("bug", bugs_of(planted.SHEET_BUGS))
def test_a_bug_planted_in_the_lane_is_caught(bug: str, tmp_path: Path) -> None:
    wanted = SEEN_BY[bug]
    verdict = seen(bug, WITH_A_SHEET, tmp_path, wanted)
    assert wanted & {violation.rule for violation in verdict.violations}, verdict.violations[:5]


@pytest.mark.long
def test_without_a_bug_nothing_is_found_and_a_run_that_did_too_little_is_red(tmp_path: Path) -> None:
    """With a full disk as it is made where nothing can be mounted."""
    lazy = replace(WITH_A_SHEET, rest_s_max=30.0, actions_min=1_000_000, faults=SHEET_FAULTS | {"disk full"})
    verdict = seen(WITHOUT_A_BUG, lazy, tmp_path, set(), rounds=2)
    assert not verdict.violations, verdict.violations[:5]
    assert not verdict.green
    assert [text for text in verdict.shortcomings if "never bit" in text] == []


@pytest.mark.long
def test_a_campaign_of_many_seeds_is_continued_and_adds_up(tmp_path: Path) -> None:
    tiny = replace(HASTE, actions_min=20, identity=replace(HASTE.identity, wanted=()), rest_s_max=30.0)
    log = CampaignLog(tmp_path / "campaign.jsonl")
    finished: list[tuple[str, int]] = []

    def go_on(*seeds: int) -> None:
        wanted = [("sqlite", seed) for seed in seeds]
        run = lambda db, seed: campaign(tiny, seed, db, access="open")  # noqa: E731
        run_missing(log, "tiny", wanted, run, lambda result: finished.append((result.db, result.seed)))

    go_on(1)
    go_on(1, 2)
    assert finished == [("sqlite", 1), ("sqlite", 2)]
    results = log.read()
    assert [(result.seed, result.green) for result in results] == [(1, True), (2, True)], results
    assert f"{sum(result.actions for result in results):,} actions checked" in render(results)
