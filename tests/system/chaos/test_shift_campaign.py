"""The campaign's rules of hand-overs, notes, sign-outs and joints: each bug that they are there for is seen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from carrete_chaos import hand_over_rules, identity_rules, inch_rules, note_rules
from carrete_chaos.rules import RULES
from tests.system.chaos import planted, planted_identity, planted_offline, planted_shift
from tests.system.chaos.planted_stage import HASTE, bugs_of, seen
from tests.system.chaos.test_identity_campaign import WITH_IDENTITY
from tests.system.chaos.test_offline_campaign import WITHOUT_A_CONNECTION

WITH_KILLS = replace(HASTE, seconds=3.0, faults=frozenset({"kill -9 of an API process"}), fault_every_s=(0.3, 0.8))
WITH_SIGN_OUTS = replace(WITH_IDENTITY, seconds=8.0)
SEEN_BY = {
    "hand_over_in_two_commits": "one holder",
    "an_offer_is_good_for_anybody": hand_over_rules.HANDED_OVER,
    "a_note_is_written_twice": note_rules.NOTED,
    "a_note_changes_the_spool": note_rules.UNCHANGED,
    "taps_after_the_last_are_served": identity_rules.SIGNED_OUT,
    "late_taps_are_refused": identity_rules.HONEST,
    "a_wrong_pin_is_right": identity_rules.SIGN_IN,
    "a_joint_is_not_written": inch_rules.INCHES,
}
PROFILES = {
    "hand_over_in_two_commits": WITH_KILLS,
    "taps_after_the_last_are_served": WITH_SIGN_OUTS,
    "late_taps_are_refused": WITH_IDENTITY,
    "a_wrong_pin_is_right": WITH_IDENTITY,
    "a_joint_is_not_written": WITHOUT_A_CONNECTION,
}
IN_MODE_OPEN = (
    "hand_over_in_two_commits",
    "an_offer_is_good_for_anybody",
    "a_note_is_written_twice",
    "a_note_changes_the_spool",
)


@pytest.mark.parametrize("bug", bugs_of(planted_shift.SHIFT_BUGS))
def test_a_bug_planted_in_the_life_of_a_shift_is_caught(bug: str, tmp_path: Path) -> None:
    rule = SEEN_BY[bug]
    access = "open" if bug in IN_MODE_OPEN else "pin"
    verdict = seen(bug, PROFILES.get(bug, HASTE), tmp_path, {rule}, access=access)  # type: ignore[arg-type]
    assert rule in {violation.rule for violation in verdict.violations}, verdict.violations[:5]


def test_bugs_are_planted_in_every_part_of_a_running_carrete() -> None:
    parts = (planted.BUGS, planted.SHEET_BUGS, planted_identity.IDENTITY_BUGS, planted_offline.OFFLINE_BUGS)
    assert sum(map(len, (*parts, planted_shift.SHIFT_BUGS))) >= 25
    assert set(SEEN_BY.values()) <= RULES
    assert SEEN_BY.keys() == planted_shift.SHIFT_BUGS.keys()
