"""Who is hurt, and what came of it. A fault that did not bite proves nothing: each says whether it did."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

import redis.asyncio

from carrete.bench.postgres import OwnServer
from carrete.chaos.disk import SmallDisk
from carrete.chaos.recovery import Timekeeper
from carrete.chaos.stage import Stage

Fault = Callable[["Injury"], Awaitable[bool]]


@dataclass(slots=True)
class Injury:
    """Who is hurt, and what came of it."""

    stage: Stage
    rng: Random
    timekeeper: Timekeeper
    database: OwnServer | None = None  # a database server of our own that may be restarted, if there is one
    disk: SmallDisk | None = None  # where the ledger is, if that can be filled
    pace: float = 1.0  # below one everything is over sooner
    bit: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)

    async def lasts(self, low_s: float, high_s: float) -> None:
        await asyncio.sleep(self.rng.uniform(low_s, high_s) * self.pace)

    @asynccontextmanager
    async def redis(self) -> Any:
        client = redis.asyncio.Redis(unix_socket_path=str(self.stage.redis_socket), socket_timeout=5)
        try:
            yield client
        finally:
            await client.aclose()
