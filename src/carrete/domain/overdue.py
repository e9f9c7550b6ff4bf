"""What is overdue: a spool held, paused or waiting for inspection for longer than the shop's limit. Nothing is released
because of it: people are shown it, and decide."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import product
from typing import NamedTuple

from carrete.domain.overdue_limits import OverdueLimits
from carrete.domain.spool import Operacion, Spool
from carrete.domain.stage import IN_QUEUE, parts

_HOUR_S = 3_600


class TipoAtraso(StrEnum):
    OCUPADO = "OCUPADO"
    PAUSADO = "PAUSADO"
    EN_COLA = "EN_COLA"


class Limit(NamedTuple):
    """The limit that a stage has: what is too long, of which operation, after how many hours."""

    tipo: TipoAtraso
    operacion: Operacion
    hours: int


@dataclass(frozen=True, slots=True)
class Overdue:
    limit: Limit
    since: datetime
    lasted_s: int

    @property
    def hours(self) -> float:
        """How long it has lasted, in hours."""
        return round(self.lasted_s / _HOUR_S, 1)


def overdue(spool: Spool, limits: OverdueLimits, now: datetime) -> Overdue | None:
    limit = limit_of(spool.stage or "", limits)
    if limit is None or spool.stage_since is None:
        return None
    lasted_s = int((now - spool.stage_since).total_seconds())
    return Overdue(limit, spool.stage_since, lasted_s) if lasted_s > limit.hours * _HOUR_S else None


def limit_of(stage: str, limits: OverdueLimits) -> Limit | None:
    """None where there is no limit. Where two operations are paused, the shorter limit counts."""
    working, _, paused = parts(stage)
    if working is not None:
        found = [Limit(TipoAtraso.OCUPADO, working, limits.held.of(working))]
    elif stage == IN_QUEUE:
        found = [Limit(TipoAtraso.EN_COLA, Operacion.METROLOGIA, limits.inspection)]
    else:
        found = [Limit(TipoAtraso.PAUSADO, op, limits.paused.of(op)) for op in paused]
    return min((limit for limit in found if limit.hours), key=lambda limit: limit.hours, default=None)


def overdue_before(limit: Limit, now: datetime) -> datetime:
    """A stage with this limit is overdue if it began before this instant."""
    return now - timedelta(hours=limit.hours)


def _stages_with_limits() -> tuple[str, ...]:
    """Every stage that can have a limit, as `domain.stage` writes it."""
    held = [f"trabajo:{op}" for op in (Operacion.ARM, Operacion.SOLD, Operacion.REPARACION)]
    by_operation = product(("", "espera:ARM ", "pausa:ARM "), ("", "espera:SOLD", "pausa:SOLD"))
    paused = [text for arm, sold in by_operation if "pausa:" in (text := f"{arm}{sold}".strip())]
    return (*held, *paused, "pausa:REPARACION", IN_QUEUE)


STAGES_WITH_LIMITS = _stages_with_limits()
