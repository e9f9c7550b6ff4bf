"""The tail follows the ledger's events by seq, once per process, and keeps the newest ones encoded for all viewers.

It reads the ledger only while there are viewers: after a poke, and twice a second without one. An event that it has not
read yet always has a higher seq than those it has read, because on both engines seqs become visible in their order.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Protocol, TypeVar

import structlog

from carrete.ledger.database import Row, Tx
from carrete.ledger.errors import LedgerUnavailable

log = structlog.get_logger()
T = TypeVar("T")

PAGE_MAX = 200
PAUSE_AFTER_NOTHING_S = 0.005  # a take pokes before its commit too: after a read without events the next is soon
PAUSE_S_MIN = 0.02
PAUSE_PER_VIEWER_S = 0.0002  # a thousand viewers cost some 15 ms of the event loop: at most a tenth of it
OLD_PAGE_PAUSE_S = 0.005  # after each page of events that a viewer missed long ago, so that other tasks can run


@dataclass(frozen=True, slots=True)
class TailLimits:
    read_every_s: float = 0.5  # without a poke: events of other processes appear within a second also without Redis
    heartbeat_every_s: float = 15.0
    kept_bytes_max: int = 1_000_000
    near_pages_max: int = 5  # a viewer reads so many missed pages at once, and takes turns for the rest


DEFAULT_LIMITS = TailLimits()


class LedgerReader(Protocol):
    def __call__(self, query: Callable[[Tx], T], /) -> Awaitable[T]: ...


class TailViewer(Protocol):
    """What the tail needs of a viewer."""

    def wake(self) -> None: ...

    def send_heartbeat(self) -> None: ...

    def drop(self) -> None: ...


@dataclass(frozen=True, slots=True)
class EventChunk:
    """The events of one read of the ledger, encoded, and the seq of the last of them."""

    last_seq: int
    frames: bytes


class Tail:
    def __init__(
        self, read: LedgerReader, encode: Callable[[Sequence[Row]], bytes], limits: TailLimits = DEFAULT_LIMITS
    ) -> None:
        self._read = read
        self.encode = encode
        self.limits = limits
        self.position: int | None = None  # the last seq that was read; None while there are no viewers
        self._last_id: str | None = None  # the id of the event with that seq
        self._chunks: dict[int, EventChunk] = {}  # by the seq before their first event; oldest first
        self._kept_bytes = 0
        self._viewers: set[TailViewer] = set()
        self._poked = asyncio.Event()
        self._read_at = time.monotonic()
        self._failing = False
        self._reading_old_pages = asyncio.Semaphore(1)
        self.closing = False
        self.dropped = 0

    @property
    def viewers(self) -> int:
        return len(self._viewers)

    @property
    def lag_s(self) -> float:
        """Events that were committed longer ago than this have been sent."""
        return time.monotonic() - self._read_at if self._viewers else 0.0

    def poke(self) -> None:
        """Reads the ledger soon: this process or another one committed."""
        if self._viewers:
            self._poked.set()

    def join(self, viewer: TailViewer) -> None:
        if not self._viewers:
            self._read_at = time.monotonic()
        self._viewers.add(viewer)
        self.poke()

    def leave(self, viewer: TailViewer) -> None:
        self._viewers.discard(viewer)
        if not self._viewers:
            self._reset()

    def close(self) -> None:
        """Ends every stream, because the server stops. The viewers connect again to the next server."""
        self.closing = True
        self._drop_all()

    async def start(self) -> int:
        """Starts at the newest event, unless the tail has started already; returns its position. Raises
        LedgerUnavailable."""
        if self.position is None:
            last = await self.read(lambda tx: tx.one("event_last"))
            if self.position is None:  # another viewer may have started the tail during the read
                self.position, self._last_id = (int(last[0]), str(last[1])) if last else (0, None)
        return self.position

    def chunk_after(self, seq: int) -> EventChunk | None:
        return self._chunks.get(seq)

    def follows_from(self, seq: int) -> bool:
        """Whether all events after this seq are in memory, or will be."""
        return seq == self.position or seq in self._chunks

    async def read(self, query: Callable[[Tx], T]) -> T:
        return await self._read(query)

    @asynccontextmanager
    async def turn_to_read(self) -> AsyncIterator[None]:
        """Viewers that missed many events read one page at a time, one viewer after the other."""
        async with self._reading_old_pages:
            yield
            if not self.closing:
                await asyncio.sleep(OLD_PAGE_PAUSE_S)

    async def run(self) -> None:
        while True:
            if self._viewers:
                await asyncio.sleep(await self._read_and_log())
            await self._wait()
            self._poked.clear()

    async def send_heartbeats(self) -> None:
        """Viewers and proxies learn that the stream is alive, and a failed send shows us that a viewer is gone."""
        while True:
            await asyncio.sleep(self.limits.heartbeat_every_s)
            for viewer in list(self._viewers):
                viewer.send_heartbeat()

    async def _wait(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self.limits.read_every_s if self._viewers else None):
                await self._poked.wait()

    async def _read_and_log(self) -> float:
        """Returns how many seconds to wait before the next read."""
        try:
            found = await self._read_new_events()
        except LedgerUnavailable as error:
            if not self._failing:
                log.warning("live streams wait for the ledger", reason=str(error))
            self._failing = True
            return self.limits.read_every_s
        except Exception as error:  # streams must go on after any error
            log.error("the live tail failed", exc_info=error)
            return self.limits.read_every_s
        self._failing = False
        return max(PAUSE_S_MIN, PAUSE_PER_VIEWER_S * self.viewers) if found else PAUSE_AFTER_NOTHING_S

    async def _read_new_events(self) -> bool:
        """Whether there were any."""
        since, started_at = await self.start(), time.monotonic()
        rows = await self.read(lambda tx: tx.all("events_from", seq=since, limit=PAGE_MAX + 1))
        if self.position != since:  # all viewers left during the read, and a new one started the tail again
            return False
        if since:
            if not rows or (rows[0][0], rows[0][1]) != (since, self._last_id):
                self._start_over()
                return False
            rows = rows[1:]
        if rows:
            self._add_chunk(since, rows)
        if len(rows) < PAGE_MAX:
            self._read_at = started_at
        else:
            self.poke()
        return bool(rows)

    def _add_chunk(self, after: int, rows: Sequence[Row]) -> None:
        """Keeps new events, encoded, drops the oldest beyond the bound, and wakes all viewers."""
        chunk = self._chunks[after] = EventChunk(int(rows[-1][0]), self.encode(rows))
        self.position, self._last_id = chunk.last_seq, str(rows[-1][1])
        self._kept_bytes += len(chunk.frames)
        while self._kept_bytes > self.limits.kept_bytes_max and len(self._chunks) > 1:
            self._kept_bytes -= len(self._chunks.pop(next(iter(self._chunks))).frames)
        for viewer in self._viewers:
            viewer.wake()

    def _start_over(self) -> None:
        """The event at our position is gone, so another ledger was put in place: all viewers must connect again."""
        log.warning("the ledger is not the one that was followed", seq=self.position)
        self._reset()
        self._drop_all()

    def _reset(self) -> None:
        self.position, self._last_id = None, None
        self._chunks.clear()
        self._kept_bytes = 0

    def _drop_all(self) -> None:
        for viewer in list(self._viewers):
            viewer.drop()
