"""Reclamos in the ledger: rows to dataclasses and back, lists for the pages, and what a commit writes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from carrete.domain.commands import WorkItem
from carrete.domain.reclamo import Reclamo, Resolution
from carrete.domain.spool import Operacion
from carrete.ledger.database import Row, Tx
from carrete.ledger.errors import RaceLost
from carrete.ledger.values import instant_text

EVERYBODY = -1
_NEWEST = 2**62


@dataclass(frozen=True, slots=True)
class ReclamoPage:
    reclamos: list[Reclamo]
    total: int
    next_cursor: int | None


@dataclass(frozen=True, slots=True)
class ClaimedRefusal:
    """The id of the reclamo that a refusal has led to, and whose it is."""

    id: str
    worker_id: int


def waiting(tx: Tx, worker_id: int | None, after: int, limit: int) -> ReclamoPage:
    """Those that nobody has decided yet, oldest first; of one person or of all."""
    who = EVERYBODY if worker_id is None else worker_id
    rows = tx.all("reclamos_waiting", worker_id=who, after=after, limit=limit + 1)
    return _page(rows, limit, tx.count("reclamos_waiting_count", worker_id=who))


def resolved(tx: Tx, worker_id: int | None, before: int, limit: int) -> ReclamoPage:
    """Newest first. `before` is 0 for the first page."""
    who = EVERYBODY if worker_id is None else worker_id
    rows = tx.all("reclamos_resolved", worker_id=who, before=before or _NEWEST, limit=limit + 1)
    return _page(rows, limit, tx.count("reclamos_resolved_count", worker_id=who))


def _page(rows: list[Row], limit: int, total: int) -> ReclamoPage:
    found = [reclamo_from(row) for row in rows[:limit]]
    return ReclamoPage(found, total, found[-1].n if len(rows) > limit else None)


def unseen(tx: Tx, worker_id: int, limit: int) -> list[Reclamo]:
    """Decisions that the person has not seen yet, oldest first."""
    return [reclamo_from(row) for row in tx.all("reclamos_unseen", worker_id=worker_id, limit=limit)]


def mark_seen(tx: Tx, worker_id: int, ids: Sequence[str], now: datetime) -> int:
    at = instant_text(now)
    return tx.many("reclamo_seen", [{"id": id_, "worker_id": worker_id, "at": at} for id_ in sorted(set(ids))])


def reclamo(tx: Tx, reclamo_id: str) -> Reclamo | None:
    row = tx.one("reclamo", id=reclamo_id)
    return reclamo_from(row) if row else None


def reclamos_to_change(tx: Tx, ids: Iterable[str]) -> dict[str, Reclamo]:
    """The reclamos, locked until this transaction ends."""
    wanted = sorted(set(ids))
    found = map(reclamo_from, tx.all("reclamos_to_change", ids=wanted)) if wanted else ()
    return {each.id: each for each in found}


def reclamos_of_keys(tx: Tx, keys: Iterable[str]) -> dict[tuple[str, str], ClaimedRefusal]:
    """The reclamo that each refused request, by its key, has led to for each spool."""
    wanted = sorted(set(keys))
    rows = tx.all("reclamos_of_keys", keys=wanted) if wanted else ()
    return {(key, tag): ClaimedRefusal(id_, worker_id) for key, tag, id_, worker_id in rows}


def save_reclamos(tx: Tx, new: Sequence[Reclamo], decided: Sequence[Reclamo]) -> None:
    """Raises RaceLost if another process made a reclamo of the same refusal, or decided one of them."""
    inserted, updated = tx.many_of(
        ("reclamo_insert", [_new_row(each) for each in new]),
        ("reclamo_resolve", [_decided_row(each) for each in decided]),
    )
    if inserted != len(new):
        raise RaceLost("another process made a reclamo of the same refusal")
    if updated != len(decided):
        raise RaceLost("another process decided the reclamo")


def reclamo_from(row: Row) -> Reclamo:
    n, id_, key, tag, worker_id, worker, work, steps, step, code, detail, via, received = row[:13]
    resolved_at, supervisor_id, supervisor, dia, reason, accepted, seen_at = row[13:]
    resolution = None
    if resolved_at is not None:
        at = datetime.fromisoformat(resolved_at)
        resolution = Resolution(at, supervisor_id, supervisor, date.fromisoformat(dia), reason, _items(accepted))
    return Reclamo(
        id_,
        tag,
        worker_id,
        worker,
        _items(work),
        json.loads(steps),
        step,
        code,
        detail,
        json.loads(via),
        datetime.fromisoformat(received),
        key,
        resolution,
        seen_at is not None,
        n,
    )


def _new_row(new: Reclamo) -> dict[str, Any]:
    return {
        "id": new.id,
        "origin_key": new.origin_key,
        "tag": new.tag,
        "worker_id": new.worker_id,
        "worker": new.worker,
        "work": _items_json(new.work),
        "steps": _json(new.steps),
        "step": new.step,
        "code": new.code,
        "detail": new.detail,
        "via": _json(new.via),
        "received_at": instant_text(new.received_at),
    }


def _decided_row(decided: Reclamo) -> dict[str, Any]:
    resolution = decided.resolution
    assert resolution is not None
    return {
        "id": decided.id,
        "resolved_at": instant_text(resolution.at),
        "supervisor_id": resolution.supervisor_id,
        "supervisor": resolution.supervisor,
        "day": resolution.dia.isoformat(),
        "reason": resolution.motivo,
        "accepted": _items_json(resolution.accepted),
    }


def _items(text: str) -> tuple[WorkItem, ...]:
    return tuple(WorkItem(Operacion(operacion), n_union) for operacion, n_union in json.loads(text))


def _items_json(items: Iterable[WorkItem]) -> str:
    return _json([[item.operacion.value, item.n_union] for item in items])


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
