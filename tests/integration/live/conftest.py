"""A shop with some spools and workers, whose live stream is watched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.migrate import migrate
from tests.conftest import TEMPLATE
from tests.support.builders import a_spool, put
from tests.support.people import CREW
from tests.support.postgres import PostgresServer
from tests.support.server import RunningServer, running_server
from tests.support.tablet import Tablet

TAGS = [f"MK-{n:02d}" for n in range(50)]


@dataclass(frozen=True)
class WatchedShop:
    database: Database
    server: RunningServer
    tablet: Tablet

    def take(self, tag: str, worker_id: int = 93) -> int:
        """Returns the seq of the event."""
        return self._seq("tomar", tag, worker_id)

    def pause(self, tag: str, worker_id: int = 93) -> int:
        return self._seq("pausar", tag, worker_id)

    def _seq(self, accion: str, tag: str, worker_id: int) -> int:
        answer = self.tablet.tap(accion, tag, worker_id)
        assert answer.status_code == 200, answer.text
        return int(answer.json()["event_seq"])


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def ledger_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One ledger for all tests of a module."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path_factory.mktemp('ledger') / 'carrete.db'}"
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    name = server.create(TEMPLATE)
    yield server.url(name)
    server.drop(name)


@pytest.fixture(scope="module")
def shop(ledger_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WatchedShop]:
    """Without Redis, so that the streams get no pokes from other processes."""
    folder: Path = tmp_path_factory.mktemp("shop")
    database = open_database(ledger_url)
    migrate(database)
    put(database, [a_spool(tag) for tag in TAGS], CREW)
    with running_server(ledger_url, folder) as server, server.tablet() as tablet:
        yield WatchedShop(database, server, tablet)
    database.close()
