"""Checks Redis in the background: closes the breaker when Redis works, rebuilds the locks when it lost them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import structlog
from redis.exceptions import RedisError
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_exponential_jitter

from carrete.gate.heal import Healer
from carrete.gate.locks import MARKER
from carrete.gate.reconcile import Reconciler
from carrete.gate.trial_lock import take_trial_lock
from carrete.ledger.errors import LedgerUnavailable
from carrete.redis.breaker import Breaker
from carrete.redis.commands import RedisCommands, parse_info
from carrete.redis.script_calls import RedisCallFailed

log = structlog.get_logger()

PROBE_EVERY_S = 2.0
OPEN_PROBE_EVERY_S = 1.0
PROBE_KEY = "spool_locks:probe"
PROBE_KEY_MS = 10_000
FIRST_TRIES = 3


class Watcher:
    """`locate` finds the address of Redis and returns whether it changed; `reconnect` drops all connections."""

    def __init__(
        self,
        redis: RedisCommands,
        breaker: Breaker,
        reconciler: Reconciler,
        healer: Healer,
        locate: Callable[[], Awaitable[bool]],
        reconnect: Callable[[], Awaitable[None]],
        call_s_max: float,
    ) -> None:
        self._redis = redis
        self._breaker = breaker
        self._reconciler = reconciler
        self._healer = healer
        self._run_id: str | None = None
        self._rebuilt = False
        self._wake = asyncio.Event()
        self._locate = locate
        self._reconnect = reconnect
        self._call_s_max = call_s_max
        self.info: dict[str, str] = {}

    def rebuild_soon(self) -> None:
        """Rebuilds the locks now, for example after a workbook brought occupations into the ledger."""
        self._rebuilt = False
        self._wake.set()

    def check_soon(self) -> None:
        """Does the next check now, because a lock was not as expected."""
        self._wake.set()

    async def run(self) -> None:
        await self._first_check()
        while True:
            every = OPEN_PROBE_EVERY_S if self._breaker.is_open else PROBE_EVERY_S
            with suppress(TimeoutError):  # not wait_for: on Python 3.11 it may swallow a cancellation
                async with asyncio.timeout(every):
                    await self._wake.wait()
            self._wake.clear()
            await self._check()

    async def _first_check(self) -> None:
        """Tries a few times before it logs an outage, because Redis may be starting at the same time."""
        retrying = AsyncRetrying(
            stop=stop_after_attempt(FIRST_TRIES),
            wait=wait_exponential_jitter(multiplier=0.1, max=1, jitter=0.1),
            retry=retry_if_exception_type((RedisError, OSError)),
        )
        with suppress(Exception):
            async for attempt in retrying:
                with attempt:
                    await self._locate()
                    await self._redis.call("PING")
        await self._check()

    async def _check(self) -> None:
        try:
            if await self._locate():
                self._breaker.open("the master is elsewhere now")
                await self._reconnect()
            emptied = await self._was_emptied()
            was_open = self._breaker.is_open  # then actions changed the ledger without changing locks
            if was_open:
                await take_trial_lock(self._redis, self._call_s_max)
            self._breaker.close()  # before the rebuild: actions from now on write their own locks
            if emptied or was_open or not self._rebuilt:
                self._rebuilt = True  # before the rebuild: `rebuild_soon` during it must lead to another one
                await self._reconciler.rebuild()
            await self._healer.heal_due()
        except (RedisError, OSError, TimeoutError) as error:
            self._rebuilt = False
            self._breaker.open(str(error) or type(error).__name__)
            await self._reconnect()
        except (RedisCallFailed, LedgerUnavailable) as error:
            self._rebuilt = False
            log.warning("locks not rebuilt yet", reason=str(error))
        except Exception as error:  # if the watcher ended, nothing would close the breaker or rebuild locks any more
            self._rebuilt = False
            log.error("the look at Redis failed", exc_info=error)

    async def _was_emptied(self) -> bool:
        """In one round trip: writes a key, so that a read-only Redis fails, and checks the marker and the run id."""
        _, marked, info = await self._redis.call_all(
            ("SET", PROBE_KEY, "1", "PX", PROBE_KEY_MS), ("EXISTS", MARKER), ("INFO",)
        )
        self.info = parse_info(info)
        run_id = str(self.info.get("run_id"))
        replaced = self._run_id is not None and run_id != self._run_id
        self._run_id = run_id
        return replaced or not marked
