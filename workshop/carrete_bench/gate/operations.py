"""Measures single operations of the gate: a held lock, an abandoned lock among many, a batch, the rebuild."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from statistics import median
from typing import TypeVar

from redis.asyncio import Redis

from carrete.gate.heal import LedgerLock
from carrete.gate.locks import INDEX, OLD_S, Locks, Taken, key_of
from carrete.gate.protocol import LockAttempt
from carrete_bench.errors import BenchFailed
from carrete_bench.gate.lock_implementations import (
    bare_pair,
    current_lock_value,
    empty_ledger,
    gate_services,
    redis_client,
)
from carrete_bench.gate.results import CallComparison, RebuildTime

BATCH = 50
_TAG = "MK-1335-CW-24000-001"
_ABANDONED = "MK-1335-CW-20000-001"
_CROWDED_DB = 1  # database 0 of the same Redis is empty, so that the two can be measured in turns

T = TypeVar("T")
TimedCall = Callable[[], Awaitable[float]]  # returns the time of the call in µs, without its preparation


async def _timed(call: Awaitable[T]) -> tuple[float, T]:
    start = time.perf_counter()
    result = await call
    return (time.perf_counter() - start) * 1e6, result


async def _in_turns(times: int, *calls: TimedCall) -> list[float]:
    """The median time of each call. The calls alternate, so that other work on the machine slows all of them alike.
    The first tenth only warms up."""
    times_us: list[list[float]] = [[] for _ in calls]
    for _ in range(times + times // 10):
        for call, own_times_us in zip(calls, times_us, strict=True):
            own_times_us.append(await call())
    return [median(own_times_us[times // 10 :]) for own_times_us in times_us]


async def measure_held_lock(socket: Path, times: int) -> CallComparison:
    """A take of a lock that another worker holds: one round trip returns the holder."""
    async with gate_services(socket, empty_ledger) as services, redis_client(socket) as client:
        holder = current_lock_value(93)
        await services.locks.take(_TAG, holder)
        await services.locks.hold(_TAG, holder)
        bare = await bare_pair(client)

        async def take_held_lock() -> float:
            us, taken = await _timed(services.locks.take(_TAG, current_lock_value(94)))
            _require(taken.value == holder, "a take of a held lock did not return its holder")
            return us

        async def pair() -> float:
            return (await _timed(bare(_TAG)))[0]

        held_us, pair_us = await _in_turns(times, take_held_lock, pair)
        await services.locks.release(_TAG, holder)
    return CallComparison("occupied by whom", held_us, "bare pair", pair_us, held_us / pair_us)


async def measure_abandoned_lock(socket: Path, times: int, lock_count: int) -> CallComparison:
    """The extra time of a take that finds one abandoned lock among many, over a take in an empty Redis. The yardstick
    is a PING."""
    async with (
        gate_services(socket, empty_ledger) as empty,
        gate_services(socket, empty_ledger, _CROWDED_DB) as crowded,
        redis_client(socket, _CROWDED_DB) as client,
    ):
        await _add_locks(client, lock_count)

        async def take_in_empty_redis() -> float:
            await client.ping()  # makes up for the ZADD of the other call
            us, taken = await _take_and_release(empty.locks)
            _require(taken.old is None, "an old lock was found where there is none")
            return us

        async def take_among_many() -> float:
            await client.zadd(INDEX, {_ABANDONED: time.time() - 2 * OLD_S})
            us, taken = await _take_and_release(crowded.locks)
            _require(taken.old is not None and taken.old[0] == _ABANDONED, "the abandoned lock was not found")
            return us

        async def ping() -> float:
            return (await _timed(client.ping()))[0]

        empty_us, crowded_us, ping_us = await _in_turns(times, take_in_empty_redis, take_among_many, ping)
        await client.flushdb()
    extra_us = crowded_us - empty_us
    return CallComparison(
        f"finding the abandoned one among {lock_count:,}", extra_us, "PING", ping_us, extra_us / ping_us
    )


async def _add_locks(client: Redis, lock_count: int) -> None:
    now = int(time.time())
    tags = [_ABANDONED, *(_tag(number) for number in range(lock_count - 1))]
    await client.mset({key_of(tag): current_lock_value() for tag in tags})
    await client.zadd(INDEX, dict.fromkeys(tags, now))


async def _take_and_release(locks: Locks) -> tuple[float, Taken]:
    value = current_lock_value()
    us_and_taken = await _timed(locks.take(_TAG, value))
    await locks.release(_TAG, value)
    return us_and_taken


async def measure_batch(socket: Path, times: int) -> CallComparison:
    """Fifty takes that pass the gate as one batch. The yardstick is one take."""
    async with gate_services(socket, empty_ledger) as services:

        async def enter(count: int) -> float:
            attempts = [LockAttempt(_tag(number), current_lock_value(), takes=True) for number in range(count)]
            us, _ = await _timed(services.gate.enter(attempts))
            _require(all(attempt.ours for attempt in attempts), "a batch did not get a free lock")
            await asyncio.gather(*(services.locks.release(attempt.tag, attempt.value) for attempt in attempts))
            return us

        one_us, batch_us = await _in_turns(times, lambda: enter(1), lambda: enter(BATCH))
    return CallComparison(f"a batch of {BATCH} takes", batch_us, "one take", one_us, batch_us / one_us)


async def measure_rebuilds(socket: Path, times: int, occupations: int) -> list[RebuildTime]:
    """Rebuilds all locks from a ledger in memory: into an empty Redis, then where all locks are right already."""
    ledger_locks = {
        _tag(number): LedgerLock(current_lock_value(), int(time.time()) - 60) for number in range(occupations)
    }

    async def ledger(tags: Sequence[str] | None) -> dict[str, LedgerLock]:
        return ledger_locks if tags is None else {tag: ledger_locks[tag] for tag in tags if tag in ledger_locks}

    empty_s: list[float] = []
    right_s: list[float] = []
    async with gate_services(socket, ledger) as services:
        for _ in range(times):
            await services.background.call("FLUSHDB")
            for seconds in (empty_s, right_s):
                us, _ = await _timed(services.reconciler.rebuild())
                _require(await services.background.call("ZCARD", INDEX) == occupations, "a rebuild left locks out")
                seconds.append(us / 1e6)
        await services.background.call("FLUSHDB")
    return [
        RebuildTime("into an empty Redis", occupations, median(empty_s), times),
        RebuildTime("where all is right already", occupations, median(right_s), times),
    ]


def _tag(number: int) -> str:
    return f"MK-{1400 + number // 5_000}-CW-{25_000 + number // 20}-{number % 20 + 1:03d}"


def _require(condition: bool, error: str) -> None:
    """An operation that failed is usually fast, so it must end the run instead of improving the figures."""
    if not condition:
        raise BenchFailed(error)
