"""Lazy cleanup: one old lock per take, handed out by the take itself, looked at afterwards. Silent, best effort."""

from __future__ import annotations

import asyncio

import structlog

from carrete.gate.courier import GateDown
from carrete.gate.heal import Healer, Ledger
from carrete.gate.locks import Locks, is_legacy
from carrete.ledger.errors import LedgerUnavailable

log = structlog.get_logger()

AT_ONCE_MAX = 256


class Cleaner:
    """Never on the path of a tap: when it is busy, the candidate simply waits for its next turn."""

    def __init__(self, locks: Locks, ledger: Ledger, healer: Healer) -> None:
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
            truth = (await self._ledger([tag])).get(tag)
            if truth is None:
                self.removed += await self._locks.release(tag, value)
            elif truth.value != value:
                await self._healer.heal(tag)
        except (GateDown, LedgerUnavailable) as error:
            log.debug("old lock not looked at", tag=tag, reason=str(error))

    async def stop(self) -> None:
        for task in list(self._busy):
            task.cancel()
        await asyncio.gather(*self._busy, return_exceptions=True)
