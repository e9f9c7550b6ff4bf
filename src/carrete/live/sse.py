"""Server-sent events: encodes events as bytes, and follows them for one viewer from any seq in the past."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import nullcontext
from datetime import datetime
from zoneinfo import ZoneInfo

from pydantic_core import to_json

from carrete.domain.shop_time import iso
from carrete.ledger.database import Row, Tx
from carrete.live.tail import PAGE_MAX, EventChunk, Tail

RETRY_MS = 2_000
# No blank line at the end: some clients would take it for an empty event.
HEARTBEAT = b":\n"
RETRY = b"retry: %d\n" % RETRY_MS


class TooSlow(Exception):
    """The viewer has not read the oldest events in memory yet: it is dropped and resumes with its last seq."""


def frames(rows: Sequence[Row], zone: ZoneInfo) -> bytes:
    return b"".join(frame(row, zone) for row in rows)


def frame(row: Row, zone: ZoneInfo) -> bytes:
    """The spool's state is the one after this event, not the present one; the event's row has it."""
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
    """Sets the seq with which the client resumes, without an event: a client that got no event yet can resume too."""
    return b"id: %d\n\n" % seq


class StreamViewer:
    """One open stream. It has no buffer of its own, only the seq of the last event that it sent."""

    __slots__ = ("_heartbeat_due", "_tail", "_waiting", "last_seq", "leaving")

    def __init__(self, tail: Tail) -> None:
        self._tail = tail
        self._waiting: asyncio.Future[None] | None = None
        self._heartbeat_due = False
        self.last_seq = 0
        self.leaving = tail.closing

    async def start(self, since: int | None) -> bytes:
        """Returns the first bytes. A seq that the ledger has not given out is ignored: the stream starts from now."""
        now = await self._tail.start()
        if since is not None and since > now and await self._not_given_out(since):
            since = None
        self.last_seq = now if since is None else since
        return RETRY + position(self.last_seq) if since is None else RETRY

    async def _not_given_out(self, seq: int) -> bool:
        last = await self._tail.read(lambda tx: tx.one("event_last"))
        return last is None or seq > last[0]

    async def events(self) -> AsyncIterator[bytes]:
        """All events after `last_seq`, endlessly. Raises TooSlow, or LedgerUnavailable when it reads missed events."""
        async for missed in self._missed_events():
            yield missed
        while not self.leaving:
            if (chunk := self._tail.chunk_after(self.last_seq)) is not None:
                self.last_seq = chunk.last_seq
                yield chunk.frames
            elif self.last_seq != self._tail.position:
                raise TooSlow
            elif self._heartbeat_due:
                self._heartbeat_due = False
                yield HEARTBEAT
            else:
                await self._wait()

    async def _missed_events(self) -> AsyncIterator[bytes]:
        """Reads the ledger page by page up to the tail's position. Nothing is awaited between the last check and the
        first chunk of the tail, so that no event is lost in between."""
        pages = 0
        while not self.leaving and not self._tail.follows_from(self.last_seq):
            upto = await self._tail.start()
            if self.last_seq > upto:  # another process has shown this viewer events that our tail has not read yet
                self._tail.poke()
                await self._wait()
                continue
            async with nullcontext() if pages < self._tail.limits.near_pages_max else self._tail.turn_to_read():
                page = None if self.leaving else await self._tail.read(self._page(upto))
            if page is not None:
                self.last_seq, pages = page.last_seq, pages + 1
                yield page.frames

    def _page(self, upto: int) -> Callable[[Tx], EventChunk]:
        """Encodes in the reader's thread too, so that the event loop is free for other viewers."""
        after, encode = self.last_seq, self._tail.encode

        def read(tx: Tx) -> EventChunk:
            rows = tx.all("events_between", after=after, upto=upto, limit=PAGE_MAX)
            return EventChunk(int(rows[-1][0]) if rows else upto, encode(rows))

        return read

    async def _wait(self) -> None:
        self._waiting = asyncio.get_running_loop().create_future()
        await self._waiting

    def wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def send_heartbeat(self) -> None:
        self._heartbeat_due = True
        self.wake()

    def drop(self) -> None:
        self.leaving = True
        self.wake()
