"""The campaign's rules of examinations of welds: each bug that they are there for is seen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from carrete_chaos import ndt_rules, ndt_sample, ndt_trail
from carrete_chaos.rules import RULES
from tests.system.chaos import planted_ndt
from tests.system.chaos.planted_stage import HASTE, bugs_of, seen
from tests.system.chaos.test_shift_campaign import WITH_KILLS

WITH_REPAIRS = replace(HASTE, seconds=4.0, spools=8)  # more of them free
SEEN_BY = {
    "a_result_is_recorded_in_a_commit_of_its_own": ndt_trail.EXAMINED,
    "a_second_result_is_taken": ndt_trail.EXAMINED,
    "a_repair_skips_a_number": ndt_trail.REPAIRED,
    "a_sample_is_left_to_chance": ndt_sample.SAMPLED,
    "open_examinations_do_not_block": ndt_trail.APPROVED,
    "a_result_changes_the_spool": ndt_rules.KEEPS,
    "a_rejection_forgets_the_other_joints": ndt_rules.ADDITIONAL,
}
PROFILES = {
    "a_result_is_recorded_in_a_commit_of_its_own": WITH_KILLS,
    "a_repair_skips_a_number": WITH_REPAIRS,
    "a_rejection_forgets_the_other_joints": WITH_REPAIRS,
}


@pytest.mark.parametrize("bug", bugs_of(planted_ndt.NDT_BUGS))
def test_a_bug_planted_in_examinations_is_caught(bug: str, tmp_path: Path) -> None:
    rule = SEEN_BY[bug]
    verdict = seen(bug, PROFILES.get(bug, HASTE), tmp_path, {rule})
    assert rule in {violation.rule for violation in verdict.violations}, verdict.violations[:5]


def test_the_bugs_of_examinations_have_their_rules() -> None:
    assert set(SEEN_BY.values()) <= RULES
    assert SEEN_BY.keys() == planted_ndt.NDT_BUGS.keys()
