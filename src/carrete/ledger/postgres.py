"""The PostgreSQL engine, for several machines. It runs the same named statements as SQLite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from psycopg import errors
from psycopg_pool import ConnectionPool, PoolTimeout
from pydantic_core import to_json

from carrete.addresses import redact
from carrete.ledger.counts import CountCache, count
from carrete.ledger.database import NOT_NUMBERED, NamedQuery, NamedRows, Numbering, Row, Tx
from carrete.ledger.errors import LedgerUnavailable, RaceLost, newer_schema_message
from carrete.ledger.numbering import numbering
from carrete.ledger.statements import statements

CONNECT_S_MAX = 3
READERS_MAX = 4
READER_WAIT_S_MAX = 2.0
_OPTIONS = "-c lock_timeout=4000 -c statement_timeout=20000 -c synchronous_commit=on -c timezone=UTC"
# read committed, whatever the server's default is: a statement that waited for a row sees the row as it is then.
# Under repeatable read it would fail instead. idle_in_transaction: a process that froze inside a transaction must not
# block others for longer than they wait for a lock. No hash and merge joins: a commit changes a few rows by key, but
# PostgreSQL estimates any list as a hundred rows and would scan the whole table.
_WRITER = (
    "-c default_transaction_isolation=read\\ committed -c idle_in_transaction_session_timeout=3000 "
    "-c enable_hashjoin=off -c enable_mergejoin=off"
)
# repeatable read: all statements of a reader see one snapshot. random_page_cost: indexes are nearly always in memory;
# with the default cost for spinning disks PostgreSQL scans the whole table, which takes three times as long.
# Force custom plans: a generic plan estimates one day as if it were a month.
_SNAPSHOT = (
    "-c default_transaction_isolation=repeatable\\ read -c default_transaction_read_only=on "
    "-c idle_in_transaction_session_timeout=5000 -c random_page_cost=1.1 -c jit=off "
    "-c plan_cache_mode=force_custom_plan"
)
_RACES = (errors.SerializationFailure, errors.DeadlockDetected, errors.UniqueViolation)
_UNAVAILABLE = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    psycopg.InternalError,  # read-only after a failover, or the server ended the session
    errors.InsufficientResources,
    errors.UndefinedTable,  # the address leads to another database
    errors.InsufficientPrivilege,  # rights of the server's role are missing: `carrete migrate --server-role`
    PoolTimeout,
)


_ROWS = "%(rows)s"
_ROWS_MAX = 1_000  # rows of one statement; an import has tens of thousands


def _json(rows: Sequence[Mapping[str, Any]]) -> str:
    """By Pydantic's serializer, which takes a third of the time of `json.dumps`: every action writes four rows."""
    return to_json(rows).decode()


def _combined(parts: Sequence[NamedRows]) -> NamedQuery:
    """Combines statements that take `:rows` into one, which returns how many rows each of them changed. It costs little
    more than a single one of them."""
    sql = _combined_sql(tuple(name for name, _ in parts))
    return sql, {f"rows{n}": _json(rows) for n, (_, rows) in enumerate(parts)}


@cache
def _combined_sql(names: tuple[str, ...]) -> str:
    sql = statements("postgres")
    writes = [f"w{n} AS ({sql[name].replace(_ROWS, f'%(rows{n})s')} RETURNING 1)" for n, name in enumerate(names)]
    return f"WITH {', '.join(writes)} SELECT {', '.join(f'(SELECT count(*) FROM w{n})' for n in range(len(names)))}"


class PostgresTx:
    def __init__(self, connection: psycopg.Connection[Row], counts: CountCache | None = None) -> None:
        self._connection = connection
        self._counts = counts
        self._cursor = connection.cursor()
        self._sql = statements("postgres")

    def all(self, name: str, /, **params: Any) -> list[Row]:
        return self._cursor.execute(self._sql[name].encode(), params).fetchall()

    def one(self, name: str, /, **params: Any) -> Row | None:
        return self._cursor.execute(self._sql[name].encode(), params).fetchone()

    def count(self, name: str, /, **params: Any) -> int:
        return count(self, self._counts, name, params)

    def run(self, name: str, /, **params: Any) -> int:
        return self._cursor.execute(self._sql[name].encode(), params).rowcount

    def many(self, name: str, rows: Sequence[Mapping[str, Any]], /) -> int:
        """A statement that takes `:rows` gets all rows at once; psycopg runs any other once for each row, pipelined."""
        if not rows:
            return 0
        if _ROWS in self._sql[name]:
            return sum(each.rowcount for each in self._execute_pipelined(*self._calls(name, rows)))
        self._cursor.executemany(self._sql[name].encode(), rows)
        return self._cursor.rowcount

    def all_of(self, *queries: NamedQuery) -> list[list[Row]]:
        return [
            answer.fetchall()
            for answer in self._execute_pipelined(*((self._sql[name], params) for name, params in queries))
        ]

    def many_of(self, *parts: NamedRows) -> list[int]:
        return self.write_and_allocate_seqs(0, *parts)[0]

    def write_and_allocate_seqs(self, n: int, *parts: NamedRows) -> tuple[list[int], Numbering]:
        """Unless there are too many rows, the statements that take `:rows` run as one combined statement, first."""
        fits = all(len(rows) <= _ROWS_MAX for _, rows in parts)
        joined = [at for at, (name, rows) in enumerate(parts) if fits and rows and _ROWS in self._sql[name]]
        others = {at: self._calls(*part) for at, part in enumerate(parts) if at not in joined}
        calls = [call for each in others.values() for call in each]
        if joined:
            calls.insert(0, _combined([parts[at] for at in joined]))
        if n:
            calls += [(self._sql["numbering_lock"], {}), (self._sql["trail_head"], {})]
        answers = iter(self._execute_pipelined(*calls))
        counts = dict(zip(joined, next(answers).fetchone() or (), strict=True)) if joined else {}
        counts |= {at: sum(next(answers).rowcount for _ in each) for at, each in others.items()}
        ordered = [counts[at] for at in range(len(parts))]
        if not n:
            return ordered, NOT_NUMBERED
        next(answers)
        return ordered, numbering(next(answers).fetchone(), n)

    def _calls(self, name: str, rows: Sequence[Mapping[str, Any]]) -> list[NamedQuery]:
        sql = self._sql[name]
        if _ROWS not in sql:
            return [(sql, row) for row in rows]
        return [(sql, {"rows": _json(rows[at : at + _ROWS_MAX])}) for at in range(0, len(rows), _ROWS_MAX)]

    def _execute_pipelined(self, *calls: NamedQuery) -> list[psycopg.Cursor[Row]]:
        """Sends all calls in one round trip. Results must be read after it, not inside the pipeline."""
        with self._connection.pipeline() if len(calls) > 1 else nullcontext():
            return [self._connection.execute(sql.encode(), params) for sql, params in calls]

    def execute(self, sql: str) -> None:
        self._cursor.execute(sql.encode())


