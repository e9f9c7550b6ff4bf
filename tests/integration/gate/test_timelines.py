"""Events in an unlucky order: old files that come back, rebuilds that meet takers, Redis emptied in the middle."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

from carrete.actions import Outcome, Performer
from carrete.domain.commands import Tomar
from carrete.domain.refusals import VersionConflict
from carrete.domain.spool import Operacion
from carrete.gate.heal import Healer
from carrete.gate.locks import KEY_PREFIX, NONCE, Locks
from carrete.gate.reconcile import Reconciler
from carrete.gate.redis_gate import RedisGate
from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import RaceLost
from carrete.ledger.store import spools_to_change
from carrete.ledger.writer import RACES_MAX
from tests.integration.gate.conftest import TAG, fill
from tests.support.acting import a_request, code
from tests.support.builders import SHOP, a_spool, a_worker, held, put, spool_in
from tests.support.gated import (
    GatedFloor,
    InterruptedLedger,
    a_gated_floor,
    assert_at_rest,
    is_at_rest,
    occupations,
    until,
)
from tests.support.redis_server import RedisServer


def a_value(worker: int = 1) -> str:
    return f"{worker}:{uuid4()}:01-03-2026 08:00:00"


class Deletions:
    """The deletions of the lock of TAG since `begin`, as Redis reports them."""

    def __init__(self, redis: RedisServer) -> None:
        redis.ask("CONFIG", "SET", "notify-keyspace-events", "Kgx")
        self._watch = redis.listener()

    def begin(self) -> None:
        self._watch.subscribe(f"__keyspace@0__:{KEY_PREFIX}{TAG}")
        assert self._watch.get_message(timeout=1)["type"] == "subscribe"

    def any(self) -> bool:
        return self._watch.get_message(timeout=0.1) is not None

    def close(self) -> None:
        self._watch.close()


@contextmanager
def deletions(redis: RedisServer) -> Iterator[Deletions]:
    watch = Deletions(redis)
    try:
        yield watch
    finally:
        watch.close()


class TestAnOldFileComesBack:
    """Worker 1 took and ended, worker 2 took; then Redis has the lock of worker 1 again."""

    def before(self, floor: GatedFloor, redis: RedisServer) -> str:
        floor.take(TAG, 1)
        stale = redis.value(TAG)
        assert stale is not None
        floor.end(TAG, 1)
        floor.take(TAG, 2)
        redis.put_lock(TAG, stale)
        return stale

    def test_the_holder_ends_and_the_old_lock_goes_too(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        self.before(floor, redis)
        assert floor.end(TAG, 2) == "OK"
        assert_at_rest(redis, ledger)

    def test_the_earlier_holder_is_told_who_holds_it_now(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        self.before(floor, redis)
        assert floor.take(TAG, 1) == "SPOOL_OCCUPIED"
        assert_at_rest(redis, ledger)

    def test_an_old_end_of_the_earlier_holder_does_nothing(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        self.before(floor, redis)
        assert floor.end(TAG, 1) == "NO_AUTORIZADO"
        assert_at_rest(redis, ledger)

    def test_the_holders_second_tap_puts_it_right(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        self.before(floor, redis)
        assert floor.take(TAG, 2) == "OK"
        assert_at_rest(redis, ledger)

    def test_a_rebuild_puts_it_right(self, floor: GatedFloor, redis: RedisServer, ledger: Database) -> None:
        self.before(floor, redis)
        floor.rebuild()
        assert_at_rest(redis, ledger)

    def test_a_restarted_redis_is_noticed_and_put_right(
        self, live_floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        """The new Redis has the marker, the stale lock and a leftover: only its run id shows that it is another one."""
        live_floor.take(TAG, 1)
        live_floor.take("MK-2", 1)
        redis.ask("CONFIG", "SET", "appendonly", "no")
        redis.ask("SAVE")
        live_floor.end(TAG, 1)
        live_floor.take(TAG, 2)
        live_floor.end("MK-2", 1)
        redis.kill()
        redis.start()
        assert redis.marked()
        assert redis.locks() != occupations(ledger), "the old file came back"
        live_floor.rest_until(lambda: is_at_rest(redis, ledger), 5.0)


class TestARebuild:
    def test_makes_what_is_missing_and_removes_what_is_left_over(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        for n in range(1, 6):
            floor.take(f"MK-{n}", n)
        redis.ask("DEL", *(KEY_PREFIX + tag for tag in ("MK-1", "MK-2")))
        redis.ask("DEL", "spool_locks")
        redis.put_lock("MK-50", a_value())
        redis.put_lock("NO-HAY", a_value())
        floor.rebuild()
        assert_at_rest(redis, ledger)
        assert redis.marked()
        assert not redis.ask("EXISTS", NONCE)

    def test_leaves_somebodys_pending_lock_to_its_time_limit(self, floor: GatedFloor, redis: RedisServer) -> None:
        redis.put_lock(TAG, a_value(), ttl_ms=10_000)
        floor.rebuild()
        assert 0 < redis.ttl_ms(TAG) <= 10_000

    def test_bounds_a_pending_lock_that_a_clock_set_wrong_would_keep_for_hours(
        self, floor: GatedFloor, redis: RedisServer
    ) -> None:
        redis.put_lock(TAG, a_value(), ttl_ms=9 * 3_600_000)
        floor.rebuild()
        assert 0 < redis.ttl_ms(TAG) <= 10_000

    def test_makes_the_ledgers_own_pending_lock_held(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        floor.take(TAG, 1)
        redis.ask("PEXPIRE", KEY_PREFIX + TAG, 10_000)
        floor.rebuild()
        assert_at_rest(redis, ledger)

    def test_keeps_the_lock_of_a_worker_who_became_inactive(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        floor.take(TAG, 1)
        with ledger.writing() as tx:
            tx.run("worker_upsert", id=1, nombre="Ana", apellido="Muñoz", activo=0)
        redis.ask("FLUSHALL")
        floor.rebuild()
        assert_at_rest(redis, ledger)

    def test_skips_occupations_older_than_a_day_until_they_are_touched(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        long_ago = datetime.now(UTC) - timedelta(hours=30)
        put(ledger, [held(a_spool("LONG"), a_worker(1), since=long_ago)])
        floor.rebuild()
        assert redis.value("LONG") is None
        assert floor.take("LONG", 2) == "SPOOL_OCCUPIED"
        holder = spool_in(ledger, "LONG").occupation
        assert holder is not None
        assert redis.value("LONG") == holder.lock

    def test_of_several_thousand_is_whole(self, floor: GatedFloor, redis: RedisServer, ledger: Database) -> None:
        """More locks than one script handles are made and removed in the same pass."""
        now = datetime.now(UTC)
        put(ledger, [held(a_spool(f"MANY-{n}"), a_worker(1), since=now) for n in range(2500)])
        for n in range(50):
            redis.put_lock(f"LEFT-{n}", a_value())
        started_at = time.monotonic()
        floor.rebuild()
        assert time.monotonic() - started_at < 3.0
        assert_at_rest(redis, ledger)
        assert len(redis.locks()) == 2500

    def test_that_meets_a_spool_taken_meanwhile_never_deletes_its_lock(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        """The pass reads in the ledger that the spool is free; then it is taken: its lock is no leftover."""
        with deletions(redis) as deleted:

            async def somebody_takes_it() -> None:
                assert await floor.take_now(TAG, 2) == "OK"
                deleted.begin()

            self.rebuild_with(floor, InterruptedLedger(floor.services, then=somebody_takes_it))
            assert_at_rest(redis, ledger)
            assert not deleted.any(), "for a moment nobody could see who holds the spool"

    def test_that_meets_a_spool_ended_meanwhile_leaves_no_lock_behind(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        """The pass reads in the ledger that the spool is occupied; then it is ended: the lock must not come back."""
        floor.take(TAG, 1)

        async def holder_ends() -> None:
            assert await floor.end_now(TAG, 1) == "OK"

        self.rebuild_with(floor, InterruptedLedger(floor.services, then=holder_ends))
        assert_at_rest(redis, ledger)
        assert redis.locks() == {}

    def test_in_whose_middle_redis_is_emptied_begins_again(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        for n in range(1, 6):
            floor.take(f"MK-{n}", n)

        async def emptied() -> None:
            redis.ask("FLUSHALL")

        for nth in (1, 2):
            self.rebuild_with(floor, InterruptedLedger(floor.services, then=emptied, nth=nth))
            assert_at_rest(redis, ledger)
            assert redis.marked()

    def rebuild_with(self, floor: GatedFloor, ledger: InterruptedLedger) -> None:
        services = floor.gate
        floor.run(Reconciler(services.background, services.locks, ledger, Healer(services.locks, ledger)).rebuild())


class TestHealing:
    def test_a_spool_taken_between_the_look_and_the_repair_keeps_its_lock(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        """The healer reads a leftover lock and a free spool; before it deletes the lock, the spool is taken."""
        redis.put_lock(TAG, a_value())
        with deletions(redis) as deleted:

            async def somebody_takes_it() -> None:
                assert await floor.take_now(TAG, 2) == "OK"
                deleted.begin()

            healer = Healer(floor.gate.locks, InterruptedLedger(floor.services, then=somebody_takes_it))
            floor.run(healer.heal(TAG))
            assert_at_rest(redis, ledger)
            assert not deleted.any(), "nothing live is ever deleted"

    def test_a_spool_ended_between_the_look_and_the_repair_gets_no_lock(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        floor.take(TAG, 1)
        redis.ask("FLUSHALL")

        async def holder_ends() -> None:
            assert await floor.end_now(TAG, 1) == "OK"

        healer = Healer(floor.gate.locks, InterruptedLedger(floor.services, then=holder_ends))
        floor.run(healer.heal(TAG))
        assert redis.locks() == {}

    def test_twenty_spools_change_hands_while_their_locks_are_lost_all_the_time(
        self, live_floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        """With FLUSHALL at any moment every holder can end, and in the end the locks equal the ledger."""

        async def works(n: int) -> None:
            for turn in range(12):
                assert await live_floor.take_now(f"MK-{n}", n) == "OK"
                assert await live_floor.take_now(f"MK-{n}", n + 20) == "SPOOL_OCCUPIED"
                if turn < 11:
                    assert await live_floor.end_now(f"MK-{n}", n) == "OK"

        async def empties(working: asyncio.Task[list[None]]) -> None:
            while not working.done():
                await asyncio.to_thread(redis.ask, "FLUSHALL")
                await asyncio.sleep(0.005)

        async def everybody() -> list[None]:
            return await asyncio.gather(*(works(n) for n in range(1, 21)))

        async def day() -> None:
            working = asyncio.create_task(everybody())
            await empties(working)
            await working

        live_floor.run(day())
        live_floor.rest_until(lambda: is_at_rest(redis, ledger), 10.0)
        assert len(redis.locks()) == 20


class TestASlowCommit:
    """The ledger is busy for several times the life of a pending lock."""

    SAFETY_MS = 600
    EXTEND_EVERY_S = 0.2
    LOOKS = 30

    def performer(self, floor: GatedFloor, database: Database | None = None) -> Performer:
        services = floor.gate
        locks = Locks(services.pipeline, safety_ms=self.SAFETY_MS)
        gate = RedisGate(locks, services.breaker, services.healer, services.cleaner, on_mismatch=lambda: None)
        return Performer(database or floor.services.database, gate, SHOP, extend_every_s=self.EXTEND_EVERY_S)

    async def slowly(
        self, floor: GatedFloor, ledger: Database, redis: RedisServer, meanwhile: Callable[[], Awaitable[None]]
    ) -> str:
        """Worker 1 takes TAG, whose row in the ledger stays locked until `meanwhile` is over."""
        performer = self.performer(floor)
        try:
            with ledger.writing() as tx:
                spools_to_change(tx, [TAG])
                taking = asyncio.create_task(performer.perform(a_request(Tomar(TAG, 1, Operacion.ARM))))
                await until(lambda: TAG in redis.pending(), 3.0)
                await meanwhile()
            return code(await taking)
        finally:
            performer.stop()

    def test_keeps_its_pending_lock_until_it_is_done_and_nobody_elses_is_lost(
        self, database: Database, database_url: str, redis: RedisServer, tmp_path: Path
    ) -> None:
        fill(database)
        with a_gated_floor(database_url, redis.url, tmp_path) as floor:
            floor.take("MK-2", 2)
            values: set[str | None] = set()

            async def looks() -> None:
                for _ in range(self.LOOKS):
                    await asyncio.sleep(3 * self.SAFETY_MS / 1000 / self.LOOKS)
                    values.add(redis.value(TAG))
                    assert redis.pending() == {TAG}, "its lock ran out while it was committing"

            assert floor.run(self.slowly(floor, database, redis, looks)) == "OK"
            assert values == {redis.value(TAG)}
            assert_at_rest(redis, database)
            assert set(redis.locks()) == {TAG, "MK-2"}

    def test_whose_lock_was_lost_keeps_no_other_takers_lock_in_its_place(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        async def somebody_else_is_there() -> None:
            redis.put_lock(TAG, a_value(9), ttl_ms=self.SAFETY_MS)
            await until(lambda: redis.value(TAG) is None, 3 * self.SAFETY_MS / 1000)

        assert floor.run(self.slowly(floor, ledger, redis, somebody_else_is_there)) == "OK"
        assert_at_rest(redis, ledger)

    def test_keeps_the_locks_of_all_who_wait_also_when_others_are_done_and_the_next_time(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        """The first take has its own commit; those that come meanwhile share the next."""
        slow = cast(Database, SlowLedger(floor.services.database, 1.5 * self.SAFETY_MS / 1000))
        performer = self.performer(floor, slow)

        async def taken(*tags: str) -> None:
            takes = {}
            for tag in tags:
                takes[tag] = asyncio.create_task(performer.perform(a_request(Tomar(tag, 1, Operacion.ARM))))
                await until(lambda: takes.keys() <= redis.locks().keys(), 3.0)
            while waiting := {tag for tag, take in takes.items() if not take.done()}:
                assert waiting <= redis.locks().keys(), "a lock ran out while its taker was waiting"
                await asyncio.sleep(0.02)
            assert [code(take.result()) for take in takes.values()] == ["OK"] * len(tags)

        try:
            floor.run(taken("MK-1", "MK-2", "MK-3"))
            floor.run(taken("MK-4"))
        finally:
            performer.stop()
        assert_at_rest(redis, ledger)


class SlowLedger:
    """The real ledger, with slow commits."""

    def __init__(self, real: Database, commit_s: float) -> None:
        self._real = real
        self._commit_s = commit_s

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    @contextmanager
    def writing(self) -> Iterator[Tx]:
        time.sleep(self._commit_s)
        with self._real.writing() as tx:
            yield tx


class ContendedLedger:
    """The real ledger, on which each commit loses its race, so many times."""

    def __init__(self, real: Database, races: int) -> None:
        self._real = real
        self._races = races

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    @contextmanager
    def writing(self) -> Iterator[Tx]:
        with self._real.writing() as tx:
            yield tx
            self._races -= 1
            if self._races >= 0:
                raise RaceLost("somebody was faster")


def test_a_take_that_lost_its_race_for_good_leaves_no_lock(
    floor: GatedFloor, redis: RedisServer, ledger: Database
) -> None:
    contended = cast(Database, ContendedLedger(floor.services.database, RACES_MAX + 1))
    counted: list[Outcome] = []
    performer = Performer(contended, floor.gate.gate, SHOP, on_outcomes=lambda _, outcomes: counted.extend(outcomes))
    try:
        assert code(floor.run(performer.perform(a_request(Tomar(TAG, 1, Operacion.ARM))))) == "VERSION_CONFLICT"
    finally:
        performer.stop()
    assert [type(outcome) for outcome in counted] == [VersionConflict], "it is counted and logged like any other"
    assert redis.locks() == {}
    assert_at_rest(redis, ledger)


class TestTheWatch:
    def test_redis_emptied_at_rest_has_every_lock_again_within_ten_seconds(
        self, live_floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        for n in range(1, 6):
            live_floor.take(f"MK-{n}", n)
        redis.ask("FLUSHALL")
        took = live_floor.rest_until(lambda: redis.marked() and is_at_rest(redis, ledger), 10.0)
        assert took < 5.0, "Redis is checked every two seconds"

    def test_a_pending_lock_of_a_killed_taker_is_looked_at_again_when_its_time_is_up(
        self, live_floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        """Worker 1 takes the spool in spite of an abandoned pending lock; once that expires, the lock is worker 1's."""
        redis.put_lock(TAG, a_value(9), ttl_ms=1_500, score=time.time())
        assert live_floor.take(TAG, 1) == "OK"
        live_floor.rest_until(lambda: is_at_rest(redis, ledger), 5.0)

    def test_a_rebuild_that_is_asked_for_during_another_one_is_made_after_it(self, live_floor: GatedFloor) -> None:
        """Occupations that the first read of the sheet brings may be too late for the rebuild that is under way."""
        gate = live_floor.gate
        rebuild = gate.reconciler.rebuild

        async def asked_for_meanwhile() -> None:
            gate.reconciler.rebuild = rebuild  # type: ignore[method-assign]
            gate.watcher.rebuild_soon()
            await rebuild()

        gate.reconciler.rebuild = asked_for_meanwhile  # type: ignore[method-assign]
        passes = gate.reconciler.passes
        gate.watcher.rebuild_soon()
        live_floor.rest_until(lambda: gate.reconciler.passes == passes + 2, 5.0)

    def test_a_server_that_is_stopped_when_something_was_just_noticed_stops(self, live_floor: GatedFloor) -> None:
        async def noticed_and_stopped() -> None:
            live_floor.gate.watcher.check_soon()
            async with asyncio.timeout(3):
                await live_floor.gate.stop()

        live_floor.run(noticed_and_stopped())
