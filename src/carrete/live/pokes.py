"""Hears through Redis that another process committed: one connection per process, outside every pool.

A poke says that there is something to read, never what: losing all of them costs half a second and nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.asyncio.connection import ConnectionPool
from redis.exceptions import RedisError

from carrete.gate.locks import CHANNEL
from carrete.gate.whereabouts import Whereabouts

CONNECT_S_MAX = 5.0
SILENCE_S_MAX = 10.0  # then it is asked whether it is still there
RETRY_EVERY_S = 1.0


async def hear(where: Whereabouts, poke: Callable[[], None]) -> None:
    """For ever: a Redis that went away is looked for every second."""
    while True:
        with suppress(RedisError, OSError, TimeoutError):  # the gate's watcher says what is wrong with Redis
            await _listen(where, poke)
        await asyncio.sleep(RETRY_EVERY_S)


async def _listen(where: Whereabouts, poke: Callable[[], None]) -> None:
    pool = where.pool(ConnectionPool, max_connections=1, socket_connect_timeout=CONNECT_S_MAX)
    redis = Redis.from_pool(pool)
    try:
        async with redis.pubsub() as channel:
            await channel.subscribe(CHANNEL)
            poke()  # for those that were missed
            await _messages(channel, poke)
    finally:
        await redis.aclose()


async def _messages(channel: PubSub, poke: Callable[[], None]) -> None:
    asked = False
    while True:
        message: dict[str, Any] | None = await channel.get_message(timeout=SILENCE_S_MAX)
        if message is None and asked:
            raise TimeoutError(f"Redis said nothing for {2 * SILENCE_S_MAX:.0f} s")
        if message is None:
            await channel.ping()
        elif message["type"] == "message":
            poke()
        asked = message is None
