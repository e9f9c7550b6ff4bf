"""Watches Redis from the background: closes the breaker when it works, rebuilds when it was emptied or replaced."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_exponential_jitter

from carrete.gate.heal import Healer
from carrete.gate.locks import MARKER
from carrete.gate.reconcile import Reconciler
from carrete.gate.trial_lock import prove
from carrete.ledger.errors import LedgerUnavailable
from carrete.redis.breaker import Breaker
from carrete.redis.pipeline import GateDown

log = structlog.get_logger()

PROBE_EVERY_S = 2.0
OPEN_PROBE_EVERY_S = 1.0
PROBE_KEY = "spool_locks:probe"
PROBE_KEY_MS = 10_000
FIRST_TRIES = 3


class Watcher:
    """`locate` asks where Redis is and says whether it moved; `reconnect` drops every connection to the old place."""

    def __init__(
        self,
        redis: Redis,
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
        self._whole = False
        self._wake = asyncio.Event()
        self._locate = locate
        self._reconnect = reconnect
        self._call_s_max = call_s_max
        self.info: dict[str, Any] = {}

    def rebuild_soon(self) -> None:
        """The ledger may have learnt of occupations that no lock knows, for instance from a workbook."""
        self._whole = False
        self._wake.set()

    def notice(self) -> None:
        """Somebody met a lock that was not as it should be: look now rather than at the next turn."""
        self._wake.set()

    async def run(self) -> None:
        await self._first_look()
        while True:
            every = OPEN_PROBE_EVERY_S if self._breaker.is_open else PROBE_EVERY_S
            with suppress(TimeoutError):  # not wait_for: on Python 3.11 it may swallow the stop
                async with asyncio.timeout(every):
                    await self._wake.wait()
            self._wake.clear()
            await self._look_and_mend()

    async def _first_look(self) -> None:
        """A Redis that is just starting gets a few tries before anybody is told that there is none."""
        retrying = AsyncRetrying(
            stop=stop_after_attempt(FIRST_TRIES),
            wait=wait_exponential_jitter(multiplier=0.1, max=1, jitter=0.1),
            retry=retry_if_exception_type((RedisError, OSError)),
        )
        with suppress(Exception):
            async for attempt in retrying:
                with attempt:
                    await self._locate()
                    await self._redis.ping()
        await self._look_and_mend()

    async def _look_and_mend(self) -> None:
        try:
            if await self._locate():
                self._breaker.open("the master is elsewhere now")
                await self._reconnect()
            emptied = await self._emptied()
            missed = self._breaker.is_open  # by whoever acted without us meanwhile
            if missed:
                await prove(self._redis, self._call_s_max)
            self._breaker.close()  # first: from here on takers keep their own locks, and the rebuild the others
            if emptied or missed or not self._whole:
                self._whole = True  # before it begins: whoever asks for another one meanwhile gets it
                await self._reconciler.rebuild()
            await self._healer.heal_due()
        except (RedisError, OSError, TimeoutError) as error:
            self._whole = False
            self._breaker.open(str(error) or type(error).__name__)
            await self._reconnect()
        except (GateDown, LedgerUnavailable) as error:
            self._whole = False
            log.warning("locks not rebuilt yet", reason=str(error))
        except Exception as error:  # a watch that ended would leave the gate as it is for good
            self._whole = False
            log.error("the look at Redis failed", exc_info=error)

    async def _emptied(self) -> bool:
        """One pipelined look: can it be written, is the marker there, is it the same Redis as before."""
        pipe = self._redis.pipeline(transaction=False)
        pipe.set(PROBE_KEY, "1", px=PROBE_KEY_MS)
        pipe.exists(MARKER)
        pipe.info()
        _, marked, self.info = await pipe.execute()
        run_id = str(self.info.get("run_id"))
        replaced = self._run_id is not None and run_id != self._run_id
        self._run_id = run_id
        return replaced or not marked
