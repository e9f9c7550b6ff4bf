"""The subscriber: every message is a poke, silence leads to a PING, and a lost connection is made again."""

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


class RunningSubscriber:
    def __init__(self, redis: RedisServer, **timings: float) -> None:
        self.pokes = 0
        listening = subscribe(FixedLocator(redis.url), self._poked, SubscriberTimings(**timings))
        self._task = asyncio.create_task(listening)

    def _poked(self) -> None:
        self.pokes += 1

    async def wait_for_poke(self) -> None:
        """Waits for another poke."""
        before = self.pokes
        await until(lambda: self.pokes > before, WAIT_S_MAX)

    async def wait_until_back(self, redis: RedisServer) -> None:
        """Waits until it has subscribed there and a message arrives."""
        await until(lambda: redis.ask("PUBSUB", "NUMSUB", CHANNEL)[1] == 1, WAIT_S_MAX)
        redis.ask("PUBLISH", CHANNEL, "MK-1")
        await self.wait_for_poke()

    async def close(self) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task


def connections_made(redis: RedisServer) -> int:
    return int(redis.ask("INFO", "stats")["total_connections_received"])


def test_every_message_and_every_subscription_is_a_poke(redis: RedisServer) -> None:
    async def scenario() -> None:
        subscriber = RunningSubscriber(redis)
        await subscriber.wait_for_poke()
        for _ in range(3):
            redis.ask("PUBLISH", CHANNEL, "MK-1\nMK-2")
        await until(lambda: subscriber.pokes == 4, WAIT_S_MAX)
        await subscriber.close()

    asyncio.run(scenario())
    assert redis.ask("PUBSUB", "NUMSUB", CHANNEL)[1] == 0


def test_further_messages_right_after_a_poke_are_not_pokes(redis: RedisServer) -> None:
    async def scenario() -> None:
        subscriber = RunningSubscriber(redis, pause_s=3_600.0)
        await subscriber.wait_for_poke()
        for _ in range(3):
            redis.ask("PUBLISH", CHANNEL, "MK-1")
        await asyncio.sleep(0.3)
        assert subscriber.pokes == 1
        await subscriber.close()

    asyncio.run(scenario())


def test_a_silent_redis_is_pinged_and_its_connection_kept(redis: RedisServer) -> None:
    async def scenario() -> None:
        subscriber = RunningSubscriber(redis, silence_s_max=0.2)
        await subscriber.wait_for_poke()
        made = connections_made(redis)
        for _ in range(4):
            await subscriber.wait_for_poke()  # the answer to a PING
        assert connections_made(redis) == made
        await subscriber.close()

    asyncio.run(scenario())


@pytest.mark.parametrize("how", ["killed", "closed"])
def test_a_redis_that_goes_away_is_noticed_at_once(redis: RedisServer, how: str) -> None:
    """The loss itself is noticed, and not only the long silence, for which the limit is an hour here."""

    async def scenario() -> None:
        subscriber = RunningSubscriber(redis, silence_s_max=3_600.0, retry_every_s=0.05)
        await subscriber.wait_for_poke()
        if how == "killed":
            redis.kill()
            redis.start()
        else:
            redis.ask("CLIENT", "KILL", "TYPE", "pubsub")
        await subscriber.wait_until_back(redis)
        await subscriber.close()

    asyncio.run(scenario())


def test_a_redis_that_does_not_answer_is_given_up_and_connected_again(redis: RedisServer) -> None:
    async def scenario() -> None:
        subscriber = RunningSubscriber(redis, silence_s_max=0.2, retry_every_s=0.05)
        await subscriber.wait_for_poke()
        made = connections_made(redis)
        redis.freeze()
        await asyncio.sleep(1.5)
        redis.thaw()
        await until(lambda: connections_made(redis) > made, WAIT_S_MAX)
        await subscriber.wait_until_back(redis)
        await subscriber.close()

    asyncio.run(scenario())


def test_a_redis_that_refuses_is_asked_until_it_allows_the_subscription(redis: RedisServer) -> None:
    redis.ask("ACL", "SETUSER", "default", "-subscribe")

    async def scenario() -> None:
        made = connections_made(redis)
        subscriber = RunningSubscriber(redis, retry_every_s=0.05)
        await until(lambda: connections_made(redis) > made + 2, WAIT_S_MAX)
        redis.ask("ACL", "SETUSER", "default", "+subscribe")
        await subscriber.wait_until_back(redis)
        await subscriber.close()

    asyncio.run(scenario())
