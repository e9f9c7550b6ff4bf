"""What a fault needs to do its work and to report. A fault that had no effect proves nothing, so each reports
whether it had one."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

import redis.asyncio

from carrete_bench.postgres import TemporaryPostgres
from carrete_chaos.cluster import Cluster
from carrete_chaos.disk import SmallDisk
from carrete_chaos.proxy import Proxy
from carrete_chaos.recovery import RecoveryTimer

Fault = Callable[["FaultContext"], Awaitable[bool]]


@dataclass(slots=True)
class FaultContext:
    """The cluster, its database and disk, random choices, and the counts of faults that had an effect."""

    cluster: Cluster
    rng: Random
    recovery_timer: RecoveryTimer
    database: TemporaryPostgres | None = None  # a database server of our own that may be restarted, if there is one
    disk: SmallDisk | None = None  # where the ledger is, if that can be filled
    proxies: Sequence[Proxy] = ()  # between tablets and servers
    pace: float = 1.0  # below 1 every fault is shorter
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
