"""The pipeline of scripts: many calls in one round trip, lost answers, and too few connections."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import uuid4

import pytest

from carrete.domain.commands import Pausar, Tomar
from carrete.domain.spool import Operacion
from carrete.gate.locks import Locks, Taken
from carrete.ledger.database import Database
from carrete.redis.pipeline import GATHERING_TURNS_MAX
from tests.integration.gate.conftest import SPOOLS, TAG
from tests.support.acting import bodies
from tests.support.builders import events_in
from tests.support.gated import GatedFloor, a_gated_floor, assert_at_rest
from tests.support.redis_proxy import RedisProxy
from tests.support.redis_server import RedisServer

FIFTY = SPOOLS[:50]


def recovered(floor: GatedFloor) -> None:
    """Does what the watcher does when it finds Redis working."""
    floor.gate.breaker.close()
    floor.rebuild()


class TestBatches:
    def test_fifty_locks_are_taken_in_one_round_trip_and_held_in_another(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        before = floor.gate.pipeline.round_trips
        answer = floor.do(*(Tomar(tag, 1, Operacion.ARM) for tag in FIFTY))
        assert floor.gate.pipeline.round_trips - before == 2
        assert all("code" not in body for body in bodies(answer))
        assert set(redis.locks()) == set(FIFTY)
        assert_at_rest(redis, ledger)

    def test_fifty_are_ended_in_one(self, floor: GatedFloor, redis: RedisServer, ledger: Database) -> None:
        floor.do(*(Tomar(tag, 1, Operacion.ARM) for tag in FIFTY))
        before = floor.gate.pipeline.round_trips
        floor.do(*(Pausar(tag, 1, Operacion.ARM) for tag in FIFTY))
        assert floor.gate.pipeline.round_trips - before == 1
        assert redis.locks() == {}

    def test_those_that_others_hold_stay_theirs(self, floor: GatedFloor, redis: RedisServer, ledger: Database) -> None:
        for tag in FIFTY[::5]:
            floor.take(tag, 2)
        answer = floor.do(*(Tomar(tag, 1, Operacion.ARM) for tag in FIFTY))
        results = zip(FIFTY, bodies(answer), strict=True)
        refused = {tag for tag, body in results if body.get("code") == "SPOOL_OCCUPIED"}
        assert refused == set(FIFTY[::5])
        assert {value.split(":")[0] for tag, value in redis.locks().items() if tag in refused} == {"2"}
        assert_at_rest(redis, ledger)

    def test_fifty_workers_at_once_share_round_trips(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        before = floor.gate.pipeline.round_trips

        async def everybody() -> list[str]:
            return await asyncio.gather(*(floor.take_now(tag, n + 1) for n, tag in enumerate(FIFTY)))

        assert set(floor.run(everybody())) == {"OK"}
        assert floor.gate.pipeline.round_trips - before <= 20
        assert_at_rest(redis, ledger)

    def test_takes_that_come_in_the_next_turns_leave_together(self, floor: GatedFloor) -> None:
        """As when fifty people tap at the same time: every turn of the event loop brings some more."""
        floor.take(TAG, 1)
        before = floor.gate.pipeline.round_trips
        floor.run(taken_in_turns(floor.gate.locks, FIFTY[1:9]))
        assert floor.gate.pipeline.round_trips - before == 1

    def test_no_take_waits_for_more_than_some_turns(self, floor: GatedFloor) -> None:
        floor.take(TAG, 1)
        before = floor.gate.pipeline.round_trips
        floor.run(taken_in_turns(floor.gate.locks, FIFTY[1:]))
        assert floor.gate.pipeline.round_trips - before >= len(FIFTY) // (2 * (GATHERING_TURNS_MAX + 1))

    def test_a_take_that_comes_alone_leaves_at_once(self, floor: GatedFloor) -> None:
        floor.take(TAG, 1)

        async def turns() -> int:
            before, count = floor.gate.pipeline.round_trips, 0
            taking = asyncio.ensure_future(floor.gate.locks.take(FIFTY[1], a_value()))
            while floor.gate.pipeline.round_trips == before:
                await asyncio.sleep(0)
                count += 1
            await taking
            return count

        assert floor.run(turns()) == 2  # the take itself, and then what it asked for


async def taken_in_turns(locks: Locks, tags: Sequence[str]) -> None:
    """Two takes in each turn of the event loop."""
    takes: list[asyncio.Future[Taken]] = []
    for first in range(0, len(tags), 2):
        takes += [asyncio.ensure_future(locks.take(tag, a_value())) for tag in tags[first : first + 2]]
        await asyncio.sleep(0)
    assert all(taken.ours for taken in await asyncio.gather(*takes))


def a_value() -> str:
    return f"1:{uuid4()}:01-03-2026 08:00:00"


class TestALostAnswer:
    def test_a_take_that_is_retried_is_one_occupation_and_no_conflict(
        self, proxied_floor: GatedFloor, proxy: RedisProxy, redis: RedisServer, ledger: Database
    ) -> None:
        floor = proxied_floor
        proxy.drop_answer("take")
        assert floor.take(TAG, 1, key="a tap") == "OK"
        assert floor.take(TAG, 1, key="a tap") == "OK"
        assert floor.take(TAG, 1, key="another tap") == "OK"
        assert floor.take(TAG, 2) == "SPOOL_OCCUPIED"
        assert len(events_in(ledger, TAG)) == 1
        recovered(floor)
        assert_at_rest(redis, ledger)

    def test_the_script_itself_may_be_repeated(self, floor: GatedFloor, redis: RedisServer) -> None:
        value = a_value()
        locks = floor.gate.locks
        assert [floor.run(locks.take(TAG, value)).ours for _ in range(3)] == [True] * 3
        assert [floor.run(held(locks, value)) for _ in range(3)] == [1] * 3
        assert redis.ttl_ms(TAG) == -1

    @pytest.mark.parametrize("fault", ["drop_answer", "swallow"])
    @pytest.mark.parametrize("script", ["take", "hold", "release"])
    def test_of_any_call_changes_no_answer_and_at_rest_the_locks_are_right(
        self,
        script: str,
        fault: str,
        proxied_floor: GatedFloor,
        proxy: RedisProxy,
        redis: RedisServer,
        ledger: Database,
    ) -> None:
        floor = proxied_floor
        trap = getattr(proxy, fault)(script)
        assert floor.take(TAG, 1) == "OK"
        assert floor.take(TAG, 2) == "SPOOL_OCCUPIED"
        assert floor.end(TAG, 1) == "OK"
        assert floor.take(TAG, 2) == "OK"
        assert trap.met.is_set()
        recovered(floor)
        for tag in redis.pending():  # locks of refused takes, which would expire after ten seconds
            redis.ask("PEXPIRE", f"spool_lock:{tag}", 1)
        floor.rest(0.02)
        floor.rebuild()
        assert_at_rest(redis, ledger)

    def test_a_refused_take_whose_answer_was_lost_blocks_nobody(
        self, proxied_floor: GatedFloor, proxy: RedisProxy, redis: RedisServer, ledger: Database
    ) -> None:
        proxy.drop_answer("take")
        assert proxied_floor.take(TAG, 404) == "WORKER_NO_ENCONTRADO"
        proxied_floor.gate.breaker.close()
        assert proxied_floor.take(TAG, 1) == "OK"


class TestAFullPool:
    @pytest.fixture
    def narrow(self, ledger: Database, ledger_url: str, proxy: RedisProxy, tmp_path: Path) -> Iterator[GatedFloor]:
        with a_gated_floor(ledger_url, proxy.url, tmp_path, connections=1) as floor:
            yield floor

    def test_one_connection_serves_fifty_workers(
        self, narrow: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        async def everybody() -> list[str]:
            return await asyncio.gather(*(narrow.take_now(tag, n + 1) for n, tag in enumerate(FIFTY)))

        assert set(narrow.run(everybody())) == {"OK"}
        assert not narrow.gate.breaker.is_open
        assert_at_rest(redis, ledger)

    def test_a_call_that_gets_no_connection_leaves_it_to_the_ledger_and_does_not_declare_redis_dead(
        self, narrow: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        async def somebody_keeps_the_only_connection() -> list[str]:
            pool = narrow.gate.pool
            only_one = await pool.get_connection()  # type: ignore[no-untyped-call]
            try:
                return await asyncio.gather(*(narrow.take_now(tag, n + 1) for n, tag in enumerate(FIFTY)))
            finally:
                await pool.release(only_one)

        assert set(narrow.run(somebody_keeps_the_only_connection())) == {"OK"}
        assert not narrow.gate.breaker.is_open
        assert narrow.gate.pipeline.pool_waits_lost > 0
        narrow.rebuild()
        assert_at_rest(redis, ledger)

    def test_a_call_that_got_its_connection_too_late_does_not_declare_redis_dead(
        self, narrow: GatedFloor, proxy: RedisProxy
    ) -> None:
        """Redis answers each call in 0.1 s. The second call waits 0.1 s for the connection and has 0.05 s left."""
        narrow.take("MK-9", 1)
        proxy.delay_s = 0.1

        async def two_after_each_other() -> list[str]:
            first = asyncio.create_task(narrow.take_now("MK-1", 1))
            await asyncio.sleep(0.01)
            return list(await asyncio.gather(first, narrow.take_now("MK-2", 2)))

        assert narrow.run(two_after_each_other()) == ["OK", "OK"]
        assert not narrow.gate.breaker.is_open


async def held(locks: Locks, value: str) -> int:
    return await locks.hold(TAG, value)
