"""The locks themselves: take, hold, extend, release, look, swap. One script and one round trip each."""

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
from carrete.redis.pipeline import Arg, ScriptPipeline

KEY_PREFIX = "spool_lock:"
INDEX = "spool_locks"
MARKER = "spool_locks:complete"
NONCE = "spool_locks:nonce"
SAFETY_MS = 10_000  # how long a taker may take to commit before its pending lock is given up
OLD_S = 24 * 3600

_LEGACY = re.compile(r"^\d+:[0-9a-fA-F-]{36}$")


def text(value: bytes) -> str:
    """Whatever somebody put there: compared byte by byte, so nothing may be lost in reading it."""
    return value.decode("utf-8", "surrogateescape")


def raw(value: str | None) -> bytes:
    return (value or "").encode("utf-8", "surrogateescape")


def key_of(tag: str) -> str:
    return KEY_PREFIX + tag


def is_legacy(value: str) -> bool:
    """The old two-part value: a holder, never pending, never ours to tidy up."""
    return _LEGACY.match(value) is not None


def owner_of(value: str) -> int | None:
    """The worker in a lock value, new or old; None for what is no lock value of ours."""
    worker, _, _ = value.partition(":")
    return int(worker) if worker.isascii() and worker.isdigit() else None


def taken_at(value: str, zone: tzinfo) -> datetime | None:
    """When a lock was taken, as its value says it in the shop's time; None for what is no lock value of ours."""
    try:
        return datetime.strptime(value.split(":", 2)[2], SHEET_DATETIME).replace(tzinfo=zone)
    except (ValueError, IndexError):
        return None


class Taken(NamedTuple):
    """What a take met. `value` is somebody else's lock; `old` is one past its day, for the cleanup to look at."""

    ours: bool
    pending: bool = False
    value: str = ""
    old: tuple[str, str] | None = None


OURS = Taken(True)  # the usual case: the lock was free, and no old one came along


@dataclass(frozen=True, slots=True)
class Look:
    value: str | None
    ttl_ms: int

    @property
    def pending(self) -> bool:
        return self.ttl_ms >= 0


@dataclass(frozen=True, slots=True)
class Swap:
    """From exactly what was seen to what the ledger says; None is absent."""

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
        return _taken(await self._share(self._take, self._common_to_takes, key_of(tag), value))

    async def take_all(self, tags: Sequence[str], values: Sequence[str]) -> list[Taken]:
        """A batch in one run of the script."""
        keys, args = self._common_to_takes()
        answers = await self._call(self._take, (*keys, *map(key_of, tags)), (*args, *values))
        return [OURS if answer == 1 else _taken(answer) for answer in answers]

    def _common_to_takes(self) -> tuple[Sequence[str], Sequence[Arg]]:
        now = int(time.time())
        return (INDEX,), (self._safety_ms, now, now - OLD_S)

    def hold(self, tag: str, value: str) -> asyncio.Future[int]:
        """1 when it is ours and held now."""
        return self._share(self._hold, _nothing, key_of(tag), value)

    def extend(self, tag: str, value: str) -> asyncio.Future[int]:
        return self._call(self._extend, (key_of(tag),), (value, self._safety_ms))

    def release(self, tag: str, value: str) -> asyncio.Future[int]:
        """1 when that very lock was there and is gone now."""
        return self._share(self._release, _index, key_of(tag), raw(value))

    async def look(self, tags: Sequence[str]) -> list[Look]:
        found = await self._call(self._look, [key_of(tag) for tag in tags], (self._safety_ms,))
        return [Look(text(value) or None, ttl) for value, ttl in zip(found[::2], found[1::2], strict=True)]

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
        """For a commit that changed no lock: every script that changes one pokes by itself."""
        return self._call(self._poke, (), ("\n".join(tags),))


def _index() -> tuple[Sequence[str], Sequence[Arg]]:
    return (INDEX,), ()


def _nothing() -> tuple[Sequence[str], Sequence[Arg]]:
    return (), ()


def _taken(answer: Any) -> Taken:
    """What take.lua says of one lock."""
    if answer == 1:
        return OURS
    state, seen, *old = answer
    candidate = (text(old[0]), text(old[1])) if old else None
    return Taken(state == 1, state == 3, text(seen), candidate)
