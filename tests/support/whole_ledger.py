"""All rows of a ledger, for tests of actions that must change nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import psycopg


def everything_in(url: str) -> dict[str, list[str]]:
    """All rows of all tables."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
            names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return {name: sorted(map(repr, connection.execute(f"SELECT * FROM {name}"))) for name in names}
    with psycopg.connect(url) as connected:
        tables = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
        names = [row[0] for row in connected.execute(tables)]
        return {name: sorted(map(repr, connected.execute(f"SELECT * FROM {name}".encode()))) for name in names}
