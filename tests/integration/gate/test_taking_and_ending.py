"""What a take and an end leave in Redis, and that no answer depends on it."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from carrete.domain.commands import Tomar
from carrete.domain.spool import Operacion
from carrete.gate.locks import Taken
from carrete.ledger.database import Database
from tests.integration.gate.conftest import STRANGER, TAG, fill
from tests.support.builders import events_in, spool_in
from tests.support.gated import GatedFloor, a_gated_floor, assert_at_rest
from tests.support.redis_server import RedisServer

VALUE = re.compile(
    r"^1:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}:\d\d-\d\d-\d{4} \d\d:\d\d:\d\d$"
)
OLD_VALUE = "7:0f4a2c9e-7a51-4f0e-9d5e-3a1f8f6b2c77"


def test_a_spool_is_taken_ended_and_taken_by_another(
    database: Database, database_url: str, any_redis: RedisServer, tmp_path: Path
) -> None:
    fill(database)
    with a_gated_floor(database_url, any_redis.url, tmp_path) as floor:
        assert floor.take(TAG, 1) == "OK"
        first = any_redis.value(TAG)
        assert_at_rest(any_redis, database)
        assert floor.take(TAG, 2) == "SPOOL_OCCUPIED"
        assert floor.end(TAG, 2) == "NO_AUTORIZADO"
        assert any_redis.value(TAG) == first
        assert floor.end(TAG, 1) == "OK"
        assert any_redis.locks() == {}
        assert any_redis.index() == {}
        assert floor.take(TAG, 2) == "OK"
        assert (any_redis.value(TAG) or "").startswith("2:")
        assert_at_rest(any_redis, database)
    assert len(events_in(database, TAG)) == 3


def test_a_held_lock_has_no_time_limit_and_says_who_and_since_when(floor: GatedFloor, redis: RedisServer) -> None:
    started_at = int(time.time())
    assert floor.take(TAG, 1) == "OK"
    occupation = spool_in(floor.services.database, TAG).occupation
    value = redis.value(TAG)
    assert occupation is not None
    assert value is not None
    assert VALUE.match(value), value
    assert value == occupation.lock
    assert value.split(":", 2)[2] == occupation.since.astimezone(floor.services.shop.zone).strftime("%d-%m-%Y %H:%M:%S")
    assert redis.ttl_ms(TAG) == -1
    assert started_at <= redis.index()[TAG] <= time.time()


def test_a_take_and_its_end_cost_three_round_trips(floor: GatedFloor) -> None:
    before = floor.gate.pipeline.round_trips
    assert (floor.take(TAG, 1), floor.end(TAG, 1)) == ("OK", "OK")
    assert floor.gate.pipeline.round_trips - before == 3


def test_a_refusal_that_names_the_holder_costs_one_round_trip(floor: GatedFloor) -> None:
    floor.take(TAG, 1)
    before = floor.gate.pipeline.round_trips
    assert floor.take(TAG, 2) == "SPOOL_OCCUPIED"
    assert floor.gate.pipeline.round_trips - before == 1


@pytest.mark.parametrize(
    ("tag", "worker", "refused"),
    [("NO-HAY", 1, "SPOOL_NO_ENCONTRADO"), (TAG, STRANGER, "WORKER_NO_ENCONTRADO")],
)
def test_a_refused_take_leaves_nothing_in_redis(
    floor: GatedFloor, redis: RedisServer, tag: str, worker: int, refused: str
) -> None:
    assert floor.take(tag, worker) == refused
    assert redis.keys() == set()


def test_a_second_tap_of_the_holder_changes_nothing(floor: GatedFloor, redis: RedisServer, ledger: Database) -> None:
    floor.take(TAG, 1)
    value = redis.value(TAG)
    assert floor.take(TAG, 1) == "OK"
    assert (redis.value(TAG), redis.ttl_ms(TAG)) == (value, -1)
    assert len(events_in(ledger, TAG)) == 1


def test_a_second_tap_whose_lock_was_lost_puts_the_first_lock_back(floor: GatedFloor, redis: RedisServer) -> None:
    floor.take(TAG, 1)
    value = redis.value(TAG)
    redis.ask("FLUSHALL")
    assert floor.take(TAG, 1) == "OK"
    assert (redis.value(TAG), redis.ttl_ms(TAG)) == (value, -1)


def test_a_repeated_key_leaves_the_lock_as_it_is_now(floor: GatedFloor, redis: RedisServer, ledger: Database) -> None:
    """The tablet repeats its take after the spool was ended: it gets the old answer and holds nothing."""
    assert floor.take(TAG, 1, key="a tap") == "OK"
    floor.end(TAG, 1)
    assert floor.take(TAG, 1, key="a tap") == "OK"
    assert redis.locks() == {}
    floor.take(TAG, 2)
    assert floor.take(TAG, 1, key="a tap") == "OK"
    assert_at_rest(redis, ledger)


class TestRedisEmptied:
    def test_a_second_taker_is_refused_and_the_holders_lock_is_back(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        floor.take(TAG, 1)
        value = redis.value(TAG)
        redis.ask("FLUSHALL")
        assert floor.take(TAG, 2) == "SPOOL_OCCUPIED"
        assert redis.value(TAG) == value
        assert_at_rest(redis, ledger)

    def test_the_holder_can_end(self, floor: GatedFloor, redis: RedisServer, ledger: Database) -> None:
        floor.take(TAG, 1)
        redis.ask("FLUSHALL")
        assert floor.end(TAG, 1) == "OK"
        assert redis.locks() == {}
        assert floor.take(TAG, 2) == "OK"
        assert_at_rest(redis, ledger)

    def test_somebody_elses_end_puts_the_lock_back(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        floor.take(TAG, 1)
        redis.ask("FLUSHALL")
        assert floor.end(TAG, 2) == "NO_AUTORIZADO"
        assert_at_rest(redis, ledger)

    def test_scripts_forgotten_by_redis_are_learned_again(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        redis.ask("SCRIPT", "FLUSH")
        assert floor.take(TAG, 1) == "OK"
        assert_at_rest(redis, ledger)
        assert not floor.gate.breaker.is_open


class TestTheOldTwoPartValue:
    def test_a_take_on_a_free_spool_replaces_it(self, floor: GatedFloor, redis: RedisServer, ledger: Database) -> None:
        redis.put_lock(TAG, OLD_VALUE)
        assert floor.take(TAG, 1) == "OK"
        assert_at_rest(redis, ledger)

    def test_a_refused_take_or_end_on_a_free_spool_leaves_it_alone(self, floor: GatedFloor, redis: RedisServer) -> None:
        redis.put_lock(TAG, OLD_VALUE)
        assert floor.take(TAG, STRANGER) == "WORKER_NO_ENCONTRADO"
        assert floor.end(TAG, 1) == "OPERACION_NO_INICIADA"
        assert redis.value(TAG) == OLD_VALUE

    def test_its_worker_is_found(self, floor: GatedFloor, redis: RedisServer) -> None:
        redis.put_lock(TAG, OLD_VALUE)
        assert floor.run(floor.gate.locks.owner(TAG)) == 7

    def test_the_cleanup_and_a_rebuild_leave_it_alone(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        redis.put_lock(TAG, OLD_VALUE, score=1)
        redis.put_lock("NO-HAY", OLD_VALUE)
        floor.take("MK-2", 1)
        floor.rest(0.1)
        floor.rebuild()
        assert (redis.value(TAG), redis.value("NO-HAY")) == (OLD_VALUE, OLD_VALUE)

    def test_it_is_put_right_when_the_holder_of_the_ledger_taps(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database
    ) -> None:
        floor.take(TAG, 1)
        redis.put_lock(TAG, OLD_VALUE)
        assert floor.take(TAG, 2) == "SPOOL_OCCUPIED"
        assert_at_rest(redis, ledger)


def test_a_leftover_of_a_crash_on_a_free_spool_is_taken_over_at_once(
    floor: GatedFloor, redis: RedisServer, ledger: Database
) -> None:
    redis.put_lock(TAG, f"{OLD_VALUE}:01-03-2026 08:00:00", score=time.time())
    started_at = time.monotonic()
    assert floor.take(TAG, 1) == "OK"
    assert time.monotonic() - started_at < 0.5
    assert_at_rest(redis, ledger)


@pytest.mark.parametrize("worker", [1, 2], ids=["his own second tap", "somebody else's tap"])
def test_a_lock_left_pending_by_a_holder_who_was_killed_is_held_from_the_next_touch_on(
    worker: int, floor: GatedFloor, redis: RedisServer, ledger: Database
) -> None:
    floor.take(TAG, 1)
    redis.ask("PEXPIRE", f"spool_lock:{TAG}", 10_000)
    floor.take(TAG, worker)
    assert_at_rest(redis, ledger)


def test_somebody_who_is_still_committing_is_waited_for_a_moment_and_then_the_ledger_decides(
    floor: GatedFloor, redis: RedisServer
) -> None:
    redis.put_lock(TAG, f"{OLD_VALUE}:01-03-2026 08:00:00", ttl_ms=10_000, score=time.time())
    started_at = time.monotonic()
    assert floor.take(TAG, 1) == "OK"
    assert 0.1 < time.monotonic() - started_at < 1.0
    assert (redis.value(TAG) or "").startswith("7:"), "a pending lock of somebody else is left to its time limit"
    redis.ask("PEXPIRE", f"spool_lock:{TAG}", 1)
    time.sleep(0.01)
    assert floor.take(TAG, 2) == "SPOOL_OCCUPIED"
    assert (redis.value(TAG) or "").startswith("1:")


def test_a_wait_for_one_spool_of_a_batch_that_fails_does_not_fail_the_batch(
    floor: GatedFloor, redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = floor.gate.locks.take

    async def unreadable_for_the_first(tag: str, value: str) -> Taken:
        if tag == "MK-1":
            raise ValueError("an answer that cannot be read")
        return await take(tag, value)

    for tag in ("MK-1", "MK-2"):
        redis.put_lock(tag, f"{OLD_VALUE}:01-03-2026 08:00:00", ttl_ms=10_000, score=time.time())
    monkeypatch.setattr(floor.gate.locks, "take", unreadable_for_the_first)
    with capture_logs() as logged:
        answer = floor.do(*(Tomar(tag, 1, Operacion.ARM) for tag in ("MK-1", "MK-2", "MK-3")))
    assert answer.status == 200
    assert set(floor.holders()) == {"MK-1", "MK-2", "MK-3"}
    assert [line["tag"] for line in logged if line["log_level"] == "error"] == ["MK-1"]


def test_of_thirty_at_once_one_has_it_and_one_lock_is_there(
    floor: GatedFloor, redis: RedisServer, ledger: Database
) -> None:
    answers = floor.all_take(TAG, range(1, 31))
    assert sorted(answers) == ["OK"] + ["SPOOL_OCCUPIED"] * 29
    assert_at_rest(redis, ledger)


def test_whatever_changes_a_lock_pokes_the_live_streams(floor: GatedFloor, redis: RedisServer) -> None:
    pubsub = redis.listener()
    pubsub.subscribe("carrete:events")
    assert pubsub.get_message(timeout=2)["type"] == "subscribe"
    floor.take(TAG, 1)
    floor.end(TAG, 1)
    poked = []
    while message := pubsub.get_message(timeout=0.2):
        poked.append(message["data"])
    pubsub.close()
    assert set(poked) == {TAG}
    assert len(poked) >= 2
