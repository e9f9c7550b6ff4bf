"""Ends live streams whose device or token was revoked, whose token's time is over, or whose person was deactivated: all
open ones are compared with the ledger every two seconds."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import structlog

from carrete.ledger.database import Tx
from carrete.ledger.errors import LedgerUnavailable
from carrete.ledger.values import instant_text

log = structlog.get_logger()

EVERY_S = 2.0


class OpenStreams:
    def __init__(self, read: Callable[[Callable[[Tx], Any]], Awaitable[Any]], every_s: float = EVERY_S) -> None:
        self._read = read
        self._every_s = every_s
        self._open: dict[object, tuple[frozenset[str], Callable[[], None]]] = {}

    @contextmanager
    def open(self, owners: Collection[str], end: Callable[[], None]) -> Iterator[None]:
        """`owners` are the id of the stream's device or token, and the name of the person who was signed in; none
        without identity. `end` ends the stream."""
        if not owners:
            yield
            return
        mark = object()
        self._open[mark] = (frozenset(owners), end)
        try:
            yield
        finally:
            del self._open[mark]

    async def run(self) -> None:
        """Until it is cancelled. While the ledger cannot be reached no event reaches a stream either."""
        while True:
            await asyncio.sleep(self._every_s)
            try:
                await self.end_revoked()
            except LedgerUnavailable as error:
                log.warning("open streams not compared with the ledger", reason=str(error))
            except Exception as error:  # without this task streams of revoked devices would stay open
                log.error("open streams not compared with the ledger", exc_info=error)

    async def end_revoked(self) -> None:
        if not self._open:
            return
        admitted: set[str] = await self._read(_admitted)
        for owners, end in list(self._open.values()):
            if gone := owners - admitted:
                log.info("a live stream ended: its device, token or person is no longer admitted", owners=sorted(gone))
                end()


def person_name(worker_id: int) -> str:
    """Apart from the ids of devices and tokens."""
    return f"w:{worker_id}"


def _admitted(tx: Tx) -> set[str]:
    return {row[0] for row in tx.all("admitted_ids", now=instant_text(datetime.now(UTC)))}
