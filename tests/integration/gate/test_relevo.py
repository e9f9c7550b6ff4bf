"""A hand-over changes the lock from exactly the giver's value to the receiver's, in one round trip."""

from __future__ import annotations

from structlog.testing import capture_logs

from carrete.domain.commands import Aceptar, Ofrecer
from carrete.domain.spool import Operacion
from carrete.ledger.database import Database
from tests.integration.gate.conftest import TAG
from tests.support.acting import code
from tests.support.builders import events_in, spool_in
from tests.support.gated import GatedFloor, assert_at_rest
from tests.support.redis_server import RedisServer

ARM = Operacion.ARM


def offered(floor: GatedFloor, giver: int = 1, receiver: int = 2) -> None:
    assert floor.take(TAG, giver) == "OK"
    assert code(floor.do(Ofrecer(TAG, giver, ARM, receiver))) == "OK"


def test_the_lock_is_the_receivers_and_held(floor: GatedFloor, redis: RedisServer, ledger: Database) -> None:
    offered(floor)
    giver = redis.value(TAG)
    assert code(floor.do(Aceptar(TAG, 2, ARM))) == "OK"
    held = spool_in(ledger, TAG).occupation
    assert held is not None
    assert (redis.value(TAG), redis.ttl_ms(TAG), held.worker_id) == (held.lock, -1, 2)
    assert giver != held.lock
    assert_at_rest(redis, ledger)


def test_accepting_costs_one_round_trip_and_one_line(floor: GatedFloor) -> None:
    offered(floor)
    before = floor.gate.pipeline.round_trips
    with capture_logs() as logged:
        assert code(floor.do(Aceptar(TAG, 2, ARM))) == "OK"
    assert floor.gate.pipeline.round_trips - before == 1
    lines = [line for line in logged if line["event"] == "lock handed over"]
    assert [(line["tag"], line["giver_id"], line["worker_id"]) for line in lines] == [(TAG, 1, 2)]


def test_a_lock_that_is_not_the_givers_is_healed(floor: GatedFloor, redis: RedisServer, ledger: Database) -> None:
    offered(floor)
    redis.ask("FLUSHALL")
    assert code(floor.do(Aceptar(TAG, 2, ARM))) == "OK"
    held = spool_in(ledger, TAG).occupation
    assert held is not None
    assert redis.value(TAG) == held.lock


def test_a_lock_of_somebody_else_in_redis_does_not_refuse_a_hand_over(
    floor: GatedFloor, redis: RedisServer, ledger: Database
) -> None:
    offered(floor)
    redis.put_lock(TAG, "7:0f4a2c9e-7a51-4f0e-9d5e-3a1f8f6b2c77:01-11-2026 08:00:00")
    assert code(floor.do(Aceptar(TAG, 2, ARM))) == "OK"
    assert_at_rest(redis, ledger)


def test_a_refused_acceptance_leaves_the_givers_lock(floor: GatedFloor, redis: RedisServer, ledger: Database) -> None:
    offered(floor)
    giver = redis.value(TAG)
    assert code(floor.do(Aceptar(TAG, 3, ARM))) == "SPOOL_OCCUPIED"
    assert redis.value(TAG) == giver
    assert_at_rest(redis, ledger)


def test_without_redis_the_hand_over_is_the_same(floor: GatedFloor, redis: RedisServer, ledger: Database) -> None:
    offered(floor)
    redis.freeze()
    assert code(floor.do(Aceptar(TAG, 2, ARM))) == "OK"
    redis.thaw()
    assert [stored.event.tipo for stored in events_in(ledger, TAG)] == ["TOMAR_SPOOL", "RELEVO"]
