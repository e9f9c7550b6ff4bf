"""The campaign itself: short in the suite, and able to see every kind of bug that it is there for."""

from __future__ import annotations

import asyncio
import multiprocessing
from dataclasses import replace
from pathlib import Path

import pytest

from carrete.settings import Access
from carrete_chaos.campaign import Campaign, CampaignVerdict, IdentityPace, Profile
from carrete_chaos.cluster import Cluster, Process
from carrete_chaos.command import campaign
from carrete_chaos.google import Google
from carrete_chaos.proxy import Climate
from tests.system.chaos import planted, planted_identity

LOCKS = {"locks"}
LEDGER = {"answers are final", "acknowledged is kept", "as told", "once", "nothing by itself", "one holder"}
HOLDS = {*LEDGER, "holds overlap", "linearizable"}
SEEN_BY = {
    "occupied_by_whoever_comes_to_mind": {"linearizable"},
    "locks_are_never_released": LOCKS,
    "locks_are_never_held": LOCKS,
    "nothing_heals": LOCKS,
    "an_event_is_skipped_in_the_stream": {"stream"},
    "a_row_is_never_written": {"sheet"},
    "an_edit_is_dropped": {"sheet", "edits are heard"},
    "a_value_in_the_wrong_row": {"nothing by itself"},
    "our_own_writes_are_taken_for_a_persons": {"nothing by itself"},
    "events_are_sent_again": {"sheet events"},
    "a_person_is_obeyed_without_a_word": {"one holder"},
    "a_person_frees_whoever_holds_it_now": {"one holder"},
    "actor_from_the_body": {"attribution"},
    "late_tap_given_to_the_new_session": {"attribution"},
    "revocation_unheard": {"revoked"},
    "key_shared_between_people": {"own key"},
    "throttle_forgotten_at_restart": {"throttle"},
}
ROUNDS_MAX = 20  # a bug that shows only now and then gets more than one, above all on a busy machine
HASTE = Profile(
    seconds=0.8,
    tablets=12,
    spools=4,
    fault_every_s=(0.2, 0.4),
    actions_min=1,
    pace=0.3,
    faults=frozenset({"FLUSHALL"}),
    climate=Climate(request_lost=3, answer_lost=6, delayed=4, twice=12),
    rest_s_max=3.0,
    haste=None,
)
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
WITH_IDENTITY = replace(
    HASTE,
    seconds=1.0,
    tablets=6,
    climate=Climate(),
    faults=frozenset(),
    identity=IdentityPace(hands_every_s=(0.5, 1.5), revoke_every_s=(60.0, 60.0), guess_every_s=(60.0, 60.0)),
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
IDENTITY_PROFILES = {"revocation_unheard": WITH_REVOCATIONS, "throttle_forgotten_at_restart": WITH_GUESSES}
WITHOUT_A_BUG = ""
forks = multiprocessing.get_context("forkserver")
forks.set_forkserver_preload(["tests.system.chaos.planted"])


class Grown(Process):
    """`carrete` with a bug in it, forked from a process that has imported everything already."""

    bug = WITHOUT_A_BUG

    def start(self, _prefix: object = ()) -> None:
        arguments = (self.bug, self._command, self._environment, str(self._log))
        self._fork = forks.Process(target=planted.run, args=arguments, daemon=True)
        self._fork.start()
        self.starts += 1

    @property
    def pid(self) -> int:
        assert self._fork.pid is not None
        return self._fork.pid

    @property
    def alive(self) -> bool:
        return self.starts > 0 and self._fork.is_alive()

    def kill(self) -> None:
        if self.starts:
            self._fork.kill()
            self._fork.join()


class PlantedStage(Cluster):
    def __init__(self, folder: Path, bug: str, google: Google | None, access: Access) -> None:
        self.bug = bug
        super().__init__(folder, f"sqlite:///{folder / 'carrete.db'}", google, processes=1, access=access)

    def carrete(self, arguments: list[str], log: Path, environment: dict[str, str]) -> Process:
        grown = Grown(arguments, log, environment)
        grown.bug = self.bug
        return grown


def seen(
    bug: str, profile: Profile, folder: Path, wanted: set[str], rounds: int = ROUNDS_MAX, access: Access = "open"
) -> CampaignVerdict:
    """Of the first round in which something wanted was seen, or of the last one. Bugs that have nothing to do with
    identity are looked for without it, which is quicker."""
    google = Google(folder, 1, profile.haste) if profile.haste else None
    cluster = PlantedStage(folder, bug, google, access)

    async def until_seen() -> CampaignVerdict:
        each = Campaign(cluster, profile, 1, "sqlite", None, None)
        await each.begin()
        try:
            for _ in range(rounds):
                await each.work()
                verdict = await each.verdict()
                if wanted & {violation.rule for violation in verdict.violations}:
                    break
            return verdict
        finally:
            await each.end()

    try:
        return asyncio.run(until_seen())
    finally:
        cluster.stop()


@pytest.mark.parametrize("db", ["sqlite", "postgres"])
def test_nothing_breaks_in_the_short_profile(db: str) -> None:
    verdict = campaign("S", seed=7, db=db)
    assert not verdict.violations, [*verdict.violations[:5], *verdict.history[:40]]
    assert not verdict.shortcomings


@pytest.mark.parametrize("bug", planted.BUGS)
def test_a_planted_bug_is_caught(bug: str, tmp_path: Path) -> None:
    wanted = SEEN_BY.get(bug, HOLDS)
    verdict = seen(bug, HASTE, tmp_path, wanted)
    assert wanted & {violation.rule for violation in verdict.violations}, verdict.violations[:5]


@pytest.mark.parametrize("bug", planted.SHEET_BUGS)
def test_a_bug_planted_in_the_lane_is_caught(bug: str, tmp_path: Path) -> None:
    wanted = SEEN_BY[bug]
    verdict = seen(bug, WITH_A_SHEET, tmp_path, wanted)
    assert wanted & {violation.rule for violation in verdict.violations}, verdict.violations[:5]


@pytest.mark.parametrize("bug", planted_identity.IDENTITY_BUGS)
def test_a_bug_planted_in_identity_is_caught(bug: str, tmp_path: Path) -> None:
    wanted = SEEN_BY[bug]
    verdict = seen(bug, IDENTITY_PROFILES.get(bug, WITH_IDENTITY), tmp_path, wanted, access="pin")
    assert wanted & {violation.rule for violation in verdict.violations}, verdict.violations[:5]


def test_without_a_bug_in_identity_nothing_is_found(tmp_path: Path) -> None:
    everything = replace(
        WITH_IDENTITY,
        seconds=3.0,
        rest_s_max=30.0,
        faults=WITH_GUESSES.faults,
        identity=IdentityPace(*[(0.3, 0.6)] * 3),
    )
    verdict = seen(WITHOUT_A_BUG, everything, tmp_path, set(), rounds=1, access="pin")
    assert not verdict.violations, verdict.violations[:5]


def test_without_a_bug_nothing_is_found_and_a_run_that_did_too_little_is_red(tmp_path: Path) -> None:
    """With a full disk as it is made where nothing can be mounted."""
    lazy = replace(WITH_A_SHEET, rest_s_max=30.0, actions_min=1_000_000, faults=SHEET_FAULTS | {"disk full"})
    verdict = seen(WITHOUT_A_BUG, lazy, tmp_path, set(), rounds=2)
    assert not verdict.violations, verdict.violations[:5]
    assert not verdict.green
    assert [said for said in verdict.shortcomings if "never bit" in said] == []
