"""A tablet in front of the whole application, on an empty ledger of each engine, with the people of a small shop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from carrete.ledger.database import Database
from carrete.settings import Access, Settings
from tests.conftest import TEMPLATE
from tests.support.builders import empty, put
from tests.support.people import CREW
from tests.support.postgres import PostgresServer
from tests.support.shared_tablets import shared_tablets
from tests.support.tablet import Tablet, tablet_in_process

Floor = tuple[str, Tablet]  # the ledger's address, and a tablet of the application on it
Floors = Callable[[str, Access], Floor]

# These also run with identity: the same assertions hold when each person signs in on one of two tablets first.
IN_PIN_MODE = (
    "test_taking_and_ending",
    "test_by_joint",
    "test_inspection_and_supervision",
    "test_batches",
    "test_idempotency",
    "test_refusals",
    "test_whole_life",
    "test_chains",
    "test_relevos",
    "test_reclamos",
    "test_version_changes",
    "test_spool_lists",
    "test_spool_cards",
    "test_kept_answers",
)
ONLY_WITHOUT_IDENTITY = (
    "test_a_person_who_cannot_sign_in_does_none_of_it",
    "test_without_identity_the_supervisor_must_exist",
    "test_without_identity_a_notice_needs_its_person",
    "test_a_path_without_a_tag_names_the_tag",  # with identity a path that no route has is 404
)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    in_pin_mode = metafunc.module.__name__.rpartition(".")[2] in IN_PIN_MODE
    if in_pin_mode and "tablet" in metafunc.fixturenames and metafunc.function.__name__ not in ONLY_WITHOUT_IDENTITY:
        metafunc.parametrize("access", ["open", "pin"])


@pytest.fixture
def access() -> Access:
    return "open"


@pytest.fixture(scope="session")
def floors(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floors]:
    """One application per engine and mode for all tests here: sweeping its ledger takes 6 ms, making all anew 400."""
    with ExitStack() as stack:
        opened: dict[tuple[str, Access], Floor] = {}

        def floor(engine: str, access: Access) -> Floor:
            if (engine, access) not in opened:
                folder = tmp_path_factory.mktemp(f"{engine}-{access}")
                url = f"sqlite:///{folder / 'carrete.db'}"
                if engine == "postgres":
                    url = postgres.url(name := postgres.create(TEMPLATE))
                    stack.callback(postgres.drop, name)
                settings = settings_for(url, folder, access)
                made = tablet_in_process(settings) if access == "open" else shared_tablets(settings)
                opened[engine, access] = url, stack.enter_context(made)
            return opened[engine, access]

        yield floor


def settings_for(url: str, folder: Path, access: Access = "open") -> Settings:
    return Settings(access=access, database_url=url, data=folder, redis_url="off", timezone="America/Santiago")


@pytest.fixture
def database_url(engine: str, floors: Floors, access: Access) -> str:
    return floors(engine, access)[0]


@pytest.fixture
def configured(database_url: str, tmp_path: Path) -> Settings:
    return settings_for(database_url, tmp_path)


@pytest.fixture
def ledger(database: Database) -> Database:
    """The ledger of the tablet's server, with its people: tests put spools there and check what was stored."""
    empty(database)
    put(database, workers=CREW)
    return database


@pytest.fixture
def tablet(engine: str, floors: Floors, access: Access, ledger: Database) -> Tablet:
    return floors(engine, access)[1]
