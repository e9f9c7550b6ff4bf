"""Reads for the stage times: the database adds up what ended in a period, from one index of the events."""

from __future__ import annotations

from datetime import datetime, timedelta

from carrete.domain.reports.stage_times import EndedStages, StageNow
from carrete.ledger.database import Tx
from carrete.ledger.reports import Period

PERIODS_KEPT_MAX = 16
SETTLED_AFTER = timedelta(hours=6)  # an import may take an hour, and its events have the time of its start


class EndedInPeriods:
    """The stages that ended in a period. Events never change, so those of the days before today are added up once for a
    period and kept in this process; only the rest of it is read each time."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], list[EndedStages]] = {}

    def read(self, tx: Tx, period: Period, now: datetime) -> list[EndedStages]:
        settled = period.day_start_before(now - SETTLED_AFTER)
        if settled is None:
            return ended_between(tx, period.since, period.until)
        before = self._kept.get((period.since, settled))
        if before is None:
            before = ended_between(tx, period.since, settled)
            self._keep((period.since, settled), before)
        return [*before, *ended_between(tx, settled, period.until)]

    def _keep(self, between: tuple[str, str], ended: list[EndedStages]) -> None:
        """Several readers may come here at once; the oldest go first."""
        self._kept[between] = ended
        for old in list(self._kept)[:-PERIODS_KEPT_MAX]:
            self._kept.pop(old, None)


def ended_between(tx: Tx, since: str, until: str) -> list[EndedStages]:
    if since >= until:
        return []
    rows = tx.all("stages_ended", since=since, until=until)
    return [EndedStages(stage, times, total_s) for stage, _, times, total_s in rows]


def stages_now(tx: Tx) -> list[StageNow]:
    return [StageNow(stage, datetime.fromisoformat(since), spools) for stage, since, spools in tx.all("stages_now")]


def begun_and_open(tx: Tx) -> list[tuple[datetime, int]]:
    """Spools that somebody has worked on and that are not approved, by when the work began."""
    return [(datetime.fromisoformat(at), spools) for at, spools in tx.all("begun_and_open")]


def approved_by_day(tx: Tx, period: Period) -> dict[str, int]:
    """By `Fecha_QC_Metrología` of the spools that are approved now, so that a withdrawn approval does not count."""
    days = {"desde": period.desde.isoformat(), "hasta": period.hasta.isoformat()}
    rows: list[tuple[str, int]] = tx.all("approved_by_day", **days)
    return dict(rows)
