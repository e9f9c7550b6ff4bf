"""A connection to PostgreSQL that runs several statements in one round trip, by libpq's pipeline mode.

psycopg's own layers above libpq (cursors, transactions, pipelines) cost an action more time than PostgreSQL does. Of
them only the conversion of values is used here, which is written in C.
"""

from __future__ import annotations

import re
import select
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

import psycopg
from psycopg import errors, pq
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq.abc import PGresult

from carrete.ledger.counts import CountCache
from carrete.ledger.database import Row

PREPARED_MAX = 300  # statements that PostgreSQL keeps planned for a connection; any further one is planned each time
# How long the next bytes of a server are waited for: nothing else would ever end the wait for a frozen one. Longer than
# any statement may take, because PostgreSQL answers those of a round trip, such as of a large import, at their end.
SILENCE_S_MAX = 120.0
_SUCCEEDED = (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK)
_PARAM = re.compile(r"%\((\w+)\)s|%%")

Call = tuple[str, Mapping[str, Any]]  # a statement with %(name)s for each parameter, and the parameters


class Result(NamedTuple):
    rows: list[Row]
    affected: int  # how many rows were found or changed
    command: str  # what PostgreSQL did: to COMMIT it answers ROLLBACK if the transaction had failed

    @property
    def first(self) -> Row | None:
        return self.rows[0] if self.rows else None


class NativeSql(NamedTuple):
    """A statement in PostgreSQL's own syntax ($1, $2 …), with the name and the format of each parameter."""

    text: bytes
    names: tuple[str, ...]
    formats: tuple[PyFormat, ...]


@cache
def native_sql(sql: str) -> NativeSql:
    names = list(dict.fromkeys(found[1] for found in _PARAM.finditer(sql) if found[1]))
    text = _PARAM.sub(lambda found: f"${names.index(found[1]) + 1}" if found[1] else "%", sql)
    return NativeSql(text.encode(), tuple(names), (PyFormat.AUTO,) * len(names))


class StatementKey(NamedTuple):
    """A prepared statement: its text and the types of its parameters."""

    text: bytes
    types: tuple[int, ...]


class _ConvertedCall(NamedTuple):
    statement: StatementKey
    values: Sequence[Any]  # as libpq takes them
    formats: Sequence[pq.Format]


class PostgresConnection(psycopg.Connection[Any]):
    """Only one thread at a time may use it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.counts = CountCache()
        self._statement_names: dict[StatementKey, bytes] = {}
        self._statements_named = 0
        self._unanswered: list[StatementKey | None] = []  # messages of `send_calls`, as `_send` returns them
        self._preparing: dict[StatementKey, bytes] = {}
        self._syncs = 0  # that PostgreSQL has not answered yet

    def run_calls(self, calls: Sequence[Call]) -> list[Result]:
        """The result of each call. Raises the error of the first one that fails; those after it are not executed."""
        results, error = self.run_calls_until_error(calls)
        if error:
            raise error
        return results

    def run_calls_until_error(self, calls: Sequence[Call]) -> tuple[list[Result], psycopg.Error | None]:
        """The results of the calls before the first one that failed, and its error, which may be that of a call that
        was sent before. Raises OperationalError when the connection is lost."""
        before = self._unanswered.count(None)
        self.send_calls(calls)
        with self._closing_if_interrupted():
            answers = self._receive() if self._unanswered else []
            messages, self._unanswered = self._unanswered, []
            preparing, self._preparing = self._preparing, {}
        results: list[Result] = []
        for prepared, answer in zip(messages, answers, strict=True):
            if answer.status not in _SUCCEEDED:
                return results[before:], errors.error_from_result(answer)
            if prepared is None:
                results.append(self._result(answer))
            else:
                self._statement_names[prepared] = preparing[prepared]
        return results[before:], None

    def send_calls(self, calls: Sequence[Call]) -> None:
        """Sends calls whose results are not needed now: PostgreSQL executes them, and answers with the next
        `run_calls`. They end with a sync: without it PostgreSQL would wait for more of them without a limit while it
        holds their locks, after it for `idle_in_transaction_session_timeout`, if this process freezes."""
        if not calls:
            return
        converted = [self._converted(*call) for call in calls]  # what cannot be converted fails before any is sent
        with self._closing_if_interrupted():
            if not self._unanswered:
                self.pgconn.enter_pipeline_mode()
            self._unanswered += [message for call in converted for message in self._send(call)]
            self.pgconn.pipeline_sync()
            self._syncs += 1

    @contextmanager
    def _closing_if_interrupted(self) -> Iterator[None]:
        """Answers may be on their way: a later call would take them for its own."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def _converted(self, sql: str, params: Mapping[str, Any]) -> _ConvertedCall:
        native = native_sql(sql)
        adapted = Transformer(self)
        given = [_param(params[name]) for name in native.names]
        values = adapted.dump_sequence(given, native.formats)
        return _ConvertedCall(StatementKey(native.text, adapted.types or ()), values, adapted.formats or ())

    def _send(self, call: _ConvertedCall) -> list[StatementKey | None]:
        """Sends the call, and before it the preparation of a new statement, which is added to `_preparing`. One element
        for each message that PostgreSQL answers: the statement that it prepares, or None for the call itself."""
        key, values, formats = call
        name = self._statement_names.get(key) or self._preparing.get(key)
        if name is not None:
            self.pgconn.send_query_prepared(name, values, formats)
            return [None]
        if len(self._statement_names) + len(self._preparing) >= PREPARED_MAX:
            self.pgconn.send_query_params(key.text, values, key.types, formats)
            return [None]
        self._statements_named += 1  # each name is used once: a preparation may succeed whose call then fails
        name = self._preparing[key] = b"carrete_%d" % self._statements_named
        self.pgconn.send_prepare(name, key.text, key.types)
        self.pgconn.send_query_prepared(name, values, formats)
        return [key, None]

    def _receive(self) -> list[PGresult]:
        """The answers to all messages that were sent."""
        answers = self._answers()
        self.pgconn.exit_pipeline_mode()
        return answers

    def _answers(self) -> list[PGresult]:
        poll = select.poll()
        answers: list[PGresult] = []
        while True:
            unsent = self.pgconn.flush()
            poll.register(self.pgconn.socket, select.POLLIN | (select.POLLOUT if unsent else 0))
            if not poll.poll(SILENCE_S_MAX * 1000):
                raise psycopg.OperationalError(f"PostgreSQL did not answer for {SILENCE_S_MAX:.0f} s")
            self.pgconn.consume_input()
            while not self.pgconn.is_busy():
                answer = self.pgconn.get_result()
                if answer is None:  # the answers to one message end here, or the connection is lost
                    if self.closed:
                        raise psycopg.OperationalError(self.pgconn.get_error_message())
                elif answer.status == pq.ExecStatus.PIPELINE_SYNC:
                    self._syncs -= 1
                    if self._syncs == 0:
                        return answers
                else:
                    answers.append(answer)

    def _result(self, answer: PGresult) -> Result:
        rows: list[Row] = []
        if answer.ntuples:
            loading = Transformer(self)
            loading.set_pgresult(answer)
            rows = loading.load_rows(0, answer.ntuples, tuple)
        return Result(rows, answer.command_tuples or 0, (answer.command_status or b"").decode())


def _param(value: Any) -> Any:
    """A list as PostgreSQL writes arrays: psycopg converts lists in Python, which takes many times as long."""
    if type(value) is not list:
        return value
    elements = [_quoted(each) if isinstance(each, str) else str(each) for each in value]
    return f"{{{','.join(elements)}}}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
