"""A Redis to measure on: the product's embedded Redis, in a temporary folder."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from redis.asyncio import Redis
from redis.exceptions import RedisError

from carrete.redis.embedded_server import NoServer, RedisProcess, binary, socket_path
from carrete_bench.errors import BenchFailed

START_S_MAX = 10.0
_POLL_S = 0.02


@asynccontextmanager
async def temporary_redis() -> AsyncIterator[Path]:
    """Yields the path of its Unix socket."""
    try:
        binary()
    except NoServer as error:
        raise BenchFailed(str(error)) from None
    with tempfile.TemporaryDirectory(prefix="carrete-bench-redis-") as name:
        process = RedisProcess(Path(name))
        task = asyncio.create_task(process.run())
        try:
            await _wait_until_ready(socket_path(Path(name)))
            yield socket_path(Path(name))
        finally:
            task.cancel()
            await process.stop()


async def _wait_until_ready(socket: Path) -> None:
    for _ in range(int(START_S_MAX / _POLL_S)):
        if await _answers(socket):
            return
        await asyncio.sleep(_POLL_S)
    raise BenchFailed("the Redis of the measurement did not start")


async def _answers(socket: Path) -> bool:
    async with Redis(unix_socket_path=str(socket)) as client:
        try:
            return bool(await client.ping())
        except (RedisError, OSError):
            return False


async def redis_version(socket: Path) -> str:
    async with Redis(unix_socket_path=str(socket)) as client:
        info = await client.info("server")
    if "valkey_version" in info:
        return f"Valkey {info['valkey_version']}"
    return f"Redis {info['redis_version']}"