class PostgresDatabase:
    engine = "postgres"

    def __init__(self, url: str, reader_wait_s_max: float = READER_WAIT_S_MAX) -> None:
        self.url = url
        self.schema: int | None = None
        self._writer: psycopg.Connection[Row] | None = None
        self._counts: WeakKeyDictionary[psycopg.Connection[Row], CountCache] = WeakKeyDictionary()
        self._pool: ConnectionPool[psycopg.Connection[Row]] = ConnectionPool(
            url,
            min_size=0,
            max_size=READERS_MAX,
            kwargs=self._arguments(autocommit=False, options=f"{_OPTIONS} {_SNAPSHOT}"),
            timeout=reader_wait_s_max,
            reconnect_timeout=reader_wait_s_max,  # else its delay after an outage grows with the length of the outage
            open=True,
            check=ConnectionPool.check_connection,
            name="carrete-readers",
        )

    @contextmanager
    def writing(self) -> Iterator[Tx]:
        try:
            connection, present = self._begin_or_reconnect()
            try:
                if self.schema is not None and present > self.schema:
                    raise LedgerUnavailable(newer_schema_message(present, self.schema))
                yield PostgresTx(connection)
                if connection.execute("COMMIT").statusmessage != "COMMIT":
                    raise LedgerUnavailable("PostgreSQL rolled the transaction back instead of committing it")
            except BaseException:
                self._roll_back(connection)
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
                yield PostgresTx(connection, self._counts.setdefault(connection, CountCache()))
                connection.rollback()
        except _UNAVAILABLE as error:
            raise LedgerUnavailable(self._message(error)) from error

    def close(self) -> None:
        self._drop_writer()
        self._pool.close(timeout=1)

    def _begin_or_reconnect(self) -> tuple[psycopg.Connection[Row], int]:
        """A closed connection is only noticed when it is used. Nothing was executed yet, so a second try is safe."""
        used_before = self._writer is not None
        try:
            return self._begin()
        except psycopg.OperationalError:
            if not used_before:
                raise
            self._drop_writer()
            return self._begin()

    def _begin(self) -> tuple[psycopg.Connection[Row], int]:
        """Begins a transaction and returns the schema version, in one round trip. Reading it locks the version
        table, so a newer program cannot migrate before this transaction ends."""
        connection = self._writing_connection()
        if self.schema is None:
            connection.execute("BEGIN")
            return connection, 0
        begun = connection.execute(f"BEGIN; {statements('postgres')['schema_version']}".encode(), prepare=False)
        begun.nextset()
        (present,) = begun.fetchone() or (None,)
        return connection, present or 0

    def _roll_back(self, connection: psycopg.Connection[Row]) -> None:
        try:
            connection.execute("ROLLBACK")
        except psycopg.Error:
            self._drop_writer()

    def _writing_connection(self) -> psycopg.Connection[Row]:
        if self._writer is None or self._writer.closed:
            self._writer = psycopg.connect(
                self.url, **self._arguments(autocommit=True, options=f"{_OPTIONS} {_WRITER}")
            )
        return self._writer

    def _drop_writer(self) -> None:
        if self._writer is not None:
            with suppress(psycopg.Error):
                self._writer.close()
        self._writer = None

    def _arguments(self, *, autocommit: bool, options: str) -> dict[str, Any]:
        return {
            "autocommit": autocommit,
            "connect_timeout": CONNECT_S_MAX,
            "options": options,
            "application_name": "carrete",
            "prepare_threshold": 2,
            "keepalives_idle": 10,
            "keepalives_interval": 3,
            "keepalives_count": 3,
            "tcp_user_timeout": 10_000,
        }

    def _message(self, error: Exception) -> str:
        return redact(" ".join(str(error).split()), self.url) or type(error).__name__
