"""The parts of every scenario: the state at the beginning, the command to kill, and the check afterwards."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

from carrete_chaos.sweep.ledgers import Ledgers, SqliteLedger
from carrete_chaos.sweep.points import Point
from carrete_chaos.sweep.snapshot import Snapshot, difference
from carrete_chaos.sweep.traced_process import TracedProcess
from carrete_chaos.sweep.tracer import Tracer

RUN_S_MAX = 60.0
NOBODY: Mapping[str, str] = {}


class ScenarioOutcome(StrEnum):
    NOTHING = "nothing happened"
    PART = "a part happened"  # some of several commits, each of them whole
    HAPPENED = "happened"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class ReferenceRun:
    """A run without a kill: the ledger before and after it, and the points where it can be killed."""

    before: Snapshot
    after: Snapshot
    calls: int
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class TrialResult:
    outcome: ScenarioOutcome
    wrong: tuple[str, ...] = ()


class Scenario(ABC):
    """One scenario, run in a folder of its own."""

    name: ClassVar[str]
    what: ClassVar[str]
    access: ClassVar[str] = "open"

    def __init__(self, folder: Path, ledgers: Ledgers) -> None:
        self.folder = folder
        self.ledger = ledgers.at(folder)
        self._started: list[TracedProcess] = []

    @abstractmethod
    def prepare(self) -> None:
        """Creates the state at the beginning in the empty folder."""

    @abstractmethod
    def run(self, tracer: Tracer) -> bool:
        """Runs the command under the tracer; returns whether it was killed."""

    @abstractmethod
    def judge(self, reference: ReferenceRun) -> TrialResult:
        """After a kill: starts the killed program again and returns what is wrong."""

    @abstractmethod
    def snapshot(self) -> Snapshot:
        """The ledger as it was left."""

    def close(self) -> None:
        for one in self._started:
            one.end()

    def carrete(
        self, *arguments: str, held: bool = False, redis: str = "off", google: Mapping[str, str] = NOBODY
    ) -> TracedProcess:
        given = {
            "CARRETE_DATA": str(self.folder),
            "CARRETE_ACCESS": self.access,
            "DATABASE_URL": self.ledger.url,
            "REDIS_URL": redis,
            **google,
        }
        log = self.folder / f"{len(self._started)}-{arguments[0]}.log"
        started = TracedProcess(arguments, given, log)
        self._started.append(started)
        started.start(held=held)
        return started

    def outcome(self, found: Snapshot, reference: ReferenceRun) -> TrialResult:
        """Whether the ledger has all of the change or nothing of it."""
        if found.same_as(reference.after):
            return TrialResult(ScenarioOutcome.HAPPENED)
        if found.same_as(reference.before):
            return TrialResult(ScenarioOutcome.NOTHING)
        against = difference(found, reference.after)
        return TrialResult(ScenarioOutcome.NEITHER, (f"neither as before nor as after; {against}",))


class OnFile(Scenario):
    """Checks the ledger while no process has it open; on SQLite only."""

    def __init__(self, folder: Path, ledgers: Ledgers) -> None:
        super().__init__(folder, ledgers)
        assert isinstance(self.ledger, SqliteLedger)
        self.file = self.ledger

    def snapshot(self) -> Snapshot:
        return self.file.snapshot_of_copy()


def ran(victim: TracedProcess) -> Sequence[str]:
    """A sentence if a command that should have succeeded did not."""
    if not victim.gone(RUN_S_MAX):
        return [f"it did not end within {RUN_S_MAX:.0f} s: {victim.output[-300:].strip()}"]
    return [] if victim.exit_code == 0 else [f"it ended with {victim.exit_code}: {victim.output[-300:].strip()}"]
