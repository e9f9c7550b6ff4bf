"""Whose a cookie or token is. Only what was found is kept in memory, and only for two seconds, so that a revocation
is heard by every process in time. While the ledger cannot be reached a kept answer is good for four.

What is in use is read again after one second, all of it in one transaction, so that hardly any request waits for it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, TypeVar

import structlog

from carrete.domain.authorship import Proof
from carrete.domain.workers import Worker
from carrete.identity.records import ApiToken, Device, DeviceKind, Session, TokenScope
from carrete.identity.secrets import secret_hash
from carrete.ledger.database import Row, Tx
from carrete.ledger.errors import LedgerUnavailable
from carrete.ledger.rows import roles_from
from carrete.ledger.values import instant_or_none_from, instant_text

log = structlog.get_logger()
T = TypeVar("T")
Name = tuple[str, str]  # a kind and a secret or id
Query = Callable[[Tx, str], Any]
Read = Callable[[Callable[[Tx], Any]], Awaitable[Any]]
DEVICE, SESSION, SESSION_ID = "device", "session", "session id"  # kinds

KEPT_S_MAX = 2.0
KEPT_S_MAX_WITHOUT_LEDGER = 4.0
KEPT_MAX = 4_096
RENEWED_AFTER_S = 1.0
RENEWALS_GATHERED_S = 0.05
DEVICE_UNUSED_MAX = timedelta(days=400)


class Validity(NamedTuple):
    """Until when something that was made of kept answers holds: not once they are due to be read again, and not after
    anything was dropped."""

    until: float
    drops: int


class Lookups:
    """`read` runs a query on a thread of its own. The clock is monotonic and measures how long an answer was kept."""

    def __init__(self, read: Read, clock: Callable[[], float] = time.monotonic) -> None:
        self._read = read
        self._clock = clock
        self._kept: dict[Name, tuple[float, Any]] = {}
        self._under_way: dict[Name, asyncio.Future[Any]] = {}
        self._to_renew: dict[Name, Query] = {}
        self._renewing: asyncio.Task[None] | None = None
        self._drops = 0  # a read that began before a drop is not kept

    async def device(self, secret: str, *, fresh: bool = False) -> Device | None:
        found: Device | None = await self._find(DEVICE, secret, device_of_secret, fresh)
        return found

    async def session(self, secret: str, *, fresh: bool = False) -> Session | None:
        found: Session | None = await self._find(SESSION, secret, session_of_secret, fresh)
        return found

    async def token(self, secret: str) -> ApiToken | None:
        found: ApiToken | None = await self._find("token", secret, token_of_secret, False)
        return found

    async def session_by_id(self, id_: str, *, fresh: bool = False) -> Session | None:
        found: Session | None = await self._find(SESSION_ID, id_, session_of_id, fresh)
        return found

    async def has_fresh_pin(self, session: Session | None) -> bool:
        """Whether the PIN was given in the last minutes, perhaps a moment ago in another process."""
        now = datetime.now(UTC)
        if session and not session.pin_is_fresh(now):
            session = await self.session_by_id(session.id, fresh=True)
        return session is not None and session.pin_is_fresh(now)

    def validity(self, *names: Name) -> Validity:
        """Of something that was made of these answers. None of them is kept: it does not hold at all."""
        read_at = min(self._kept.get(name, (0.0, None))[0] for name in names)
        return Validity(read_at + RENEWED_AFTER_S if read_at else 0.0, self._drops)

    def holds(self, validity: Validity) -> bool:
        return validity.drops == self._drops and self._clock() < validity.until

    def drop(self) -> None:
        """Forgets everything that was kept: somebody was revoked or has other roles."""
        self._drops += 1
        self._kept.clear()

    def drop_sessions(self, device_id: str, worker_id: int | None) -> None:
        """Forgets the sessions of this device and of this person: one began, ended or was unlocked."""
        self._drops += 1  # a read under way may have begun before the change
        sessions = [(name, kept) for name, (_, kept) in self._kept.items() if isinstance(kept, Session)]
        for name, session in sessions:
            if session.device_id == device_id or session.worker.id == worker_id:
                del self._kept[name]

    def stop(self) -> None:
        if self._renewing:
            self._renewing.cancel()

    async def _find(self, kind: str, key: str, query: Callable[[Tx, str], T | None], fresh: bool) -> T | None:
        name = (kind, key)
        read_at, kept = self._kept.get(name, (0.0, None))
        age = self._clock() - read_at
        if kept is not None and age < KEPT_S_MAX and not fresh:
            if age > RENEWED_AFTER_S:
                self._renew_soon(name, query)
            return kept  # type: ignore[no-any-return]
        try:
            reading = self._read_and_keep if fresh else self._read_once
            return await reading(name, query)  # type: ignore[no-any-return]
        except LedgerUnavailable:  # perhaps after a long wait, in which the kept answer may have been dropped
            read_at, kept = self._kept.get(name, (0.0, None))
            if kept is None or self._clock() - read_at >= KEPT_S_MAX_WITHOUT_LEDGER:
                raise
            return kept  # type: ignore[no-any-return]

    async def _read_once(self, name: Name, query: Query) -> Any:
        """Requests that ask for the same at the same time share one read."""
        if (reading := self._under_way.get(name)) is None:
            reading = asyncio.ensure_future(self._read_and_keep(name, query))
            self._under_way[name] = reading
            reading.add_done_callback(lambda _: self._under_way.pop(name, None))
        return await asyncio.shield(reading)

    async def _read_and_keep(self, name: Name, query: Query) -> Any:
        began, drops = self._clock(), self._drops
        found = await self._read(lambda tx: query(tx, name[1]))
        if drops == self._drops:
            self._keep(name, found, began)
        return found

    def _keep(self, name: Name, found: Any, began: float) -> None:
        if found is None:
            self._kept.pop(name, None)
            return
        if len(self._kept) >= KEPT_MAX:
            self._kept.clear()
        self._kept[name] = (began, found)

    def _renew_soon(self, name: Name, query: Query) -> None:
        self._to_renew[name] = query
        if self._renewing is None:
            self._renewing = asyncio.create_task(self._renew())

    async def _renew(self) -> None:
        """If the ledger cannot be reached, the next request that needs an answer finds that out itself."""
        try:
            await asyncio.sleep(RENEWALS_GATHERED_S)
            due, self._to_renew = self._to_renew, {}
            began, drops = self._clock(), self._drops
            found = await self._read(lambda tx: {name: query(tx, name[1]) for name, query in due.items()})
            if drops == self._drops:
                for name, each in found.items():
                    self._keep(name, each, began)
        except LedgerUnavailable as error:
            log.warning("look-ups of identity not renewed", reason=str(error))
        finally:
            self._renewing = None


def device_of_secret(tx: Tx, secret: str) -> Device | None:
    unused_since = instant_text(datetime.now(UTC) - DEVICE_UNUSED_MAX)
    row = tx.one("device_by_secret", secret_hash=secret_hash(secret), unused_since=unused_since)
    return Device(row[0], row[1], DeviceKind(row[2]), datetime.fromisoformat(row[3])) if row else None


def session_of_secret(tx: Tx, secret: str) -> Session | None:
    """None for a session that has ended, also by its time."""
    row = tx.one("session_by_secret", secret_hash=secret_hash(secret))
    found = session_from(row) if row else None
    return found if found and not found.is_over(datetime.now(UTC)) else None


def session_of_id(tx: Tx, id_: str) -> Session | None:
    row = tx.one("session_by_id", id=id_)
    return session_from(row) if row else None


def token_of_secret(tx: Tx, secret: str) -> ApiToken | None:
    row = tx.one("token_by_secret", secret_hash=secret_hash(secret))
    if row is None:
        return None
    id_, name, scopes, ends_at, used_at = row
    token = ApiToken(
        id_,
        name,
        frozenset(TokenScope(scope) for scope in scopes.split()),
        instant_or_none_from(ends_at),
        instant_or_none_from(used_at),
    )
    return token if token.ends_at is None or token.ends_at > datetime.now(UTC) else None


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
