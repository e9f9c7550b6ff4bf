"""One round trip and ten thousand locks: who has it, the abandoned one among many, batches, the rebuild."""

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
from carrete_bench.gate.contestants import any_client, bare_pair, nobody, our_house, value_of_today
from carrete_bench.gate.figures import Beside, Rebuild

BATCH = 50
_TAG = "MK-1335-CW-24000-001"
_ABANDONED = "MK-1335-CW-20000-001"
_CROWD_DB = 1  # beside an empty one on the same server, so that the two can take turns

T = TypeVar("T")
Timed = Callable[[], Awaitable[float]]  # how long it took, in µs, without what prepares it


async def _timed(call: Awaitable[T]) -> tuple[float, T]:
    start = time.perf_counter()
    told = await call
    return (time.perf_counter() - start) * 1e6, told


async def _in_turns(times: int, *calls: Timed) -> list[float]:
    """The median of each. One of each after the other: all meet the same machine. The first tenth only warms up."""
    took: list[list[float]] = [[] for _ in calls]
    for _ in range(times + times // 10):
        for call, told in zip(calls, took, strict=True):
            told.append(await call())
    return [median(told[times // 10 :]) for told in took]


async def occupied(socket: Path, times: int) -> Beside:
    """A take on a lock that another holds: one round trip tells by whom."""
    async with our_house(socket, nobody) as services, any_client(socket) as client:
        holder = value_of_today(93)
        await services.locks.take(_TAG, holder)
        await services.locks.hold(_TAG, holder)
        bare = await bare_pair(client)

        async def ask() -> float:
            us, taken = await _timed(services.locks.take(_TAG, value_of_today(94)))
            _insist(taken.value == holder, "a held lock did not tell its holder")
            return us

        async def pair() -> float:
            return (await _timed(bare(_TAG)))[0]

        asked_us, pair_us = await _in_turns(times, ask, pair)
        await services.locks.release(_TAG, holder)
    return Beside("occupied by whom", asked_us, "bare pair", pair_us, asked_us / pair_us)


async def candidate(socket: Path, times: int, crowd: int) -> Beside:
    """What a take costs more when it finds one abandoned lock among many than in an empty Redis, beside a PING."""
    async with (
        our_house(socket, nobody) as alone,
        our_house(socket, nobody, _CROWD_DB) as crowded,
        any_client(socket, _CROWD_DB) as client,
    ):
        await _fill(client, crowd)

        async def take_alone() -> float:
            await client.ping()  # stands for the ZADD of the other
            us, taken = await _take_and_release(alone.locks)
            _insist(taken.old is None, "an old lock was found where there is none")
            return us

        async def take_in_the_crowd() -> float:
            await client.zadd(INDEX, {_ABANDONED: time.time() - 2 * OLD_S})
            us, taken = await _take_and_release(crowded.locks)
            _insist(taken.old is not None and taken.old[0] == _ABANDONED, "the abandoned lock was not found")
            return us

        async def ping() -> float:
            return (await _timed(client.ping()))[0]

        alone_us, crowd_us, ping_us = await _in_turns(times, take_alone, take_in_the_crowd, ping)
        await client.flushdb()
    extra_us = crowd_us - alone_us
    return Beside(f"finding the abandoned one among {crowd:,}", extra_us, "PING", ping_us, extra_us / ping_us)


async def _fill(client: Redis, crowd: int) -> None:
    now = int(time.time())
    tags = [_ABANDONED, *(_tag(number) for number in range(crowd - 1))]
    await client.mset({key_of(tag): value_of_today() for tag in tags})
    await client.zadd(INDEX, dict.fromkeys(tags, now))


async def _take_and_release(locks: Locks) -> tuple[float, Taken]:
    value = value_of_today()
    took = await _timed(locks.take(_TAG, value))
    await locks.release(_TAG, value)
    return took


async def batch(socket: Path, times: int) -> Beside:
    """Fifty takes at once, as a batch passes the gate, beside one."""
    async with our_house(socket, nobody) as services:

        async def enter(count: int) -> float:
            attempts = [LockAttempt(_tag(number), value_of_today(), takes=True) for number in range(count)]
            us, _ = await _timed(services.gate.enter(attempts))
            _insist(all(attempt.ours for attempt in attempts), "a batch did not get a free lock")
            await asyncio.gather(*(services.locks.release(attempt.tag, attempt.value) for attempt in attempts))
            return us

        one_us, batch_us = await _in_turns(times, lambda: enter(1), lambda: enter(BATCH))
    return Beside(f"a batch of {BATCH} takes", batch_us, "one take", one_us, batch_us / one_us)


async def rebuilds(socket: Path, times: int, occupations: int) -> list[Rebuild]:
    """All locks from a ledger that answers from memory: into an empty Redis, and where all is right already."""
    ledger_locks = {_tag(number): LedgerLock(value_of_today(), int(time.time()) - 60) for number in range(occupations)}

    async def ledger(tags: Sequence[str] | None) -> dict[str, LedgerLock]:
        return ledger_locks if tags is None else {tag: ledger_locks[tag] for tag in tags if tag in ledger_locks}

    empty_s: list[float] = []
    right_s: list[float] = []
    async with our_house(socket, ledger) as services:
        for _ in range(times):
            await services.background.flushdb()
            for told in (empty_s, right_s):
                us, _ = await _timed(services.reconciler.rebuild())
                _insist(await services.background.zcard(INDEX) == occupations, "a rebuild left locks out")
                told.append(us / 1e6)
        await services.background.flushdb()
    return [
        Rebuild("into an empty Redis", occupations, median(empty_s), times),
        Rebuild("where all is right already", occupations, median(right_s), times),
    ]


def _tag(number: int) -> str:
    return f"MK-{1400 + number // 5_000}-CW-{25_000 + number // 20}-{number % 20 + 1:03d}"


def _insist(well: bool, otherwise: str) -> None:
    """A figure of something that did not happen would flatter."""
    if not well:
        raise BenchFailed(otherwise)
