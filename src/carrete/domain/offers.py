"""What one worker may do on one spool now, and why not the rest. It runs the rules themselves, so both agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from carrete.domain.commands import (
    Cancelar,
    Command,
    Completar,
    Corregir,
    Desbloquear,
    Finalizar,
    Iniciar,
    Inspeccionar,
    Liberar,
    Pausar,
    Resultado,
    Tomar,
    Work,
)
from carrete.domain.decide import Case, decide
from carrete.domain.joints import Joint
from carrete.domain.refusals import Refusal
from carrete.domain.shop import Shop
from carrete.domain.spool import Operacion, Spool
from carrete.domain.version import Workflow, workflow
from carrete.domain.workers import Worker

_WHOLE: tuple[type[Work], ...] = (Tomar, Pausar, Completar, Cancelar)
_BY_JOINT: tuple[type[Work], ...] = (Iniciar, Finalizar)
_REASON = "¿se puede?"  # a supervisor's commands need a reason; this one is never stored


@dataclass(frozen=True, slots=True)
class Offer:
    accion: str
    operacion: Operacion


def offers(spool: Spool, joints: Sequence[Joint], worker: Worker, now: datetime, shop: Shop) -> list[Offer]:
    """The commands that would change something. Taking a spool that one holds already succeeds but changes nothing."""
    case = Case(spool, worker, now, shop, lock="", joints=joints)
    return [
        Offer(type(command).__name__.upper(), operacion)
        for operacion, command in _every_command(spool, worker.id)
        if _changes(command, case)
    ]


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why this worker cannot go on with this operation now."""

    operacion: Operacion
    refusal: Refusal


def obstacles(spool: Spool, joints: Sequence[Joint], worker: Worker, now: datetime, shop: Shop) -> list[Obstacle]:
    """At most one for each operation: the refusal of the command that this worker would give next."""
    case = Case(spool, worker, now, shop, lock="", joints=joints)
    found = []
    for operacion in Operacion:
        refusal = _refusal(_next_command(spool, worker.id, operacion), case)
        if refusal is not None:
            found.append(Obstacle(operacion, refusal))
    return found


def _next_command(spool: Spool, worker_id: int, operacion: Operacion) -> Command:
    """The holder's next command ends the operation, any other worker's begins it, in the spool's present workflow."""
    if operacion is Operacion.METROLOGIA:
        return Inspeccionar(spool.tag, worker_id, Resultado.APROBADO)
    by_joint = operacion is not Operacion.REPARACION and workflow(spool) is Workflow.V4
    if spool.held_by(worker_id, operacion):
        return (Finalizar if by_joint else Completar)(spool.tag, worker_id, operacion)
    return (Iniciar if by_joint else Tomar)(spool.tag, worker_id, operacion)


def _refusal(command: Command, case: Case) -> Refusal | None:
    try:
        decide(command, case)
    except Refusal as refusal:
        return refusal
    return None


def _every_command(spool: Spool, worker_id: int) -> Iterator[tuple[Operacion, Command]]:
    tag = spool.tag
    for operacion in (Operacion.ARM, Operacion.SOLD):
        yield from ((operacion, kind(tag, worker_id, operacion)) for kind in (*_WHOLE, *_BY_JOINT))
    yield from ((Operacion.REPARACION, kind(tag, worker_id, Operacion.REPARACION)) for kind in _WHOLE)
    # Open examinations prevent an approval only: a spool can be rejected meanwhile.
    yield Operacion.METROLOGIA, Inspeccionar(tag, worker_id, Resultado.RECHAZADO)
    if spool.occupation is not None:
        yield spool.occupation.operacion, Liberar(tag, worker_id, _REASON)
    yield Operacion.METROLOGIA, Desbloquear(tag, worker_id, _REASON)
    for operacion in (Operacion.ARM, Operacion.SOLD, Operacion.METROLOGIA):
        yield operacion, Corregir(tag, worker_id, _REASON, operacion)


def _changes(command: Command, case: Case) -> bool:
    try:
        return bool(decide(command, case).events)
    except Refusal:
        return False
