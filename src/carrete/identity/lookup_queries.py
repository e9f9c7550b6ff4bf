"""What the ledger has of secrets and ids: the device, session or token of each. Whatever is not found is left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from carrete.domain.authorship import Proof
from carrete.domain.workers import Worker
from carrete.identity.records import ApiToken, Device, DeviceKind, Session, TokenScope
from carrete.identity.secrets import secret_hash
from carrete.ledger.database import Row, Tx
from carrete.ledger.rows import roles_from
from carrete.ledger.values import instant_or_none_from, instant_text

Name = tuple[str, str]  # a kind and a secret or id
DEVICE, SESSION, SESSION_ID, TOKEN = "device", "session", "session id", "token"  # kinds
DEVICE_UNUSED_MAX = timedelta(days=400)
ROWS_CACHED_MAX = 4_096


def found_of(tx: Tx, names: Sequence[Name]) -> dict[Name, Any]:
    keys: dict[str, list[str]] = {}
    for kind, key in names:
        keys.setdefault(kind, []).append(key)
    return {(kind, key): found for kind, each in keys.items() for key, found in _QUERIES[kind](tx, each).items()}


def devices_of_secrets(tx: Tx, secrets: Sequence[str]) -> dict[str, Device]:
    unused_since = instant_text(datetime.now(UTC) - DEVICE_UNUSED_MAX)
    by_hash = _by_hash(secrets)
    rows = tx.all("devices_by_secrets", hashes=list(by_hash), unused_since=unused_since)
    return {by_hash[row[0]]: _device_from(row[1:]) for row in rows}


def sessions_of_secrets(tx: Tx, secrets: Sequence[str]) -> dict[str, Session]:
    """Without those that have ended, also by their time."""
    by_hash, now = _by_hash(secrets), datetime.now(UTC)
    rows = tx.all("sessions_by_secrets", hashes=list(by_hash))
    found = {by_hash[row[0]]: session_from(row[1:]) for row in rows}
    return {secret: session for secret, session in found.items() if not session.is_over(now)}


def sessions_of_ids(tx: Tx, ids: Sequence[str]) -> dict[str, Session]:
    """Also those that have ended: only for them it is asked which taps their tablets had not sent."""
    found = {row[0]: session_from(row) for row in tx.all("sessions_by_ids", ids=list(ids))}
    ended = [id_ for id_, session in found.items() if session.ended_at is not None]
    if ended:
        for id_, signatures in tx.all("unsent_taps", ids=ended):
            found[id_] = replace(found[id_], unsent=frozenset(signatures.split()))
    return found


def tokens_of_secrets(tx: Tx, secrets: Sequence[str]) -> dict[str, ApiToken]:
    by_hash, now = _by_hash(secrets), datetime.now(UTC)
    rows = tx.all("tokens_by_secrets", hashes=list(by_hash))
    found = {by_hash[row[0]]: _token_from(row[1:]) for row in rows}
    return {secret: token for secret, token in found.items() if token.ends_at is None or token.ends_at > now}


@lru_cache(maxsize=ROWS_CACHED_MAX)
def _device_from(row: Row) -> Device:
    """Cached, like sessions: a renewal nearly always finds the row that the read before it found."""
    id_, name, kind, used_at = row
    return Device(id_, name, DeviceKind(kind), datetime.fromisoformat(used_at))


def _by_hash(secrets: Sequence[str]) -> dict[str, str]:
    return {secret_hash(secret): secret for secret in secrets}


def _token_from(row: Row) -> ApiToken:
    id_, name, scopes, ends_at, used_at = row
    granted = frozenset(TokenScope(scope) for scope in scopes.split())
    return ApiToken(id_, name, granted, instant_or_none_from(ends_at), instant_or_none_from(used_at))


@lru_cache(maxsize=ROWS_CACHED_MAX)
def session_from(row: Row) -> Session:
    (id_, device_id, proof, began_at, ends_at, used_at, pin_at, ended_at, last_tap, revoked, *person) = row
    worker_id, nombre, apellido, activo, roles = person
    return Session(
        id_,
        device_id,
        Worker(worker_id, nombre, apellido, bool(activo), roles_from(roles)),
        Proof(proof),
        datetime.fromisoformat(began_at),
        datetime.fromisoformat(ends_at),
        datetime.fromisoformat(used_at),
        instant_or_none_from(pin_at),
        instant_or_none_from(ended_at),
        last_tap,
        bool(revoked),
    )


_QUERIES: dict[str, Callable[[Tx, Sequence[str]], dict[str, Any]]] = {
    DEVICE: devices_of_secrets,
    SESSION: sessions_of_secrets,
    SESSION_ID: sessions_of_ids,
    TOKEN: tokens_of_secrets,
}
