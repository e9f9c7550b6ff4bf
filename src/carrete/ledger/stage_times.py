"""Reads for the stage times: the database adds up what ended in a period, from one index of the events."""

from __future__ import annotations

from datetime import datetime

from carrete.domain.reports.stage_times import EndedStages, StageNow
from carrete.ledger.database import Tx
from carrete.ledger.reports import Period


def ended_in(tx: Tx, period: Period) -> list[EndedStages]:
    rows = tx.all("stages_ended", since=period.since, until=period.until)
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
