"""An application with identity on each engine, and people at its office computers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from carrete.identity.records import DeviceKind
from carrete.ledger.database import Database
from carrete.settings import Settings
from tests.integration.identity.conftest import ADA, PEOPLE
from tests.support.builders import put
from tests.support.people import SV
from tests.support.signed_in import EnrolledTablet, IdentityShop, identity_shop

OpenShop = Callable[..., IdentityShop]


@pytest.fixture
def open_shop(database: Database, database_url: str, tmp_path: Path) -> Iterator[OpenShop]:
    """`open_shop(timezone=…)`: what is given so is fixed by the machine."""
    put(database, workers=PEOPLE)
    with ExitStack() as stack:

        def start(**machine: Any) -> IdentityShop:
            settings = Settings(database_url=database_url, data=tmp_path, redis_url="off", **machine)
            return stack.enter_context(identity_shop(settings, database))

        yield start


@pytest.fixture
def shop(open_shop: OpenShop) -> IdentityShop:
    return open_shop()


@pytest.fixture
def admin(shop: IdentityShop) -> EnrolledTablet:
    return signed_in(shop, ADA.id)


@pytest.fixture
def supervisor(shop: IdentityShop) -> EnrolledTablet:
    return signed_in(shop, SV.id)


def signed_in(shop: IdentityShop, worker_id: int) -> EnrolledTablet:
    office = shop.tablet(DeviceKind.OFICINA)
    office.begin(worker_id)
    return office
