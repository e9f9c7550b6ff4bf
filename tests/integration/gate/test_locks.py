"""Each script alone, on Redis and on Valkey: what it changes, and that it does not change locks of others."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from carrete.gate.locks import KEY_PREFIX, NONCE, SAFETY_MS, LockState, Swap, is_legacy, owner_of
from carrete.ledger.database import Database
from tests.integration.gate.conftest import TAG
from tests.support.gated import GatedFloor, a_gated_floor
from tests.support.redis_server import RedisServer

MINE = "1:0c8b3a52-6f0e-4b7e-9d6d-3a1c2f9a7b10:01-03-2026 08:00:00"
THEIRS = f"2:{uuid4()}:01-03-2026 09:00:00"
LEGACY = "3:7d0a3c1e-5d5b-4f0e-8a63-0c8f5d0f2a11"


class BlockingLocks:
    """The locks with methods that wait for the result."""

    def __init__(self, floor: GatedFloor) -> None:
        self._floor = floor
        self.locks = floor.gate.locks

    def take(self, value: str) -> tuple[bool, bool, str]:
        taken = self._floor.run(self.locks.take(TAG, value))
        return taken.ours, taken.pending, taken.value

    def call(self, name: str, value: str) -> int:
        async def run() -> int:
            answer: int = await getattr(self.locks, name)(TAG, value)
            return answer

        return self._floor.run(run())

    def look(self, *tags: str) -> list[LockState]:
        return self._floor.run(self.locks.look(tags))

    def swap(self, *swaps: Swap) -> list[bool]:
        return self._floor.run(self.locks.swap(swaps))

    def mark(self, nonce: str) -> bool:
        return self._floor.run(self.locks.mark(nonce))


@pytest.fixture
def locks(ledger: Database, ledger_url: str, any_redis: RedisServer, tmp_path: Path) -> Iterator[BlockingLocks]:
    with a_gated_floor(ledger_url, any_redis.url, tmp_path) as floor:
        yield BlockingLocks(floor)


def test_a_take_is_pending_until_it_is_made_held(locks: BlockingLocks, any_redis: RedisServer) -> None:
    assert locks.take(MINE) == (True, False, "")
    assert SAFETY_MS - 2_000 < any_redis.ttl_ms(TAG) <= SAFETY_MS
    assert locks.take(THEIRS) == (False, True, MINE)
    assert locks.call("hold", MINE) == 1
    assert any_redis.ttl_ms(TAG) == -1
    assert locks.take(THEIRS) == (False, False, MINE)
    assert abs(any_redis.index()[TAG] - time.time()) < 5


def test_another_value_holds_extends_and_releases_nothing(locks: BlockingLocks, any_redis: RedisServer) -> None:
    locks.take(MINE)
    any_redis.ask("PEXPIRE", KEY_PREFIX + TAG, 5_000)
    assert [locks.call(name, THEIRS) for name in ("hold", "extend", "release")] == [0, 0, 0]
    assert (any_redis.value(TAG), set(any_redis.index())) == (MINE, {TAG})
    assert 0 < any_redis.ttl_ms(TAG) <= 5_000


def test_nothing_is_made_of_a_lock_that_is_gone(locks: BlockingLocks, any_redis: RedisServer) -> None:
    assert [locks.call(name, MINE) for name in ("hold", "extend", "release")] == [0, 0, 0]
    assert any_redis.keys() == set()


def test_a_pending_lock_is_extended_and_a_held_one_gets_no_time_limit(
    locks: BlockingLocks, any_redis: RedisServer
) -> None:
    locks.take(MINE)
    any_redis.ask("PEXPIRE", KEY_PREFIX + TAG, 1_000)
    assert locks.call("extend", MINE) == 1
    assert any_redis.ttl_ms(TAG) > SAFETY_MS - 2_000
    locks.call("hold", MINE)
    assert locks.call("extend", MINE) == 0
    assert any_redis.ttl_ms(TAG) == -1


def test_a_release_takes_the_lock_and_its_place_in_the_index(locks: BlockingLocks, any_redis: RedisServer) -> None:
    locks.take(MINE)
    assert (locks.call("release", MINE), locks.call("release", MINE)) == (1, 0)
    assert any_redis.keys() == set()


def test_a_swap_changes_only_what_is_exactly_as_it_was_seen(locks: BlockingLocks, any_redis: RedisServer) -> None:
    for tag in ("A", "B", "C"):
        any_redis.put_lock(tag, THEIRS, score=1)
    done = locks.swap(
        Swap("A", MINE, None),
        Swap("B", None, MINE, 7),
        Swap("C", THEIRS, MINE, 7),
        Swap("D", None, MINE, 7),
        Swap("E", THEIRS, None),
    )
    assert done == [False, False, True, True, False]
    assert any_redis.locks() == {"A": THEIRS, "B": THEIRS, "C": MINE, "D": MINE}
    assert any_redis.index() == {"A": 1.0, "B": 1.0, "C": 7.0, "D": 7.0}


def test_a_swap_makes_a_pending_lock_held(locks: BlockingLocks, any_redis: RedisServer) -> None:
    locks.take(MINE)
    assert locks.swap(Swap(TAG, MINE, MINE, 7)) == [True]
    assert any_redis.ttl_ms(TAG) == -1


def test_a_look_bounds_how_long_a_lock_stays_pending(locks: BlockingLocks, any_redis: RedisServer) -> None:
    """The clock of Redis was ahead when the lock was taken, and is right again."""
    any_redis.put_lock(TAG, THEIRS, ttl_ms=9 * 3_600_000)
    (look,) = locks.look(TAG)
    assert (look.value, look.ttl_ms) == (THEIRS, SAFETY_MS)
    assert 0 < any_redis.ttl_ms(TAG) <= SAFETY_MS


def test_a_look_distinguishes_pending_held_and_absent(locks: BlockingLocks, any_redis: RedisServer) -> None:
    any_redis.put_lock("A", MINE)
    any_redis.put_lock("B", THEIRS, ttl_ms=5_000)
    held, pending, absent = locks.look("A", "B", "C")
    assert (held.value, held.pending) == (MINE, False)
    assert (pending.value, pending.pending) == (THEIRS, True)
    assert (absent.value, absent.pending) == (None, False)


def test_the_marker_is_set_only_by_the_rebuild_that_began_last(locks: BlockingLocks, any_redis: RedisServer) -> None:
    assert not locks.mark("mine")
    any_redis.ask("SET", NONCE, "theirs")
    assert not locks.mark("mine")
    assert not any_redis.marked()
    assert locks.mark("theirs")
    assert any_redis.marked()


@pytest.mark.parametrize(
    ("value", "owner", "legacy"), [(MINE, 1, False), (LEGACY, 3, True), ("nobody", None, False), ("", None, False)]
)
def test_a_lock_value_names_its_worker(value: str, owner: int | None, legacy: bool) -> None:
    assert (owner_of(value), is_legacy(value)) == (owner, legacy)
