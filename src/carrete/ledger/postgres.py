"""The PostgreSQL engine, for several machines. It runs the same named statements as SQLite."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg import errors
from psycopg_pool import ConnectionPool, PoolTimeout

from carrete.addresses import redact
from carrete.ledger.database import Tx
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from carrete.ledger.postgres_connection import PostgresConnection
from carrete.ledger.postgres_tx import PostgresTx

CONNECT_S_MAX = 3
READERS_MAX = 4
READER_WAIT_S_MAX = 2.0
_OPTIONS = "-c lock_timeout=4000 -c statement_timeout=20000 -c synchronous_commit=on -c timezone=UTC"
# read committed, whatever the server's default is: a statement that waited for a row sees the row as it is then.
# Under repeatable read it would fail instead. idle_in_transaction: a process that froze inside a transaction must not
# block others for longer than they wait for a lock. No hash and merge joins, and no scan of a table that has an index
# for it: a commit changes a few rows by key, but PostgreSQL estimates any list as a hundred rows, and a table as it was
# when the statement was planned, once (generic plan), perhaps while it was empty. No jit: where a scan is the only way,
# its estimate is so high that PostgreSQL 17 and older compile the statement each time, which takes 20 ms and more.
_WRITER = (
    "-c default_transaction_isolation=read\\ committed -c idle_in_transaction_session_timeout=3000 -c jit=off "
    "-c enable_hashjoin=off -c enable_mergejoin=off -c enable_seqscan=off -c plan_cache_mode=force_generic_plan"
)
# repeatable read: all statements of a reader see one snapshot. random_page_cost: indexes are nearly always in memory;
# with the default cost for spinning disks PostgreSQL scans the whole table, which takes three times as long.
# Force custom plans: a generic plan estimates one day as if it were a month.
_SNAPSHOT = (
    "-c default_transaction_isolation=repeatable\\ read -c default_transaction_read_only=on "
    "-c idle_in_transaction_session_timeout=5000 -c random_page_cost=1.1 -c jit=off "
    "-c plan_cache_mode=force_custom_plan"
)
_RACES = (
    errors.SerializationFailure,
    errors.DeadlockDetected,
    errors.UniqueViolation,
    errors.DivisionByZero,  # an update changed no row: see `checked_calls`. No other statement of a writer divides
)
_UNAVAILABLE = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    psycopg.InternalError,  # read-only after a failover, or the server ended the session
    errors.InsufficientResources,
    errors.UndefinedTable,  # the address leads to another database
    errors.InsufficientPrivilege,  # rights of the server's role are missing: `carrete migrate --server-role`
    PoolTimeout,
)


class PostgresDatabase:
    engine = "postgres"

    def __init__(self, url: str, reader_wait_s_max: float = READER_WAIT_S_MAX) -> None:
        self.url = url
        self.schema: int | None = None
        self._writer: PostgresConnection | None = None
        self._writing = threading.Lock()  # held by the thread that writes
        self._pool: ConnectionPool[PostgresConnection] = ConnectionPool(
            url,
            connection_class=PostgresConnection,
            min_size=0,
            max_size=READERS_MAX,
            kwargs=self._arguments(f"{_OPTIONS} {_SNAPSHOT}"),
            timeout=reader_wait_s_max,
            reconnect_timeout=reader_wait_s_max,  # else its delay after an outage grows with the length of the outage
            open=True,
            check=ConnectionPool.check_connection,
            name="carrete-readers",
        )

    @contextmanager
    def writing(self) -> Iterator[Tx]:
        with self._writing:
            try:
                tx = self._begin()
                try:
                    yield tx
                    tx.commit()
                except BaseException:
                    self._roll_back(tx)
                    raise
            except _RACES as error:
                raise RaceLost(str(error)) from error
            except _UNAVAILABLE as error:
                self._drop_writer()
                raise LedgerUnavailable(self._message(error)) from error

    @contextmanager
    def reading(self) -> Iterator[Tx]:
        try:
            with self._pool.connection() as connection:
                tx = PostgresTx(connection, connection.counts)
                yield tx
                tx.roll_back()
        except _UNAVAILABLE as error:
            raise LedgerUnavailable(self._message(error)) from error

    def close(self) -> None:
        self._drop_writer()
        self._pool.close(timeout=1)

    def _begin(self) -> PostgresTx:
        """A connection that was used before may be lost by now: then the transaction gets another one."""
        if self._writer is None:
            return PostgresTx(self._connect_writer(), schema=self.schema)
        return PostgresTx(self._writer, schema=self.schema, reconnect=self._connect_writer)

    def _roll_back(self, tx: PostgresTx) -> None:
        try:
            tx.roll_back()
        except psycopg.Error:
            self._drop_writer()

    def _connect_writer(self) -> PostgresConnection:
        self._drop_writer()
        arguments = self._arguments(f"{_OPTIONS} {_WRITER}")
        self._writer = PostgresConnection.connect(self.url, **arguments)
        return self._writer

    def _drop_writer(self) -> None:
        if self._writer is not None:
            with suppress(psycopg.Error):
                self._writer.close()
        self._writer = None

    def _arguments(self, options: str) -> dict[str, Any]:
        return {
            "autocommit": True,  # transactions are begun and ended by statements of our own
            "prepare_threshold": None,  # psycopg drops all prepared statements, ours too, when a table is altered
            "connect_timeout": CONNECT_S_MAX,
            "options": options,
            "application_name": "carrete",
            "keepalives_idle": 10,
            "keepalives_interval": 3,
            "keepalives_count": 3,
            "tcp_user_timeout": 10_000,
        }

    def _message(self, error: Exception) -> str:
        return redact(" ".join(str(error).split()), self.url) or type(error).__name__
