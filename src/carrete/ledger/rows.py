"""Maps rows of the ledger to dataclasses of the domain and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

from carrete.domain.authorship import EventContext
from carrete.domain.change import EndedStage
from carrete.domain.events import Event, EventoTipo
from carrete.domain.joints import Joint, JointCounts
from carrete.domain.spool import Before, Occupation, Spool
from carrete.domain.trail.canonical import FIELDS, ChainHead, event_hash
from carrete.domain.workers import Rol, Worker
from carrete.ledger.columns import (
    HOLDER_FIELDS,
    JOINT,
    JOINT_COUNTS,
    JOINT_PROGRESS,
    OCCUPATION,
    SPOOL_FIELDS,
    SPOOL_HOLDER_WRITTEN,
    SPOOL_WORK_WRITTEN,
    SPOOL_WRITTEN,
    WORK_FIELDS,
    delivered_filters,
    work_filters,
)
from carrete.ledger.database import Row
from carrete.ledger.values import date_from, date_text, instant_text

_TIPO = {e.value: e for e in EventoTipo}
_HELD = len(SPOOL_FIELDS.names)  # where the columns of the occupation begin in a row
_COUNTS = _HELD + len(OCCUPATION.names)  # where the counts of the joints begin
_NOT_HELD = (None,) * len(OCCUPATION.names)
_SPOOL = (*SPOOL_FIELDS.fields, "occupation", "counts")


def spool_from(row: Row) -> Spool:
    held = None
    if row[_HELD] is not None:
        worker_id, label, operacion, since, lock, estado, nombre = OCCUPATION.read(row[_HELD:_COUNTS])
        held = Occupation(worker_id, label, operacion, since, lock, Before(estado, nombre))
    counts = JointCounts(*row[_COUNTS:])
    return Spool.from_fields(zip(_SPOOL, (*SPOOL_FIELDS.read(row[:_HELD]), held, counts), strict=True))


def spool_row(spool: Spool) -> dict[str, Any]:
    filters = (*work_filters(spool), *delivered_filters(spool))
    return dict(zip(SPOOL_WRITTEN, (*SPOOL_FIELDS.write(spool), *_held_and_counts(spool), *filters), strict=True))


def spool_work_row(spool: Spool) -> dict[str, Any]:
    """What an action may have changed."""
    values = (*WORK_FIELDS.write(spool), *_held_and_counts(spool), *work_filters(spool))
    return dict(zip(SPOOL_WORK_WRITTEN, values, strict=True))


def spool_holder_row(spool: Spool) -> dict[str, Any]:
    """What taking the spool and letting it go change."""
    return dict(zip(SPOOL_HOLDER_WRITTEN, (*HOLDER_FIELDS.write(spool), *_held(spool)), strict=True))


def _held(spool: Spool) -> Sequence[Any]:
    return OCCUPATION.write(spool.occupation) if spool.occupation else _NOT_HELD


def _held_and_counts(spool: Spool) -> tuple[Any, ...]:
    return (*_held(spool), *JOINT_COUNTS.write(spool.counts))


def joint_from(row: Row) -> Joint:
    return Joint.from_fields(zip(JOINT.fields, JOINT.read(row), strict=True))


def joint_row(joint: Joint) -> dict[str, Any]:
    return dict(zip(JOINT.names, JOINT.write(joint), strict=True))


def joint_progress_row(joint: Joint) -> dict[str, Any]:
    """What an action may have changed."""
    return dict(zip(JOINT_PROGRESS.names, JOINT_PROGRESS.write(joint), strict=True))


def worker_from(row: Row) -> Worker:
    id_, nombre, apellido, activo, roles = row
    return Worker(id_, nombre, apellido, bool(activo), roles_from(roles))


@lru_cache(maxsize=256)
def roles_from(names: str | None) -> frozenset[Rol]:
    return frozenset(Rol(name) for name in names.split(",")) if names else frozenset()


class StoredEvent(NamedTuple):
    """An event with its seq, and the spool's state after it. A named tuple, because a history has thousands of events
    and an object would cost five times as much. `ended` and `context` are only written: what the event says of how it
    came about, besides its own metadata."""

    seq: int
    id: str
    tag: str
    event: Event
    ocupado_por: str | None
    estado_detalle: str
    version: str
    workflow: str
    hash: str = ""  # only where the workbook is written
    ended: EndedStage | None = None
    context: Mapping[str, Any] | None = None


def event_row(stored: StoredEvent) -> dict[str, Any]:
    event = stored.event
    return {
        "seq": stored.seq,
        "id": stored.id,
        "at": instant_text(event.at),
        "evento_tipo": event.tipo.value,
        "tag": stored.tag,
        "worker_id": event.worker_id,
        "worker": event.worker,
        "operacion": event.operacion,
        "accion": event.accion,
        "fecha_operacion": date_text(event.fecha_operacion),
        "n_union": event.n_union,
        "metadata": _json(event.metadata, stored.context),
        "ocupado_por": stored.ocupado_por,
        "estado_detalle": stored.estado_detalle,
        "version": stored.version,
        "workflow": stored.workflow,
        "stage_ended": stored.ended.stage if stored.ended else None,
        "stage_s": stored.ended.lasted_s if stored.ended else None,
    }


_hashed = itemgetter(*FIELDS)


def chained_rows(head: ChainHead, events: Iterable[StoredEvent]) -> list[dict[str, Any]]:
    """The rows of new events, each with its hash over the one before. They follow on the head."""
    rows, previous = [event_row(stored) for stored in events], head.hash
    for row in rows:
        row["hash"] = previous = event_hash(previous, _hashed(row))
    return rows


def event_from(row: Row) -> StoredEvent:
    seq, id_, at, tipo, tag, worker_id, worker, operacion, accion, fecha, n_union, metadata = row[:12]
    event = Event(
        _TIPO[tipo],
        datetime.fromisoformat(at),
        accion,
        operacion,
        worker_id,
        worker,
        date_from(fecha),
        n_union,
        json.loads(metadata) if metadata else {},
    )
    return StoredEvent(seq, id_, tag, event, *row[12:])


class TrailEvent(NamedTuple):
    """An event as a history shows it: texts as they are stored, because no rule uses them."""

    seq: int
    id: str
    evento_tipo: str
    worker: str | None
    worker_id: int | None
    operacion: str | None
    accion: str
    n_union: int | None
    at: datetime
    metadata: Mapping[str, Any]
    ocupado_por: str | None


def trail_event_from(row: Row) -> TrailEvent:
    seq, id_, tipo, worker, worker_id, operacion, accion, n_union, at, metadata, holder = row
    facts = _facts(metadata) if metadata else _NO_FACTS
    return TrailEvent(seq, id_, tipo, worker, worker_id, operacion, accion, n_union, _instant(at), facts, holder)


_NO_FACTS: Mapping[str, Any] = {}


@lru_cache(maxsize=4096)
def _instant(text: str) -> datetime:
    """The same object for the same text: its hash is computed once, and `shop_time` finds its wall time by hash."""
    return datetime.fromisoformat(text)


@lru_cache(maxsize=512)
def _facts(metadata: str) -> Mapping[str, Any]:
    """Callers share the result and must not change it. Cached because most events repeat the metadata of another."""
    facts: dict[str, Any] = json.loads(metadata)
    return facts


def _json(metadata: Mapping[str, Any], context: Mapping[str, Any] | None) -> str | None:
    if metadata or type(context) is not EventContext:
        recorded = {**metadata, **context} if context else metadata
        return _encoder.encode(recorded) if recorded else None
    if context.text is None:
        context.text = _encoder.encode(context)
    return context.text


_encoder = json.JSONEncoder(ensure_ascii=False, sort_keys=True)  # `json.dumps` would make one for each event
