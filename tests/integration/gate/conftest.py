"""A small shop with a gate: an empty ledger, a Redis, and one process that uses both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from carrete.domain.workers import Rol
from carrete.ledger import open_database
from carrete.ledger.database import Database
from tests.conftest import migrated
from tests.support.builders import a_spool, a_worker, put
from tests.support.gated import GatedFloor, a_gated_floor
from tests.support.redis_proxy import RedisProxy, running_proxy
from tests.support.redis_server import RedisServer, binaries, running_redis

TAG = "MK-1"
SPOOLS = [f"MK-{n}" for n in range(1, 61)]
WORKERS = range(1, 51)
STRANGER = 404
PATIENT_CALL_S_MAX = 1.5  # ten times the shop's: on a busy machine a slow Redis must not count as a dead one


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    with running_redis() as server:
        yield server


@pytest.fixture(params=binaries())
def any_redis(request: pytest.FixtureRequest) -> Iterator[RedisServer]:
    """Runs the test on the Redis of this machine and on the Valkey that is installed with the product."""
    with running_redis(binary=binaries()[request.param]) as server:
        yield server


@pytest.fixture
def proxy(redis: RedisServer) -> Iterator[RedisProxy]:
    with running_proxy(redis) as between:
        yield between


@pytest.fixture
def ledger_url(tmp_path: Path) -> str:
    """SQLite; tests that run on PostgreSQL too use `database_url`."""
    url = f"sqlite:///{tmp_path / 'carrete.db'}"
    migrated(url)
    return url


@pytest.fixture
def ledger(ledger_url: str) -> Iterator[Database]:
    database = open_database(ledger_url)
    fill(database)
    try:
        yield database
    finally:
        database.close()


@pytest.fixture
def floor(ledger: Database, ledger_url: str, redis: RedisServer, tmp_path: Path) -> Iterator[GatedFloor]:
    """Without background tasks: only the action itself repairs locks."""
    with a_gated_floor(ledger_url, redis.url, tmp_path, call_s_max=PATIENT_CALL_S_MAX) as floor:
        yield floor


@pytest.fixture
def live_floor(ledger: Database, ledger_url: str, redis: RedisServer, tmp_path: Path) -> Iterator[GatedFloor]:
    with a_gated_floor(ledger_url, redis.url, tmp_path, background=True) as floor:
        yield floor


@pytest.fixture
def proxied_floor(ledger: Database, ledger_url: str, proxy: RedisProxy, tmp_path: Path) -> Iterator[GatedFloor]:
    with a_gated_floor(ledger_url, proxy.url, tmp_path, call_s_max=PATIENT_CALL_S_MAX) as floor:
        yield floor


def fill(database: Database) -> None:
    """Sixty free spools, MK-1 to MK-60, and fifty helpers, 1 to 50, who may fit and weld."""
    workers = [a_worker(n, "Ana", "Muñoz", roles=[Rol.AYUDANTE]) for n in WORKERS]
    put(database, [a_spool(tag) for tag in SPOOLS], workers)
