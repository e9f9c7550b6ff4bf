"""Rebuilds the locks from the ledger: at start, after an outage, when Redis was emptied or replaced.

A nonce first, the marker last and only if the nonce is still there: whoever empties Redis in the middle is noticed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from uuid import uuid4

import structlog
from redis.asyncio import Redis

from carrete.gate.heal import Healer, Ledger, LedgerLock, repair
from carrete.gate.locks import KEY_PREFIX, NONCE, OLD_S, Locks, Look, Swap, is_legacy

log = structlog.get_logger()

CHUNK = 1_000
PASS_S_MAX = 10.0
PASSES_MAX = 4


class Reconciler:
    def __init__(self, redis: Redis, locks: Locks, ledger: Ledger, healer: Healer) -> None:
        self._redis = redis
        self._locks = locks
        self._ledger = ledger
        self._healer = healer
        self.passes = 0

    async def rebuild(self) -> None:
        """In the background, bounded; raises when Redis or the ledger cannot be asked."""
        async with asyncio.timeout(PASS_S_MAX):
            for _ in range(PASSES_MAX):
                if await self._pass():
                    return

    async def _pass(self) -> bool:
        started = time.monotonic()
        nonce = str(uuid4())
        await self._redis.set(NONCE, nonce)
        occupied = await self._ledger(None)
        young = time.time() - OLD_S
        tags = {tag for tag, ledger_lock in occupied.items() if ledger_lock.since > young}
        changed = 0
        skipped = occupied.keys() - tags  # held for more than a day: those that have a lock are put right all the same
        async for chunk in self._chunks(tags):
            done, left_alone = await self._put_right(chunk)
            changed += done
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
        """Every occupation younger than a day and every lock there is, each once."""
        rest = set(tags)
        found: list[str] = []
        async for key in self._redis.scan_iter(match=f"{KEY_PREFIX}*", count=CHUNK):
            with suppress(UnicodeDecodeError):  # no tag of ours
                found.append(key.decode().removeprefix(KEY_PREFIX))
            if len(found) >= CHUNK:
                rest.difference_update(found)
                yield found
                found = []
        rest.difference_update(found)
        found += rest
        for start in range(0, len(found), CHUNK):
            yield found[start : start + CHUNK]

    async def _put_right(self, tags: list[str]) -> tuple[int, set[str]]:
        """How many locks were put right, and which were left alone: old two-part values, and locks of others who are
        still committing.

        A whole chunk in two scripts. The locks are looked at before the ledger is read, as in a heal: a lock taken
        since then is not what was seen, and is left alone. What moved meanwhile is healed one by one."""
        looks = dict(zip(tags, await self._locks.look(tags), strict=True))
        occupied = await self._ledger(tags)
        swaps = [swap for tag in tags if (swap := self._wanted(tag, looks[tag], occupied.get(tag)))]
        done = await self._locks.swap(swaps) if swaps else []
        now = await self._ledger(tags)
        refresh = {tag for tag in tags if now.get(tag) != occupied.get(tag)}
        refresh |= {swap.tag for swap, well in zip(swaps, done, strict=True) if not well}
        for tag in refresh:
            await self._healer.heal(tag)
        return sum(done), {tag for tag in tags if looks[tag].value is not None} - {swap.tag for swap in swaps}

    def _wanted(self, tag: str, look: Look, ledger_lock: LedgerLock | None) -> Swap | None:
        """Also a lock that is right already goes through the script, which gives it its place in the index."""
        if look.value is not None and is_legacy(look.value):
            return None
        swap = repair(tag, look, ledger_lock)
        if swap is None and look.pending:
            self._healer.look_again(tag, look.ttl_ms / 1000)
            return None
        if swap is None and ledger_lock is not None and look.value == ledger_lock.value:
            return Swap(tag, look.value, look.value, ledger_lock.since)
        return swap
