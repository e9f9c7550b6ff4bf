"""A small shop in an empty ledger, and a performer of actions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from carrete.domain.workers import Rol
from carrete.ledger.database import Database
from tests.support.acting import Floor, a_floor
from tests.support.builders import a_spool, a_worker, put

SPOOLS = [f"MK-{n}" for n in range(1, 11)]
WORKERS = range(1, 51)


@pytest.fixture
def shop(database: Database) -> Database:
    """Ten free spools, MK-1 to MK-10, and fifty helpers, 1 to 50, who may fit and weld."""
    workers = [a_worker(n, "Ana", "Muñoz", roles=[Rol.AYUDANTE]) for n in WORKERS]
    put(database, [a_spool(tag) for tag in SPOOLS], workers)
    return database


@pytest.fixture
def floor(shop: Database) -> Iterator[Floor]:
    with a_floor(shop) as floor:
        yield floor
