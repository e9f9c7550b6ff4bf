"""Every test that asks for `database` or `database_url` runs twice: on SQLite and on a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.migrate import migrate
from tests.long_files import LONG_FILES, ON_SQLITE_FIRST
from tests.support.postgres import PostgresDidNotStart, PostgresServer, running_postgres

TESTS = Path(__file__).parent
TEMPLATE = "carrete_template"
LONGEST_FIRST = ("chaos", "browser", "operations", "bench", "actions", "races", "fuzz", "live", "gate")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest tests begin first, so that at the end no process works alone on one of them."""
    for item in items:
        if _is_long(item):
            item.add_marker(pytest.mark.long)
    items.sort(key=_rank)


def _is_long(item: pytest.Item) -> bool:
    path = item.path.relative_to(TESTS).as_posix()
    if path in LONG_FILES or _runs_in_pin_too(item):
        return True
    engine, access = _param(item, "engine"), _param(item, "access")
    if engine == "postgres" and path.startswith(ON_SQLITE_FIRST):
        return True
    # `make test` runs both databases and both modes, not each in each.
    return (engine, access) in (("sqlite", "pin"), ("postgres", "open"))


def _param(item: pytest.Item, name: str) -> object:
    call = getattr(item, "callspec", None)
    return call.params.get(name) if call else None


def _runs_in_pin_too(item: pytest.Item) -> bool:
    """Whether a test of the browser runs in the mode `open` and, by itself, in `pin`."""
    marker = item.get_closest_marker("access")
    return marker is not None and "pin" in marker.args and _param(item, "access") == "open"


def _rank(item: pytest.Item) -> int:
    folder = item.path.parent.name
    return LONGEST_FIRST.index(folder) if folder in LONGEST_FIRST else len(LONGEST_FIRST)


@pytest.fixture(autouse=True)
def isolated_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """No `.env` of this folder is read in this process, and no command in it changes where its log goes."""
    monkeypatch.setattr("carrete.env_file.NAME", "/nowhere/.env")
    monkeypatch.setattr("carrete.logs.set_up", lambda *_: None)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Started for the first test that asks, removed after the last. Its absence fails, never skips."""
    try:
        with running_postgres() as server:
            server.run(f"CREATE DATABASE {TEMPLATE}")
            migrated(server.url(TEMPLATE))
            yield server
    except PostgresDidNotStart as error:
        pytest.fail(f"The tests need PostgreSQL and it could not be started. {error}", pytrace=False)


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def database_url(engine: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a fresh, empty ledger: for tests that start a whole server on it."""
    if engine == "sqlite":
        url = f"sqlite:///{tmp_path / 'carrete.db'}"
        migrated(url)
        yield url
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    name = server.create(TEMPLATE)
    try:
        yield server.url(name)
    finally:
        server.drop(name)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A fresh, empty ledger with its schema."""
    opened = open_database(database_url)
    try:
        yield opened
    finally:
        opened.close()


def migrated(url: str) -> None:
    """An SQLite ledger is a copy of the first one that this process made: that takes a tenth of the time."""
    path = Path(url.removeprefix("sqlite:///"))
    if not url.startswith("sqlite:") or path.exists():
        _migrate(url)
        return
    path.write_bytes(_empty_sqlite_ledger())
    path.chmod(0o600)


@cache
def _empty_sqlite_ledger() -> bytes:
    with TemporaryDirectory(prefix="carrete-empty-") as folder:
        _migrate(f"sqlite:///{folder}/carrete.db")
        return (Path(folder) / "carrete.db").read_bytes()


def _migrate(url: str) -> None:
    database = open_database(url)
    try:
        migrate(database)
    finally:
        database.close()
