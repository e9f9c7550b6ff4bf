"""Puts the locks in Redis right from a process that has no gate of its own, such as `carrete import`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from redis.exceptions import RedisError

from carrete.gate.assembly import heal_now, reconcile_now
from carrete.gate.heal import LedgerLock, LedgerLockReader, ledger_locks
from carrete.ledger.database import Database
from carrete.redis.embedded_server import socket_path
from carrete.settings import Settings


def heal_locks(settings: Settings, database: Database, tags: Sequence[str]) -> None:
    """After reading from a workbook who holds these spools. It also pokes the processes that serve."""
    if _redis_runs(settings):
        asyncio.run(heal_now(settings.redis_url, settings.data, _lock_reader(database), tags))


def reconcile_locks(settings: Settings, database: Database) -> None:
    """After the first read of the sheet."""
    if _redis_runs(settings):
        with suppress(RedisError, OSError, TimeoutError):  # the processes that serve rebuild them too
            asyncio.run(reconcile_now(settings.redis_url, settings.data, _lock_reader(database)))


def _redis_runs(settings: Settings) -> bool:
    not_started = settings.redis_url == "embedded" and not socket_path(settings.data).exists()
    return not not_started and settings.redis_url != "off"


def _lock_reader(database: Database) -> LedgerLockReader:
    async def read_locks(tags: Sequence[str] | None) -> dict[str, LedgerLock]:
        with database.reading() as tx:
            return ledger_locks(tx, tags)

    return read_locks
