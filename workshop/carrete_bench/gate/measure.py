"""Measures the parts of the gate one after the other, on one Redis."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import uvloop

from carrete.redis.script_calls import RedisCallFailed
from carrete_bench.errors import BenchFailed
from carrete_bench.gate import operations, pairs
from carrete_bench.gate.goals import goals
from carrete_bench.gate.lock_implementations import OTHERS, lock_implementations
from carrete_bench.gate.redis_server import redis_version, temporary_redis
from carrete_bench.gate.report import GateReport
from carrete_bench.gate.results import GateResults
from carrete_bench.progress import ShowProgress
from carrete_bench.report import this_machine


@dataclass(frozen=True, slots=True)
class GateScale:
    """How much is measured. The goals are for the defaults; tests use less."""

    seconds: float = 4.0  # of pairs, for each lock implementation with 1 client and with 50
    calls: int = 2_000
    batches: int = 300
    rebuilds: int = 5
    locks: int = 10_000


def run(scale: GateScale, progress: ShowProgress) -> GateReport:
    machine = this_machine()
    try:
        redis, gate = uvloop.run(_on_temporary_redis(scale, progress))  # the event loop with which the product serves
    except RedisCallFailed as error:
        raise BenchFailed(f"Redis did not answer in time, the machine is too busy to measure locks: {error}") from error
    measured = {result.name for result in gate.pairs}
    missing = [f"{name}: the package is not installed." for name in OTHERS if name not in measured]
    return GateReport(datetime.now(UTC), machine, redis, gate, goals(gate), missing)


async def _on_temporary_redis(scale: GateScale, progress: ShowProgress) -> tuple[str, GateResults]:
    async with temporary_redis() as socket:
        return await redis_version(socket), await _measure(socket, scale, progress)


async def _measure(socket: Path, scale: GateScale, progress: ShowProgress) -> GateResults:
    progress("pairs: all lock implementations in turns")
    async with lock_implementations(socket) as implementations:
        pair_results = await pairs.measure(implementations, scale.seconds)
    progress("single calls: a held lock, an abandoned lock, a batch")
    occupied = await operations.measure_held_lock(socket, scale.calls)
    candidate = await operations.measure_abandoned_lock(socket, scale.calls, scale.locks)
    batch = await operations.measure_batch(socket, scale.batches)
    progress(f"rebuilding {scale.locks:,} locks")
    rebuilds = await operations.measure_rebuilds(socket, scale.rebuilds, scale.locks)
    return GateResults(pair_results, occupied, candidate, batch, rebuilds)
