"""One spool led through its steps. Where the domain has a rule, the rule decides, as on any other day."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from random import Random

from carrete.demo import by_joint, inspection
from carrete.demo.people import Crew
from carrete.demo.shifts import Session
from carrete.demo.stories import Ending, Step
from carrete.demo.tokens import token
from carrete.domain.change import Change
from carrete.domain.commands import Cancelar, Command, Completar, Pausar, Tomar
from carrete.domain.decide import Case, decide
from carrete.domain.joints import Joint
from carrete.domain.shop import Shop
from carrete.domain.shop_time import lock_time
from carrete.domain.spool import Operacion, Spool
from carrete.domain.version import Workflow, workflow
from carrete.domain.workers import Worker

_COMMANDS: dict[Ending, type[Command]] = {
    Ending.PAUSAR: Pausar,
    Ending.COMPLETAR: Completar,
    Ending.CANCELAR: Cancelar,
}


@dataclass(frozen=True, slots=True)
class Floor:
    """Where lives are led: the shop, its people, and the chance that picks among them."""

    shop: Shop
    crew: Crew
    rng: Random


@dataclass(slots=True)
class Life:
    spool: Spool
    joints: list[Joint]
    changes: list[Change] = field(default_factory=list)


def lead(life: Life, step: Step, session: Session, floor: Floor) -> None:
    worker = floor.crew.send(step.operacion, floor.rng)
    if step.operacion is Operacion.METROLOGIA:
        result = inspection.approved if step.ending is Ending.APROBADO else inspection.rejected
        _follow(life, result(life.spool, worker, session.end, floor.shop), floor)
        return
    _follow(life, _taken(life, step, worker, session.start, floor), floor)
    if step.ending is not Ending.SIGUE:
        _follow(life, _ended(life, step, worker, session.end, floor), floor)


def _follow(life: Life, change: Change, floor: Floor) -> None:
    """As in a commit: a new token for the spool and for each joint that changed."""
    change = replace(change, spool=replace(change.spool, version=token(floor.rng)))
    changed = {joint.n_union: replace(joint, version=token(floor.rng)) for joint in change.joints}
    life.joints = [changed.get(joint.n_union, joint) for joint in life.joints]
    life.spool = change.spool
    life.changes.append(change)


def _taken(life: Life, step: Step, worker: Worker, at: datetime, floor: Floor) -> Change:
    lock = f"{worker.id}:{token(floor.rng)}:{lock_time(at, floor.shop.zone)}"
    if _joint_by_joint(life.spool, step):
        return by_joint.begun(life.spool, worker, step.operacion, at, lock)
    command = Tomar(life.spool.tag, worker.id, step.operacion)
    return decide(command, Case(life.spool, worker, at, floor.shop, lock))


def _ended(life: Life, step: Step, worker: Worker, at: datetime, floor: Floor) -> Change:
    if _joint_by_joint(life.spool, step):
        ticked = _ticked(life, step, floor)
        return by_joint.finished(life.spool, life.joints, ticked, worker, at, floor.shop)
    command = _COMMANDS[step.ending](life.spool.tag, worker.id, step.operacion)
    return decide(command, Case(life.spool, worker, at, floor.shop, lock=""))


def _ticked(life: Life, step: Step, floor: Floor) -> list[Joint]:
    """All that is left completes the operation; at most half of it leaves it paused."""
    joints = by_joint.available(life.joints, step.operacion, floor.shop)
    if step.ending is Ending.COMPLETAR:
        return joints
    if step.ending is Ending.CANCELAR:
        return []
    return joints[: floor.rng.randint(1, max(1, len(joints) // 2))]


def _joint_by_joint(spool: Spool, step: Step) -> bool:
    """A repair goes the same way in both workflows."""
    return workflow(spool) is Workflow.V4 and step.operacion is not Operacion.REPARACION
