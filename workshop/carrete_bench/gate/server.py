"""A Redis to measure on: the product's own embedded one, in a temporary folder."""

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
_LOOK_EVERY_S = 0.02


@asynccontextmanager
async def own_redis() -> AsyncIterator[Path]:
    """The path of its Unix socket."""
    try:
        binary()
    except NoServer as error:
        raise BenchFailed(str(error)) from None
    with tempfile.TemporaryDirectory(prefix="carrete-bench-redis-") as name:
        keeper = RedisProcess(Path(name))
        keeping = asyncio.create_task(keeper.run())
        try:
            await _until_it_answers(socket_path(Path(name)))
            yield socket_path(Path(name))
        finally:
            keeping.cancel()
            await keeper.stop()


async def _until_it_answers(socket: Path) -> None:
    for _ in range(int(START_S_MAX / _LOOK_EVERY_S)):
        if await _answers(socket):
            return
        await asyncio.sleep(_LOOK_EVERY_S)
    raise BenchFailed("the Redis of the measurement did not start")


async def _answers(socket: Path) -> bool:
    async with Redis(unix_socket_path=str(socket)) as client:
        try:
            return bool(await client.ping())
        except (RedisError, OSError):
            return False


async def name_of(socket: Path) -> str:
    async with Redis(unix_socket_path=str(socket)) as client:
        told = await client.info("server")
    if "valkey_version" in told:
        return f"Valkey {told['valkey_version']}"
    return f"Redis {told['redis_version']}"
