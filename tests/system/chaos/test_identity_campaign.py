"""The campaign's rules of identity: each bug that they are there for is seen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from carrete_chaos.profiles import IdentityPace
from carrete_chaos.proxy import NetworkFaultRates
from tests.system.chaos import planted_identity
from tests.system.chaos.planted_stage import HASTE, WITHOUT_A_BUG, bugs_of, seen

NEVER_S = (60.0, 60.0)
WITH_IDENTITY = replace(
    HASTE,
    seconds=1.0,
    tablets=6,
    network=NetworkFaultRates(),
    faults=frozenset(),
    identity=IdentityPace(
        hands_every_s=(0.5, 1.5), revoke_every_s=NEVER_S, guess_every_s=NEVER_S, misuse=0.1, wanted=()
    ),
)
WITH_REVOCATIONS = replace(
    WITH_IDENTITY, seconds=7.0, identity=replace(WITH_IDENTITY.identity, revoke_every_s=(0.1, 0.2))
)
WITH_GUESSES = replace(
    WITH_IDENTITY,
    tablets=2,
    faults=frozenset({"kill -9 of an API process"}),
    identity=replace(WITH_IDENTITY.identity, guess_every_s=(0.02, 0.05)),
)
# Long enough that a tap after the last one also comes when every process has read that number.
WITH_SIGN_OUTS = replace(WITH_IDENTITY, seconds=7.0)
PROFILES = {
    "revocation_unheard": WITH_REVOCATIONS,
    "throttle_forgotten_at_restart": WITH_GUESSES,
    "unsent_taps_not_asked_for": WITH_SIGN_OUTS,
}
SEEN_BY = {
    "actor_from_the_body": "attribution",
    "late_tap_given_to_the_new_session": "attribution",
    "revocation_unheard": "revoked",
    "key_shared_between_people": "own key",
    "throttle_forgotten_at_restart": "throttle",
    "unsent_taps_not_asked_for": "signed out",
    "named_taps_refused": "honest taps are served",
}


@pytest.mark.parametrize("bug", bugs_of(planted_identity.IDENTITY_BUGS))
def test_a_bug_planted_in_identity_is_caught(bug: str, tmp_path: Path) -> None:
    rule = SEEN_BY[bug]
    verdict = seen(bug, PROFILES.get(bug, WITH_IDENTITY), tmp_path, {rule}, access="pin")
    assert rule in {violation.rule for violation in verdict.violations}, verdict.violations[:5]


def test_without_a_bug_in_identity_nothing_is_found(tmp_path: Path) -> None:
    often_s = (0.3, 0.6)
    pace = WITH_IDENTITY.identity
    busy = replace(pace, hands_every_s=often_s, revoke_every_s=often_s, guess_every_s=often_s)
    profile = replace(WITH_GUESSES, seconds=3.0, tablets=6, rest_s_max=30.0, identity=busy)
    verdict = seen(WITHOUT_A_BUG, profile, tmp_path, set(), rounds=1, access="pin")
    assert not verdict.violations, verdict.violations[:5]
