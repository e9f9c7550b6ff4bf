"""A tablet in front of the whole application, on an empty ledger of each engine, with the people of a small shop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from carrete.ledger.database import Database
from carrete.settings import Settings
from tests.conftest import TEMPLATE
from tests.support.builders import empty, put
from tests.support.people import CREW
from tests.support.postgres import PostgresServer
from tests.support.tablet import Tablet, tablet_in_process

Floor = tuple[str, Tablet]  # the ledger's address and a tablet of the application on it
Floors = Callable[[str], Floor]


@pytest.fixture(scope="session")
def floors(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floors]:
    """One application per engine for all of these tests: sweeping its ledger takes 6 ms, making all anew 400."""
    with ExitStack() as stack:
        opened: dict[str, Floor] = {}

        def floor(engine: str) -> Floor:
            if engine not in opened:
                folder = tmp_path_factory.mktemp(engine)
                url = f"sqlite:///{folder / 'carrete.db'}"
                if engine == "postgres":
                    url = postgres.url(name := postgres.create(TEMPLATE))
                    stack.callback(postgres.drop, name)
                opened[engine] = url, stack.enter_context(tablet_in_process(settings_for(url, folder)))
            return opened[engine]

        yield floor


def settings_for(url: str, folder: Path) -> Settings:
    return Settings(access="open", database_url=url, data=folder, redis_url="off", timezone="America/Santiago")


@pytest.fixture
def database_url(engine: str, floors: Floors) -> str:
    return floors(engine)[0]


@pytest.fixture
def configured(database_url: str, tmp_path: Path) -> Settings:
    return settings_for(database_url, tmp_path)


@pytest.fixture
def ledger(database: Database) -> Database:
    """The ledger that the tablet's server uses, with its people, for putting spools there and looking behind."""
    empty(database)
    put(database, workers=CREW)
    return database


@pytest.fixture
def tablet(engine: str, floors: Floors, ledger: Database) -> Tablet:
    return floors(engine)[1]
