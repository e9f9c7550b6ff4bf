"""What a chain leaves in Redis: the lock of the holder after its last step, and nothing of a refused chain."""

from __future__ import annotations

import pytest

from carrete.domain.commands import Cancelar, Chain, Completar, Pausar, Step, Tomar, Work
from carrete.domain.spool import Operacion
from tests.integration.gate.conftest import TAG
from tests.support.acting import code
from tests.support.builders import events_in, spool_in
from tests.support.gated import GatedFloor, assert_at_rest
from tests.support.redis_server import RedisServer

ARM = Operacion.ARM


def chain(worker: int, *steps: type[Work]) -> Chain:
    return Chain(TAG, worker, tuple(Step(step(TAG, worker, ARM)) for step in steps))


def locked_for(floor: GatedFloor, redis: RedisServer) -> int | None:
    assert_at_rest(redis, floor.services.database)
    held = spool_in(floor.services.database, TAG).occupation
    assert redis.value(TAG) == (held.lock if held else None)
    return held.worker_id if held else None


@pytest.mark.parametrize(
    ("steps", "holder"),
    [
        ((Tomar,), 1),
        ((Tomar, Pausar), None),
        ((Tomar, Cancelar, Tomar), 1),
        ((Tomar, Tomar, Completar), None),
    ],
)
def test_of_a_free_spool(
    floor: GatedFloor, redis: RedisServer, steps: tuple[type[Work], ...], holder: int | None
) -> None:
    assert code(floor.do(chain(1, *steps))) == "OK"
    assert locked_for(floor, redis) == holder


@pytest.mark.parametrize(
    ("steps", "holder"), [((Pausar,), None), ((Pausar, Tomar), 1), ((Tomar, Completar), None), ((Tomar,), 1)]
)
def test_of_a_spool_that_the_worker_holds(
    floor: GatedFloor, redis: RedisServer, steps: tuple[type[Work], ...], holder: int | None
) -> None:
    floor.take(TAG, 1)
    assert code(floor.do(chain(1, *steps))) == "OK"
    assert locked_for(floor, redis) == holder


@pytest.mark.parametrize("steps", [(Tomar, Completar), (Completar,), (Tomar,)])
def test_a_refused_chain_leaves_the_holders_lock(
    floor: GatedFloor, redis: RedisServer, steps: tuple[type[Work], ...]
) -> None:
    floor.take(TAG, 2)
    assert code(floor.do(chain(1, *steps))) != "OK"
    assert locked_for(floor, redis) == 2


def test_a_chain_that_is_refused_after_its_take_leaves_no_lock(floor: GatedFloor, redis: RedisServer) -> None:
    assert code(floor.do(chain(1, Tomar, Pausar, Completar))) == "OPERACION_NO_INICIADA"
    assert locked_for(floor, redis) is None
    assert events_in(floor.services.database, TAG) == []


def test_redis_emptied_before_a_chain_changes_no_answer(floor: GatedFloor, redis: RedisServer) -> None:
    floor.take(TAG, 1)
    redis.ask("FLUSHALL")
    assert code(floor.do(chain(1, Pausar, Tomar))) == "OK"
    assert locked_for(floor, redis) == 1


def test_a_leftover_lock_does_not_refuse_a_chain(floor: GatedFloor, redis: RedisServer) -> None:
    redis.put_lock(TAG, "7:0f4a2c9e-7a51-4f0e-9d5e-3a1f8f6b2c77:01-11-2026 08:00:00")
    assert code(floor.do(chain(1, Tomar))) == "OK"
    assert locked_for(floor, redis) == 1


def test_a_chain_that_takes_and_ends_costs_three_round_trips(floor: GatedFloor) -> None:
    before = floor.gate.pipeline.round_trips
    assert code(floor.do(chain(1, Tomar, Pausar, Tomar, Completar))) == "OK"
    assert floor.gate.pipeline.round_trips - before == 3, "take, release, and the poke of a lock that is as it was"
