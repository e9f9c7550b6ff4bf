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
from carrete_chaos.sweep.scenario import Judged, ReferenceRun, Scenario, ScenarioOutcome
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
BY_ITSELF: tuple[type[Scenario], ...] = (SealTrail, DeliverMessages)  # what a server does without being asked
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
class Ground:
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


def sweep_all(names: Sequence[str], ground: Ground, wanted: int, at: Point | None, jobs: int) -> Iterator[Swept]:
    """Yields results as they end. Several scenarios share the jobs; a single one gives them to its trials."""
    beside = min(jobs, len(names))
    each = [partial(sweep, name, ground, wanted, at, jobs // beside) for name in names]
    for number, swept in apart(each, beside, SCENARIO_S_MAX):
        if isinstance(swept, Failed):
            swept = Swept(names[number], wrong=[(None, f"the sweep itself failed: {swept}")])
        yield swept


def sweep(name: str, ground: Ground, wanted: int, at: Point | None = None, jobs: int = 1) -> Swept:
    kind = SCENARIOS[name]
    try:
        alone(partial(_prepare, kind, ground))
        reference = alone(partial(_undisturbed, kind, ground))
    except Failed as error:
        return Swept(name, wrong=[(None, f"not even undisturbed: {error}")])
    swept = Swept(name, reference.calls, len(reference.points))
    chosen = [at] if at else spread(reference.points, wanted)
    swept.wanted = len(chosen)
    while chosen:
        trials = [partial(_trial, kind, ground, point, reference) for point in chosen]
        for number, judged in apart(trials, jobs):
            _count(swept, chosen[number], judged)
        chosen = [] if at else _instead(swept, reference.points, chosen)
    return swept


def _instead(swept: Swept, points: Sequence[Point], tried: list[Point]) -> list[Point]:
    """Other points for those that were not reached this time; once round at most."""
    missing = swept.wanted - swept.killed
    others = [point for point in points if point not in tried and point not in swept.not_reached]
    return spread(others, missing) if missing > 0 and len(swept.not_reached) <= swept.wanted else []


def _count(swept: Swept, point: Point, judged: Judged | Failed | None) -> None:
    if judged is None:
        swept.not_reached.append(point)
    elif isinstance(judged, Failed):
        swept.wrong.append((point, f"the trial itself failed: {str(judged).strip().splitlines()[-1]}"))
    else:
        swept.killed += 1
        swept.outcomes[judged.outcome] += 1
        swept.wrong += [(point, sentence) for sentence in judged.wrong]


def _prepare(kind: type[Scenario], ground: Ground) -> None:
    folder = ground.folder / f"{kind.name}-base"
    folder.mkdir()
    ground.ledgers.make(folder)
    with _closing(kind(folder, ground.ledgers)) as scenario:
        scenario.prepare()


def _undisturbed(kind: type[Scenario], ground: Ground) -> ReferenceRun:
    with ground.copy(kind.name, "undisturbed") as folder:
        tracer = Tracer(folder / "trace")
        with _closing(kind(folder, ground.ledgers), tracer) as scenario:
            before = scenario.picture()
            scenario.run(tracer)
            after = scenario.picture()
        return ReferenceRun(before, after, tracer.calls(), tuple(tracer.points()))


def _trial(kind: type[Scenario], ground: Ground, point: Point, reference: ReferenceRun) -> Judged | None:
    """None when the run ended before the point was reached."""
    with ground.copy(kind.name, f"{point.call}-{point.nth}") as folder:
        tracer = Tracer(folder / "trace", point)
        with _closing(kind(folder, ground.ledgers), tracer) as scenario:
            return scenario.judge(reference) if scenario.run(tracer) else None


@contextmanager
def _closing(scenario: Scenario, tracer: Tracer | None = None) -> Iterator[Scenario]:
    try:
        yield scenario
    finally:
        scenario.close()
        if tracer:
            tracer.end()
