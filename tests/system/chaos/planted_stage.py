"""Short campaigns against a server with a planted bug in it."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Iterable
from pathlib import Path

import pytest

from carrete.settings import Access
from carrete_chaos.campaign import Campaign, CampaignVerdict
from carrete_chaos.cluster import Cluster, Process
from carrete_chaos.google import Google
from carrete_chaos.profiles import Profile
from carrete_chaos.proxy import NetworkFaultRates
from tests.system.chaos import planted

ROUNDS_MAX = 20  # a bug that shows only now and then gets more than one, above all on a busy machine
HASTE = Profile(
    seconds=0.8,
    tablets=12,
    spools=4,
    fault_every_s=(0.2, 0.4),
    actions_min=1,
    pace=0.3,
    faults=frozenset({"FLUSHALL"}),
    network=NetworkFaultRates(request_lost=3, answer_lost=6, delayed=4, twice=12),
    rest_s_max=3.0,
    haste=None,
)
WITHOUT_A_BUG = ""
IN_EVERY_RUN = {
    "a_success_is_answered_before_the_commit",
    "no_idempotency",
    "locks_are_never_released",
    "an_event_is_skipped_in_the_stream",
    "an_edit_is_dropped",
    "actor_from_the_body",
    "joint_of_another_is_counted_again",
    "a_note_is_written_twice",
    "a_second_result_is_taken",
}
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


def bugs_of(names: Iterable[str]) -> list[object]:
    """Every bug as a parameter of a test. Those that are not in `IN_EVERY_RUN` are long."""
    return [name if name in IN_EVERY_RUN else pytest.param(name, marks=pytest.mark.long) for name in names]


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
