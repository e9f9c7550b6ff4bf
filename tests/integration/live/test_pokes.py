"""The ear of a process: every message is heard, silence is asked about, and who does not answer is looked for anew."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress

import pytest

from carrete.redis.locator import FixedLocator
from carrete.redis.subscriber import CHANNEL, SubscriberTimings, subscribe
from tests.support.gated import WAIT_S_MAX, until
from tests.support.redis_server import RedisServer, running_redis


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    with running_redis() as server:
        yield server


class Ear:
    def __init__(self, redis: RedisServer, **timings: float) -> None:
        self.pokes = 0
        listening = subscribe(FixedLocator(redis.url), self._poked, SubscriberTimings(**timings))
        self._task = asyncio.create_task(listening)

    def _poked(self) -> None:
        self.pokes += 1

    async def hears(self) -> None:
        """Something more than what it has heard by now."""
        before = self.pokes
        await until(lambda: self.pokes > before, WAIT_S_MAX)

    async def is_back(self, redis: RedisServer) -> None:
        """It listens there, and hears what is said."""
        await until(lambda: redis.ask("PUBSUB", "NUMSUB", CHANNEL)[1] == 1, WAIT_S_MAX)
        redis.ask("PUBLISH", CHANNEL, "MK-1")
        await self.hears()

    async def closed(self) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task


def connections_made(redis: RedisServer) -> int:
    return int(redis.ask("INFO", "stats")["total_connections_received"])


def test_every_message_is_a_poke_and_so_is_being_subscribed(redis: RedisServer) -> None:
    async def story() -> None:
        ear = Ear(redis)
        await ear.hears()
        for _ in range(3):
            redis.ask("PUBLISH", CHANNEL, "MK-1\nMK-2")
        await until(lambda: ear.pokes == 4, WAIT_S_MAX)
        await ear.closed()

    asyncio.run(story())
    assert redis.ask("PUBSUB", "NUMSUB", CHANNEL)[1] == 0


def test_after_a_poke_nobody_is_woken_for_a_while(redis: RedisServer) -> None:
    async def story() -> None:
        ear = Ear(redis, pause_s=3_600.0)
        await ear.hears()
        for _ in range(3):
            redis.ask("PUBLISH", CHANNEL, "MK-1")
        await asyncio.sleep(0.3)
        assert ear.pokes == 1
        await ear.closed()

    asyncio.run(story())


def test_a_quiet_redis_is_asked_and_kept(redis: RedisServer) -> None:
    async def story() -> None:
        ear = Ear(redis, silence_s_max=0.2)
        await ear.hears()
        made = connections_made(redis)
        for _ in range(4):
            await ear.hears()  # that it is still there
        assert connections_made(redis) == made
        await ear.closed()

    asyncio.run(story())


@pytest.mark.parametrize("how", ["killed", "closed"])
def test_one_that_goes_away_is_missed_at_once(redis: RedisServer, how: str) -> None:
    """Not only after it has been silent for long: here it may be, for ever."""

    async def story() -> None:
        ear = Ear(redis, silence_s_max=3_600.0, retry_every_s=0.05)
        await ear.hears()
        if how == "killed":
            redis.kill()
            redis.start()
        else:
            redis.ask("CLIENT", "KILL", "TYPE", "pubsub")
        await ear.is_back(redis)
        await ear.closed()

    asyncio.run(story())


def test_one_that_does_not_answer_is_given_up_and_found_again(redis: RedisServer) -> None:
    async def story() -> None:
        ear = Ear(redis, silence_s_max=0.2, retry_every_s=0.05)
        await ear.hears()
        made = connections_made(redis)
        redis.freeze()
        await asyncio.sleep(1.5)
        redis.thaw()
        await until(lambda: connections_made(redis) > made, WAIT_S_MAX)
        await ear.is_back(redis)
        await ear.closed()

    asyncio.run(story())


def test_one_that_refuses_is_asked_until_it_allows(redis: RedisServer) -> None:
    redis.ask("ACL", "SETUSER", "default", "-subscribe")

    async def story() -> None:
        made = connections_made(redis)
        ear = Ear(redis, retry_every_s=0.05)
        await until(lambda: connections_made(redis) > made + 2, WAIT_S_MAX)
        redis.ask("ACL", "SETUSER", "default", "+subscribe")
        await ear.is_back(redis)
        await ear.closed()

    asyncio.run(story())
