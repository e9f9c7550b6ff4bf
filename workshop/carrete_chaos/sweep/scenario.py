"""What every scenario is made of: a state to begin with, something to be killed in, and how it is looked at."""

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
    PART = "a part happened"  # of what is several commits by design, each whole
    HAPPENED = "happened"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class ReferenceRun:
    """An undisturbed run: what there was before and after it, and where it can be killed."""

    before: Snapshot
    after: Snapshot
    calls: int
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    outcome: ScenarioOutcome
    wrong: tuple[str, ...] = ()


class Scenario(ABC):
    """One run of it, in a folder of its own."""

    name: ClassVar[str]
    what: ClassVar[str]

    def __init__(self, folder: Path, ledgers: Ledgers) -> None:
        self.folder = folder
        self.ledger = ledgers.at(folder)
        self._started: list[TracedProcess] = []

    @abstractmethod
    def prepare(self) -> None:
        """The state to begin with, into the empty folder."""

    @abstractmethod
    def run(self, tracer: Tracer) -> bool:
        """Does it, traced; whether it was killed on the way."""

    @abstractmethod
    def judge(self, reference: ReferenceRun) -> Judged:
        """After a kill: starts again what was killed, and says what is wrong."""

    @abstractmethod
    def picture(self) -> Snapshot:
        """As the ledger was left."""

    def close(self) -> None:
        for one in self._started:
            one.end()

    def carrete(
        self, *arguments: str, held: bool = False, redis: str = "off", google: Mapping[str, str] = NOBODY
    ) -> TracedProcess:
        given = {
            "CARRETE_DATA": str(self.folder),
            "DATABASE_URL": self.ledger.url,
            "REDIS_URL": redis,
            **google,
        }
        log = self.folder / f"{len(self._started)}-{arguments[0]}.log"
        started = TracedProcess(arguments, given, log)
        self._started.append(started)
        started.start(held=held)
        return started

    def outcome(self, found: Snapshot, reference: ReferenceRun) -> Judged:
        """All of it or nothing of it."""
        if found.same_as(reference.after):
            return Judged(ScenarioOutcome.HAPPENED)
        if found.same_as(reference.before):
            return Judged(ScenarioOutcome.NOTHING)
        against = difference(found, reference.after)
        return Judged(ScenarioOutcome.NEITHER, (f"neither as before nor as after; {against}",))


class OnFile(Scenario):
    """What is left behind is looked at while nobody has the ledger open: on SQLite only."""

    def __init__(self, folder: Path, ledgers: Ledgers) -> None:
        super().__init__(folder, ledgers)
        assert isinstance(self.ledger, SqliteLedger)
        self.file = self.ledger

    def picture(self) -> Snapshot:
        return self.file.picture_of_a_copy()


def ran(victim: TracedProcess) -> Sequence[str]:
    """What is wrong with a command that should have ended well."""
    if not victim.gone(RUN_S_MAX):
        return [f"it did not end within {RUN_S_MAX:.0f} s: {victim.said[-300:].strip()}"]
    return [] if victim.exit_code == 0 else [f"it ended with {victim.exit_code}: {victim.said[-300:].strip()}"]
