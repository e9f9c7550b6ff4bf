"""Applications in the modes `pin` and `device` on each engine, with the people of a small shop and their PINs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from carrete.domain.workers import Rol
from carrete.ledger import open_database
from carrete.settings import Access, Settings
from tests.conftest import TEMPLATE, migrated
from tests.support.builders import a_worker, empty, put
from tests.support.people import CREW
from tests.support.postgres import PostgresServer
from tests.support.signed_in import EnrolledTablet, IdentityShop, give_pins, identity_shop

ADA = a_worker(1, "Ada", "Araya", roles=(Rol.ADMINISTRADOR,))
NADIA = a_worker(2, "Nadia", "Toro", roles=(Rol.NDT,))
PEOPLE = (*CREW, ADA, NADIA)

Shops = Callable[[str, Access], IdentityShop]


@pytest.fixture(scope="session")
def identity_shops(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shops]:
    """One application for each engine and mode, for all of these tests."""
    with ExitStack() as stack:
        opened: dict[tuple[str, Access], IdentityShop] = {}

        def shop_of(engine: str, mode: Access) -> IdentityShop:
            if (engine, mode) not in opened:
                folder = tmp_path_factory.mktemp(f"{engine}-{mode}")
                url = f"sqlite:///{folder / 'carrete.db'}"
                if engine == "postgres":
                    url = postgres.url(name := postgres.create(TEMPLATE))
                    stack.callback(postgres.drop, name)
                migrated(url)
                database = open_database(url)
                stack.callback(database.close)
                settings = Settings(access=mode, database_url=url, data=folder, redis_url="off")
                opened[engine, mode] = stack.enter_context(identity_shop(settings, database))
            return opened[engine, mode]

        yield shop_of


def staffed(shop: IdentityShop) -> IdentityShop:
    """With an empty floor and everybody's PIN."""
    shop.forget_refused()
    empty(shop.database)
    with shop.database.writing() as tx:
        for table in ("access_event", "pin_failure", "pin_lock", "pin", "badge"):
            tx.execute(f"DELETE FROM {table}")
    put(shop.database, workers=PEOPLE)
    give_pins(shop.database, *(person.id for person in PEOPLE))
    shop.forget_lookups()
    return shop


@pytest.fixture
def pin_shop(engine: str, identity_shops: Shops) -> IdentityShop:
    return staffed(identity_shops(engine, "pin"))


@pytest.fixture
def device_shop(engine: str, identity_shops: Shops) -> IdentityShop:
    return staffed(identity_shops(engine, "device"))


@pytest.fixture
def one(pin_shop: IdentityShop) -> EnrolledTablet:
    return pin_shop.tablet()


@pytest.fixture
def two(pin_shop: IdentityShop) -> EnrolledTablet:
    return pin_shop.tablet()
