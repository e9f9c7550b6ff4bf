"""One tail per process follows the ledger's events by seq and keeps the newest, encoded once, for every viewer.

It asks the ledger only while somebody watches: after a poke, and twice a second in case none came. It may trust that
whatever it has not seen yet has a higher seq than what it has: seqs become visible in their order, on both engines.
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
# Between two looks. A take pokes before its commit too: after a look that found nothing the next one is near.
SETTLE_S = 0.005
REST_S_MIN = 0.02
FAR_BACK_PAUSE_S = 0.005  # after each page that a viewer reads of a distant past: others have the processor meanwhile
REST_PER_VIEWER_S = 0.0002  # a thousand viewers cost some 15 ms of the event loop: at most a tenth of it


@dataclass(frozen=True, slots=True)
class TailLimits:
    look_every_s: float = 0.5  # without a poke: events of other processes appear within a second also without Redis
    beat_every_s: float = 15.0
    kept_bytes_max: int = 1_000_000
    near_pages_max: int = 5  # a viewer that missed more pages than these reads the others in turn with all such viewers


DEFAULT_LIMITS = TailLimits()


class Reads(Protocol):
    def __call__(self, query: Callable[[Tx], T], /) -> Awaitable[T]: ...


class Watching(Protocol):
    """What the tail needs of a viewer."""

    def wake(self) -> None: ...

    def beat(self) -> None: ...

    def drop(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Chunk:
    """What one look found, as viewers get it, and the seq they are at after it."""

    to: int
    frames: bytes


class Tail:
    def __init__(
        self, read: Reads, encode: Callable[[Sequence[Row]], bytes], limits: TailLimits = DEFAULT_LIMITS
    ) -> None:
        self._read = read
        self.encode = encode
        self.limits = limits
        self.position: int | None = None  # the seq up to which all is known; None while nobody watches
        self._last_id: str | None = None  # of the event at that seq
        self._chunks: dict[int, Chunk] = {}  # by the seq after which they come; oldest first
        self._kept_bytes = 0
        self._viewers: set[Watching] = set()
        self._poked = asyncio.Event()
        self._looked_at = time.monotonic()
        self._failing = False
        self._far_back = asyncio.Semaphore(1)  # one reader of the ledger for all who come back from a distant past
        self.closing = False
        self.dropped = 0

    @property
    def viewers(self) -> int:
        return len(self._viewers)

    @property
    def lag_s(self) -> float:
        """What was committed longer ago than this has been shown."""
        return time.monotonic() - self._looked_at if self._viewers else 0.0

    def poke(self) -> None:
        """Somebody committed something, here or elsewhere."""
        if self._viewers:
            self._poked.set()

    def join(self, viewer: Watching) -> None:
        if not self._viewers:
            self._looked_at = time.monotonic()
        self._viewers.add(viewer)
        self.poke()

    def leave(self, viewer: Watching) -> None:
        self._viewers.discard(viewer)
        if not self._viewers:
            self._forget()

    def close(self) -> None:
        """The server stops: every stream ends, and its viewer comes back to whoever serves then."""
        self.closing = True
        self._drop_everybody()

    async def begun(self) -> int:
        """The seq from which a viewer that asks for nothing older is served. Raises LedgerUnavailable."""
        if self.position is None:
            last = await self.read(lambda tx: tx.one("event_last"))
            if self.position is None:  # nobody was faster
                self.position, self._last_id = (int(last[0]), str(last[1])) if last else (0, None)
        return self.position

    def chunk_after(self, seq: int) -> Chunk | None:
        return self._chunks.get(seq)

    def follows_from(self, seq: int) -> bool:
        """From there on everything is, or will be, in memory."""
        return seq == self.position or seq in self._chunks

    async def read(self, query: Callable[[Tx], T]) -> T:
        return await self._read(query)

    @asynccontextmanager
    async def far_back(self) -> AsyncIterator[None]:
        """Whoever reads a distant past takes turns with all others who do, page by page."""
        async with self._far_back:
            yield
            if not self.closing:
                await asyncio.sleep(FAR_BACK_PAUSE_S)

    async def run(self) -> None:
        while True:
            if self._viewers:
                await asyncio.sleep(await self._looked())
            await self._poked_or_time()
            self._poked.clear()

    async def beats(self) -> None:
        """A sign of life for viewers and whatever stands between; it also tells us who is gone."""
        while True:
            await asyncio.sleep(self.limits.beat_every_s)
            for viewer in list(self._viewers):
                viewer.beat()

    async def _poked_or_time(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self.limits.look_every_s if self._viewers else None):
                await self._poked.wait()

    async def _looked(self) -> float:
        """How long to rest after it."""
        try:
            found = await self._look()
        except LedgerUnavailable as error:
            if not self._failing:
                log.warning("live streams wait for the ledger", reason=str(error))
            self._failing = True
            return self.limits.look_every_s
        except Exception as error:  # the edge of the loop: streams must outlive whatever this was
            log.error("the live tail failed", exc_info=error)
            return self.limits.look_every_s
        self._failing = False
        return max(REST_S_MIN, REST_PER_VIEWER_S * self.viewers) if found else SETTLE_S

    async def _look(self) -> bool:
        """Whether there was anything new."""
        since, begun_at = await self.begun(), time.monotonic()
        rows = await self.read(lambda tx: tx.all("events_from", seq=since, limit=PAGE_MAX + 1))
        if self.position != since:  # everybody left meanwhile, and whoever came then began anew
            return False
        if since:
            if not rows or (rows[0][0], rows[0][1]) != (since, self._last_id):
                self._start_over()
                return False
            rows = rows[1:]
        if rows:
            self._keep(since, rows)
        if len(rows) < PAGE_MAX:
            self._looked_at = begun_at
        else:
            self.poke()
        return bool(rows)

    def _keep(self, after: int, rows: Sequence[Row]) -> None:
        chunk = self._chunks[after] = Chunk(int(rows[-1][0]), self.encode(rows))
        self.position, self._last_id = chunk.to, str(rows[-1][1])
        self._kept_bytes += len(chunk.frames)
        while self._kept_bytes > self.limits.kept_bytes_max and len(self._chunks) > 1:
            self._kept_bytes -= len(self._chunks.pop(next(iter(self._chunks))).frames)
        for viewer in self._viewers:
            viewer.wake()

    def _start_over(self) -> None:
        """The event we were at is not there: somebody put another ledger in its place. Viewers begin anew too."""
        log.warning("the ledger is not the one that was followed", seq=self.position)
        self._forget()
        self._drop_everybody()

    def _forget(self) -> None:
        self.position, self._last_id = None, None
        self._chunks.clear()
        self._kept_bytes = 0

    def _drop_everybody(self) -> None:
        for viewer in list(self._viewers):
            viewer.drop()
