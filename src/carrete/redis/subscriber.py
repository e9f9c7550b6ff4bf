"""Hears through Redis that another process committed: one connection per process, outside every pool.

A poke says that there is something to read, never what: losing all of them costs half a second and nothing else. Every
process hears every lock of every other one change, and must not wake up for each.
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
from carrete.redis.pipeline import pack

CHANNEL = "carrete:events"  # the Lua scripts of the gate publish here
CONNECT_S_MAX = 5.0


@dataclass(frozen=True, slots=True)
class SubscriberTimings:
    silence_s_max: float = 10.0  # then a PING asks whether Redis is still there; after twice as long it is gone
    retry_every_s: float = 1.0
    pause_s: float = 0.02  # nothing is read for so long after a message: one poke is enough for all that come meanwhile


DEFAULT_TIMINGS = SubscriberTimings()


async def subscribe(
    where: RedisLocator, poke: Callable[[], None], timings: SubscriberTimings = DEFAULT_TIMINGS
) -> None:
    """Runs until cancelled and connects again whenever Redis was away."""
    while True:
        with suppress(RedisError, OSError, TimeoutError):  # the gate's watcher logs what is wrong with Redis
            await _listen(where, poke, timings)
        await asyncio.sleep(timings.retry_every_s)


async def _listen(where: RedisLocator, poke: Callable[[], None], timings: SubscriberTimings) -> None:
    pool = where.pool(ConnectionPool, max_connections=1, socket_connect_timeout=CONNECT_S_MAX)
    try:
        wire = RedisConnection(await pool.get_connection())  # type: ignore[no-untyped-call]
        try:
            ear = _Subscriber(wire, poke, timings)
            ear.ask("SUBSCRIBE", CHANNEL)
            await ear.listened()
        finally:
            wire.resume()  # asyncio's TLS does not end while it rests
    finally:
        await pool.disconnect()


class _Subscriber:
    """Whatever comes is a poke: a message, but also that it was subscribed to (some were missed until then), and that
    Redis is still there."""

    def __init__(self, wire: RedisConnection, poke: Callable[[], None], timings: SubscriberTimings) -> None:
        self._wire = wire
        self._poke = poke
        self._timings = timings
        self._heard = False
        self._over = asyncio.Event()
        self._reason = ""

    def ask(self, *words: str) -> None:
        self._wire.send(pack(words), self)

    async def listened(self) -> None:
        """Until it breaks off, which it raises."""
        silence_s_max = self._timings.silence_s_max
        silent = False
        while True:
            self._heard = False
            with suppress(TimeoutError):
                async with asyncio.timeout(silence_s_max):
                    await self._over.wait()
                    raise ConnectionError(self._reason)
            if silent and not self._heard:
                raise TimeoutError(f"Redis said nothing for {2 * silence_s_max:.0f} s")
            silent = not self._heard
            if silent:
                self.ask("PING")

    def heard(self, answer: Any) -> None:
        if isinstance(answer, hiredis.ReplyError):
            self.cut_off(str(answer))
            return
        self._heard = True
        self._poke()
        self._wire.pause(self._timings.pause_s)

    def cut_off(self, reason: str) -> None:
        self._reason = reason
        self._over.set()
