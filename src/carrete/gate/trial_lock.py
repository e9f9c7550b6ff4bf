"""Proves that a take would work now: takes, holds and releases a lock of no spool with the scripts of a real take.

A ping proves too little: Redis may answer it and refuse scripts, our keys or the channel, or be too slow for a tap.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from uuid import uuid4

from redis.exceptions import NoScriptError

from carrete.gate.locks import INDEX, SAFETY_MS, key_of
from carrete.gate.scripts import script
from carrete.redis.commands import RedisCommands
from carrete.redis.script_calls import Arg

NO_SPOOL = ""  # every tag has at least one character


async def take_trial_lock(redis: RedisCommands, call_s_max: float) -> None:
    """Raises the error that a tap would meet. Two processes may do this at the same moment."""
    key, value = key_of(NO_SPOOL), str(uuid4())
    nothing_is_old = 0
    await redis.call("DEL", key)  # a trial that failed half-way left it; only taking a free lock runs the whole script
    await _run(redis, call_s_max, "take", (INDEX, key), (SAFETY_MS, int(time.time()), nothing_is_old, value))
    await _run(redis, call_s_max, "hold", (key,), (value,))
    await _run(redis, call_s_max, "release", (INDEX, key), (value,))


async def _run(redis: RedisCommands, call_s_max: float, name: str, keys: Sequence[str], args: Sequence[Arg]) -> None:
    """Calls the script by its SHA, or by its text when Redis does not know it, as the pipeline does."""
    lua = script(name)
    try:
        async with asyncio.timeout(call_s_max):
            try:
                await redis.call("EVALSHA", lua.sha, len(keys), *keys, *args)
            except NoScriptError:
                await redis.call("EVAL", lua.text, len(keys), *keys, *args)
    except TimeoutError:
        raise TimeoutError(f"timeout: no answer within {call_s_max * 1000:.0f} ms") from None
