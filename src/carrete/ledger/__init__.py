"""The ledger: an action is real when, and only when, it is committed here.

database    what both engines offer         sqlite, postgres   the engines
statements  every SQL statement, by name    migrations, migrate   its schema, step by step
rows        dataclasses ↔ rows              store   what an action loads and keeps
writer      group commit                    queries, reports   what the pages read
counts      how many a list has, remembered for a moment
packing     a long answer, made short before it is kept under its key
"""

from __future__ import annotations

from pathlib import Path

from carrete.ledger.database import Database
from carrete.ledger.sqlite import SqliteDatabase


def open_database(url: str) -> Database:
    """`sqlite:///path` or `postgresql://…`; the settings have checked the form already."""
    if url.startswith("sqlite:///"):
        return SqliteDatabase(Path(url.removeprefix("sqlite:///")))
    from carrete.ledger.postgres import PostgresDatabase  # its driver is a tenth of a server's start

    return PostgresDatabase(url)
