"""Lazy cleanup: one old lock per take, handed out by the take itself, looked at afterwards. Best effort."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, tzinfo

import structlog

from carrete.gate.heal import Healer, Ledger
from carrete.gate.locks import Locks, is_legacy, owner_of, taken_at
from carrete.ledger.errors import LedgerUnavailable
from carrete.redis.pipeline import GateDown

log = structlog.get_logger()

AT_ONCE_MAX = 256


class Cleaner:
    """Never on the path of a tap: when it is busy, the candidate simply waits for its next turn."""

    def __init__(self, locks: Locks, ledger: Ledger, healer: Healer, zone: tzinfo = UTC) -> None:
        self._zone = zone
        self._locks = locks
        self._ledger = ledger
        self._healer = healer
        self._busy: set[asyncio.Task[None]] = set()
        self.removed = 0

    def consider(self, tag: str, value: str) -> None:
        if len(self._busy) < AT_ONCE_MAX and not is_legacy(value):
            task = asyncio.get_running_loop().create_task(self._clean(tag, value))
            self._busy.add(task)
            task.add_done_callback(self._busy.discard)

    async def _clean(self, tag: str, value: str) -> None:
        """The ledger has such a holder → it stays. Nobody → compare and delete. Somebody else → heal."""
        try:
            ledger_lock = (await self._ledger([tag])).get(tag)
            if ledger_lock is None:
                await self._remove(tag, value)
            elif ledger_lock.value != value:
                await self._healer.heal(tag)
        except (GateDown, LedgerUnavailable) as error:
            log.warning("old lock not cleaned up", tag=tag, reason=str(error))
        except Exception as error:  # nobody waits for this task: a mistake would be seen by nobody
            log.warning("old lock not cleaned up", tag=tag, exc_info=error)

    async def _remove(self, tag: str, value: str) -> None:
        if await self._locks.release(tag, value) != 1:
            return
        self.removed += 1
        taken = taken_at(value, self._zone)
        age_h = round((time.time() - taken.timestamp()) / 3600, 1) if taken else None
        log.info("old lock removed", tag=tag, worker_id=owner_of(value), age_h=age_h)

    async def stop(self) -> None:
        for task in list(self._busy):
            task.cancel()
        await asyncio.gather(*self._busy, return_exceptions=True)
