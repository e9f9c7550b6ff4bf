"""A commit of one row, as durable as the ledger's, without any code of the product: a yardstick."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg


@contextmanager
def bare_commit(engine: str, ledger_url: str, folder: Path) -> Iterator[Callable[[], object]]:
    """Yields a function that commits. On PostgreSQL its table is in the ledger's database, and is dropped."""
    if engine == "postgres":
        with psycopg.connect(ledger_url, autocommit=True, prepare_threshold=2) as postgres:
            postgres.execute("CREATE TABLE bare (what TEXT)")
            try:
                yield lambda: postgres.execute("INSERT INTO bare VALUES ('TOMAR')")
            finally:
                postgres.execute("DROP TABLE bare")
        return
    with closing(sqlite3.connect(folder / "bare.db", isolation_level=None)) as sqlite:
        sqlite.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE bare (what TEXT)")
        yield lambda: sqlite.execute("INSERT INTO bare VALUES ('TOMAR')")
