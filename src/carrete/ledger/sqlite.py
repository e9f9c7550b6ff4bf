"""The SQLite engine: one file with a write-ahead log. A commit returns only after its data is on the disk."""

from __future__ import annotations

import os
import random
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from carrete.ledger.counts import CountCache
from carrete.ledger.database import Tx
from carrete.ledger.errors import LedgerUnavailable, RaceLost, newer_schema_message
from carrete.ledger.sqlite_tx import SqliteReadTx, SqliteTx
from carrete.ledger.statements import statements

WAL_PAGES_MAX = 4_000  # 16 MB; with SQLite's 1,000 every sixth commit of fifty taps would wait for a checkpoint
BUSY_MS_MAX = 4_000  # how long a writer waits for another process before LedgerUnavailable
CLOSE_S_MAX = 5.0  # how long closing waits for threads that still use their connections
CLOSE_POLL_S = 0.01
_PROGRAMMING_ERRORS = (sqlite3.ProgrammingError, sqlite3.IntegrityError, sqlite3.InterfaceError)
_KEY_EXISTS = (sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_UNIQUE)


class SqliteDatabase:
    engine = "sqlite"

    def __init__(self, path: Path, busy_ms_max: int = BUSY_MS_MAX) -> None:
        self.path = path
        self._busy_s_max = busy_ms_max / 1000
        self.schema: int | None = None
        self._writer: sqlite3.Connection | None = None
        self._inode = 0
        self._readers = threading.local()
        self._open: dict[sqlite3.Connection, threading.Lock] = {}  # the lock is held while a thread uses the connection
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _make_private(path)
        except OSError as error:
            raise LedgerUnavailable(f"{path} cannot be created: {error.strerror}") from error

    @contextmanager
    def writing(self) -> Iterator[Tx]:
        try:
            connection = self._writing_connection()
            with self._using(connection):
                connection.execute("BEGIN IMMEDIATE")
                try:
                    if self.schema is not None:
                        _refuse_newer_schema(connection, self.schema)
                    yield SqliteTx(connection)
                    connection.execute("COMMIT")
                except BaseException:
                    self._roll_back(connection)
                    raise
        except sqlite3.IntegrityError as error:
            if error.sqlite_errorcode in _KEY_EXISTS:
                raise RaceLost(str(error)) from error
            raise
        except _PROGRAMMING_ERRORS:
            raise
        except sqlite3.Error as error:
            raise LedgerUnavailable(f"{self.path}: {error}") from error

    @contextmanager
    def reading(self) -> Iterator[Tx]:
        try:
            connection = self._reading_connection()
            with self._using(connection):
                connection.execute("BEGIN")
                try:
                    yield SqliteReadTx(connection, self._readers.counts)
                finally:
                    with suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")
        except _PROGRAMMING_ERRORS:
            raise
        except sqlite3.Error as error:
            self._discard(getattr(self._readers, "connection", None))
            self._readers.connection = None
            raise LedgerUnavailable(f"{self.path}: {error}") from error

    def close(self) -> None:
        """Ends reads that still run, and waits until the threads have left their connections: in Python 3.11 closing a
        connection that another thread is using crashes the whole process. One left open is harmless."""
        deadline = time.monotonic() + CLOSE_S_MAX  # for all of them together
        used = list(self._open.items())
        while used and time.monotonic() < deadline:
            used = [each for each in used if not self._close_if_unused(*each)]
        self._open.clear()
        self._writer = None

    def _close_if_unused(self, connection: sqlite3.Connection, in_use: threading.Lock) -> bool:
        """Interrupts a reader each time: that ends only the statement that runs, and the thread may begin another."""
        if in_use.acquire(timeout=CLOSE_POLL_S):
            self._discard(connection)
            in_use.release()
            return True
        if connection is not self._writer:
            with suppress(sqlite3.ProgrammingError):  # the thread may have closed it itself, after an error
                connection.interrupt()
        return False

    @contextmanager
    def _using(self, connection: sqlite3.Connection) -> Iterator[None]:
        with self._open.get(connection) or nullcontext():
            if connection not in self._open:
                raise LedgerUnavailable(f"{self.path}: this ledger was closed")
            yield

    def _writing_connection(self) -> sqlite3.Connection:
        """Opens the file again if it was replaced: writes into the old file would be lost."""
        inode = self._present_inode()
        if self._writer is None or inode != self._inode:
            self._discard(self._writer)
            self._writer = None
            self._writer = self._connect("rw")
            self._inode = inode
        return self._writer

    def _reading_connection(self) -> sqlite3.Connection:
        inode = self._present_inode()
        connection: sqlite3.Connection | None = getattr(self._readers, "connection", None)
        if connection is None or self._readers.inode != inode:
            self._discard(connection)
            connection = self._connect("ro")
            self._readers.connection, self._readers.inode, self._readers.counts = connection, inode, CountCache()
        return connection

    def _present_inode(self) -> int:
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
        in_use = threading.Lock()
        with in_use:
            self._open[connection] = in_use
            try:
                connection.execute("PRAGMA foreign_keys = ON")
                connection.execute("PRAGMA cache_size = -16000")
                if mode == "rw":
                    _enter_wal_mode(connection, self._busy_s_max)
                    connection.execute("PRAGMA synchronous = FULL")
                    connection.execute(f"PRAGMA wal_autocheckpoint = {WAL_PAGES_MAX}")
            except sqlite3.Error:
                self._discard(connection)
                raise
        return connection

    def _roll_back(self, connection: sqlite3.Connection) -> None:
        """A connection that cannot even roll back (full disk, I/O error) is closed and opened again."""
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except sqlite3.Error:
            self._discard(connection)
            self._writer = None

    def _discard(self, connection: sqlite3.Connection | None) -> None:
        if connection is not None and self._open.pop(connection, None) is not None:
            with suppress(sqlite3.Error):
                connection.close()


def _make_private(path: Path) -> None:
    """Creates the file readable by this user only; SQLite gives -wal and -shm the same mode. An existing file is not
    opened: closing it would release the locks of this process's other connections, and damage the ledger."""
    with suppress(FileExistsError):
        os.close(
            os.open(path.resolve(), os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        )  # the target of a symbolic link may not exist yet


def _refuse_newer_schema(connection: sqlite3.Connection, schema: int) -> None:
    (present,) = connection.execute(statements("sqlite")["schema_version"]).fetchone()
    if (present or 0) > schema:
        raise LedgerUnavailable(newer_schema_message(present, schema))


def _enter_wal_mode(connection: sqlite3.Connection, busy_s_max: float) -> None:
    """SQLite's busy timeout does not cover a change of the journal mode: processes that start together wait here."""
    deadline = time.monotonic() + busy_s_max
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(random.uniform(0.005, 0.03))
