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

from carrete_bench.postgres import TemporaryPostgres
from carrete_chaos.cluster import Cluster
from carrete_chaos.disk import SmallDisk
from carrete_chaos.recovery import Timekeeper

Fault = Callable[["FaultContext"], Awaitable[bool]]


@dataclass(slots=True)
class FaultContext:
    """Who is hurt, and what came of it."""

    cluster: Cluster
    rng: Random
    timekeeper: Timekeeper
    database: TemporaryPostgres | None = None  # a database server of our own that may be restarted, if there is one
    disk: SmallDisk | None = None  # where the ledger is, if that can be filled
    pace: float = 1.0  # below one everything is over sooner
    bit: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)

    async def lasts(self, low_s: float, high_s: float) -> None:
        await asyncio.sleep(self.rng.uniform(low_s, high_s) * self.pace)

    @asynccontextmanager
    async def redis(self) -> Any:
        client = redis.asyncio.Redis(unix_socket_path=str(self.cluster.redis_socket), socket_timeout=5)
        try:
            yield client
        finally:
            await client.aclose()
