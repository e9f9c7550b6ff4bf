"""Puts the parts of one process together, and takes them apart again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import structlog

from carrete.actions import Performer
from carrete.domain.shop import Shop
from carrete.gate import OpenGate
from carrete.ledger import open_database
from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from carrete.ledger.migrate import migrate
from carrete.ledger.rows import instant_text
from carrete.settings import Settings

T = TypeVar("T")
READERS = 4
KEYS_KEPT = timedelta(days=35)
KEYS_SWEPT_EVERY_S = 6 * 3600

log = structlog.get_logger()


class House:
    """A running shop: the ledger, the one path over it, readers, and what runs in the background."""

    def __init__(self, settings: Settings, database: Database | None = None) -> None:
        self.settings = settings
        self.shop: Shop = settings.shop
        self.database = database or open_database(settings.ledger_url)
        migrate(self.database)
        self.performer = Performer(self.database, OpenGate(), self.shop)
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="ledger-reader")
        self._background: list[asyncio.Task[None]] = []

    async def read(self, query: Callable[[Tx], T]) -> T:
        """A consistent look at the ledger, off the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._read, query)

    def _read(self, query: Callable[[Tx], T]) -> T:
        with self.database.reading() as tx:
            return query(tx)

    def start(self) -> None:
        self._background.append(asyncio.create_task(self._forget_old_keys()))

    async def stop(self) -> None:
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        self.performer.stop()
        self._readers.shutdown(wait=False, cancel_futures=True)
        self.database.close()

    async def _forget_old_keys(self) -> None:
        """Keys are promised for 30 days; a few more do no harm, for ever would fill the disk."""
        while True:
            try:
                await self.performer.housekeeping(_forget_old_keys)
            except (LedgerUnavailable, RaceLost) as error:
                log.warning("old idempotency keys not swept", reason=str(error))
            await asyncio.sleep(KEYS_SWEPT_EVERY_S)


def _forget_old_keys(tx: Tx) -> int:
    return tx.run("keys_forget", before=instant_text(datetime.now(UTC) - KEYS_KEPT))
