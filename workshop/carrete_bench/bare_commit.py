"""A commit of one row, as durable as the ledger's, without any code of the product: a yardstick."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median

import psycopg
from psycopg.sql import SQL, Identifier, Literal

CALIBRATION_S = 0.5
CALIBRATIONS = 5


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


@contextmanager
def delayed_commits(ledger_url: str, wanted_ms: float) -> Iterator[bool]:
    """PostgreSQL delays the commits of new connections to this database, so that a bare one takes about `wanted_ms`.
    Yields False if the user may not set that, or if its commits take longer already."""
    with psycopg.connect(ledger_url, autocommit=True) as postgres:
        database = Identifier(postgres.info.dbname)
        try:
            yield _delay(postgres, database, ledger_url, wanted_ms)
        finally:
            for setting in ("commit_delay", "commit_siblings"):
                postgres.execute(SQL("ALTER DATABASE {} RESET {}").format(database, Identifier(setting)))


def _delay(postgres: psycopg.Connection, database: Identifier, ledger_url: str, wanted_ms: float) -> bool:
    """Finds the delay in steps, because a process sleeps longer than the time it is given."""
    delay_us = 0.0
    for _ in range(CALIBRATIONS):
        delay_us += 1_000 * (wanted_ms - _commit_ms(ledger_url))
        if delay_us <= 0:
            return False
        try:
            for setting, value in (("commit_delay", round(delay_us)), ("commit_siblings", 0)):
                sql = SQL("ALTER DATABASE {} SET {} = {}").format(database, Identifier(setting), Literal(value))
                postgres.execute(sql)
        except psycopg.errors.InsufficientPrivilege:
            return False
    return True


def _commit_ms(ledger_url: str) -> float:
    with bare_commit("postgres", ledger_url, Path()) as commit:
        return median(latencies_us(commit, CALIBRATION_S)) / 1_000


def latencies_us(call: Callable[[], object], seconds: float) -> list[int]:
    until = time.perf_counter() + seconds
    found: list[int] = []
    while not found or time.perf_counter() < until:
        start = time.perf_counter()
        call()
        found.append(int((time.perf_counter() - start) * 1e6))
    return found
