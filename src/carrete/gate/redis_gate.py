"""The gate with Redis behind it. It orders takers and keeps locks true; the ledger answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import structlog

from carrete.gate.cleanup import Cleaner
from carrete.gate.heal import Healer
from carrete.gate.locks import OURS, Locks, Taken, owner_of
from carrete.gate.protocol import UNSEEN, Passage, Sight, Trace
from carrete.redis.breaker import Breaker
from carrete.redis.pipeline import GateDown, unheard

log = structlog.get_logger()

PENDING_WAITS_S = (0.004, 0.008, 0.016, 0.032, 0.064)  # then the ledger decides

_OURS = Sight(ours=True)


class RedisGate:
    def __init__(self, locks: Locks, breaker: Breaker, healer: Healer, cleaner: Cleaner) -> None:
        self._locks = locks
        self._breaker = breaker
        self._healer = healer
        self._cleaner = cleaner
        self.notice: Callable[[], None] = _nobody  # somebody met what should not be: look at the whole

    async def enter(self, passages: Sequence[Passage]) -> Sequence[Sight]:
        if self._breaker.is_open:
            return [UNSEEN] * len(passages)
        if len(passages) == 1:
            return [await self._sight(passages[0])]
        if not any(passage.takes for passage in passages):
            return [UNSEEN] * len(passages)
        return await self._sights(passages)

    async def _sight(self, passage: Passage) -> Sight:
        if not passage.takes:
            return UNSEEN
        try:
            taken = self._met(await self._locks.take(passage.tag, passage.value))
            return _seen(await self._wait(passage, taken) if taken.pending else taken)
        except GateDown:
            return UNSEEN

    async def _sights(self, passages: Sequence[Passage]) -> Sequence[Sight]:
        """A batch, whose spools are all taken or all ended: one script, and only those that are pending cost more."""
        try:
            met = await self._locks.take_all([p.tag for p in passages], [p.value for p in passages])
        except GateDown:
            return [UNSEEN] * len(passages)
        pending = [n for n, taken in enumerate(met) if taken is not OURS and self._met(taken).pending]
        if pending:
            await self._wait_for(pending, passages, met)
        return [_OURS if taken is OURS else _seen(taken) for taken in met]

    async def _wait_for(self, pending: list[int], passages: Sequence[Passage], met: list[Taken]) -> None:
        waited = await asyncio.gather(*(self._wait(passages[n], met[n]) for n in pending), return_exceptions=True)
        for n, taken in zip(pending, waited, strict=True):
            if not isinstance(taken, BaseException):
                met[n] = taken

    def _met(self, taken: Taken) -> Taken:
        if taken.old:
            self._cleaner.consider(*taken.old)
        return taken

    async def _wait(self, passage: Passage, taken: Taken) -> Taken:
        """Somebody is committing: look again a few times, then the ledger decides."""
        for wait_s in PENDING_WAITS_S:
            await asyncio.sleep(wait_s)
            taken = self._met(await self._locks.take(passage.tag, passage.value))
            if taken.ours or not taken.pending:
                break
        return taken

    def extend(self, passages: Sequence[Passage], sights: Sequence[Sight]) -> None:
        """Nobody waits for it: if it fails, the lock is healed after the commit."""
        for passage, sight in zip(passages, sights, strict=True):
            if sight.ours:
                self._locks.extend(passage.tag, passage.value).add_done_callback(unheard)

    async def leave(self, passages: Sequence[Passage], sights: Sequence[Sight], traces: Sequence[Trace | None]) -> None:
        if self._breaker.is_open:
            return  # the rebuild after the outage reads the ledger after this commit
        settling = [self._settle(*step) for step in zip(passages, sights, traces, strict=True)]
        if len(settling) == 1:
            await settling[0]
        else:
            await asyncio.gather(*settling)

    async def _settle(self, passage: Passage, sight: Sight, trace: Trace | None) -> None:
        """One round trip when all is well; anything else is healed before the worker is answered."""
        try:
            well = await self._said(passage, sight, trace)
        except GateDown:
            well = False
        if not well:
            self.notice()
            await self._healer.heal(passage.tag)

    async def _said(self, passage: Passage, sight: Sight, trace: Trace | None) -> bool:
        """Whether the locks are known to say what the ledger says."""
        tag, locks = passage.tag, self._locks
        if trace is None:  # nobody knows whether it was committed: only the ledger can tell, maybe not yet
            return False
        if trace.after == passage.value:
            return sight.ours and await self._held(passage)
        if trace.before is not None and trace.after is None:
            return await self._released(tag, trace.before)
        if sight.ours:  # refused, a double tap, or told before: our pending lock goes before the answer
            released = await locks.release(tag, passage.value) == 1
            return released and trace.after is None
        # A pending lock that is the ledger's own is of somebody who was killed after his commit: it must not run out.
        return passage.takes and sight.other == trace.after and not sight.pending

    async def _held(self, passage: Passage) -> bool:
        held = await self._locks.hold(passage.tag, passage.value) == 1
        if held:
            log.info("lock taken", tag=passage.tag, worker_id=owner_of(passage.value))
        return held

    async def _released(self, tag: str, value: str) -> bool:
        released = await self._locks.release(tag, value) == 1
        if released:
            log.info("lock released", tag=tag, worker_id=owner_of(value))
        return released


def _seen(taken: Taken) -> Sight:
    return _OURS if taken.ours else Sight(other=taken.value, pending=taken.pending)


def _nobody() -> None:
    pass
