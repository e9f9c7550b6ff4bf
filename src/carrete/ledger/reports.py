"""What the supervisor's pages read: work done and inspections of a period, and what is where now. Reads only."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from carrete.domain.events import EventoTipo
from carrete.domain.first_pass import Inspection
from carrete.domain.output import Por, WorkDone
from carrete.domain.shop_time import from_wall
from carrete.domain.spool import Operacion
from carrete.domain.stages import Alike
from carrete.ledger.database import Row, Tx
from carrete.ledger.rows import instant_text

_JOINTS = {Operacion.ARM: "joints_armed", Operacion.SOLD: "joints_welded"}
_WHOLES = {Operacion.ARM: "spools_fitted", Operacion.SOLD: "spools_welded"}
_WORKERS = {Operacion.ARM: "fitters_of", Operacion.SOLD: "welders_of"}


class Period:
    """Days of the shop, both ends included, as the instants between which each of them lasted."""

    def __init__(self, desde: date, hasta: date, zone: ZoneInfo) -> None:
        self.desde = desde
        self.hasta = hasta
        self.days = [desde + timedelta(days=n) for n in range((hasta - desde).days + 1)]
        self._texts = [day.isoformat() for day in self.days]
        starts = [*self.days, hasta + timedelta(days=1)]
        self._starts = [instant_text(from_wall(datetime.combine(day, time.min), zone)) for day in starts]

    @property
    def since(self) -> str:
        return self._starts[0]

    @property
    def until(self) -> str:
        return self._starts[-1]

    def day_of(self, instant: str) -> date:
        return self.days[bisect_right(self._starts, instant) - 1]

    def day_text(self, instant: str) -> str:
        return self._texts[bisect_right(self._starts, instant) - 1]


def work_done(tx: Tx, period: Period, operaciones: Iterable[Operacion], por: Por) -> Iterator[WorkDone]:
    """From the joints and spools as they stand: what was reopened, or dated in the workbook, is taken into account."""
    for operacion in operaciones:
        yield from _joints_done(tx, period, operacion, por)
        yield from _wholes_done(tx, period, operacion, por)


def _joints_done(tx: Tx, period: Period, operacion: Operacion, por: Por) -> Iterator[WorkDone]:
    rows = tx.all(_JOINTS[operacion], since=period.since, until=period.until)
    match por:
        case Por.DIA:
            return ((period.day_text(at), tag, milli or 0, n) for at, tag, _, milli, n in rows)
        case Por.WORKER:
            return ((worker, tag, milli or 0, n) for _, tag, worker, milli, n in rows)
    return ((operacion.value, tag, milli or 0, n) for _, tag, _, milli, n in rows)


def _wholes_done(tx: Tx, period: Period, operacion: Operacion, por: Por) -> Iterator[WorkDone]:
    rows = tx.all(_WHOLES[operacion], desde=period.desde.isoformat(), hasta=period.hasta.isoformat())
    for day, tag, worker in rows:
        yield {Por.DIA: day, Por.WORKER: worker, Por.OPERACION: operacion.value}[por], tag, 0, 0


def inspections(tx: Tx, period: Period) -> list[Inspection]:
    """Of the period, without those that a supervisor took back, then or later."""
    standing: dict[str, list[Row]] = {}
    for row in tx.all("inspections_since", since=period.since):
        _at, tag, tipo, operacion, _metadata = row
        made = standing.setdefault(tag, [])
        if tipo != EventoTipo.CORRECCION:
            made.append(row)
        elif operacion == Operacion.METROLOGIA and made:
            made.pop()
    rows = [row for made in standing.values() for row in made if row[0] < period.until]
    return [_inspection(row, period) for row in rows]


def _inspection(row: Row, period: Period) -> Inspection:
    at, tag, tipo, _operacion, metadata = row
    return Inspection(period.day_of(at), tag, tipo == EventoTipo.METROLOGIA_APROBADO, _rejections_before(metadata))


@lru_cache(maxsize=256)
def _rejections_before(metadata: str | None) -> int:
    """There are only a few such texts, and thousands of inspections."""
    return int(json.loads(metadata).get("rechazos_previos", 0)) if metadata else 0


def workers_of(tx: Tx, operacion: Operacion, tags: Sequence[str]) -> dict[str, list[str]]:
    """Who did the operation on each spool."""
    found: dict[str, list[str]] = {}
    for tag, label in tx.all(_WORKERS[operacion], tags=sorted(set(tags))):
        found.setdefault(tag, []).append(label)
    return found


def groups_alike(tx: Tx) -> list[Alike]:
    return [Alike(*row) for row in tx.all("stages")]
