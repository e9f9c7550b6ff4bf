"""The gate that uses Redis: it puts takers of a spool in order and keeps the locks equal to the ledger."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

import structlog

from carrete.gate.cleanup import Cleaner
from carrete.gate.heal import Healer
from carrete.gate.locks import OURS, Locks, Swap, Taken, owner_of
from carrete.gate.protocol import LockAttempt
from carrete.redis.breaker import Breaker
from carrete.redis.script_calls import RedisCallFailed, ignore_result

log = structlog.get_logger()

PENDING_WAITS_S = (0.004, 0.008, 0.016, 0.032, 0.064)  # then the ledger decides


class RedisGate:
    """`on_mismatch` is called when a lock was not as expected: Redis may have been emptied or replaced."""

    def __init__(
        self, locks: Locks, breaker: Breaker, healer: Healer, cleaner: Cleaner, on_mismatch: Callable[[], None]
    ) -> None:
        self._locks = locks
        self._breaker = breaker
        self._healer = healer
        self._cleaner = cleaner
        self._on_mismatch = on_mismatch

    async def enter(self, attempts: Sequence[LockAttempt]) -> None:
        if self._breaker.is_open:
            return
        if len(attempts) == 1:
            await self._take(attempts[0])
        elif any(attempt.takes for attempt in attempts):
            await self._take_all(attempts)

    async def _take(self, attempt: LockAttempt) -> None:
        if not attempt.takes:
            return
        try:
            taken = self._hand_to_cleaner(await self._locks.take(attempt.tag, attempt.value))
            _note_result(attempt, await self._wait(attempt, taken) if taken.pending else taken)
        except RedisCallFailed:
            pass

    async def _take_all(self, attempts: Sequence[LockAttempt]) -> None:
        """The spools of a batch are either all taken or all ended. One script takes all locks; only pending locks of
        others cost further calls."""
        try:
            results = await self._locks.take_all([a.tag for a in attempts], [a.value for a in attempts])
        except RedisCallFailed:
            return
        pending: list[tuple[LockAttempt, Taken]] = []
        for attempt, taken in zip(attempts, results, strict=True):
            if taken is OURS:
                attempt.ours = True
                continue
            _note_result(attempt, self._hand_to_cleaner(taken))
            if taken.pending:
                pending.append((attempt, taken))
        if pending:
            await self._wait_for_all(pending)

    async def _wait_for_all(self, pending: Sequence[tuple[LockAttempt, Taken]]) -> None:
        """A wait that fails fails neither the batch nor the other waits: the ledger decides about its spool."""
        results = await asyncio.gather(*(self._wait(*each) for each in pending), return_exceptions=True)
        for (attempt, _), result in zip(pending, results, strict=True):
            if not isinstance(result, BaseException):
                _note_result(attempt, result)
            elif not isinstance(result, RedisCallFailed):
                log.error("waiting for a pending lock failed", tag=attempt.tag, exc_info=result)

    def _hand_to_cleaner(self, taken: Taken) -> Taken:
        if taken.old:
            self._cleaner.consider(*taken.old)
        return taken

    async def _wait(self, attempt: LockAttempt, taken: Taken) -> Taken:
        """The lock's owner is committing: tries again a few times, then the ledger decides."""
        for wait_s in PENDING_WAITS_S:
            await asyncio.sleep(wait_s)
            taken = self._hand_to_cleaner(await self._locks.take(attempt.tag, attempt.value))
            if taken.ours or not taken.pending:
                break
        return taken

    def extend(self, attempts: Sequence[LockAttempt]) -> None:
        """The result is not awaited: if this fails, the lock is healed after the commit."""
        for attempt in attempts:
            if attempt.ours:
                self._locks.extend(attempt.tag, attempt.value).add_done_callback(ignore_result)

    async def leave(self, attempts: Sequence[LockAttempt]) -> None:
        if self._breaker.is_open:
            return  # the rebuild after the outage reads the ledger after this commit
        if len(attempts) == 1:
            await self._settle(attempts[0])
        else:
            await asyncio.gather(*map(self._settle, attempts))

    async def _settle(self, attempt: LockAttempt) -> None:
        """Usually one round trip; a lock that may differ from the ledger is healed before the worker is answered."""
        try:
            equal = await self._write_lock(attempt)
        except RedisCallFailed:
            equal = False
        if not equal:
            self._on_mismatch()
            await self._healer.heal(attempt.tag)

    async def _write_lock(self, attempt: LockAttempt) -> bool:
        """Whether the lock is known to equal the ledger now."""
        if not attempt.decided:  # it is unknown whether the commit succeeded: a heal reads the ledger
            return False
        if attempt.after == attempt.value:
            if attempt.before is not None and not attempt.takes:
                return await self._hand_over(attempt.tag, attempt.before, attempt.value)
            return attempt.ours and await self._hold(attempt)
        if attempt.before is not None and attempt.after is None:
            return await self._release(attempt.tag, attempt.before)
        if attempt.ours:  # refused, a double tap, or an answer given before: our pending lock goes before the answer
            released = await self._locks.release(attempt.tag, attempt.value) == 1
            return released and attempt.after is None
        # A pending lock with the ledger's own value belongs to a process that was killed after its commit: a heal makes
        # it held, because otherwise it would expire.
        return attempt.takes and attempt.other == attempt.after and not attempt.other_pending

    async def _hold(self, attempt: LockAttempt) -> bool:
        held = await self._locks.hold(attempt.tag, attempt.value) == 1
        if held:
            log.info("lock taken", tag=attempt.tag, worker_id=owner_of(attempt.value))
        return held

    async def _hand_over(self, tag: str, giver: str, receiver: str) -> bool:
        """From exactly the giver's value to the receiver's: the spool is locked at every instant."""
        (swapped,) = await self._locks.swap([Swap(tag, giver, receiver, int(time.time()))])
        if swapped:
            log.info("lock handed over", tag=tag, worker_id=owner_of(receiver), giver_id=owner_of(giver))
        return swapped

    async def _release(self, tag: str, value: str) -> bool:
        released = await self._locks.release(tag, value) == 1
        if released:
            log.info("lock released", tag=tag, worker_id=owner_of(value))
        return released


def _note_result(attempt: LockAttempt, taken: Taken) -> None:
    attempt.ours = taken.ours
    attempt.other = None if taken.ours else taken.value
    attempt.other_pending = taken.pending
