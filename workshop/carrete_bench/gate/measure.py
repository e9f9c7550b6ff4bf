"""Measures the gate, one thing after the other, on one Redis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import uvloop

from carrete.redis.script_calls import RedisCallFailed
from carrete_bench.errors import BenchFailed
from carrete_bench.gate import pairs, scale
from carrete_bench.gate.contestants import RIVALS, contestants
from carrete_bench.gate.figures import Gate
from carrete_bench.gate.goals import goals
from carrete_bench.gate.report import GateReport
from carrete_bench.gate.server import name_of, own_redis
from carrete_bench.report import this_machine

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured. The defaults are what the goals are about; a test takes less."""

    seconds: float = 4.0  # of pairs, for each contestant at each number at once
    calls: int = 2_000
    batches: int = 300
    rebuilds: int = 5
    locks: int = 10_000


def run(extent: Extent, say: Say) -> GateReport:
    machine = this_machine()
    try:
        redis, gate = uvloop.run(_on_own_redis(extent, say))  # the loop on which the product serves
    except RedisCallFailed as error:
        raise BenchFailed(f"Redis did not answer in time, the machine is too busy to measure locks: {error}") from error
    measured = {one.name for one in gate.pairs}
    missing = [f"{name}: the package is not installed." for name in RIVALS if name not in measured]
    return GateReport(datetime.now(UTC), machine, redis, gate, goals(gate), missing)


async def _on_own_redis(extent: Extent, say: Say) -> tuple[str, Gate]:
    async with own_redis() as socket:
        return await name_of(socket), await _measure(socket, extent, say)


async def _measure(socket: Path, extent: Extent, say: Say) -> Gate:
    say("pairs: all in turns")
    async with contestants(socket) as found:
        paired = await pairs.measure(found, extent.seconds)
    say("one call: occupied by whom, the abandoned one, batches")
    occupied = await scale.occupied(socket, extent.calls)
    candidate = await scale.candidate(socket, extent.calls, extent.locks)
    batch = await scale.batch(socket, extent.batches)
    say(f"rebuilding {extent.locks:,} locks")
    return Gate(paired, occupied, candidate, batch, await scale.rebuilds(socket, extent.rebuilds, extent.locks))
