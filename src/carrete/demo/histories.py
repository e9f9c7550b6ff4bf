"""Takes one spool through its steps. The rules of the domain decide, as for real actions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from random import Random

from carrete.demo.people import Crew
from carrete.demo.shifts import DemoSession
from carrete.demo.stories import Ending, StoryStep
from carrete.demo.tokens import token
from carrete.domain.change import Change
from carrete.domain.commands import (
    Cancelar,
    Completar,
    Finalizar,
    Iniciar,
    Inspeccionar,
    Pausar,
    Resultado,
    Tomar,
    Work,
)
from carrete.domain.decide import Case, decide
from carrete.domain.joint_work import available
from carrete.domain.joints import Joint
from carrete.domain.shop import Shop
from carrete.domain.shop_time import lock_time
from carrete.domain.spool import Operacion, Spool
from carrete.domain.stage import with_stage
from carrete.domain.version import Workflow, workflow
from carrete.domain.workers import Worker

_COMMANDS: dict[Ending, type[Work]] = {
    Ending.PAUSAR: Pausar,
    Ending.COMPLETAR: Completar,
    Ending.CANCELAR: Cancelar,
}


@dataclass(frozen=True, slots=True)
class DemoShop:
    """The shop, its workers, and the random generator that chooses among them."""

    shop: Shop
    crew: Crew
    rng: Random


@dataclass(slots=True)
class SpoolHistory:
    """A spool with its joints, and the changes that led to its present state."""

    spool: Spool
    joints: list[Joint]
    changes: list[Change] = field(default_factory=list)


def add_step(history: SpoolHistory, step: StoryStep, session: DemoSession, demo: DemoShop) -> None:
    worker = demo.crew.choose(step.operacion, demo.rng)
    if step.operacion is Operacion.METROLOGIA:
        inspection = Inspeccionar(history.spool.tag, worker.id, Resultado(step.ending))
        _apply(history, decide(inspection, Case(history.spool, worker, session.end, demo.shop, lock="")), demo)
        return
    _apply(history, _take(history, step, worker, session.start, demo), demo)
    if step.ending is not Ending.SIGUE:
        _apply(history, _end(history, step, worker, session.end, demo), demo)


def _apply(history: SpoolHistory, change: Change, demo: DemoShop) -> None:
    """As a commit does: the spool and each joint that changed get a new token."""
    change = with_stage(change.with_spool(change.spool.but(version=token(demo.rng))))
    changed = {joint.n_union: replace(joint, version=token(demo.rng)) for joint in change.joints}
    history.joints = [changed.get(joint.n_union, joint) for joint in history.joints]
    history.spool = change.spool
    history.changes.append(change)


def _take(history: SpoolHistory, step: StoryStep, worker: Worker, at: datetime, demo: DemoShop) -> Change:
    lock = f"{worker.id}:{token(demo.rng)}:{lock_time(at, demo.shop.zone)}"
    kind = Iniciar if _joint_by_joint(history.spool, step) else Tomar
    command = kind(history.spool.tag, worker.id, step.operacion)
    return decide(command, Case(history.spool, worker, at, demo.shop, lock))


def _end(history: SpoolHistory, step: StoryStep, worker: Worker, at: datetime, demo: DemoShop) -> Change:
    parameters = (history.spool.tag, worker.id, step.operacion)
    command: Work
    if _joint_by_joint(history.spool, step):
        command = Finalizar(*parameters, unions=tuple(_ticked(history, step, demo)))
    else:
        command = _COMMANDS[step.ending](*parameters)
    return decide(command, Case(history.spool, worker, at, demo.shop, lock="", joints=history.joints))


def _ticked(history: SpoolHistory, step: StoryStep, demo: DemoShop) -> list[int]:
    """The joints that the worker ticks: all that are left to complete the operation, at most half to pause it."""
    joints = [joint.n_union for joint in history.joints if available(joint, step.operacion, demo.shop)]
    if step.ending is Ending.COMPLETAR:
        return joints
    if step.ending is Ending.CANCELAR:
        return []
    return joints[: demo.rng.randint(1, max(1, len(joints) // 2))]


def _joint_by_joint(spool: Spool, step: StoryStep) -> bool:
    """A repair is worked as a whole in both workflows."""
    return workflow(spool) is Workflow.V4 and step.operacion is not Operacion.REPARACION
