"""Reads for the supervisor's pages: work done and inspections of a period, and how many spools are in each state."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from carrete.domain.events import EventoTipo
from carrete.domain.reports.first_pass import Inspected
from carrete.domain.reports.output import Output, Por, sorted_by_key
from carrete.domain.reports.stages import StateCount
from carrete.domain.shop_time import from_wall
from carrete.domain.spool import Operacion
from carrete.ledger.database import Row, Tx
from carrete.ledger.values import instant_text

_WORK = {Por.DIA: "work_by_day", Por.WORKER: "work_by_worker", Por.OPERACION: "work_by_operacion"}
_BY_WORKER = {Operacion.ARM: "inspected_by_fitter", Operacion.SOLD: "inspected_by_welder"}


class Period:
    """Days of the shop, both ends included, with the instants at which each of them begins."""

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

    def day_start_before(self, instant: datetime) -> str | None:
        """The last of the instants at which a day of the period begins or its last day ends that is not after this one;
        None where none is."""
        text = instant_text(instant)
        return max((start for start in self._starts if start <= text), default=None)

    @property
    def days(self) -> str:
        """JSON for the statements: each day with its first instant and that of the next day."""
        return json.dumps(list(zip(self._days, self._starts, self._starts[1:], strict=False)))


def work_done(tx: Tx, period: Period, operaciones: Collection[Operacion], por: Por) -> list[Output]:
    """Counted from the present joints and spools, so reopened work is not counted and work dated in the workbook is.
    The database adds up: 12,000 rows of a month would hold the interpreter lock while workers tap."""
    chosen = {"arm": int(Operacion.ARM in operaciones), "sold": int(Operacion.SOLD in operaciones)}
    whole_days = {"desde": period.desde.isoformat(), "hasta": period.hasta.isoformat()}
    instants = {"days": period.days} if por is Por.DIA else {"since": period.since, "until": period.until}
    return sorted_by_key([Output(*row) for row in tx.all(_WORK[por], **chosen, **whole_days, **instants)])


class Inspections:
    """The inspections of a period, without those that a supervisor withdrew, then or later."""

    def __init__(self, tx: Tx, period: Period) -> None:
        self._tx = tx
        self._period = period
        self._withdrawn = withdrawn_inspections(tx, period.since)

    def by_day(self) -> list[Inspected]:
        """Each inspection counts once."""
        rows = self._tx.all("inspected_by_day", days=self._period.days, taken_back=self._withdrawn)
        return list(map(_inspected, rows))

    def by_worker(self, operacion: Operacion) -> list[Inspected]:
        """Each inspection counts once for every worker who did the operation on its spool."""
        between = {"since": self._period.since, "until": self._period.until}
        rows = self._tx.all(_BY_WORKER[operacion], **between, taken_back=self._withdrawn)
        return list(map(_inspected, rows))


def withdrawn_inspections(tx: Tx, since: str) -> list[int]:
    """The seqs of withdrawn inspections: a correction withdraws its spool's last inspection that still counts."""
    corrections = tx.all("corrections_since", since=since)
    if not corrections:
        return []
    made = tx.all("inspections_of", since=since, tags=sorted({tag for _, tag in corrections}))
    return list(_withdrawn_seqs(sorted([(*row, False) for row in made] + [(*row, True) for row in corrections])))


def _withdrawn_seqs(events: list[tuple[int, str, bool]]) -> Iterator[int]:
    counting: dict[str, list[int]] = {}
    for seq, tag, is_correction in events:
        made = counting.setdefault(tag, [])
        if not is_correction:
            made.append(seq)
        elif made:
            yield made.pop()


def _inspected(row: Row) -> Inspected:
    key, tipo, metadata, times = row
    return key, tipo == EventoTipo.METROLOGIA_APROBADO, _rejections_before(metadata) == 0, times


@lru_cache(maxsize=256)
def _rejections_before(metadata: str | None) -> int:
    """Cached: only a few different texts occur."""
    return int(json.loads(metadata).get("rechazos_previos", 0)) if metadata else 0


def state_counts(tx: Tx) -> list[StateCount]:
    return [StateCount(*row) for row in tx.all("stages")]
