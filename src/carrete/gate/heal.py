"""Heal(tag), the one repair: from exactly what Redis says to what the ledger says, and look once more.

A heals S: reads lock X, reads "free"          B takes S: X is a leftover, B commits, heals to B
A swaps X → absent: refused, it is B's now     nothing live is ever deleted: every swap names what it saw
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import structlog

from carrete.gate.locks import Locks, Look, Swap, is_legacy
from carrete.ledger import queries
from carrete.ledger.database import Tx
from carrete.ledger.errors import LedgerUnavailable
from carrete.redis.pipeline import GateDown

log = structlog.get_logger()

ROUNDS_MAX = 3
LATER_S = 1.0
LATER_MAX = 10_000


@dataclass(frozen=True, slots=True)
class LedgerLock:
    """The ledger's word: the lock value of a spool that is occupied, and since when (epoch s)."""

    value: str
    since: int


def ledger_locks(tx: Tx, tags: Sequence[str] | None) -> dict[str, LedgerLock]:
    found = queries.locks(tx, tags)
    return {tag: LedgerLock(value, int(since.timestamp())) for tag, (value, since) in found.items()}


Ledger = Callable[[Sequence[str] | None], Awaitable[dict[str, LedgerLock]]]  # of these spools, or of all


class Healer:
    def __init__(self, locks: Locks, ledger: Ledger) -> None:
        self._locks = locks
        self._ledger = ledger
        self._later: dict[str, float] = {}
        self.healed = 0

    async def heal(self, tag: str) -> None:
        """At most 3 rounds; what cannot be settled now is looked at again later."""
        try:
            for _ in range(ROUNDS_MAX):
                if await self._round(tag):
                    return
        except (GateDown, LedgerUnavailable):
            pass
        self.look_again(tag, LATER_S)

    async def _round(self, tag: str) -> bool:
        (look,) = await self._locks.look([tag])
        ledger_lock = (await self._ledger([tag])).get(tag)
        swap = repair(tag, look, ledger_lock)
        if swap is None and look.pending:
            self.look_again(tag, look.ttl_ms / 1000)
            return True
        if swap is not None:
            if not (await self._locks.swap([swap]))[0]:
                return False
            self.healed += 1
            log.info("lock put right", tag=tag, was=swap.seen, now=swap.wanted)
        return (await self._ledger([tag])).get(tag) == ledger_lock

    def look_again(self, tag: str, after_s: float) -> None:
        if len(self._later) < LATER_MAX:
            self._later.setdefault(tag, time.monotonic() + after_s)

    async def heal_due(self) -> None:
        now = time.monotonic()
        for tag in [tag for tag, due in self._later.items() if due <= now]:
            del self._later[tag]
            await self.heal(tag)


def repair(tag: str, look: Look, ledger_lock: LedgerLock | None) -> Swap | None:
    """What to change, if anything. Somebody's pending lock is left to its TTL, unless it is the ledger's own; an old
    two-part value is left to whoever takes the spool."""
    wanted = ledger_lock.value if ledger_lock else None
    if wanted is None and look.value is not None and is_legacy(look.value):
        return None
    if look.value == wanted and not look.pending:
        return None
    if look.pending and look.value != wanted:
        return None
    return Swap(tag, look.value, wanted, ledger_lock.since if ledger_lock else 0)
