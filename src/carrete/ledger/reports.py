"""What the supervisor's pages read: work done and inspections of a period, and what is where now. Reads only."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator
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

_WHOLES = {Operacion.ARM: "spools_fitted", Operacion.SOLD: "spools_welded"}
_WORKERS = {Operacion.ARM: "fitters_inspected", Operacion.SOLD: "welders_inspected"}


class Period:
    """Days of the shop, both ends included, as the instants between which each of them lasted."""

    def __init__(self, desde: date, hasta: date, zone: ZoneInfo) -> None:
        self.desde = desde
        self.hasta = hasta
        days = [desde + timedelta(days=n) for n in range((hasta - desde).days + 2)]
        self._days = [day.isoformat() for day in days]
        self._starts = [instant_text(from_wall(datetime.combine(day, time.min), zone)) for day in days]

    @property
    def since(self) -> str:
        return self._starts[0]

    @property
    def until(self) -> str:
        return self._starts[-1]

    def day_of(self, instant: str) -> str:
        return self._days[bisect_right(self._starts, instant) - 1]


def work_done(tx: Tx, period: Period, operaciones: Iterable[Operacion], por: Por) -> Iterator[WorkDone]:
    """From the joints and spools as they stand: what was reopened, or dated in the workbook, is taken into account."""
    for operacion in operaciones:
        yield from _joints_done(tx, period, operacion, por)
        yield from _wholes_done(tx, period, operacion, por)


def _joints_done(tx: Tx, period: Period, operacion: Operacion, por: Por) -> Iterator[WorkDone]:
    rows = tx.all("joints_done", operacion=operacion.value, since=period.since, until=period.until)
    match por:
        case Por.DIA:
            return ((period.day_of(at), tag, milli, n) for at, tag, _, milli, n in rows)
        case Por.WORKER:
            return ((worker, tag, milli, n) for _, tag, worker, milli, n in rows)
    return ((operacion.value, tag, milli, n) for _, tag, _, milli, n in rows)


def _wholes_done(tx: Tx, period: Period, operacion: Operacion, por: Por) -> Iterator[WorkDone]:
    rows = tx.all(_WHOLES[operacion], desde=period.desde.isoformat(), hasta=period.hasta.isoformat())
    for day, tag, worker in rows:
        yield {Por.DIA: day, Por.WORKER: worker, Por.OPERACION: operacion.value}[por], tag, 0, 0


def inspections(tx: Tx, period: Period) -> list[Inspection]:
    """Of the period, without those that a supervisor took back, then or later."""
    standing: dict[str, list[Row]] = {}
    for row in sorted(tx.all("inspections_since", since=period.since)):
        _seq, _at, tag, tipo, operacion, _metadata = row
        made = standing.setdefault(tag, [])
        if tipo != EventoTipo.CORRECCION:
            made.append(row)
        elif operacion == Operacion.METROLOGIA and made:
            made.pop()
    rows = [row for made in standing.values() for row in made if row[1] < period.until]
    return [
        Inspection(period.day_of(at), tag, tipo == EventoTipo.METROLOGIA_APROBADO, _rejections_before(metadata))
        for _seq, at, tag, tipo, _operacion, metadata in rows
    ]


@lru_cache(maxsize=256)
def _rejections_before(metadata: str | None) -> int:
    """There are only a few such texts, and thousands of inspections."""
    return int(json.loads(metadata).get("rechazos_previos", 0)) if metadata else 0


def workers_inspected(tx: Tx, operacion: Operacion, period: Period) -> dict[str, set[str]]:
    """Who did the operation on each spool that was inspected in the period."""
    found: dict[str, set[str]] = {}
    for tag, label in tx.all(_WORKERS[operacion], since=period.since, until=period.until):
        found.setdefault(tag, set()).add(label)
    return found


def groups_alike(tx: Tx) -> list[Alike]:
    return [Alike(*row) for row in tx.all("stages")]
