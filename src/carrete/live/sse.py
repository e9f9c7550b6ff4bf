"""Server-sent events: an event as bytes, once for all viewers, and one viewer's way from the past into the present."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import nullcontext
from datetime import datetime
from zoneinfo import ZoneInfo

from pydantic_core import to_json

from carrete.domain.shop_time import iso
from carrete.ledger.database import Row, Tx
from carrete.live.tail import PAGE_MAX, Chunk, Tail

RETRY_MS = 2_000
# Single lines: a blank one would make some clients see an empty event.
HEARTBEAT = b":\n"
RETRY = b"retry: %d\n" % RETRY_MS


class TooSlow(Exception):
    """The viewer is further behind than what is kept in memory: it is dropped and resumes with its last seq."""


def frames(rows: Sequence[Row], zone: ZoneInfo) -> bytes:
    return b"".join(frame(row, zone) for row in rows)


def frame(row: Row, zone: ZoneInfo) -> bytes:
    """The spool's state is what this event left behind, however old the event is: the row carries it."""
    seq, _, at, evento_tipo, tag, _, worker, operacion = row[:8]
    ocupado_por, estado_detalle, version, workflow = row[12:16]
    data = {
        "event_type": evento_tipo,
        "tag_spool": tag,
        "operacion": operacion,
        "worker": worker,
        "ocupado_por": ocupado_por,
        "estado_detalle": estado_detalle,
        "version": version,
        "version_workflow": workflow,
        "at": iso(datetime.fromisoformat(at), zone),
    }
    return b"id: %d\nevent: spool_update\ndata: %b\n\n" % (seq, to_json(data))


def position(seq: int) -> bytes:
    """Sets where a client resumes, without being an event: one that has seen nothing yet loses nothing either."""
    return b"id: %d\n\n" % seq


class Viewer:
    """One open stream. Its only buffer is its place among the chunks that the tail keeps for all."""

    __slots__ = ("_beat", "_tail", "_waiting", "at", "leaving")

    def __init__(self, tail: Tail) -> None:
        self._tail = tail
        self._waiting: asyncio.Future[None] | None = None
        self._beat = False
        self.at = 0
        self.leaving = tail.closing

    async def start(self, since: int | None) -> bytes:
        """What it hears first. A seq that the ledger never gave is no place to resume: it starts from now on."""
        now = await self._tail.begun()
        if since is not None and since > now and await self._never_given(since):
            since = None
        self.at = now if since is None else since
        return RETRY + position(self.at) if since is None else RETRY

    async def _never_given(self, seq: int) -> bool:
        last = await self._tail.read(lambda tx: tx.one("event_last"))
        return last is None or seq > last[0]

    async def hear(self) -> AsyncIterator[bytes]:
        """Everything after `at`, for ever. Raises TooSlow, or LedgerUnavailable while it reads what was missed."""
        async for missed in self._missed():
            yield missed
        while not self.leaving:
            if (chunk := self._tail.chunk_after(self.at)) is not None:
                self.at = chunk.to
                yield chunk.frames
            elif self.at != self._tail.position:
                raise TooSlow
            elif self._beat:
                self._beat = False
                yield HEARTBEAT
            else:
                await self._woken()

    async def _missed(self) -> AsyncIterator[bytes]:
        """Page by page up to where the tail is. Between the last check and the first chunk nothing is awaited."""
        pages = 0
        while not self.leaving and not self._tail.follows_from(self.at):
            upto = await self._tail.begun()
            if self.at > upto:  # it saw more through another process than we have looked at
                self._tail.poke()
                await self._woken()
                continue
            async with nullcontext() if pages < self._tail.limits.near_pages_max else self._tail.far_back():
                page = None if self.leaving else await self._tail.read(self._page(upto))
            if page is not None:
                self.at, pages = page.to, pages + 1
                yield page.frames

    def _page(self, upto: int) -> Callable[[Tx], Chunk]:
        """Encoded by the reader's thread: the loop has others to serve."""
        after, encode = self.at, self._tail.encode

        def read(tx: Tx) -> Chunk:
            rows = tx.all("events_between", after=after, upto=upto, limit=PAGE_MAX)
            return Chunk(int(rows[-1][0]) if rows else upto, encode(rows))

        return read

    async def _woken(self) -> None:
        self._waiting = asyncio.get_running_loop().create_future()
        await self._waiting

    def wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def beat(self) -> None:
        self._beat = True
        self.wake()

    def drop(self) -> None:
        self.leaving = True
        self.wake()
