"""API tokens: how another system identifies itself. A token is shown once, when it is made."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from carrete.domain.refusals import NotValid
from carrete.identity.access_events import AccessKind, record
from carrete.identity.devices import clean_name
from carrete.identity.records import TokenScope
from carrete.identity.refusals import RecordUnknown
from carrete.identity.secrets import new_secret, secret_hash, short_id
from carrete.ledger.database import Row, Tx
from carrete.ledger.values import instant_text

PREFIX = "carrete_"  # so that a scanner of leaked secrets recognises what it found
DAYS_DEFAULT = 365
DAYS_MAX = 3_650


@dataclass(frozen=True, slots=True)
class NewToken:
    """`token` is what the other system sends; the ledger has only its hash."""

    id: str
    name: str
    scopes: tuple[TokenScope, ...]
    ends_at: datetime
    token: str


@dataclass(frozen=True, slots=True)
class ListedToken:
    """A token in the administrator's list. Times are as the ledger stores them."""

    id: str
    name: str
    scopes: tuple[TokenScope, ...]
    made_at: str
    made_by: int | None
    ends_at: str | None
    used_at: str | None
    revoked_at: str | None
    revoked_by: int | None


def make(
    tx: Tx,
    name: str,
    scopes: Collection[TokenScope],
    *,
    at: datetime,
    days: int = DAYS_DEFAULT,
    by_id: int | None = None,
    address: str | None = None,
) -> NewToken:
    if not scopes:
        raise NotValid([{"campo": "alcances", "motivo": "al menos uno de: leer, actuar, administrar."}])
    ordered = tuple(scope for scope in TokenScope if scope in scopes)
    made = NewToken(short_id("t"), clean_name(name, "nombre"), ordered, at + timedelta(days=days), _new_token())
    tx.run(
        "token_insert",
        id=made.id,
        secret_hash=secret_hash(made.token),
        name=made.name,
        scopes=" ".join(ordered),
        at=instant_text(at),
        by_id=by_id,
        ends_at=instant_text(made.ends_at),
    )
    detail = f"{made.id} {made.name}: {' '.join(ordered)}"
    record(tx, AccessKind.TOKEN_CREADO, at=at, by_id=by_id, address=address, detail=detail)
    return made


def revoke(tx: Tx, token_id: str, *, at: datetime, by_id: int | None = None, address: str | None = None) -> ListedToken:
    """It is worth nothing from this commit on. Revoking it again changes nothing."""
    row = tx.one("token", id=token_id)
    if row is None:
        raise RecordUnknown("No existe ese token.")
    token = _token_from(row)
    if tx.run("token_revoke", id=token_id, at=instant_text(at), by_id=by_id):
        detail = f"{token.id} {token.name}"
        record(tx, AccessKind.TOKEN_REVOCADO, at=at, by_id=by_id, address=address, detail=detail)
    return token


def tokens(tx: Tx) -> list[ListedToken]:
    """The newest first."""
    return [_token_from(row) for row in tx.all("tokens")]


def _new_token() -> str:
    return PREFIX + new_secret()


def _token_from(row: Row) -> ListedToken:
    id_, name, scopes, *others = row
    return ListedToken(id_, name, tuple(TokenScope(scope) for scope in scopes.split()), *others)
