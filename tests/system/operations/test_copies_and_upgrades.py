"""Copies, restores, upgrades and the way back, with the very commands of docs/operations.md."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from carrete.ledger import open_database, statements
from carrete.ledger.database import Database
from carrete.ledger.migrate import migrate
from tests.support.answers import refused
from tests.support.builders import a_spool, events_in, put, spool_in
from tests.support.gated import is_at_rest
from tests.support.machines import wait_for
from tests.support.people import CREW
from tests.support.postgres import PostgresServer
from tests.support.redis_server import running_redis
from tests.support.server import clean_environment, running_server

ROOT = Path(__file__).parents[3]
ENGINES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}
KNOWN = statements.migrations()[-1][0]


@dataclass
class Administrator:
    """Types what the document says, in a shell of their own."""

    engine: str
    url: str
    folder: Path
    path: str

    def types(self, what: str) -> None:
        """`copy` or `restore`: the commands below that heading."""
        commands = documented(f"{what.capitalize()}, {ENGINES[self.engine]}")
        done = subprocess.run(
            ["sh", "-eux", "-c", commands], cwd=self.folder, env=self.environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr

    @property
    def environment(self) -> dict[str, str]:
        url = self.url if self.engine == "postgres" else ""
        settings = clean_environment(DATABASE_URL=url, CARRETE_DATA=str(self.folder / "data"))
        return {**settings, "PATH": self.path}

    def runs(self, program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Another version of Carrete on the same ledger."""
        environment = {**self.environment, "PYTHONPATH": str(program)}
        command = [sys.executable, "-m", "carrete", *arguments]
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=60)


def documented(heading: str) -> str:
    text = (ROOT / "docs" / "operations.md").read_text()
    found = re.search(rf"^{re.escape(heading)}:?\n```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert found, f"docs/operations.md has no commands for: {heading}"
    return found[1]


@pytest.fixture
def administrator(engine: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Administrator]:
    """Of a ledger that is not made yet."""
    (tmp_path / "data").mkdir()
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    if engine == "sqlite":
        yield Administrator(engine, f"sqlite:///{tmp_path / 'data' / 'carrete.db'}", tmp_path, path)
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    name = server.create()
    yield Administrator(engine, server.url(name), tmp_path, f"{server.tools}:{path}")
    server.drop(name)


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """The next program: it has one more step of the schema."""
    program = tmp_path / "newer"
    shutil.copytree(ROOT / "src", program, ignore=shutil.ignore_patterns("__pycache__"))
    step = program / "carrete" / "ledger" / "migrations" / f"{KNOWN + 1:04}_next.sql"
    step.write_text("CREATE TABLE next_step (id INTEGER PRIMARY KEY);\n")
    return program


@contextmanager
def opened(url: str) -> Iterator[Database]:
    database = open_database(url)
    try:
        yield database
    finally:
        database.close()


def test_a_shop_restored_from_a_copy_is_the_shop_of_that_moment(administrator: Administrator) -> None:
    """Redis remembers what came after: its locks follow the ledger that is there now."""
    url, data = administrator.url, administrator.folder / "data"
    with opened(url) as database:
        migrate(database)
        put(database, [a_spool("A"), a_spool("B")], CREW)
    with running_redis() as redis:
        settings = {"REDIS_URL": redis.url}
        with running_server(url, data, settings=settings) as server, server.tablet() as tablet:
            assert tablet.tap("TOMAR", "A", key="first").status_code == 200
            administrator.types("copy")
            assert tablet.tap("TOMAR", "B").status_code == 200
            assert tablet.tap("PAUSAR", "A").status_code == 200
        assert redis.locks().keys() == {"B"}
        administrator.types("restore")
        with running_server(url, data, settings=settings) as server, server.tablet() as tablet, opened(url) as database:
            assert tablet.see_spool("A")["ocupado_por"] == "MR(93)"
            assert tablet.see_spool("B")["ocupado_por"] is None
            wait_for(lambda: is_at_rest(redis, database))
            assert redis.locks().keys() == {"A"}
            assert tablet.tap("TOMAR", "A", key="first").headers["idempotency-replayed"] == "true"
            assert tablet.tap("TOMAR", "B", worker_id=7).status_code == 200


def test_an_upgrade_keeps_everything_and_its_way_back_is_the_copy_made_before(
    administrator: Administrator, newer: Path
) -> None:
    url, data = administrator.url, administrator.folder / "data"
    with running_server(url, data) as serving, opened(url) as database:
        migrate(database)
        put(database, [a_spool("A"), a_spool("B")], CREW)
        with serving.tablet() as tablet:
            assert tablet.tap("TOMAR", "A").status_code == 200
            before = (spool_in(database, "A"), events_in(database))
            administrator.types("copy")
            assert "MR(93)" in administrator.runs(newer, "worker", "list").stdout, "the newer program starts on it"
            assert (spool_in(database, "A"), events_in(database)) == before
            refused(tablet.tap("TOMAR", "B"), 503, "LEDGER_UNAVAILABLE")  # this, the older program, is still running
            assert tablet.see_spool("A")["ocupado_por"] == "MR(93)"
            assert events_in(database) == before[1]
    result = administrator.runs(ROOT / "src", "serve", "--port", "0")
    assert (result.returncode, "Traceback" in result.stderr) == (1, False)
    assert f"The ledger has schema {KNOWN + 1}, this program knows {KNOWN}" in " ".join(result.stderr.split())
    administrator.types("restore")
    assert "MR(93)" in administrator.runs(ROOT / "src", "worker", "list").stdout
    with opened(url) as database:
        assert (spool_in(database, "A"), events_in(database)) == before
