"""One ledger, two servers, three processes: what happens when many hands want the same thing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from carrete.domain.workers import Rol, Worker
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.migrate import migrate
from tests.conftest import TEMPLATE
from tests.support.builders import a_worker, put
from tests.support.postgres import PostgresServer
from tests.support.server import RunningServer, running_server
from tests.support.tablet import Tablet

NAMES = ("Ana", "Bruno", "Carla", "Diego", "Elsa", "Franco", "Gina", "Hugo", "Inés", "Juan", "Karen", "Luis")
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
