"""Rebuilds the locks from the ledger: at start, after an outage, and when Redis was emptied or replaced.

A nonce is written first, and the marker last, only if the nonce is still there: a Redis that was emptied in the middle
has no nonce, gets no marker and is rebuilt again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from uuid import uuid4

import structlog

from carrete.gate.heal import Healer, LedgerLock, LedgerLockReader, needed_swap
from carrete.gate.locks import KEY_PREFIX, NONCE, OLD_S, Locks, LockState, Swap, is_legacy
from carrete.redis.commands import RedisCommands

log = structlog.get_logger()

CHUNK = 1_000
PASS_S_MAX = 10.0
PASSES_MAX = 4


class Reconciler:
    def __init__(self, redis: RedisCommands, locks: Locks, ledger: LedgerLockReader, healer: Healer) -> None:
        self._redis = redis
        self._locks = locks
        self._ledger = ledger
        self._healer = healer
        self.passes = 0

    async def rebuild(self) -> None:
        """Takes at most 10 s. Raises when Redis or the ledger cannot be read."""
        async with asyncio.timeout(PASS_S_MAX):
            for _ in range(PASSES_MAX):
                if await self._pass():
                    return

    async def _pass(self) -> bool:
        started = time.monotonic()
        nonce = str(uuid4())
        await self._redis.call("SET", NONCE, nonce)
        occupied = await self._ledger(None)
        young = time.time() - OLD_S
        tags = {tag for tag, ledger_lock in occupied.items() if ledger_lock.since > young}
        changed = 0
        skipped = occupied.keys() - tags  # occupied for more than a day: repaired only if the scan finds their locks
        async for chunk in self._chunks(tags):
            repaired, left_alone = await self._repair_chunk(chunk)
            changed += repaired
            skipped = skipped - set(chunk) | left_alone
        self.passes += 1
        marked = await self._locks.mark(nonce)
        took_ms = round((time.monotonic() - started) * 1000)
        log.info(
            "locks rebuilt from the ledger",
            occupied=len(occupied),
            changed=changed,
            skipped=len(skipped),
            ms=took_ms,
            whole=marked,
        )
        return marked

    async def _chunks(self, tags: set[str]) -> AsyncIterator[list[str]]:
        """The given tags and those of every lock in Redis, each once."""
        without_lock = set(tags)
        found: list[str] = []
        async for key in self._redis.scan(f"{KEY_PREFIX}*", CHUNK):
            with suppress(UnicodeDecodeError):  # not a tag of ours
                found.append(key.decode().removeprefix(KEY_PREFIX))
            if len(found) >= CHUNK:
                without_lock.difference_update(found)
                yield found
                found = []
        without_lock.difference_update(found)
        found += without_lock
        for start in range(0, len(found), CHUNK):
            yield found[start : start + CHUNK]

    async def _repair_chunk(self, tags: list[str]) -> tuple[int, set[str]]:
        """How many locks were written, and which were left alone: old two-part values, and pending locks of takers who
        are committing.

        Two scripts handle the whole chunk. As in a heal, the locks are read before the ledger, so that a lock that was
        taken since then differs from the value read and is not written. Spools that changed meanwhile are healed one
        by one."""
        states = dict(zip(tags, await self._locks.look(tags), strict=True))
        occupied = await self._ledger(tags)
        swaps = [swap for tag in tags if (swap := self._swap_for(tag, states[tag], occupied.get(tag)))]
        written = await self._locks.swap(swaps) if swaps else []
        occupied_now = await self._ledger(tags)
        changed = {tag for tag in tags if occupied_now.get(tag) != occupied.get(tag)}
        changed |= {swap.tag for swap, done in zip(swaps, written, strict=True) if not done}
        for tag in changed:
            await self._healer.heal(tag)
        return sum(written), {tag for tag in tags if states[tag].value is not None} - {swap.tag for swap in swaps}

    def _swap_for(self, tag: str, state: LockState, ledger_lock: LedgerLock | None) -> Swap | None:
        """A lock that is right already is swapped for itself, because the script also adds it to the index."""
        if state.value is not None and is_legacy(state.value):
            return None
        swap = needed_swap(tag, state, ledger_lock)
        if swap is None and state.pending:
            self._healer.heal_later(tag, state.ttl_ms / 1000)
            return None
        if swap is None and ledger_lock is not None and state.value == ledger_lock.value:
            return Swap(tag, state.value, state.value, ledger_lock.since)
        return swap
