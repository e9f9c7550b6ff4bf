"""One ledger, two servers, three processes: many workers tap for the same spools at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx
import pytest

from carrete.domain.workers import Rol, Worker
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.migrate import migrate
from tests.conftest import TEMPLATE
from tests.support.builders import a_worker, events_in, put
from tests.support.gated import eventually, is_at_rest
from tests.support.local import LOCAL
from tests.support.postgres import PostgresServer
from tests.support.redis_server import RedisServer, running_redis
from tests.support.server import RunningServer, running_server
from tests.support.tablet import Tablet

NAMES = ("Ana", "Bruno", "Carla", "Diego", "Elsa", "Franco", "Gina", "Hugo", "Inés", "Juan", "Karen", "Luis")
CLIENTS = 12
REST_S = 13.0  # a pending lock's ten seconds, with some room
INSPECTOR = a_worker(12, "Marta", "Ibarra", roles=(Rol.METROLOGIA,))
SUPERVISOR = a_worker(21, "Sergio", "Vidal", roles=(Rol.SUPERVISOR,))
CREW = [a_worker(100 + n, NAMES[n % len(NAMES)], "Soto", roles=(Rol.ARMADOR, Rol.SOLDADOR)) for n in range(50)]


@pytest.fixture
def crew(database: Database) -> list[Worker]:
    """Fifty who may all do everything."""
    put(database, workers=CREW)
    return CREW


@dataclass(frozen=True)
class BusyShop:
    """`servers` share the ledger; the second one is two processes itself."""

    database: Database
    servers: tuple[RunningServer, RunningServer]
    tablets: tuple[Tablet, Tablet]


def staffed_ledger(request: pytest.FixtureRequest, folder: Path, stack: ExitStack) -> tuple[str, Database]:
    """A new ledger with the crew in it, on the engine that the fixture's parameter names; `stack` removes it."""
    url = f"sqlite:///{folder / 'carrete.db'}"
    if request.param == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres")
        url = server.url(name := server.create(TEMPLATE))
        stack.callback(server.drop, name)
    database = open_database(url)
    stack.callback(database.close)
    migrate(database)
    put(database, workers=CREW)
    return url, database


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BusyShop]:
    folder: Path = tmp_path_factory.mktemp("shop")
    with ExitStack() as stack:
        url, database = staffed_ledger(request, folder, stack)
        first = stack.enter_context(running_server(url, folder))
        second = stack.enter_context(running_server(url, folder, "--workers", "2"))
        tablets = (stack.enter_context(first.tablet()), stack.enter_context(second.tablet()))
        yield BusyShop(database, (first, second), tablets)


@dataclass(frozen=True)
class SupervisedShop:
    database: Database
    redis: RedisServer
    tablets: list[Tablet]

    def events(self, tag: str) -> list[str]:
        return [stored.event.tipo.value for stored in events_in(self.database, tag)]

    def rests(self) -> None:
        """Locks = occupations."""
        eventually(lambda: is_at_rest(self.redis, self.database), REST_S)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def gated_shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SupervisedShop]:
    """Two servers on one ledger and one Redis, twelve tablets on both."""
    folder: Path = tmp_path_factory.mktemp("supervised")
    with ExitStack() as stack:
        url = f"sqlite:///{folder / 'carrete.db'}"
        if request.param == "postgres":
            server: PostgresServer = request.getfixturevalue("postgres")
            url = server.url(name := server.create(TEMPLATE))
            stack.callback(server.drop, name)
        database = open_database(url)
        stack.callback(database.close)
        migrate(database)
        put(database, workers=[*CREW, INSPECTOR, SUPERVISOR])
        redis = stack.enter_context(running_redis())
        settings = {"REDIS_URL": redis.url}
        servers = [stack.enter_context(running_server(url, folder, settings=settings)) for _ in range(2)]
        for each in servers:
            eventually(partial(_gate_is_open, each.url), 10.0)
        clients = [stack.enter_context(servers[n % 2].client()) for n in range(CLIENTS)]
        yield SupervisedShop(database, redis, [Tablet(client.request) for client in clients])


def _gate_is_open(url: str) -> bool:
    return bool(httpx.get(f"{url}/api/health/redis", timeout=5, **LOCAL).json()["status"] == "healthy")


def statuses(answers: list[httpx.Response]) -> Counter[str]:
    return Counter("OK" if answer.status_code == 200 else answer.json()["code"] for answer in answers)
