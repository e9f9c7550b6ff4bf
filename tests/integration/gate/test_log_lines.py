"""The log of locks and conflicts: one line for each, at the right level."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import MutableMapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from structlog.testing import capture_logs

from carrete.api.problems import STATUS, response_to
from carrete.domain.commands import Pausar, Tomar
from carrete.domain.shop_time import lock_time
from carrete.domain.spool import Operacion
from carrete.gate.heal import LedgerLock
from carrete.ledger.database import Database
from carrete.ledger.errors import LedgerUnavailable
from carrete.services import CONFLICTS
from carrete.sheets.freeze.decisions import FreezeChanged
from tests.integration.gate.conftest import TAG
from tests.integration.gate.test_cleanup import a_value, entered, hours_ago
from tests.support.builders import a_spool, a_worker, held, put
from tests.support.gated import GatedFloor
from tests.support.redis_server import RedisServer

Line = MutableMapping[str, Any]


def lines(logged: Sequence[Line], *events: str) -> list[Line]:
    return [line for line in logged if line["event"] in events]


def test_a_lock_taken_and_a_lock_released_are_one_line_each(floor: GatedFloor) -> None:
    with capture_logs() as logged:
        assert floor.take("MK-1", 1) == "OK"
        assert floor.take("MK-1", 1) == "OK", "a double tap takes nothing"
        assert floor.end("MK-1", 1) == "OK"
    assert lines(logged, "lock taken", "lock released") == [
        {"event": "lock taken", "log_level": "info", "tag": "MK-1", "worker_id": 1},
        {"event": "lock released", "log_level": "info", "tag": "MK-1", "worker_id": 1},
    ]


def test_each_lock_of_a_batch_has_its_line(floor: GatedFloor) -> None:
    with capture_logs() as logged:
        floor.do(*(Tomar(f"MK-{n}", 1, Operacion.ARM) for n in (1, 2, 3)))
        floor.do(*(Pausar(f"MK-{n}", 1, Operacion.ARM) for n in (1, 2, 3)))
    events = [(line["event"], line["tag"]) for line in lines(logged, "lock taken", "lock released")]
    assert sorted(events) == sorted((f"lock {what}", f"MK-{n}") for what in ("taken", "released") for n in (1, 2, 3))


def test_a_conflict_is_one_line_with_who_wanted_what_and_takes_no_lock(floor: GatedFloor) -> None:
    floor.take("MK-1", 1)
    with capture_logs() as logged:
        assert floor.take("MK-1", 2) == "SPOOL_OCCUPIED"
        floor.do(Pausar("MK-1", 1, Operacion.ARM, version="old"))
    occupied, old = lines(logged, "conflict")
    assert occupied["log_level"] == old["log_level"] == "info"
    assert (occupied["code"], occupied["tag_spool"], occupied["worker_id"]) == ("SPOOL_OCCUPIED", "MK-1", 2)
    assert occupied["owner_id"] == 1
    assert (old["code"], old["expected"]) == ("VERSION_CONFLICT", "old")
    assert not lines(logged, "lock taken", "lock released")


def test_every_refusal_of_the_rules_with_409_is_a_conflict() -> None:
    of_the_rules = {
        kind for kind, status in STATUS.items() if status == 409 and kind.__module__ == "carrete.domain.refusals"
    }
    assert set(CONFLICTS) == of_the_rules


def test_a_409_that_no_rule_of_the_floor_decided_is_a_line_too() -> None:
    with capture_logs() as logged:
        response_to(FreezeChanged("La hoja está detenida por otra cosa."), "/api/sync/decision")
    (line,) = logged
    assert (line["event"], line["log_level"], line["code"]) == ("conflict", "info", "DETENCION_DISTINTA")


def test_a_lock_that_the_cleanup_removed_is_a_line_with_its_age(floor: GatedFloor, redis: RedisServer) -> None:
    taken = datetime.now(UTC) - timedelta(hours=30)
    value = f"7:{uuid4()}:{lock_time(taken, ZoneInfo('America/Santiago'))}"
    redis.put_lock("OLD", value, score=hours_ago(30))
    redis.put_lock("STRANGE", "7:no:lock", score=hours_ago(30))
    with capture_logs() as logged:
        floor.take("MK-1", 1)
        floor.take("MK-2", 1)
        floor.rest_until(lambda: floor.gate.cleaner.removed == 2, 2.0)
    removed = {line["tag"]: line for line in lines(logged, "old lock removed")}
    assert removed["OLD"]["age_h"] == pytest.approx(30, abs=0.1)
    assert (removed["OLD"]["log_level"], removed["OLD"]["worker_id"]) == ("info", 7)
    assert removed["STRANGE"]["age_h"] is None


@pytest.mark.parametrize("failure", [LedgerUnavailable("away"), RuntimeError("a mistake")])
def test_a_cleanup_that_fails_is_a_warning(floor: GatedFloor, redis: RedisServer, failure: Exception) -> None:
    redis.put_lock("OLD", a_value(), score=hours_ago(30))

    async def away(_: Sequence[str] | None) -> dict[str, LedgerLock]:
        raise failure

    with capture_logs() as logged:
        floor.run(entered(floor, away))
    (line,) = lines(logged, "old lock not cleaned up")
    assert (line["log_level"], line["tag"]) == ("warning", "OLD")


def test_the_line_of_a_rebuild_says_how_many_were_left_alone(
    floor: GatedFloor, redis: RedisServer, ledger: Database
) -> None:
    """Left alone: an occupation of more than a day without a lock, a two-part value, and a pending lock."""
    now, long_ago = datetime.now(UTC), datetime.now(UTC) - timedelta(hours=30)
    put(ledger, [held(a_spool("YOUNG"), a_worker(1), since=now, lock=a_value())])
    put(ledger, [held(a_spool("LONG"), a_worker(1), since=long_ago, lock=a_value())])
    put(ledger, [held(a_spool("LONG-WITH"), a_worker(1), since=long_ago, lock=(value := a_value()))])
    redis.put_lock("LONG-WITH", value)
    redis.put_lock("LEGACY", f"7:{uuid4()}")
    redis.put_lock(TAG, a_value(9), ttl_ms=60_000)
    with capture_logs() as logged:
        floor.rebuild()
    (line,) = lines(logged, "locks rebuilt from the ledger")
    assert (line["occupied"], line["skipped"]) == (3, 3)
    assert line["log_level"] == "info"


def test_a_line_costs_less_than_a_fiftieth_of_a_tap(tmp_path_factory: pytest.TempPathFactory) -> None:
    """1,400 taps a second are 714 µs each. Processor time is measured, and the best of several runs counts, because the
    machine may be busy."""
    program = """
import sys, time, structlog
from carrete import logs
logs.set_up(sys.argv[1])
log = structlog.get_logger()
def best():
    begun = time.process_time()
    for _ in range(1000):
        log.info("lock taken", tag="MK-1335-CW-25238-011", worker_id=93)
    return (time.process_time() - begun) * 1000
print(min(best() for _ in range(20)))
"""
    log = tmp_path_factory.mktemp("log") / "log"
    cost_us = {}
    for level in ("INFO", "WARNING"):
        with log.open("wb") as errors:
            command = [sys.executable, "-c", program, level]
            ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=errors, check=True, timeout=60)
        cost_us[level] = float(ended.stdout)
        assert (log.stat().st_size > 0) == (level == "INFO")
    print(f"one line: {cost_us} µs")
    assert cost_us["INFO"] <= 14
    assert cost_us["WARNING"] <= 2
