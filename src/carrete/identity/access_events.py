"""The record of who came in, who was refused, and what an administrator changed. Rows are added and never changed,
except that addresses are removed after 90 days and whole rows after two years."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from carrete.ledger.database import Row, Tx
from carrete.ledger.values import instant_text

KEPT_FOR = timedelta(days=731)
ADDRESSES_KEPT_FOR = timedelta(days=90)
DETAIL_CHARS_MAX = 200
PAGE_MAX = 500
_ANYBODY = -1  # no worker has this id
_NEWEST = 2**62  # above every seq
_LAST_INSTANT = "9999"  # sorts after every instant


class AccessKind(StrEnum):
    ENTRO = "ENTRO"
    SALIO = "SALIO"
    PIN_INCORRECTO = "PIN_INCORRECTO"
    PIN_BLOQUEADO = "PIN_BLOQUEADO"  # before PIN_DESBLOQUEADO also its end, with the detail "desbloqueado"
    PIN_DESBLOQUEADO = "PIN_DESBLOQUEADO"
    MUCHOS_FALLOS = "MUCHOS_FALLOS"
    INSCRITO = "INSCRITO"
    REVOCADO = "REVOCADO"
    TOKEN_CREADO = "TOKEN_CREADO"
    TOKEN_REVOCADO = "TOKEN_REVOCADO"
    ROL_CAMBIADO = "ROL_CAMBIADO"
    PRIVILEGIO_CONFIRMADO = "PRIVILEGIO_CONFIRMADO"
    PRIVILEGIO_RECHAZADO = "PRIVILEGIO_RECHAZADO"
    PIN_NUEVO = "PIN_NUEVO"
    IDENTIDAD_RECHAZADA = "IDENTIDAD_RECHAZADA"
    ADMINISTRADOR_CREADO = "ADMINISTRADOR_CREADO"
    RESPALDO_DESCARGADO = "RESPALDO_DESCARGADO"
    CLAVES_RESPALDADAS = "CLAVES_RESPALDADAS"
    WEBHOOK_CAMBIADO = "WEBHOOK_CAMBIADO"
    CLAVE_DE_GOOGLE = "CLAVE_DE_GOOGLE"


@dataclass(frozen=True, slots=True)
class AccessEvent:
    """`device` and `token` are names; `worker_id` is the person it is about. `by_id` is the person who did it, or
    `token_id` the API token."""

    seq: int
    at: str
    kind: AccessKind
    device_id: str | None
    device: str | None
    worker_id: int | None
    by_id: int | None
    token_id: str | None
    token: str | None
    address: str | None
    detail: str | None


@dataclass(frozen=True, slots=True)
class AccessFilter:
    """Which events a page shows. `worker_id` finds what a person did and what was done to them."""

    kind: AccessKind | None = None
    worker_id: int | None = None
    device_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None


NO_FILTER = AccessFilter()


@dataclass(frozen=True, slots=True)
class AccessPage:
    events: list[AccessEvent]
    next_before: int | None


def record(
    tx: Tx,
    kind: AccessKind,
    *,
    at: datetime,
    device_id: str | None = None,
    worker_id: int | None = None,
    by_id: int | None = None,
    token_id: str | None = None,
    address: str | None = None,
    detail: str | None = None,
) -> None:
    """`worker_id` is the person it is about, `by_id` or `token_id` who did it; `detail` never has a secret."""
    event = {
        "at": instant_text(at),
        "kind": kind.value,
        "device_id": device_id,
        "worker_id": worker_id,
        "by_id": by_id,
        "token_id": token_id,
        "address": address,
        "detail": detail[:DETAIL_CHARS_MAX] if detail else None,
    }
    tx.write_last(("access_event_insert", [event]))


def page(tx: Tx, wanted: AccessFilter = NO_FILTER, before: int | None = None, limit: int = 100) -> AccessPage:
    """The newest first. `before` is the seq of the last event of the page before."""
    rows = tx.all(
        "access_events_page",
        before=_NEWEST if before is None else before,
        kind=wanted.kind.value if wanted.kind else "",
        worker_id=_ANYBODY if wanted.worker_id is None else wanted.worker_id,
        device_id=wanted.device_id or "",
        since=instant_text(wanted.since) if wanted.since else "",
        until=instant_text(wanted.until) if wanted.until else _LAST_INSTANT,
        limit=limit + 1,
    )
    events = [_event_from(row) for row in rows[:limit]]
    return AccessPage(events, events[-1].seq if len(rows) > limit else None)


def forget_old(tx: Tx, now: datetime) -> int:
    """Returns the number of events that were deleted."""
    tx.run("access_addresses_forget", before=instant_text(now - ADDRESSES_KEPT_FOR))
    return tx.run("access_events_forget", before=instant_text(now - KEPT_FOR))


def _event_from(row: Row) -> AccessEvent:
    seq, at, kind, *others = row
    return AccessEvent(seq, at, AccessKind(kind), *others)
