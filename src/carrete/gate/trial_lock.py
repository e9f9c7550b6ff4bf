"""Proves that a take would work now: a lock that can be no spool's is taken, held and released by the very scripts.

A look proves too little: Redis may answer it and refuse scripts, our keys or the channel, or be too slow for a tap.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from uuid import uuid4

from redis.asyncio import Redis
from redis.exceptions import NoScriptError

from carrete.gate.locks import INDEX, SAFETY_MS, key_of
from carrete.gate.scripts import script
from carrete.redis.pipeline import Arg

NO_SPOOL = ""  # every tag has at least one character


async def prove(redis: Redis, call_s_max: float) -> None:
    """Raises what a tap would meet. Somebody else who proves the same at this moment is no hindrance."""
    key, value = key_of(NO_SPOOL), str(uuid4())
    nothing_is_old = 0
    await redis.delete(key)  # of a proof that failed half-way: only a free lock is taken with all that belongs to it
    await _run(redis, call_s_max, "take", (INDEX, key), (SAFETY_MS, int(time.time()), nothing_is_old, value))
    await _run(redis, call_s_max, "hold", (key,), (value,))
    await _run(redis, call_s_max, "release", (INDEX, key), (value,))


async def _run(redis: Redis, call_s_max: float, name: str, keys: Sequence[str], args: Sequence[Arg]) -> None:
    """By its SHA, and by its text where Redis does not know it, as the courier does."""
    wanted = script(name)
    try:
        async with asyncio.timeout(call_s_max):
            try:
                await redis.evalsha(wanted.sha.decode(), len(keys), *keys, *args)
            except NoScriptError:
                await redis.eval(wanted.text.decode(), len(keys), *keys, *args)
    except TimeoutError:
        raise TimeoutError(f"timeout: no answer within {call_s_max * 1000:.0f} ms") from None
