"""Single commands of the gate's background tasks, on every Redis of this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from redis.asyncio.connection import ConnectionPool
from redis.exceptions import NoScriptError, ResponseError

from carrete.redis.commands import RedisCommands, parse_info
from carrete.redis.locator import FixedLocator
from tests.support.redis_server import RedisServer

MANY = 2_500  # more keys than one round trip of SCAN returns


def on(server: RedisServer, work: Callable[[RedisCommands], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        redis = RedisCommands(FixedLocator(server.url).pool(ConnectionPool, max_connections=1))
        try:
            return await work(redis)
        finally:
            await redis.pool.disconnect()

    return asyncio.run(run())


def test_several_commands_are_answered_in_their_order(any_redis: RedisServer) -> None:
    answers = on(any_redis, lambda redis: redis.call_all(("SET", "a", "ñ"), ("EXISTS", "a", "b"), ("GET", "a")))
    assert answers == [b"OK", 1, "ñ".encode()]


def test_a_refused_command_is_raised_and_the_next_one_gets_its_own_answer(any_redis: RedisServer) -> None:
    async def work(redis: RedisCommands) -> Any:
        with pytest.raises(ResponseError):
            await redis.call_all(("SET", "a", "1"), ("LPUSH", "a", "2"), ("SET", "b", "3"))
        with pytest.raises(NoScriptError):
            await redis.call("EVALSHA", "0" * 40, 0)
        return await redis.call("GET", "b")

    assert on(any_redis, work) == b"3"


def test_a_command_that_was_given_up_leaves_no_answer_for_the_next_one(redis: RedisServer) -> None:
    async def work(redis: RedisCommands) -> Any:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await redis.call("BLPOP", "nothing", 30)
        return await redis.call("PING")

    assert on(redis, work) == b"PONG"


def test_a_scan_finds_every_key_that_matches(any_redis: RedisServer) -> None:
    async def work(redis: RedisCommands) -> Any:
        await redis.call_all(*(("SET", f"spool:{n}", "1") for n in range(MANY)), ("SET", "other", "1"))
        return [key async for key in redis.scan("spool:*", 1_000)]

    assert set(on(any_redis, work)) == {b"spool:%d" % n for n in range(MANY)}


def test_info_has_what_health_and_metrics_show(any_redis: RedisServer) -> None:
    info = parse_info(on(any_redis, lambda redis: redis.call("INFO")))
    assert len(info["run_id"]) == 40
    assert info.keys() >= {"redis_version", "used_memory", "connected_clients", "instantaneous_ops_per_sec"}
    assert float(info["used_memory"]) > 0
    assert not [name for name in info if name.startswith("#")]
