"""The recipe, set up once for everything that is tried on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from carrete.domain.workers import Rol
from carrete.ledger import open_database
from carrete.ledger.database import Database
from tests.conftest import TEMPLATE
from tests.support.builders import a_spool, a_worker, put
from tests.support.machines import Machines, running_machines
from tests.support.postgres import PostgresServer

CREW = [a_worker(id, "Ana", f"Soto{id}", roles=[Rol.ARMADOR]) for id in range(1, 13)]
WORKERS = [worker.id for worker in CREW]
TAGS = [f"MK-{n}" for n in range(8)]


@pytest.fixture(scope="module")
def shop_url(postgres: PostgresServer) -> Iterator[str]:
    """The ledger that all machines share."""
    name = postgres.create(TEMPLATE)
    yield postgres.url(name)
    postgres.drop(name)


@pytest.fixture(scope="module")
def ledger(shop_url: str) -> Iterator[Database]:
    database = open_database(shop_url)
    put(database, [a_spool(tag) for tag in TAGS], CREW)
    yield database
    database.close()


@pytest.fixture(scope="module")
def machines(shop_url: str, ledger: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    with running_machines(shop_url, tmp_path_factory.mktemp("machines")) as running:
        yield running
