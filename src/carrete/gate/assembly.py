"""Builds the gate from the settings, starts its background tasks and stops them."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any

import structlog
from redis.asyncio.connection import BlockingConnectionPool, ConnectionPool
from redis.exceptions import RedisError

from carrete.background import cancel_and_wait
from carrete.gate.cleanup import Cleaner
from carrete.gate.heal import Healer, LedgerLockReader
from carrete.gate.locks import Locks
from carrete.gate.reconcile import Reconciler
from carrete.gate.redis_gate import RedisGate
from carrete.gate.watcher import Watcher
from carrete.redis.breaker import Breaker
from carrete.redis.commands import RedisCommands
from carrete.redis.embedded_server import NoServer, RedisProcess, binary, socket_path
from carrete.redis.locator import locator
from carrete.redis.pipeline import CALL_S_MAX, ScriptPipeline
from carrete.redis.script_calls import RedisCallFailed, ignore_result

log = structlog.get_logger()

BACKGROUND_CONNECTIONS_MAX = 4
BACKGROUND_S_MAX = 5.0
# A socket's path, `host:port` or `[v6]:port` as redis-py writes them, and our lists of Sentinels.
_ADDRESS = re.compile(r"(?:unix:)?/[^\s,;'\"]*[^\s,;.'\"]|(?:\[[0-9a-fA-F:]+\]|[\w.-]+):\d+(?:, [\w.:\[\]-]+:\d+)*")


class RedisGateServices:
    """The gate of one process, and the tasks that keep its locks equal to the ledger."""

    def __init__(
        self,
        url: str,
        data: Path,
        connections_max: int,
        ledger: LedgerLockReader,
        zone: tzinfo = UTC,
        call_s_max: float = CALL_S_MAX,
    ) -> None:
        self._socket = str(socket_path(data))
        self._redis_process = RedisProcess(data) if url == "embedded" else None
        self.locator = locator(url, data)
        self.breaker = Breaker(url)
        self.pool = self.locator.pool(
            BlockingConnectionPool,
            max_connections=connections_max,
            timeout=10 * call_s_max,  # the pipeline gives up before; it does not take a full pool for a dead Redis
            socket_timeout=call_s_max,
            socket_connect_timeout=call_s_max,
        )
        self.background = RedisCommands(
            self.locator.pool(
                ConnectionPool,
                max_connections=BACKGROUND_CONNECTIONS_MAX,
                socket_timeout=BACKGROUND_S_MAX,
                socket_connect_timeout=BACKGROUND_S_MAX,
            )
        )
        self.pipeline = ScriptPipeline(self.pool, self.breaker, call_s_max)
        self.locks = Locks(self.pipeline)
        self.healer = Healer(self.locks, ledger)
        self.cleaner = Cleaner(self.locks, ledger, self.healer, zone)
        self.reconciler = Reconciler(self.background, self.locks, ledger, self.healer)
        self.watcher = Watcher(
            self.background,
            self.breaker,
            self.reconciler,
            self.healer,
            locate=self.locator.refresh,
            reconnect=self._reconnect,
            call_s_max=call_s_max,
        )
        self.gate = RedisGate(self.locks, self.breaker, self.healer, self.cleaner, on_mismatch=self.watcher.check_soon)
        self._tasks: list[asyncio.Task[None]] = []

    def health(self) -> dict[str, Any]:
        info = self.watcher.info
        return {
            "status": "degraded" if self.breaker.is_open else "healthy",
            "reason": self._reason(),
            "since_s": round(time.monotonic() - self.breaker.since),
            "server": info.get("valkey_version") or info.get("redis_version"),
            "locks_rebuilt": self.reconciler.passes,
            "pool": self.pool_figures(),
        }

    def _reason(self) -> str | None:
        """What is wrong, without the address of Redis, because every client may read this over HTTP. The log has
        both."""
        reason = self.breaker.reason
        return None if reason is None else _ADDRESS.sub("Redis", reason.replace(self._socket, "Redis"))

    def pool_figures(self) -> dict[str, int]:
        in_use = len(self.pool._in_use_connections)
        return {"in_use": in_use, "max": self.pool.max_connections}

    def start(self) -> None:
        if self._redis_process is not None:
            try:
                binary()
            except NoServer as error:
                log.warning("no embedded Redis", reason=str(error))
            else:
                self._spawn(self._redis_process.run())
        self._spawn(self.watcher.run())

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(asyncio.create_task(_logged(work)))

    def poke(self, tags: Sequence[str]) -> None:
        """The result is not awaited: a lost poke only delays the live streams."""
        self.locks.poke(tags).add_done_callback(ignore_result)

    async def _reconnect(self) -> None:
        """An open connection may lead to the former master, which still answers but is read-only now."""
        await self.pipeline.reconnect()
        with suppress(RedisError, OSError):
            await self.background.pool.disconnect()

    async def stop(self) -> None:
        await cancel_and_wait(self._tasks)
        await self.cleaner.stop()
        await self.pipeline.close()
        await self.background.pool.disconnect()
        await self.locator.close()
        if self._redis_process is not None:
            await self._redis_process.stop()


async def heal_now(url: str, data: Path, ledger: LedgerLockReader, tags: Sequence[str]) -> None:
    """For a process without a gate, such as an import: heals the locks of these spools once and pokes the live
    streams."""
    gate = RedisGateServices(url, data, 1, ledger)
    gate.breaker.close()
    try:
        with suppress(RedisError):  # then the watchers of the serving processes repair the locks
            await gate.locator.refresh()
        for tag in tags:
            await gate.healer.heal(tag)
        with suppress(RedisCallFailed):
            await gate.locks.poke(tags)
    finally:
        await gate.stop()


async def reconcile_now(url: str, data: Path, ledger: LedgerLockReader) -> None:
    """For a process without a gate that read a workbook: rebuilds all locks once."""
    gate = RedisGateServices(url, data, 1, ledger)
    gate.breaker.close()
    try:
        await gate.locator.refresh()
        await gate.reconciler.rebuild()
    finally:
        await gate.stop()


async def _logged(work: Coroutine[Any, Any, None]) -> None:
    """Nobody awaits a background task, so that without this log its error would be lost."""
    try:
        await work
    except Exception as error:
        log.error("the gate's background work failed", exc_info=error)
        raise
