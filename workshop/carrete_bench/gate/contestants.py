"""Who takes and ends locks beside us, each as its own documentation does it, all with up to fifty connections."""

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
from carrete.gate.heal import Ledger, LedgerLock
from carrete.gate.locks import Locks
from carrete.ledger.lock_value import lock_value
from carrete.ledger.tokens import fresh_token
from carrete_bench.errors import BenchFailed
from carrete_bench.load import Seen

OURS = "carrete"
BARE = "bare SET NX + delete"
REDIS_PY = "redis-py Lock"
PYTHON_REDIS_LOCK = "python-redis-lock"
POTTERY = "pottery Redlock"
RECIPE = "recipe: SET EX, PERSIST, SCAN"
RIVALS = (REDIS_PY, PYTHON_REDIS_LOCK, POTTERY, RECIPE)

CONNECTIONS_MAX = 50
SAFETY_S = 10
_ZONE = ZoneInfo("America/Santiago")
_DAY_S = 24 * 3600
_COMPARE_AND_DELETE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"

Turn = Callable[[int, float], Awaitable[Seen]]  # so many at once, for so many seconds


@dataclass(frozen=True, slots=True)
class Contestant:
    name: str
    turn: Turn


def value_of_today(worker_id: int = 93) -> str:
    return lock_value(worker_id, datetime.now(UTC), _ZONE)


@asynccontextmanager
async def our_house(socket: Path, ledger: Ledger, db: int = 0) -> AsyncIterator[RedisGateServices]:
    """Put together as the server does it, without what runs in the background."""
    services = RedisGateServices(f"unix://{socket}?db={db}", socket.parent, CONNECTIONS_MAX, ledger)
    services.breaker.close()
    try:
        yield services
    finally:
        await services.stop()


async def nobody(_tags: Any) -> dict[str, LedgerLock]:
    return {}


@asynccontextmanager
async def contestants(socket: Path) -> AsyncIterator[list[Contestant]]:
    async with AsyncExitStack() as stack:
        services = await stack.enter_async_context(our_house(socket, nobody))
        client = await stack.enter_async_context(any_client(socket))
        threads = stack.enter_context(ThreadPoolExecutor(CONNECTIONS_MAX))
        found = [
            Contestant(OURS, _concurrent(_our_pair(services.locks))),
            Contestant(BARE, _concurrent(await bare_pair(client))),
            Contestant(REDIS_PY, _concurrent(_redis_py_pair(client))),
            Contestant(RECIPE, _concurrent(await _recipe_pair(client))),
        ]
        if find_spec("redis_lock"):
            found.append(Contestant(PYTHON_REDIS_LOCK, _threaded(_python_redis_lock_pair(socket), threads)))
        if find_spec("pottery"):
            found.append(Contestant(POTTERY, _concurrent(_pottery_pair(client))))
        yield found


@asynccontextmanager
async def any_client(socket: Path, db: int = 0) -> AsyncIterator[Redis]:
    """As its documentation makes one: a caller waits for one of fifty connections."""
    pool = BlockingConnectionPool(
        max_connections=CONNECTIONS_MAX, connection_class=UnixDomainSocketConnection, path=str(socket), db=db
    )
    async with Redis(connection_pool=pool) as client:
        yield client
    await pool.disconnect()


Pair = Callable[[str], Awaitable[bool]]


def _our_pair(locks: Locks) -> Pair:
    async def pair(tag: str) -> bool:
        value = value_of_today()
        taken = await locks.take(tag, value)
        held = await locks.hold(tag, value)
        return taken.ours and held == 1 and await locks.release(tag, value) == 1

    return pair


async def bare_pair(client: Redis) -> Pair:
    """Two round trips and nothing else: no index, no poke, no safety once the time has run out."""
    sha = await client.script_load(_COMPARE_AND_DELETE)

    async def pair(tag: str) -> bool:
        key, value = f"bare:{tag}", fresh_token()
        taken = await client.set(key, value, nx=True, px=SAFETY_S * 1000)
        return bool(taken) and await client.evalsha(sha, 1, key, value) == 1

    return pair


def _redis_py_pair(client: Redis) -> Pair:
    async def pair(tag: str) -> bool:
        lock = client.lock(f"redis-py:{tag}", timeout=SAFETY_S)
        taken = await lock.acquire()
        await lock.release()  # raises when it was not ours
        return bool(taken)

    return pair


async def _recipe_pair(client: Redis) -> Pair:
    """The persistent lock that is often copied: look for an old one by SCAN, SET NX EX 10, PERSIST, delete in Lua."""
    sha = await client.script_load(_COMPARE_AND_DELETE)

    async def clean_one() -> None:
        _, keys = await client.scan(0, match="recipe:*", count=10)
        for key in keys[:1]:
            told: Any = await client.get(key)
            if told and float(told.partition(b":")[2]) < time.time() - _DAY_S:
                await client.delete(key)

    async def pair(tag: str) -> bool:
        key, value = f"recipe:{tag}", f"{fresh_token()}:{time.time()}"
        await clean_one()
        taken = await client.set(key, value, nx=True, ex=SAFETY_S)
        held = await client.persist(key)
        return bool(taken) and bool(held) and await client.evalsha(sha, 1, key, value) == 1

    return pair


def _pottery_pair(client: Redis) -> Pair:
    redlock = import_module("pottery").AIORedlock

    async def pair(tag: str) -> bool:
        lock = redlock(key=tag, masters={client}, auto_release_time=SAFETY_S)
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
        lock = lock_class(client, tag, expire=SAFETY_S)
        taken = lock.acquire()
        lock.release()
        return bool(taken)

    return pair


def _concurrent(pair: Pair) -> Turn:
    async def client(tag: str, until: float) -> list[int]:
        took: list[int] = []
        start = time.perf_counter()
        while start < until:
            if not await pair(tag):
                raise BenchFailed(f"a lock that nobody else wants was not had: {tag}")
            end = time.perf_counter()
            took.append(int((end - start) * 1e6))
            start = end
        return took

    async def turn(clients: int, seconds: float) -> Seen:
        start = time.perf_counter()
        took = await asyncio.gather(*(client(_tag(i), start + seconds) for i in range(clients)))
        return _seen(start, took)

    return turn


def _threaded(pair: Callable[[str], bool], threads: ThreadPoolExecutor) -> Turn:
    def client(tag: str, until: float) -> list[int]:
        took: list[int] = []
        start = time.perf_counter()
        while start < until:
            if not pair(tag):
                raise BenchFailed(f"a lock that nobody else wants was not had: {tag}")
            end = time.perf_counter()
            took.append(int((end - start) * 1e6))
            start = end
        return took

    async def turn(clients: int, seconds: float) -> Seen:
        loop = asyncio.get_running_loop()
        start = time.perf_counter()
        until = start + seconds
        took = await asyncio.gather(*(loop.run_in_executor(threads, client, _tag(i), until) for i in range(clients)))
        return _seen(start, took)

    return turn


def _tag(number: int) -> str:
    return f"MK-1335-CW-{25_000 + number}-001"


def _seen(start: float, took: list[list[int]]) -> Seen:
    return {"kind": "pairs", "seconds": time.perf_counter() - start, "took_us": [us for one in took for us in one]}
