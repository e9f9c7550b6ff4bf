"""The stage of a spool: which operation somebody works on, or which ones could be begun and nobody has; since when."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from carrete.domain.change import Change, EndedStage
from carrete.domain.occupation import hindrance
from carrete.domain.spool import (
    ARM,
    METROLOGIA,
    PAUSADO,
    PENDIENTE,
    REPARACION,
    SOLD,
    Metrologia,
    Operacion,
    Reparacion,
    Spool,
)

NOTHING_TO_DO = ""  # approved, blocked, retired, without materials
IN_QUEUE = f"espera:{METROLOGIA}"
_WAITING = {op: f"espera:{op}" for op in (ARM, SOLD, REPARACION)}
_PAUSED = {op: f"pausa:{op}" for op in (ARM, SOLD, REPARACION)}
_WORKING = {op: f"trabajo:{op}" for op in (ARM, SOLD, REPARACION)}


class StageParts(NamedTuple):
    """The operations that a stage names. `waiting` has the paused ones too: nobody has them either."""

    working: Operacion | None
    waiting: tuple[Operacion, ...]
    paused: tuple[Operacion, ...]


def stage_of(spool: Spool) -> str:
    """A word for each operation: `trabajo:ARM` while it is held, else `espera:` or `pausa:` for what could be begun or
    taken up. A free spool may wait for two: `pausa:ARM espera:SOLD`."""
    if spool.occupation is not None:
        return _WORKING[spool.occupation.operacion]
    if spool.retired:
        return NOTHING_TO_DO
    match spool.metrologia:
        case Metrologia.PENDIENTE:
            return f"{_waiting(spool, ARM)} {_waiting(spool, SOLD)}".strip()
        case Metrologia.EN_COLA:
            return IN_QUEUE
        case Metrologia.RECHAZADO:
            return _waiting(spool, REPARACION)
    return NOTHING_TO_DO


def _waiting(spool: Spool, operacion: Operacion) -> str:
    if hindrance(spool, operacion) is not None:
        return NOTHING_TO_DO
    estado = spool.estado(operacion)
    return _PAUSED[operacion] if estado is PAUSADO or estado is Reparacion.PAUSADO else _WAITING[operacion]


@lru_cache(maxsize=64)
def parts(stage: str) -> StageParts:
    """Cached: there are two dozen stages, and a report has thousands of rows."""
    words = [(kind, Operacion(operacion)) for kind, _, operacion in (word.partition(":") for word in stage.split())]
    working = [op for kind, op in words if kind == "trabajo"]
    waiting = tuple(op for kind, op in words if kind != "trabajo")
    paused = tuple(op for kind, op in words if kind == "pausa")
    return StageParts(working[0] if working else None, waiting, paused)


def in_its_stage(spool: Spool, at: datetime) -> Spool:
    """The spool as it is written at that time: with its stage, since when it is in it, and since when it is worked on.
    `spool.stage` is the one it was read with, because no rule changes it. Every write of a spool comes here."""
    stage, since, begun_at = stage_of(spool), _since(spool, at), _begun_at(spool, at)
    if spool.occupation is None and stage == spool.stage:
        since = spool.stage_since or at
    if (stage, since, begun_at) == (spool.stage, spool.stage_since, spool.begun_at):
        return spool
    return spool.but(stage=stage, stage_since=since, begun_at=begun_at)


def with_stage(change: Change, before: Spool | None = None, spool: Spool | None = None) -> Change:
    """The change with its spool (or the given one) in its stage, and with the stage that it ended. `before` is the
    spool as the change before it left it, if that is not what this change was made from (a chain decides its steps on a
    copy)."""
    spool = spool or change.spool
    if not change.events:
        return change if spool is change.spool else change.with_spool(spool)
    at = change.events[0].at
    if before is not None and before.stage_since is not spool.stage_since:
        spool = spool.but(stage=before.stage, stage_since=before.stage_since, begun_at=before.begun_at)
    after = in_its_stage(spool, at)
    ended = _ended(spool, after, at) or change.ended
    if after is change.spool and ended is change.ended:
        return change
    return change.with_stage(after, ended)


def _ended(before: Spool, after: Spool, at: datetime) -> EndedStage | None:
    """None where only the start was corrected: somebody typed another `Fecha_Ocupacion` during the occupation."""
    if not before.stage or before.stage_since is None:
        return None
    if after.stage == before.stage and not (after.stage_since == at and before.stage_since != at):
        return None
    return EndedStage(before.stage, max(0, int((at - before.stage_since).total_seconds())))


def _since(spool: Spool, at: datetime) -> datetime:
    return spool.occupation.since if spool.occupation else at


def _begun_at(spool: Spool, at: datetime) -> datetime | None:
    """When somebody first worked on it; None while nothing is begun, also after a first take that was cancelled."""
    untouched = (
        spool.occupation is None
        and spool.arm is PENDIENTE
        and spool.sold is PENDIENTE
        and spool.metrologia is Metrologia.PENDIENTE
    )
    return None if untouched else spool.begun_at or _since(spool, at)
