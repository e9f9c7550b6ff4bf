"""SQLite: one file, write-ahead log, every commit on the disk before anybody hears of it."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from carrete.ledger.counts import Counts, count
from carrete.ledger.database import Asked, Part, Row, Tx
from carrete.ledger.errors import LedgerUnavailable, newer
from carrete.ledger.statements import statements

BUSY_MS_MAX = 4_000  # how long a writer waits for another process before it says 503
_MISTAKES = (sqlite3.ProgrammingError, sqlite3.IntegrityError, sqlite3.InterfaceError)


class SqliteTx:
    def __init__(self, connection: sqlite3.Connection, counts: Counts | None = None) -> None:
        self._cursor = connection.cursor()
        self._counts = counts
        self._sql = statements("sqlite")

    def all(self, name: str, /, **params: Any) -> list[Row]:
        return self._cursor.execute(self._sql[name], _lists_as_json(params)).fetchall()

    def one(self, name: str, /, **params: Any) -> Row | None:
        row: Row | None = self._cursor.execute(self._sql[name], _lists_as_json(params)).fetchone()
        return row

    def count(self, name: str, /, **params: Any) -> int:
        return count(self, self._counts, name, params)

    def run(self, name: str, /, **params: Any) -> int:
        return self._cursor.execute(self._sql[name], params).rowcount

    def many(self, name: str, rows: Sequence[Mapping[str, Any]], /) -> int:
        return self._cursor.executemany(self._sql[name], rows).rowcount if rows else 0

    def all_of(self, *asked: Asked) -> list[list[Row]]:
        return [self.all(name, **params) for name, params in asked]

    def many_of(self, *parts: Part) -> list[int]:
        return [self.many(name, rows) for name, rows in parts]

    def write_and_allocate_seqs(self, n: int, *parts: Part) -> tuple[list[int], Sequence[int]]:
        """There is one writer at a time, so the next number is simply the next."""
        counts = self.many_of(*parts)
        (last,) = self._cursor.execute(self._sql["seq_max"]).fetchone()
        return counts, range(last + 1, last + 1 + n)

    def execute(self, sql: str) -> None:
        self._cursor.execute(sql)


class SqliteDatabase:
    engine = "sqlite"

    def __init__(self, path: Path, busy_ms_max: int = BUSY_MS_MAX) -> None:
        self.path = path
        self._busy_s_max = busy_ms_max / 1000
        self.schema: int | None = None
        self._writer: sqlite3.Connection | None = None
        self._inode = 0
        self._readers = threading.local()
        self._open: list[sqlite3.Connection] = []
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _make_private(path)
        except OSError as error:
            raise LedgerUnavailable(f"{path} cannot be created: {error.strerror}") from error

    @contextmanager
    def writing(self) -> Iterator[Tx]:
        try:
            connection = self._writing_connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                if self.schema is not None:
                    _as_we_know_it(connection, self.schema)
                yield SqliteTx(connection)
                connection.execute("COMMIT")
            except BaseException:
                self._roll_back(connection)
                raise
        except _MISTAKES:
            raise
        except sqlite3.Error as error:
            raise LedgerUnavailable(f"{self.path}: {error}") from error

    @contextmanager
    def reading(self) -> Iterator[Tx]:
        try:
            connection = self._reading_connection()
            connection.execute("BEGIN")
            try:
                yield SqliteTx(connection, self._readers.counts)
            finally:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
        except _MISTAKES:
            raise
        except sqlite3.Error as error:
            self._forget(getattr(self._readers, "connection", None))
            self._readers.connection = None
            raise LedgerUnavailable(f"{self.path}: {error}") from error

    def backup(self, target: str) -> None:
        """A consistent copy while others read and write: in one step, because a stepped one starts anew whenever
        somebody writes, and a shop always does. It blocks nobody."""
        try:
            with closing(self._connect("ro")) as source, closing(sqlite3.connect(target)) as copy:
                source.backup(copy)
        except sqlite3.Error as error:
            raise LedgerUnavailable(f"the copy failed: {error}") from error

    def close(self) -> None:
        for connection in self._open:
            with suppress(sqlite3.Error):
                connection.close()
        self._open.clear()
        self._writer = None

    def _writing_connection(self) -> sqlite3.Connection:
        """A file that was moved away is gone for us too: writing on into the old one would lose everything."""
        inode = self._inode_now()
        if self._writer is None or inode != self._inode:
            self._forget(self._writer)
            self._writer = None
            self._writer = self._connect("rw")
            self._inode = inode
        return self._writer

    def _reading_connection(self) -> sqlite3.Connection:
        inode = self._inode_now()
        connection: sqlite3.Connection | None = getattr(self._readers, "connection", None)
        if connection is None or self._readers.inode != inode:
            self._forget(connection)
            connection = self._connect("ro")
            self._readers.connection, self._readers.inode, self._readers.counts = connection, inode, Counts()
        return connection

    def _inode_now(self) -> int:
        try:
            return os.stat(self.path).st_ino
        except OSError as error:
            raise LedgerUnavailable(f"{self.path} is gone: {error.strerror}") from error

    def _connect(self, mode: str) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{self.path.resolve().as_uri()}?mode={mode}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            timeout=self._busy_s_max,
            cached_statements=256,
        )
        self._open.append(connection)
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA cache_size = -16000")
            if mode == "rw":
                _into_wal(connection, self._busy_s_max)
                connection.execute("PRAGMA synchronous = FULL")
        except sqlite3.Error:
            self._forget(connection)
            raise
        return connection

    def _roll_back(self, connection: sqlite3.Connection) -> None:
        """After a full disk or an I/O error the connection itself is not trusted any more."""
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except sqlite3.Error:
            self._forget(connection)
            self._writer = None

    def _forget(self, connection: sqlite3.Connection | None) -> None:
        if connection is not None:
            with suppress(sqlite3.Error, ValueError):
                self._open.remove(connection)
                connection.close()


def _make_private(path: Path) -> None:
    """SQLite gives the mode of its file to -wal and -shm. One that is there already is not even opened: closing it
    would give up the locks that other connections of this process have on it, and the ledger would be damaged."""
    with suppress(FileExistsError):
        os.close(
            os.open(path.resolve(), os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        )  # a link may lead to nothing yet


def _as_we_know_it(connection: sqlite3.Connection, schema: int) -> None:
    (present,) = connection.execute(statements("sqlite")["schema_version"]).fetchone()
    if (present or 0) > schema:
        raise LedgerUnavailable(newer(present, schema))


def _into_wal(connection: sqlite3.Connection, busy_s_max: float) -> None:
    """SQLite does not wait for others when it changes the journal, so processes that start at once wait here."""
    deadline = time.monotonic() + busy_s_max
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(random.uniform(0.005, 0.03))


def _lists_as_json(params: dict[str, Any]) -> dict[str, Any]:
    return {k: json.dumps(v, ensure_ascii=False) if isinstance(v, list) else v for k, v in params.items()}
