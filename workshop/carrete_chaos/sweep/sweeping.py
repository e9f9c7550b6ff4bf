"""All points of one scenario: a run without a kill finds them, then one trial kills at each."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from carrete_chaos.sweep.acting import Action, Cancel, Complete, Finish, HandOver, OfferHandOver, Pause, Take, TakeMany
from carrete_chaos.sweep.apart import Failed, alone, apart
from carrete_chaos.sweep.commands import ChangeSetting, MakeCopy, RevokeDevice
from carrete_chaos.sweep.delivering import DeliverMessages
from carrete_chaos.sweep.exam_actions import RejectExam, RepairJoint, RequestExams, SampledWeld
from carrete_chaos.sweep.flushing import FlushScenario
from carrete_chaos.sweep.identity_actions import ChangePin, GivePin, MakeToken, UseCode
from carrete_chaos.sweep.importing import Import
from carrete_chaos.sweep.ledgers import Ledgers
from carrete_chaos.sweep.picture_actions import MarkDrawing, SendDrawing, SendPhoto
from carrete_chaos.sweep.points import Point, spread
from carrete_chaos.sweep.scenario import ReferenceRun, Scenario, ScenarioOutcome, TrialResult
from carrete_chaos.sweep.sealing import SealTrail
from carrete_chaos.sweep.shift_actions import (
    AddNote,
    DecideReclamo,
    KeepOn,
    KeptChain,
    RefusedChain,
    StartMany,
    WithdrawOffer,
)
from carrete_chaos.sweep.starting import FirstStart, Migration
from carrete_chaos.sweep.tracer import Tracer

ACTIONS: tuple[type[Action], ...] = (
    *(Take, TakeMany, Pause, Complete, Cancel, Finish, OfferHandOver, HandOver, WithdrawOffer),
    *(StartMany, KeptChain, RefusedChain, DecideReclamo, AddNote, KeepOn),
    *(RequestExams, RejectExam, RepairJoint, SampledWeld, GivePin, ChangePin, UseCode, MakeToken),
    *(SendPhoto, SendDrawing, MarkDrawing),
)
BY_ITSELF: tuple[type[Scenario], ...] = (SealTrail, DeliverMessages)  # what a server does without a request
COMMANDS: tuple[type[Scenario], ...] = (ChangeSetting, RevokeDevice, MakeCopy)
EVERY: tuple[type[Scenario], ...] = (*ACTIONS, *BY_ITSELF, FlushScenario, FirstStart, Migration, Import, *COMMANDS)
SCENARIO_S_MAX = 3 * 3600.0
SCENARIOS: dict[str, type[Scenario]] = {one.name: one for one in EVERY}


@dataclass(slots=True)
class Swept:
    """The results of one scenario."""

    scenario: str
    calls: int = 0
    points: int = 0  # that there are
    wanted: int = 0
    killed: int = 0
    outcomes: Counter[ScenarioOutcome] = field(default_factory=Counter)
    not_reached: list[Point] = field(default_factory=list)
    wrong: list[tuple[Point | None, str]] = field(default_factory=list)

    @property
    def green(self) -> bool:
        """A sweep that killed fewer times than asked for has proved too little."""
        return not self.wrong and self.killed >= self.wanted


@dataclass(frozen=True, slots=True)
class TrialFolders:
    """Where the trials run: each has a copy of the scenario's first folder and of its ledger."""

    folder: Path
    ledgers: Ledgers

    @contextmanager
    def copy(self, scenario: str, what: str) -> Iterator[Path]:
        base, folder = self.folder / f"{scenario}-base", self.folder / f"{scenario}-{what}"
        shutil.copytree(base, folder)
        self.ledgers.copy(base, folder)
        try:
            yield folder
        finally:
            self.ledgers.drop(folder)
            shutil.rmtree(folder, ignore_errors=True)


def sweep_all(names: Sequence[str], folders: TrialFolders, wanted: int, at: Point | None, jobs: int) -> Iterator[Swept]:
    """Yields results as they end. Several scenarios share the jobs; a single one gives them to its trials."""
    at_once = min(jobs, len(names))
    each = [partial(sweep, name, folders, wanted, at, jobs // at_once) for name in names]
    for number, swept in apart(each, at_once, SCENARIO_S_MAX):
        if isinstance(swept, Failed):
            swept = Swept(names[number], wrong=[(None, f"the sweep itself failed: {swept}")])
        yield swept


def sweep(name: str, folders: TrialFolders, wanted: int, at: Point | None = None, jobs: int = 1) -> Swept:
    kind = SCENARIOS[name]
    try:
        alone(partial(_prepare, kind, folders))
        reference = alone(partial(_undisturbed, kind, folders))
    except Failed as error:
        return Swept(name, wrong=[(None, f"not even undisturbed: {error}")])
    swept = Swept(name, reference.calls, len(reference.points))
    chosen = [at] if at else spread(reference.points, wanted)
    swept.wanted = len(chosen)
    while chosen:
        trials = [partial(_trial, kind, folders, point, reference) for point in chosen]
        for number, result in apart(trials, jobs):
            _count(swept, chosen[number], result)
        chosen = [] if at else _instead(swept, reference.points, chosen)
    return swept


def _instead(swept: Swept, points: Sequence[Point], tried: list[Point]) -> list[Point]:
    """Other points for those that were not reached this time; once round at most."""
    missing = swept.wanted - swept.killed
    others = [point for point in points if point not in tried and point not in swept.not_reached]
    return spread(others, missing) if missing > 0 and len(swept.not_reached) <= swept.wanted else []


def _count(swept: Swept, point: Point, result: TrialResult | Failed | None) -> None:
    if result is None:
        swept.not_reached.append(point)
    elif isinstance(result, Failed):
        swept.wrong.append((point, f"the trial itself failed: {str(result).strip().splitlines()[-1]}"))
    else:
        swept.killed += 1
        swept.outcomes[result.outcome] += 1
        swept.wrong += [(point, sentence) for sentence in result.wrong]


def _prepare(kind: type[Scenario], folders: TrialFolders) -> None:
    folder = folders.folder / f"{kind.name}-base"
    folder.mkdir()
    folders.ledgers.make(folder)
    with _closing(kind(folder, folders.ledgers)) as scenario:
        scenario.prepare()


def _undisturbed(kind: type[Scenario], folders: TrialFolders) -> ReferenceRun:
    with folders.copy(kind.name, "undisturbed") as folder:
        tracer = Tracer(folder / "trace")
        with _closing(kind(folder, folders.ledgers), tracer) as scenario:
            before = scenario.snapshot()
            scenario.run(tracer)
            after = scenario.snapshot()
        return ReferenceRun(before, after, tracer.calls(), tuple(tracer.points()))


def _trial(kind: type[Scenario], folders: TrialFolders, point: Point, reference: ReferenceRun) -> TrialResult | None:
    """None when the run ended before the point was reached."""
    with folders.copy(kind.name, f"{point.call}-{point.nth}") as folder:
        tracer = Tracer(folder / "trace", point)
        with _closing(kind(folder, folders.ledgers), tracer) as scenario:
            return scenario.judge(reference) if scenario.run(tracer) else None


@contextmanager
def _closing(scenario: Scenario, tracer: Tracer | None = None) -> Iterator[Scenario]:
    try:
        yield scenario
    finally:
        scenario.close()
        if tracer:
            tracer.end()
