"""Each take removes one old lock in the background."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from carrete.gate import LockAttempt
from carrete.gate.cleanup import Cleaner
from carrete.gate.heal import LedgerLock, LedgerLockReader
from carrete.gate.locks import INDEX
from carrete.gate.redis_gate import RedisGate
from carrete.ledger.database import Database
from carrete.ledger.errors import LedgerUnavailable
from tests.integration.gate.conftest import TAG
from tests.support.builders import a_spool, a_worker, held, put
from tests.support.gated import GatedFloor, InterruptedLedger, occupations
from tests.support.redis_server import RedisServer

ABANDONED = [f"ABANDONED-{n}" for n in range(10)]


def a_value(worker: int = 1) -> str:
    return f"{worker}:{uuid4()}:01-03-2026 08:00:00"


def hours_ago(hours: float) -> float:
    return time.time() - hours * 3600


def test_ten_abandoned_locks_among_a_thousand_are_gone_after_ten_takes(
    floor: GatedFloor, redis: RedisServer, ledger: Database
) -> None:
    live = {f"LIVE-{n}": a_value() for n in range(1000)}
    now = datetime.now(UTC)
    put(ledger, [held(a_spool(tag), a_worker(1), since=now, lock=value) for tag, value in live.items()])
    floor.rebuild()
    assert redis.locks() == live
    for n, tag in enumerate(ABANDONED):
        redis.put_lock(tag, a_value(), score=hours_ago(25 + n))
    for n in range(10):
        assert floor.take(f"MK-{n + 1}", 1) == "OK"
    # Redis may have deleted a lock whose answer the cleaner has not read yet: its count is the last to be right.
    floor.rest_until(lambda: floor.gate.cleaner.removed == 10, 2.0)
    assert not set(ABANDONED) & set(redis.index())
    assert redis.locks() == occupations(ledger), "and nobody else's"


def test_a_lock_of_thirty_hours_stays_while_the_spool_is_occupied(
    floor: GatedFloor, redis: RedisServer, ledger: Database
) -> None:
    long_ago, value = datetime.now(UTC) - timedelta(hours=30), a_value()
    put(ledger, [held(a_spool("LONG"), a_worker(1), since=long_ago, lock=value)])
    redis.put_lock("LONG", value, score=long_ago.timestamp())
    for n in range(3):
        floor.take(f"MK-{n + 1}", 1)
    floor.rest(0.2)
    floor.rebuild()
    assert (redis.value("LONG"), redis.ttl_ms("LONG")) == (value, -1)
    assert floor.take("LONG", 2) == "SPOOL_OCCUPIED"


def test_a_lock_of_thirty_hours_with_another_value_than_the_ledgers_is_put_right(
    floor: GatedFloor, redis: RedisServer, ledger: Database
) -> None:
    value = a_value()
    put(ledger, [held(a_spool("LONG"), a_worker(1), since=datetime.now(UTC), lock=value)])
    redis.put_lock("LONG", a_value(2), score=hours_ago(30))
    floor.take(TAG, 1)
    floor.rest_until(lambda: redis.value("LONG") == value, 2.0)


def test_an_abandoned_lock_handed_to_somebody_who_had_to_wait_is_looked_at_too(
    floor: GatedFloor, redis: RedisServer
) -> None:
    """Each of the waiting taker's calls returns another old lock: the cleanup must get them all."""
    redis.put_lock(TAG, a_value(9), ttl_ms=10_000)
    for n, tag in enumerate(ABANDONED[:5]):
        redis.put_lock(tag, a_value(), score=hours_ago(35 - n))
    floor.take(TAG, 1)
    floor.rest_until(lambda: not set(ABANDONED) & set(redis.locks()), 2.0)


def test_a_survivor_does_not_hold_up_those_behind_it(floor: GatedFloor, redis: RedisServer, ledger: Database) -> None:
    long_ago, value = datetime.now(UTC) - timedelta(hours=99), a_value()
    put(ledger, [held(a_spool("LONG"), a_worker(1), since=long_ago, lock=value)])
    redis.put_lock("LONG", value, score=hours_ago(99))
    redis.put_lock("BEHIND", a_value(), score=hours_ago(30))
    floor.take("MK-1", 1)
    floor.take("MK-2", 1)
    floor.rest_until(lambda: redis.value("BEHIND") is None, 2.0)
    assert redis.value("LONG") == value


