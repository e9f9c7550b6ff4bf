"""Learns through Redis that another process committed: one subscription per process, outside the connection pools.

A poke only says that there are new events, never which. Without any poke the tail finds them half a second later.
Redis publishes every lock change of every process, so the subscriber pauses after each message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import hiredis
from redis.asyncio.connection import ConnectionPool
from redis.exceptions import RedisError

from carrete.redis.connection import RedisConnection
from carrete.redis.locator import RedisLocator
from carrete.redis.script_calls import pack

CHANNEL = "carrete:events"  # the Lua scripts of the gate publish here
CONNECT_S_MAX = 5.0


@dataclass(frozen=True, slots=True)
class SubscriberTimings:
    silence_s_max: float = 10.0  # after this a PING is sent; after twice as long the connection is given up
    retry_every_s: float = 1.0
    pause_s: float = 0.02  # after each message nothing is read for so long: one poke is enough for several messages


DEFAULT_TIMINGS = SubscriberTimings()


async def subscribe(
    locator: RedisLocator, poke: Callable[[], None], timings: SubscriberTimings = DEFAULT_TIMINGS
) -> None:
    """Runs until cancelled and connects again whenever the connection is lost."""
    while True:
        with suppress(RedisError, OSError, TimeoutError):  # the gate's watcher logs what is wrong with Redis
            await _listen(locator, poke, timings)
        await asyncio.sleep(timings.retry_every_s)


async def _listen(locator: RedisLocator, poke: Callable[[], None], timings: SubscriberTimings) -> None:
    pool = locator.pool(ConnectionPool, max_connections=1, socket_connect_timeout=CONNECT_S_MAX)
    try:
        connection = RedisConnection(await pool.get_connection())  # type: ignore[no-untyped-call]
        try:
            subscriber = _Subscriber(connection, poke, timings)
            subscriber.send("SUBSCRIBE", CHANNEL)
            await subscriber.run_until_lost()
        finally:
            connection.resume()  # a TLS connection of asyncio cannot close while reading is paused
    finally:
        await pool.disconnect()


class _Subscriber:
    """Any answer pokes: a message, the confirmation of the subscription (earlier messages were missed) and a PONG."""

    def __init__(self, connection: RedisConnection, poke: Callable[[], None], timings: SubscriberTimings) -> None:
        self._connection = connection
        self._poke = poke
        self._timings = timings
        self._answered = False
        self._lost = asyncio.Event()
        self._reason = ""

    def send(self, *words: str) -> None:
        self._connection.send(pack(words), self)

    async def run_until_lost(self) -> None:
        """Raises ConnectionError when the connection is lost, and TimeoutError when Redis does not answer a PING."""
        silence_s_max = self._timings.silence_s_max
        silent = False
        while True:
            self._answered = False
            with suppress(TimeoutError):
                async with asyncio.timeout(silence_s_max):
                    await self._lost.wait()
                    raise ConnectionError(self._reason)
            if silent and not self._answered:
                raise TimeoutError(f"Redis said nothing for {2 * silence_s_max:.0f} s")
            silent = not self._answered
            if silent:
                self.send("PING")

    def on_answer(self, answer: Any) -> None:
        if isinstance(answer, hiredis.ReplyError):
            self.on_lost(str(answer))
            return
        self._answered = True
        self._poke()
        self._connection.pause(self._timings.pause_s)

    def on_lost(self, reason: str) -> None:
        self._reason = reason
        self._lost.set()
