"""The campaign's rules of work without a connection: each bug that they are there for is seen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from carrete_chaos import inch_rules, offline_rules
from carrete_chaos.offline_tablet import TapStorage
from carrete_chaos.profiles import IdentityPace
from carrete_chaos.proxy import NetworkFaultRates
from tests.system.chaos import planted_offline
from tests.system.chaos.planted_stage import HASTE, WITHOUT_A_BUG, bugs_of, seen

NEVER_S = (60.0, 60.0)
WITHOUT_A_CONNECTION = replace(
    HASTE,
    seconds=3.0,
    tablets=4,
    spools=3,
    network=NetworkFaultRates(),
    faults=frozenset(),
    identity=IdentityPace(
        hands_every_s=NEVER_S,
        revoke_every_s=NEVER_S,
        guess_every_s=NEVER_S,
        offline_every_s=(0.1, 0.5),
        offline_s=(0.2, 0.6),
        decides=0.9,
        rivals=0.7,
        misuse=0.0,
        wanted=(),
    ),
)
SEEN_BY = {
    "chain_goes_on_after_a_refusal": offline_rules.WHOLE,
    "steps_before_a_refusal_stay": offline_rules.WHOLE,
    "refused_work_is_thrown_away": offline_rules.CLAIMED,
    "one_refusal_makes_two_reclamos": offline_rules.CLAIMED,
    "reclamo_is_decided_twice": offline_rules.DECIDED,
    "joint_of_another_is_counted_again": inch_rules.TWICE,
    "late_work_is_the_supervisors": offline_rules.ITS_AUTHOR,
}


@pytest.mark.parametrize("bug", bugs_of(planted_offline.OFFLINE_BUGS))
def test_a_bug_planted_in_chains_and_reclamos_is_caught(bug: str, tmp_path: Path) -> None:
    rule = SEEN_BY[bug]
    verdict = seen(bug, WITHOUT_A_CONNECTION, tmp_path, {rule}, access="pin")
    assert rule in {violation.rule for violation in verdict.violations}, verdict.violations[:5]


def test_a_tap_that_is_lost_when_the_browser_is_killed_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TapStorage, "write", TapStorage.write)  # put back at the end
    planted_offline.tap_is_lost_at_a_kill()
    patient = replace(WITHOUT_A_CONNECTION, rest_s_max=30.0)  # nothing else may be found, on a busy machine neither
    verdict = seen(WITHOUT_A_BUG, patient, tmp_path, {offline_rules.KEPT}, access="pin")
    assert {violation.rule for violation in verdict.violations} == {offline_rules.KEPT}


def test_without_a_bug_in_chains_and_reclamos_nothing_is_found(tmp_path: Path) -> None:
    often_s = (0.3, 0.6)
    busy = replace(WITHOUT_A_CONNECTION.identity, hands_every_s=often_s, revoke_every_s=often_s)
    profile = replace(WITHOUT_A_CONNECTION, seconds=4.0, network=HASTE.network, rest_s_max=30.0, identity=busy)
    verdict = seen(WITHOUT_A_BUG, profile, tmp_path, set(), rounds=1, access="pin")
    assert not verdict.violations, verdict.violations[:5]