def test_an_old_two_part_lock_does_not_hold_up_those_behind_it(floor: GatedFloor, redis: RedisServer) -> None:
    redis.put_lock("LEGACY", f"7:{uuid4()}", score=hours_ago(99))
    redis.put_lock("BEHIND", a_value(), score=hours_ago(30))
    floor.take("MK-1", 1)
    floor.take("MK-2", 1)
    floor.rest_until(lambda: redis.value("BEHIND") is None, 2.0)
    assert redis.value("LEGACY") is not None


def test_a_member_without_a_key_leaves_the_index(floor: GatedFloor, redis: RedisServer) -> None:
    redis.ask("ZADD", INDEX, hours_ago(30), "NO-KEY")
    floor.take(TAG, 1)
    assert set(redis.index()) == {TAG}


def test_a_lock_of_twenty_three_hours_is_not_looked_at(floor: GatedFloor, redis: RedisServer) -> None:
    """Instants, not wall time: a day is 24 hours also when the clocks change."""
    redis.put_lock("YOUNG", a_value(), score=hours_ago(23.99))
    floor.take(TAG, 1)
    floor.rest(0.1)
    assert redis.value("YOUNG") is not None


def test_an_abandoned_lock_that_changed_hands_meanwhile_is_not_deleted(
    floor: GatedFloor, redis: RedisServer, ledger: Database
) -> None:
    """The cleanup reads that the spool is free; before it deletes the lock, somebody takes the spool."""
    redis.put_lock(TAG, a_value(), score=hours_ago(30))
    leftover = redis.value(TAG)
    assert leftover is not None

    async def somebody_takes_it() -> None:
        await floor.take_now(TAG, 2)

    cleaner = Cleaner(floor.gate.locks, InterruptedLedger(floor.services, then=somebody_takes_it), floor.gate.healer)
    floor.run(considered(cleaner, TAG, leftover))
    assert redis.locks() == occupations(ledger) != {}
    assert cleaner.removed == 0


def test_nobody_waits_for_the_cleanup_and_it_costs_no_round_trip(floor: GatedFloor, redis: RedisServer) -> None:
    """The old lock comes with the take's own answer; the ledger is asked about it afterwards."""
    redis.put_lock("OLD", a_value(), score=hours_ago(30))
    tags_asked_for: list[str] = []

    async def a_ledger_that_takes_long(tags: Sequence[str] | None) -> dict[str, LedgerLock]:
        tags_asked_for.extend(tags or ())
        await asyncio.sleep(5)
        return {}

    started_at, trips = time.monotonic(), floor.gate.pipeline.round_trips
    attempt = floor.run(entered(floor, a_ledger_that_takes_long))
    assert attempt.ours
    assert time.monotonic() - started_at < 0.5
    assert floor.gate.pipeline.round_trips - trips == 1
    assert tags_asked_for == ["OLD"]


def test_a_cleanup_that_fails_fails_no_take(floor: GatedFloor, redis: RedisServer) -> None:
    redis.put_lock("OLD", a_value(), score=hours_ago(30))

    async def a_ledger_that_is_away(_: Sequence[str] | None) -> dict[str, LedgerLock]:
        raise LedgerUnavailable("away")

    attempt = floor.run(entered(floor, a_ledger_that_is_away))
    assert attempt.ours
    assert redis.value("OLD") is not None, "it waits for its next turn"


async def considered(cleaner: Cleaner, tag: str, value: str) -> None:
    cleaner.consider(tag, value)
    await asyncio.sleep(0.3)


async def entered(floor: GatedFloor, ledger: LedgerLockReader) -> LockAttempt:
    """A take whose cleanup reads this ledger."""
    services = floor.gate
    cleaner = Cleaner(services.locks, ledger, services.healer)
    gate = RedisGate(services.locks, services.breaker, services.healer, cleaner, on_mismatch=lambda: None)
    try:
        attempt = LockAttempt(TAG, a_value(), takes=True)
        await gate.enter([attempt])
        await asyncio.sleep(0.02)
        return attempt
    finally:
        await cleaner.stop()
