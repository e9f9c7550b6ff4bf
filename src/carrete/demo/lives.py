"""One spool led through its steps. Where the domain has a rule, the rule decides, as on any other day."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from random import Random

from carrete.demo.people import Crew
from carrete.demo.shifts import Session
from carrete.demo.stories import Ending, Step
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
from carrete.domain.version import Workflow, workflow
from carrete.domain.workers import Worker

_COMMANDS: dict[Ending, type[Work]] = {
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
        inspection = Inspeccionar(life.spool.tag, worker.id, Resultado(step.ending))
        _follow(life, decide(inspection, Case(life.spool, worker, session.end, floor.shop, lock="")), floor)
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
    kind = Iniciar if _joint_by_joint(life.spool, step) else Tomar
    command = kind(life.spool.tag, worker.id, step.operacion)
    return decide(command, Case(life.spool, worker, at, floor.shop, lock))


def _ended(life: Life, step: Step, worker: Worker, at: datetime, floor: Floor) -> Change:
    asked = (life.spool.tag, worker.id, step.operacion)
    command: Work
    if _joint_by_joint(life.spool, step):
        command = Finalizar(*asked, unions=tuple(_ticked(life, step, floor)))
    else:
        command = _COMMANDS[step.ending](*asked)
    return decide(command, Case(life.spool, worker, at, floor.shop, lock="", joints=life.joints))


def _ticked(life: Life, step: Step, floor: Floor) -> list[int]:
    """All that is left completes the operation; at most half of it leaves it paused."""
    joints = [joint.n_union for joint in life.joints if available(joint, step.operacion, floor.shop)]
    if step.ending is Ending.COMPLETAR:
        return joints
    if step.ending is Ending.CANCELAR:
        return []
    return joints[: floor.rng.randint(1, max(1, len(joints) // 2))]


def _joint_by_joint(spool: Spool, step: Step) -> bool:
    """A repair goes the same way in both workflows."""
    return workflow(spool) is Workflow.V4 and step.operacion is not Operacion.REPARACION
