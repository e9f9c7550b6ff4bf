"""Heals one lock: reads it, reads the ledger, and makes the lock equal to the ledger by compare-and-swap.

Each swap names the exact value that was read, so that it never deletes a lock that was taken meanwhile:
A heals S: reads lock X, the ledger says free    B takes S: X is a leftover, B commits and heals the lock to B's value
A swaps X → absent: refused, the lock is B's     A reads the ledger again and finds B's lock right
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import structlog

from carrete.gate.locks import Locks, LockState, Swap, is_legacy
from carrete.ledger import queries
from carrete.ledger.database import Tx
from carrete.ledger.errors import LedgerUnavailable
from carrete.redis.script_calls import RedisCallFailed

log = structlog.get_logger()

ROUNDS_MAX = 3
LATER_S = 1.0
LATER_MAX = 10_000


@dataclass(frozen=True, slots=True)
class LedgerLock:
    """The lock value that the ledger has for an occupied spool, and since when it is occupied (epoch s)."""

    value: str
    since: int


def ledger_locks(tx: Tx, tags: Sequence[str] | None) -> dict[str, LedgerLock]:
    found = queries.locks(tx, tags)
    return {tag: LedgerLock(value, int(since.timestamp())) for tag, (value, since) in found.items()}


# Reads the lock values of these spools, or of all when there are no tags.
LedgerLockReader = Callable[[Sequence[str] | None], Awaitable[dict[str, LedgerLock]]]


class Healer:
    def __init__(self, locks: Locks, ledger: LedgerLockReader) -> None:
        self._locks = locks
        self._ledger = ledger
        self._later: dict[str, float] = {}
        self.healed = 0

    async def heal(self, tag: str) -> None:
        """Tries at most 3 rounds; if the lock still may be wrong, it is healed again later."""
        try:
            for _ in range(ROUNDS_MAX):
                if await self._round(tag):
                    return
        except (RedisCallFailed, LedgerUnavailable):
            pass
        self.heal_later(tag, LATER_S)

    async def _round(self, tag: str) -> bool:
        """Whether the heal is finished."""
        (state,) = await self._locks.look([tag])
        ledger_lock = (await self._ledger([tag])).get(tag)
        swap = needed_swap(tag, state, ledger_lock)
        if swap is None and state.pending:
            self.heal_later(tag, state.ttl_ms / 1000)
            return True
        if swap is not None:
            if not (await self._locks.swap([swap]))[0]:
                return False
            self.healed += 1
            log.info("lock put right", tag=tag, was=swap.seen, now=swap.wanted)
        return (await self._ledger([tag])).get(tag) == ledger_lock

    def heal_later(self, tag: str, after_s: float) -> None:
        if len(self._later) < LATER_MAX:
            self._later.setdefault(tag, time.monotonic() + after_s)

    async def heal_due(self) -> None:
        now = time.monotonic()
        for tag in [tag for tag, due in self._later.items() if due <= now]:
            del self._later[tag]
            await self.heal(tag)


def needed_swap(tag: str, state: LockState, ledger_lock: LedgerLock | None) -> Swap | None:
    """The swap that makes the lock equal to the ledger, or None. A pending lock that the ledger does not know is left
    to expire, because its taker may be committing. An old two-part value is left to the next take of the spool."""
    wanted = ledger_lock.value if ledger_lock else None
    if wanted is None and state.value is not None and is_legacy(state.value):
        return None
    if state.value == wanted and not state.pending:
        return None
    if state.pending and state.value != wanted:
        return None
    return Swap(tag, state.value, wanted, ledger_lock.since if ledger_lock else 0)
