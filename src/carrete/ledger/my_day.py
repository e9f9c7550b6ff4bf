"""Reads for a person's own pages: what they did in a period, what was rejected of it, what they answered."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, NamedTuple

from carrete.domain.reports.output import Output
from carrete.domain.workers import Worker
from carrete.ledger.database import Tx
from carrete.ledger.notes import Note, note_from
from carrete.ledger.reports import Period, withdrawn_inspections
from carrete.ledger.values import instant_text


class OwnSpool(NamedTuple):
    """What one person did on one spool for one operation."""

    operacion: str
    tag: str
    milli: int  # thousandths of an inch
    joints: int


class WeldRejection(NamedTuple):
    tag: str
    at: datetime
    ciclo: int | None  # how many times in a row the spool was rejected; None: an old event does not say
    joints: int | None  # how many of its welds are the person's; None: the spool is worked as a whole


def own_work(tx: Tx, period: Period, worker: Worker) -> list[Output]:
    """By operation. Counted from the present joints and spools, like the supervisor's figures."""
    withdrawn = withdrawn_inspections(tx, period.since)
    rows = tx.all("own_work", **_asked(period, worker), taken_back=withdrawn)
    return sorted(Output(*row) for row in rows)


def own_spools(tx: Tx, period: Period, worker: Worker, limit: int) -> list[OwnSpool]:
    return [OwnSpool(*row) for row in tx.all("own_spools", **_asked(period, worker), limit=limit)]


def own_rejections(tx: Tx, since: datetime, worker: Worker, limit: int) -> list[WeldRejection]:
    """Of the person's welds, newest first, without those that a supervisor withdrew."""
    at = instant_text(since)
    withdrawn = withdrawn_inspections(tx, at)
    rows = tx.all("own_rejections", since=at, label=worker.label, taken_back=withdrawn, limit=limit)
    return [WeldRejection(tag, datetime.fromisoformat(at), _ciclo(metadata), n) for tag, at, metadata, n in rows]


def notes_to(tx: Tx, worker_id: int, since: datetime, limit: int) -> list[tuple[str, Note]]:
    """What others wrote about the spools that the person holds now, newest first, each with its tag."""
    rows = tx.all("own_notes", worker_id=worker_id, since=instant_text(since), limit=limit)
    return [(row[-1], note_from(row[:-1])) for row in rows]


def kept_on_since(tx: Tx, worker_id: int, since: datetime) -> set[str]:
    """The tags of the spools for which the person answered "Sigo yo" at that instant or later."""
    return {tag for (tag,) in tx.all("own_shift_answers", worker_id=worker_id, since=instant_text(since))}


def _asked(period: Period, worker: Worker) -> dict[str, Any]:
    return {
        "since": period.since,
        "until": period.until,
        "desde": period.desde.isoformat(),
        "hasta": period.hasta.isoformat(),
        "label": worker.label,
        "worker_id": worker.id,
    }


def _ciclo(metadata: str | None) -> int | None:
    ciclo = json.loads(metadata).get("ciclo") if metadata else None
    return ciclo if isinstance(ciclo, int) else None
