"""Our locks and the locks they are compared with. Each is used as its documentation says, with up to 50 connections."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import redis
from redis.asyncio import BlockingConnectionPool, Redis, UnixDomainSocketConnection

from carrete.gate.assembly import RedisGateServices
from carrete.gate.heal import LedgerLock, LedgerLockReader
from carrete.gate.locks import Locks
from carrete.ledger.lock_value import lock_value
from carrete.ledger.tokens import fresh_token
from carrete_bench.errors import BenchFailed
from carrete_bench.load import StepResult

OURS = "carrete"
BARE = "bare SET NX + delete"
REDIS_PY = "redis-py Lock"
PYTHON_REDIS_LOCK = "python-redis-lock"
POTTERY = "pottery Redlock"
RECIPE = "recipe: SET EX, PERSIST, SCAN"
OTHERS = (REDIS_PY, PYTHON_REDIS_LOCK, POTTERY, RECIPE)

CONNECTIONS_MAX = 50
LOCK_TTL_S = 10
_ZONE = ZoneInfo("America/Santiago")
_DAY_S = 24 * 3600
_COMPARE_AND_DELETE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"

# A pair: takes and releases the lock of a tag, and returns whether both succeeded.
TakeAndRelease = Callable[[str], Awaitable[bool]]
# Repeats pairs with a number of concurrent clients for a number of seconds.
RunPairs = Callable[[int, float], Awaitable[StepResult]]


@dataclass(frozen=True, slots=True)
class LockImplementation:
    name: str
    run: RunPairs


def current_lock_value(worker_id: int = 93) -> str:
    return lock_value(worker_id, datetime.now(UTC), _ZONE)


@asynccontextmanager
async def gate_services(socket: Path, ledger: LedgerLockReader, db: int = 0) -> AsyncIterator[RedisGateServices]:
    """Built as the server builds them, but without the background tasks."""
    services = RedisGateServices(f"unix://{socket}?db={db}", socket.parent, CONNECTIONS_MAX, ledger)
    services.breaker.close()
    try:
        yield services
    finally:
        await services.stop()


async def empty_ledger(_tags: Any) -> dict[str, LedgerLock]:
    return {}


@asynccontextmanager
async def lock_implementations(socket: Path) -> AsyncIterator[list[LockImplementation]]:
    """All of them; the two that are packages only if they are installed."""
    async with AsyncExitStack() as stack:
        services = await stack.enter_async_context(gate_services(socket, empty_ledger))
        client = await stack.enter_async_context(redis_client(socket))
        threads = stack.enter_context(ThreadPoolExecutor(CONNECTIONS_MAX))
        implementations = [
            LockImplementation(OURS, _in_tasks(_our_pair(services.locks))),
            LockImplementation(BARE, _in_tasks(await bare_pair(client))),
            LockImplementation(REDIS_PY, _in_tasks(_redis_py_pair(client))),
            LockImplementation(RECIPE, _in_tasks(await _recipe_pair(client))),
        ]
        if find_spec("redis_lock"):
            implementations.append(
                LockImplementation(PYTHON_REDIS_LOCK, _in_threads(_python_redis_lock_pair(socket), threads))
            )
        if find_spec("pottery"):
            implementations.append(LockImplementation(POTTERY, _in_tasks(_pottery_pair(client))))
        yield implementations


@asynccontextmanager
async def redis_client(socket: Path, db: int = 0) -> AsyncIterator[Redis]:
    """A redis-py client whose callers wait for one of up to fifty connections."""
    pool = BlockingConnectionPool(
        max_connections=CONNECTIONS_MAX, connection_class=UnixDomainSocketConnection, path=str(socket), db=db
    )
    async with Redis(connection_pool=pool) as client:
        yield client
    await pool.disconnect()


def _our_pair(locks: Locks) -> TakeAndRelease:
    async def pair(tag: str) -> bool:
        value = current_lock_value()
        taken = await locks.take(tag, value)
        held = await locks.hold(tag, value)
        return taken.ours and held == 1 and await locks.release(tag, value) == 1

    return pair


async def bare_pair(client: Redis) -> TakeAndRelease:
    """Two round trips and nothing else: no index, no poke, no protection after the lock has expired."""
    sha = await client.script_load(_COMPARE_AND_DELETE)

    async def pair(tag: str) -> bool:
        key, value = f"bare:{tag}", fresh_token()
        taken = await client.set(key, value, nx=True, px=LOCK_TTL_S * 1000)
        return bool(taken) and await client.evalsha(sha, 1, key, value) == 1

    return pair


def _redis_py_pair(client: Redis) -> TakeAndRelease:
    async def pair(tag: str) -> bool:
        lock = client.lock(f"redis-py:{tag}", timeout=LOCK_TTL_S)
        taken = await lock.acquire()
        await lock.release()  # raises an error if the lock is not ours
        return bool(taken)

    return pair


async def _recipe_pair(client: Redis) -> TakeAndRelease:
    """The common recipe for a lock without expiry: SCAN for an old lock, SET NX EX 10, PERSIST, delete in Lua."""
    sha = await client.script_load(_COMPARE_AND_DELETE)

    async def delete_one_old_lock() -> None:
        _, keys = await client.scan(0, match="recipe:*", count=10)
        for key in keys[:1]:
            value: Any = await client.get(key)
            if value and float(value.partition(b":")[2]) < time.time() - _DAY_S:
                await client.delete(key)

    async def pair(tag: str) -> bool:
        key, value = f"recipe:{tag}", f"{fresh_token()}:{time.time()}"
        await delete_one_old_lock()
        taken = await client.set(key, value, nx=True, ex=LOCK_TTL_S)
        held = await client.persist(key)
        return bool(taken) and bool(held) and await client.evalsha(sha, 1, key, value) == 1

    return pair


def _pottery_pair(client: Redis) -> TakeAndRelease:
    redlock = import_module("pottery").AIORedlock

    async def pair(tag: str) -> bool:
        lock = redlock(key=tag, masters={client}, auto_release_time=LOCK_TTL_S)
        taken = await lock.acquire()
        await lock.release()
        return bool(taken)

    return pair


def _python_redis_lock_pair(socket: Path) -> Callable[[str], bool]:
    lock_class = import_module("redis_lock").Lock
    pool = redis.BlockingConnectionPool(  # type: ignore[no-untyped-call]
        max_connections=CONNECTIONS_MAX, connection_class=redis.UnixDomainSocketConnection, path=str(socket)
    )
    client = redis.Redis(connection_pool=pool)

    def pair(tag: str) -> bool:
        lock = lock_class(client, tag, expire=LOCK_TTL_S)
        taken = lock.acquire()
        lock.release()
        return bool(taken)

    return pair


def _in_tasks(pair: TakeAndRelease) -> RunPairs:
    async def client(tag: str, until: float) -> list[int]:
        latencies_us: list[int] = []
        start = time.perf_counter()
        while start < until or not latencies_us:  # at least one pair: on a busy machine a turn may start late
            if not await pair(tag):
                raise BenchFailed(f"a free lock could not be taken and released: {tag}")
            end = time.perf_counter()
            latencies_us.append(int((end - start) * 1e6))
            start = end
        return latencies_us

    async def run(clients: int, seconds: float) -> StepResult:
        start = time.perf_counter()
        latencies_us = await asyncio.gather(*(client(_tag(i), start + seconds) for i in range(clients)))
        return _step_result(start, latencies_us)

    return run


def _in_threads(pair: Callable[[str], bool], threads: ThreadPoolExecutor) -> RunPairs:
    def client(tag: str, until: float) -> list[int]:
        latencies_us: list[int] = []
        start = time.perf_counter()
        while start < until or not latencies_us:  # at least one pair: on a busy machine a turn may start late
            if not pair(tag):
                raise BenchFailed(f"a free lock could not be taken and released: {tag}")
            end = time.perf_counter()
            latencies_us.append(int((end - start) * 1e6))
            start = end
        return latencies_us

    async def run(clients: int, seconds: float) -> StepResult:
        loop = asyncio.get_running_loop()
        start = time.perf_counter()
        until = start + seconds
        latencies_us = await asyncio.gather(
            *(loop.run_in_executor(threads, client, _tag(i), until) for i in range(clients))
        )
        return _step_result(start, latencies_us)

    return run


def _tag(number: int) -> str:
    return f"MK-1335-CW-{25_000 + number}-001"


def _step_result(start: float, by_client: list[list[int]]) -> StepResult:
    seconds = time.perf_counter() - start
    return {"kind": "pairs", "seconds": seconds, "latencies_us": [us for latencies in by_client for us in latencies]}
