"""A shop with a workbook of five spools as a whole and one of three joints. SQLite; `on_both` asks for both engines."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from carrete.ledger import open_database
from carrete.ledger.database import Database
from tests.conftest import migrated
from tests.support.sheets import READY, SheetShop

MakeShop = Callable[..., SheetShop]
SPOOLS = [{"TAG_SPOOL": f"A-{n}", **READY} for n in range(1, 6)]
BY_JOINT = {"TAG_SPOOL": "U-1", **READY, "Total_Uniones": 3}
JOINTS = [{"TAG_SPOOL": "U-1", "N_UNION": n, "DN_UNION": 4, "TIPO_UNION": "BW", "OT": "25238"} for n in (1, 2, 3)]


@pytest.fixture
def ledger() -> Iterator[Database]:
    """In memory where the system has such a folder: the disk is tried elsewhere."""
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="carrete-lane-", dir=memory) as folder:
        url = f"sqlite:///{folder}/lane.db"
        migrated(url)
        opened = open_database(url)
        yield opened
        opened.close()


@pytest.fixture
def make_shop(ledger: Database) -> Iterator[MakeShop]:
    made: list[SheetShop] = []

    def make(*arguments: Any, **options: Any) -> SheetShop:
        shop = SheetShop(ledger, *arguments, **options)
        made.append(shop)
        shop.settle()
        return shop

    yield make
    for shop in made:
        shop.close()


@pytest.fixture
def shop(make_shop: MakeShop) -> SheetShop:
    """The shop is connected, has read the workbook, and nothing waits."""
    return make_shop([*SPOOLS, BY_JOINT], JOINTS)


@pytest.fixture
def on_both(database: Database) -> Iterator[SheetShop]:
    shop = SheetShop(database, [*SPOOLS, BY_JOINT], JOINTS)
    shop.settle()
    yield shop
    shop.close()
