"""Lazy cleanup: the script of each take returns one old lock, and a background task removes it if it is abandoned."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, tzinfo

import structlog

from carrete.gate.heal import Healer, LedgerLockReader
from carrete.gate.locks import Locks, is_legacy, owner_of, taken_at
from carrete.ledger.errors import LedgerUnavailable
from carrete.redis.script_calls import RedisCallFailed

log = structlog.get_logger()

TASKS_MAX = 256


class Cleaner:
    """Delays no action: while too many cleanups run, an old lock is ignored and comes again with a later take."""

    def __init__(self, locks: Locks, ledger: LedgerLockReader, healer: Healer, zone: tzinfo = UTC) -> None:
        self.zone = zone
        self._locks = locks
        self._ledger = ledger
        self._healer = healer
        self._tasks: set[asyncio.Task[None]] = set()
        self.removed = 0

    def consider(self, tag: str, value: str) -> None:
        if len(self._tasks) < TASKS_MAX and not is_legacy(value):
            task = asyncio.get_running_loop().create_task(self._clean(tag, value))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _clean(self, tag: str, value: str) -> None:
        """If the ledger has this lock, it stays; if the spool is free, it is deleted; else it is healed."""
        try:
            ledger_lock = (await self._ledger([tag])).get(tag)
            if ledger_lock is None:
                await self._remove(tag, value)
            elif ledger_lock.value != value:
                await self._healer.heal(tag)
        except (RedisCallFailed, LedgerUnavailable) as error:
            log.warning("old lock not cleaned up", tag=tag, reason=str(error))
        except Exception as error:  # nobody awaits this task: without the log the error would be lost
            log.warning("old lock not cleaned up", tag=tag, exc_info=error)

    async def _remove(self, tag: str, value: str) -> None:
        if await self._locks.release(tag, value) != 1:
            return
        self.removed += 1
        taken = taken_at(value, self.zone)
        age_h = round((time.time() - taken.timestamp()) / 3600, 1) if taken else None
        log.info("old lock removed", tag=tag, worker_id=owner_of(value), age_h=age_h)

    async def stop(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
