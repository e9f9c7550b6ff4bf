"""The owner of a cookie or token. Only what was found is kept in memory, and only for two seconds, so that a revocation
takes effect in every process in time. While the ledger cannot be reached a kept answer is good for four.

What is in use is read again after one second, all of a kind with one statement, so that hardly any request waits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import structlog

from carrete.identity.lookup_queries import DEVICE, SESSION, SESSION_ID, TOKEN, Name, found_of
from carrete.identity.records import ApiToken, Device, Session
from carrete.ledger.database import Tx
from carrete.ledger.errors import LedgerUnavailable

log = structlog.get_logger()
Read = Callable[[Callable[[Tx], Any]], Awaitable[Any]]

KEPT_S_MAX = 2.0
KEPT_S_MAX_WITHOUT_LEDGER = 4.0
KEPT_MAX = 4_096
READ_TOGETHER_MAX = 1_000
RENEWED_AFTER_S = 1.0
RENEWALS_GATHERED_S = 0.05
MADE_OF_KEPT_S_MAX = 5.0  # then what was made of kept answers is made anew: some of it depends on the time


class KeptAnswer:
    """What was found under a name, and when it was asked for. A renewal that finds the same makes it younger. After one
    that finds something else, or nothing, it is `replaced`."""

    __slots__ = ("found", "name", "read_at", "replaced")

    def __init__(self, name: Name, found: Any, read_at: float) -> None:
        self.name = name
        self.found = found
        self.read_at = read_at
        self.replaced = False


class Validity(NamedTuple):
    """How long a value may be used that was made of kept answers: until `until`, while none of them is replaced or too
    old, and while `drops` is unchanged, because a revocation drops them all."""

    answers: tuple[KeptAnswer, ...]
    drops: int
    until: float


class Lookups:
    """`read` runs a query on a thread of its own. The clock is monotonic and measures how long an answer was kept."""

    def __init__(self, read: Read, clock: Callable[[], float] = time.monotonic) -> None:
        self._read = read
        self._clock = clock
        self._kept: dict[Name, KeptAnswer] = {}
        self._gathered: list[Name] = []  # the names of a read that has not begun yet
        self._under_way: dict[Name, asyncio.Task[dict[Name, Any]]] = {}  # the read of each name that is asked for
        self._to_renew: set[Name] = set()
        self._renewing: asyncio.Task[None] | None = None
        self._drops = 0  # a read that began before a drop is not kept

    async def device(self, secret: str, *, fresh: bool = False) -> Device | None:
        found: Device | None = await self._find((DEVICE, secret), fresh)
        return found

    async def session(self, secret: str, *, fresh: bool = False) -> Session | None:
        found: Session | None = await self._find((SESSION, secret), fresh)
        return found

    async def token(self, secret: str) -> ApiToken | None:
        found: ApiToken | None = await self._find((TOKEN, secret), False)
        return found

    async def session_by_id(self, id_: str, *, fresh: bool = False) -> Session | None:
        found: Session | None = await self._find((SESSION_ID, id_), fresh)
        return found

    async def has_fresh_pin(self, session: Session | None) -> bool:
        """Whether the PIN was given in the last minutes, perhaps a moment ago in another process."""
        now = datetime.now(UTC)
        if session and not session.pin_is_fresh(now):
            session = await self.session_by_id(session.id, fresh=True)
        return session is not None and session.pin_is_fresh(now)

    def validity(self, used: Mapping[Name, object]) -> Validity:
        """Of something that was made of what these look-ups found. If one of them is not kept, or something else is
        kept by now, it does not hold at all."""
        kept = [self._kept.get(name) for name in used]
        answers = tuple(answer for answer in kept if answer is not None and answer.found == used[answer.name])
        until = self._clock() + MADE_OF_KEPT_S_MAX if len(answers) == len(used) else 0.0
        return Validity(answers, self._drops, until)

    def holds(self, validity: Validity) -> bool:
        """What holds is in use: its answers are renewed before they are too old."""
        now = self._clock()
        if validity.drops != self._drops or now >= validity.until:
            return False
        for answer in validity.answers:
            age = now - answer.read_at
            if age >= KEPT_S_MAX or answer.replaced:
                return False
            if age > RENEWED_AFTER_S:
                self._renew_soon(answer.name)
        return True

    def drop(self) -> None:
        """Drops everything that was kept: a device or token was revoked, or a person has other roles."""
        self._on_change()
        self._kept.clear()

    def drop_sessions(self, device_id: str, worker_id: int | None) -> None:
        """Forgets the sessions of this device and of this person: one began, ended or was unlocked."""
        self._on_change()
        sessions = [kept for kept in self._kept.values() if isinstance(kept.found, Session)]
        for kept in sessions:
            if kept.found.device_id == device_id or kept.found.worker.id == worker_id:
                del self._kept[kept.name]

    def _on_change(self) -> None:
        """A read under way may have begun before the change: it is not kept, and no later request joins it."""
        self._drops += 1
        self._under_way.clear()
        self._gathered = []

    def stop(self) -> None:
        if self._renewing:
            self._renewing.cancel()

    async def _find(self, name: Name, fresh: bool) -> Any:
        kept = self._kept.get(name)
        if kept is not None and not fresh and (age := self._clock() - kept.read_at) < KEPT_S_MAX:
            if age > RENEWED_AFTER_S:
                self._renew_soon(name)
            return kept.found
        try:
            found = await (self._read_all([name]) if fresh else self._read_together(name))
            return found.get(name)
        except LedgerUnavailable:  # perhaps after a long wait, in which the kept answer may have been dropped
            kept = self._kept.get(name)
            if kept is None or self._clock() - kept.read_at >= KEPT_S_MAX_WITHOUT_LEDGER:
                raise
            return kept.found

    async def _read_together(self, name: Name) -> dict[Name, Any]:
        """Requests that ask for the same at the same time share one read, and so do all that ask in one turn of the
        event loop: at the start of a shift fifty tablets tap that were idle, and each needs its device and session."""
        reading = self._under_way.get(name) or self._shared_read(name)
        try:
            return await asyncio.shield(reading)
        except (ValueError, TypeError):  # a row that cannot be understood, perhaps another request's
            return await self._read_all([name])

    def _shared_read(self, name: Name) -> asyncio.Task[dict[Name, Any]]:
        names = self._gathered
        if names and len(names) < READ_TOGETHER_MAX:
            reading = self._under_way[names[0]]
            names.append(name)
        else:
            names = self._gathered = [name]
            reading = asyncio.create_task(self._read_gathered(names))
            reading.add_done_callback(lambda _: self._end_shared_read(reading, names))
        self._under_way[name] = reading
        return reading

    async def _read_gathered(self, names: list[Name]) -> dict[Name, Any]:
        """Begins in the next turn of the event loop. A request after that is in the next read."""
        self._close(names)
        return await self._read_all(names)

    def _end_shared_read(self, reading: asyncio.Task[dict[Name, Any]], names: list[Name]) -> None:
        """Also of a read that was cancelled before it began."""
        self._close(names)
        for name in names:
            if self._under_way.get(name) is reading:
                del self._under_way[name]
        if not reading.cancelled():
            reading.exception()  # if all requests that wait for it were cancelled, nothing else reads it

    def _close(self, names: list[Name]) -> None:
        if self._gathered is names:
            self._gathered = []

    async def _read_all(self, names: Sequence[Name]) -> dict[Name, Any]:
        began, drops = self._clock(), self._drops
        found: dict[Name, Any] = await self._read(lambda tx: found_of(tx, names))
        if drops == self._drops:
            for name in names:
                self._keep(name, found.get(name), began)
        return found

    def _keep(self, name: Name, found: Any, began: float) -> None:
        kept = self._kept.get(name)
        if kept is not None and kept.found == found:
            kept.read_at = began
            return
        if kept is not None:
            kept.replaced = True
            del self._kept[name]
        if found is None or (isinstance(found, Session) and found.ended_at is not None):
            return  # a tap of an ended session has it read again each time, and it may come with a thousand unsent taps
        if len(self._kept) >= KEPT_MAX:
            self._kept.clear()
        self._kept[name] = KeptAnswer(name, found, began)

    def _renew_soon(self, name: Name) -> None:
        self._to_renew.add(name)
        if self._renewing is None:
            self._renewing = asyncio.create_task(self._renew())

    async def _renew(self) -> None:
        """If the ledger cannot be reached, the next request that needs an answer finds that out itself."""
        try:
            await asyncio.sleep(RENEWALS_GATHERED_S)
            due, self._to_renew = self._to_renew, set()
            await self._read_all(list(due))
        except LedgerUnavailable as error:
            log.warning("look-ups of identity not renewed", reason=str(error))
        finally:
            self._renewing = None
