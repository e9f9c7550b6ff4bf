"""Ledgers on both engines, PostgreSQL's own programs on the PATH, and a way to read every row of a ledger."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from carrete.ledger import open_database
from tests.integration.cli.conftest import carrete
from tests.support.builders import a_spool, put
from tests.support.people import CREW
from tests.support.postgres import PostgresServer

__all__ = ["carrete"]
TAGS = [f"MK-{n:03}" for n in range(40)]

MakeUrl = Callable[[], str]


@pytest.fixture
def tools(engine: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The PATH with the programs of the tests' own PostgreSQL, which is newer than the system's."""
    if engine == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres")
        monkeypatch.setenv("PATH", f"{server.tools}:{os.environ['PATH']}")
    return os.environ["PATH"]


@pytest.fixture
def shop_url(database_url: str, tools: str) -> str:
    """A ledger with spools and people."""
    with closing(open_database(database_url)) as database:
        put(database, [a_spool(tag) for tag in TAGS], CREW)
    return database_url


@pytest.fixture
def elsewhere(engine: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of an empty database, as on another machine."""
    if engine == "sqlite":
        yield f"sqlite:///{tmp_path / 'elsewhere' / 'carrete.db'}"
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    name = server.create()
    yield server.url(name)
    server.drop(name)


def rows_of(url: str, table: str, columns: str = "*", order: str = "1") -> list[Any]:
    sql = f"SELECT {columns} FROM {table} ORDER BY {order}"
    if url.startswith("sqlite:///"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
            return connection.execute(sql).fetchall()
    with psycopg.connect(url) as connection:
        return connection.execute(sql.encode()).fetchall()


def run_sql(url: str, sql: str) -> None:
    if url.startswith("sqlite:///"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as file, file:
            file.execute(sql)
        return
    with psycopg.connect(url) as connection:
        connection.execute(sql.encode())


def tables_of(url: str) -> list[str]:
    if url.startswith("sqlite:///"):
        found = rows_of(url, "sqlite_schema WHERE type = 'table'", "name")
    else:
        found = rows_of(url, "pg_tables WHERE schemaname = 'public'", "tablename")
    return [name for (name,) in found]


def everything(url: str) -> dict[str, list[str]]:
    """Every row of every table."""
    return {table: sorted(map(repr, rows_of(url, table))) for table in tables_of(url)}
