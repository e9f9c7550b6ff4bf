"""A transaction on PostgreSQL. Statements whose results are not waited for share the round trip of the next ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import psycopg
from pydantic_core import to_json

from carrete.ledger.counts import CountCache, count
from carrete.ledger.database import NOT_NUMBERED, NamedQuery, NamedRows, Numbering, Row
from carrete.ledger.errors import LedgerUnavailable, newer_schema_message
from carrete.ledger.numbering import numbering
from carrete.ledger.postgres_connection import Call, PostgresConnection, Result
from carrete.ledger.statements import one_row_statements, statements

_BEGIN: Call = ("BEGIN", {})
_COMMIT: Call = ("COMMIT", {})
_ROLLBACK: Call = ("ROLLBACK", {})
_ROWS = "%(rows)s"
_ROWS_MAX = 1_000  # rows of one statement; an import has tens of thousands
# Up to so many rows of a table are written by a statement each. One statement for all of them takes its rows as JSON,
# and to take that apart costs PostgreSQL more than to change two rows.
_ROWS_ONE_BY_ONE_MAX = 2


class PostgresTx:
    """BEGIN goes out with the first statements. With a `schema`, a ledger that a newer program has migrated further is
    refused. `reconnect` replaces a connection that turns out to be lost when the transaction begins."""

    def __init__(
        self,
        connection: PostgresConnection,
        counts: CountCache | None = None,
        schema: int | None = None,
        reconnect: Callable[[], PostgresConnection] | None = None,
    ) -> None:
        self._connection = connection
        self._counts = counts
        self._schema = schema
        self._reconnect = reconnect
        self._begun = False
        self._queued: list[Call] = []
        self._head: Row | None = None  # of the chain, if numbering is locked already
        self._sql = statements("postgres")

    def all(self, name: str, /, **params: Any) -> list[Row]:
        return self._run_one(name, params).rows

    def one(self, name: str, /, **params: Any) -> Row | None:
        return self._run_one(name, params).first

    def count(self, name: str, /, **params: Any) -> int:
        return count(self, self._counts, name, params)

    def run(self, name: str, /, **params: Any) -> int:
        return self._run_one(name, params).affected

    def many(self, name: str, rows: Sequence[Mapping[str, Any]], /) -> int:
        return self.many_of((name, rows))[0] if rows else 0

    def all_of(self, *queries: NamedQuery) -> list[list[Row]]:
        return [result.rows for result in self._run([(self._sql[name], params) for name, params in queries])]

    def all_of_and_lock_numbering(self, *queries: NamedQuery) -> list[list[Row]]:
        read = [(self._sql[name], params) for name, params in queries]
        *results, locked, head = self._run([*read, *self._lock_numbering("numbering_try_lock")])
        self._head = head.first if locked.first == (True,) else None
        return [result.rows for result in results]

    def many_of(self, *parts: NamedRows) -> list[int]:
        return self.write_and_allocate_seqs(0, *parts)[0]

    def write_and_allocate_seqs(self, n: int, *parts: NamedRows) -> tuple[list[int], Numbering]:
        writes = _Writes(self._sql, parts)
        if n and self._head is not None and writes.by_row:
            head, self._head = self._head, None
            self._queued += writes.checked_calls
            return writes.expected_counts, numbering(head, n)
        results = self._run([*writes.calls, *(self._lock_numbering() if n else ())])
        return writes.counts(results), numbering(results[-1].first, n) if n else NOT_NUMBERED

    def _lock_numbering(self, lock: str = "numbering_lock") -> list[Call]:
        """Two statements: the head is read by one that begins when the lock is held."""
        return [(self._sql[lock], {}), (self._sql["trail_head"], {})]

    def write_last(self, *parts: NamedRows) -> None:
        self._queued += _Writes(self._sql, parts).calls

    def begin_writing(self, *parts: NamedRows) -> None:
        if not self._begun:
            self._begin([])
        queued, self._queued = self._queued, []
        self._connection.send_calls([*queued, *_Writes(self._sql, parts).calls])

    def execute(self, sql: str) -> None:
        if not self._begun:
            self._begin([])
        self._run([])
        self._connection.execute(sql.encode())

    def commit(self) -> None:
        """In one round trip with what is queued. A transaction without any statement was never begun."""
        if self._queued and not self._begun:
            self._begin([])  # not together with COMMIT, which cannot be sent again over another connection
        if self._begun and self._run([_COMMIT])[0].command != "COMMIT":
            raise LedgerUnavailable("PostgreSQL rolled the transaction back instead of committing it")

    def roll_back(self) -> None:
        if self._begun:
            self._connection.run_calls_until_error([])  # an error of what was sent before does not matter any more
            self._connection.run_calls([_ROLLBACK])

    def _run_one(self, name: str, params: Mapping[str, Any]) -> Result:
        (result,) = self._run([(self._sql[name], params)])
        return result

    def _run(self, calls: Sequence[Call]) -> list[Result]:
        """What is queued goes first."""
        sent, self._queued = [*self._queued, *calls], []
        results = self._connection.run_calls(sent) if self._begun or not sent else self._begin(sent)
        return results[len(sent) - len(calls) :]

    def _begin(self, calls: Sequence[Call]) -> list[Result]:
        """Reading the schema's version locks its table, so a newer program cannot migrate before this transaction ends.
        The other calls may fail because it has migrated already: that check comes first."""
        begin = [_BEGIN] if self._schema is None else [_BEGIN, (self._sql["schema_version"], {})]
        self._begun = True
        results, error = self._run_or_reconnect([*begin, *calls])
        if self._schema is not None and len(results) >= len(begin):
            (present,) = results[1].first or (None,)
            if (present or 0) > self._schema:
                raise LedgerUnavailable(newer_schema_message(present, self._schema))
        if error:
            raise error
        return results[len(begin) :]

    def _run_or_reconnect(self, calls: Sequence[Call]) -> tuple[list[Result], psycopg.Error | None]:
        """A lost connection is only noticed when it is used. Without a COMMIT nothing lasting was done over it, so the
        same calls can be sent again."""
        try:
            return self._connection.run_calls_until_error(calls)
        except psycopg.OperationalError:
            if self._reconnect is None:
                raise
        self._connection = self._reconnect()
        return self._connection.run_calls_until_error(calls)


class _Writes:
    """Statements that write rows, and how many rows each of them changed. Those that take `:rows` run as one combined
    statement, first, unless there are too many rows. Where every part has few, each row has a statement of its own, in
    the order of the parts."""

    def __init__(self, sql: Mapping[str, str], parts: Sequence[NamedRows]) -> None:
        most = max((len(rows) for _, rows in parts), default=0)
        self.expected_counts = [len(rows) for _, rows in parts]
        self.by_row = most <= _ROWS_ONE_BY_ONE_MAX
        joins = not self.by_row and most <= _ROWS_MAX
        self._joined = [at for at, (name, rows) in enumerate(parts) if joins and rows and _ROWS in sql[name]]
        calls = _calls_by_row if self.by_row else _calls
        others = {at: calls(sql, *part) for at, part in enumerate(parts) if at not in self._joined}
        self._others = {at: len(calls) for at, calls in others.items()}
        self.calls = [_combined(sql, [parts[at] for at in self._joined])] if self._joined else []
        self.calls += [call for calls in others.values() for call in calls]

    def counts(self, results: Sequence[Result]) -> list[int]:
        answers = iter(results)
        counts = dict(zip(self._joined, next(answers).first or (), strict=True)) if self._joined else {}
        counts |= {at: sum(next(answers).affected for _ in range(calls)) for at, calls in self._others.items()}
        return [counts[at] for at in range(len(self.expected_counts))]

    @property
    def checked_calls(self) -> list[Call]:
        """For `by_row`. An update that changes no row fails, so that its count need not be waited for."""
        return [(_checked(sql) if sql.startswith("UPDATE ") else sql, params) for sql, params in self.calls]


def _calls(sql: Mapping[str, str], name: str, rows: Sequence[Mapping[str, Any]]) -> list[Call]:
    if _ROWS not in sql[name]:
        return [(sql[name], row) for row in rows]
    return [(sql[name], {"rows": _json(rows[at : at + _ROWS_MAX])}) for at in range(0, len(rows), _ROWS_MAX)]


def _calls_by_row(sql: Mapping[str, str], name: str, rows: Sequence[Mapping[str, Any]]) -> list[Call]:
    if _ROWS not in sql[name]:
        return [(sql[name], row) for row in rows]
    return [(one_row_statements()[name], _texts(row)) for row in rows]


def _texts(row: Mapping[str, Any]) -> dict[str, str | None]:
    """Without types, which depend on the size of a number and on what is NULL: each combination of them would be
    another prepared statement. PostgreSQL takes the type of a text from its column."""
    return {name: value if value is None or type(value) is str else str(value) for name, value in row.items()}


def _combined(sql: Mapping[str, str], parts: Sequence[NamedRows]) -> Call:
    """Combines statements that take `:rows` into one, which returns how many rows each of them changed. It costs little
    more than a single one of them."""
    text = _combined_sql(tuple(sql[name] for name, _ in parts))
    return text, {f"rows{n}": _json(rows) for n, (_, rows) in enumerate(parts)}


@cache
def _checked(update: str) -> str:
    """Divides by zero, which is an error, if no row is changed."""
    return f"WITH changed AS ({update} RETURNING 1) SELECT 1 / count(*) FROM changed"


@cache
def _combined_sql(writes: tuple[str, ...]) -> str:
    named = [f"w{n} AS ({sql.replace(_ROWS, f'%(rows{n})s')} RETURNING 1)" for n, sql in enumerate(writes)]
    return f"WITH {', '.join(named)} SELECT {', '.join(f'(SELECT count(*) FROM w{n})' for n in range(len(writes)))}"


def _json(rows: Sequence[Mapping[str, Any]]) -> str:
    """By Pydantic's serializer, which takes a third of the time of `json.dumps`: every action writes four rows."""
    return to_json(rows).decode()
