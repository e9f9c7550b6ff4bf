"""The locks in Redis: take, hold, extend, release, look, swap. Each is one script and one round trip."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any, NamedTuple

from carrete.domain.shop_time import SHEET_DATETIME
from carrete.gate.scripts import script
from carrete.redis.pipeline import ScriptPipeline
from carrete.redis.script_calls import Arg

KEY_PREFIX = "spool_lock:"
INDEX = "spool_locks"
MARKER = "spool_locks:complete"
NONCE = "spool_locks:nonce"
SAFETY_MS = 10_000  # a pending lock expires after this: its taker has either committed by then or is gone
OLD_S = 24 * 3600

_LEGACY = re.compile(r"^\d+:[0-9a-fA-F-]{36}$")


def text(value: bytes) -> str:
    """Decodes without loss: scripts compare values byte by byte, and a value need not be UTF-8."""
    return value.decode("utf-8", "surrogateescape")


def raw(value: str | None) -> bytes:
    return (value or "").encode("utf-8", "surrogateescape")


def key_of(tag: str) -> str:
    return KEY_PREFIX + tag


def is_legacy(value: str) -> bool:
    """An old two-part value: it is held, never pending, and neither the cleanup nor a heal removes it."""
    return _LEGACY.match(value) is not None


def owner_of(value: str) -> int | None:
    """The worker in a lock value, new or old; None when it is no lock value of ours."""
    worker, _, _ = value.partition(":")
    return int(worker) if worker.isascii() and worker.isdigit() else None


def taken_at(value: str, zone: tzinfo) -> datetime | None:
    """When the lock was taken, from the shop's time in its value; None when it is no lock value of ours."""
    try:
        return datetime.strptime(value.split(":", 2)[2], SHEET_DATETIME).replace(tzinfo=zone)
    except (ValueError, IndexError):
        return None


class Taken(NamedTuple):
    """The result of a take. `value` is the value of another taker's lock; `old` is the tag and value of some lock older
    than a day, for the cleanup."""

    ours: bool
    pending: bool = False
    value: str = ""
    old: tuple[str, str] | None = None


OURS = Taken(True)  # the usual result: the lock was free, and there is no old lock


@dataclass(frozen=True, slots=True)
class LockState:
    value: str | None
    ttl_ms: int

    @property
    def pending(self) -> bool:
        return self.ttl_ms >= 0


@dataclass(frozen=True, slots=True)
class Swap:
    """Replaces exactly the value that was seen by the one that the ledger has; None means no lock."""

    tag: str
    seen: str | None
    wanted: str | None
    since: int = 0


class Locks:
    def __init__(self, pipeline: ScriptPipeline, safety_ms: int = SAFETY_MS) -> None:
        self._safety_ms = safety_ms
        self._call = pipeline.call
        self._share = pipeline.share
        self._take = script("take")
        self._hold = script("hold")
        self._extend = script("extend")
        self._release = script("release")
        self._look = script("look")
        self._swap = script("swap")
        self._mark = script("mark")
        self._poke = script("poke")

    async def take(self, tag: str, value: str) -> Taken:
        return _taken(await self._share(self._take, self._take_args, key_of(tag), value))

    async def take_all(self, tags: Sequence[str], values: Sequence[str]) -> list[Taken]:
        """Takes the locks of a batch in one run of the script."""
        keys, args = self._take_args()
        answers = await self._call(self._take, (*keys, *map(key_of, tags)), (*args, *values))
        return [OURS if answer == 1 else _taken(answer) for answer in answers]

    def _take_args(self) -> tuple[Sequence[str], Sequence[Arg]]:
        now = int(time.time())
        return (INDEX,), (self._safety_ms, now, now - OLD_S)

    def hold(self, tag: str, value: str) -> asyncio.Future[int]:
        """1 when the lock is ours and held now, else 0."""
        return self._share(self._hold, _no_args, key_of(tag), value)

    def extend(self, tag: str, value: str) -> asyncio.Future[int]:
        return self._call(self._extend, (key_of(tag),), (value, self._safety_ms))

    def release(self, tag: str, value: str) -> asyncio.Future[int]:
        """1 when a lock with exactly this value was deleted, else 0."""
        return self._share(self._release, _index_arg, key_of(tag), raw(value))

    async def look(self, tags: Sequence[str]) -> list[LockState]:
        found = await self._call(self._look, [key_of(tag) for tag in tags], (self._safety_ms,))
        return [LockState(text(value) or None, ttl) for value, ttl in zip(found[::2], found[1::2], strict=True)]

    async def owner(self, tag: str) -> int | None:
        (look,) = await self.look([tag])
        return owner_of(look.value) if look.value else None

    async def swap(self, swaps: Sequence[Swap]) -> list[bool]:
        keys = [INDEX, *(key_of(swap.tag) for swap in swaps)]
        args = [arg for s in swaps for arg in (raw(s.seen), raw(s.wanted), s.since)]
        return [done == 1 for done in await self._call(self._swap, keys, args)]

    async def mark(self, nonce: str) -> bool:
        return bool(await self._call(self._mark, (MARKER, NONCE), (nonce,)) == 1)

    def poke(self, tags: Sequence[str]) -> asyncio.Future[int]:
        """Tells other processes of a commit that changed no lock. A script that changes a lock does so itself."""
        return self._call(self._poke, (), ("\n".join(tags),))


def _index_arg() -> tuple[Sequence[str], Sequence[Arg]]:
    return (INDEX,), ()


def _no_args() -> tuple[Sequence[str], Sequence[Arg]]:
    return (), ()


def _taken(answer: Any) -> Taken:
    """Reads the answer of take.lua for one lock."""
    if answer == 1:
        return OURS
    state, value, *old = answer
    old_lock = (text(old[0]), text(old[1])) if old else None
    return Taken(state == 1, state == 3, text(value), old_lock)
