"""The recipe of docs/operations.md on a real PostgreSQL: the server's role adds events, and cannot change them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from carrete.ledger import open_database
from carrete.ledger.errors import LedgerUnavailable, SchemaTooNew
from carrete.ledger.migrate import known_schema, migrate
from carrete.services import Services
from tests.integration.cli.conftest import Carrete
from tests.support.postgres import PostgresServer
from tests.support.sealed_shop import SealedShop

OWNER, SERVER = "carrete_owner", "carrete_server"


@pytest.fixture
def urls(postgres: PostgresServer) -> Iterator[tuple[str, str]]:
    """The address of an empty database for its owner, and for the server's role."""
    name = postgres.create()
    for role in (OWNER, SERVER):
        postgres.run(f"DROP ROLE IF EXISTS {role}")
        postgres.run(f"CREATE ROLE {role} LOGIN")
    postgres.run(f"ALTER DATABASE {name} OWNER TO {OWNER}")
    with psycopg.connect(postgres.url(name), autocommit=True) as owner:
        owner.execute(f"ALTER SCHEMA public OWNER TO {OWNER}")
    yield _as(postgres.url(name), OWNER), _as(postgres.url(name), SERVER)
    postgres.drop(name)


def _as(url: str, role: str) -> str:
    return url.replace("postgres@", f"{role}@", 1).replace("user=postgres", f"user={role}", 1)


def test_the_recipe(urls: tuple[str, str], carrete: Carrete, tmp_path: Path) -> None:
    owner, server = urls
    assert owner != server
    with closing(open_database(server)) as early, pytest.raises(LedgerUnavailable, match="carrete migrate"):
        migrate(early)
    ran = carrete("migrate", "--server-role", SERVER, DATABASE_URL=owner, CARRETE_DATA=str(tmp_path))
    assert (ran.exit_code, f"Schema {known_schema()}" in ran.out) == (0, True), ran
    with closing(open_database(server)) as database:
        assert migrate(database) == [], "the server finds its schema up to date"
        shop = SealedShop(database, server, tmp_path).staffed()
        shop.work(2)
        assert shop.verify(shop.receipts_text()).is_whole
    for change in ("UPDATE event SET worker = 'XX(1)'", "DELETE FROM event", "TRUNCATE event", "DELETE FROM trail_head",
                   "DELETE FROM trail_seal", "UPDATE trail_key SET public_key = ''", "DROP TABLE event"):  # fmt: skip
        with psycopg.connect(server) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(change.encode())


def test_a_server_without_rights_is_told_the_command_that_grants_them(urls: tuple[str, str]) -> None:
    """As after a restore, which makes the tables anew without their rights."""
    owner, server = urls
    with closing(open_database(owner)) as database:
        migrate(database)
    with closing(open_database(server)) as database, pytest.raises(LedgerUnavailable, match="--server-role ROLE"):
        migrate(database)


def test_an_older_server_with_those_rights_is_told_that_the_ledger_is_newer(
    urls: tuple[str, str], carrete: Carrete, tmp_path: Path
) -> None:
    owner, server = urls
    assert carrete("migrate", "--server-role", SERVER, DATABASE_URL=owner, CARRETE_DATA=str(tmp_path)).exit_code == 0
    with closing(open_database(owner)) as database, database.writing() as tx:
        tx.run("schema_record", version=known_schema() + 1, applied_at="2030-01-01T00:00:00+00:00")
    with closing(open_database(server)) as database, pytest.raises(SchemaTooNew):
        migrate(database)


def test_a_whole_server_runs_with_those_rights(urls: tuple[str, str], carrete: Carrete, tmp_path: Path) -> None:
    """Everything that it does at its start, in its settings and with people."""
    owner, server = urls
    assert carrete("migrate", "--server-role", SERVER, DATABASE_URL=owner, CARRETE_DATA=str(tmp_path)).exit_code == 0
    added = carrete("worker", "add", "93", "Mauricio", "Rodríguez", "--rol", "Armador", DATABASE_URL=server,
                    CARRETE_DATA=str(tmp_path))  # fmt: skip
    assert added.exit_code == 0, added
    settings = SealedShop(open_database(server), server, tmp_path).settings.model_copy(update={"access": "pin"})
    services = Services(settings)
    services.performer.stop()
    services.database.close()


@pytest.mark.parametrize("name", ["carrete_servr", "Carrete_Server", "public", "a b"])
def test_a_role_that_does_not_exist_is_one_sentence(
    urls: tuple[str, str], carrete: Carrete, tmp_path: Path, name: str
) -> None:
    owner, _ = urls
    ran = carrete("migrate", "--server-role", name, DATABASE_URL=owner, CARRETE_DATA=str(tmp_path))
    assert (ran.exit_code, ran.out, name in ran.sentence) == (1, "", True), ran


def test_sqlite_has_no_roles(carrete: Carrete, tmp_path: Path) -> None:
    ran = carrete("migrate", "--server-role", "x", CARRETE_DATA=str(tmp_path))
    assert "a SQLite file has no roles" in ran.sentence
    assert carrete("migrate", CARRETE_DATA=str(tmp_path)).out == f"Schema {known_schema()}: up to date."
