"""A transaction on SQLite."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from carrete.ledger.counts import CountCache, count
from carrete.ledger.database import NOT_NUMBERED, NamedQuery, NamedRows, Numbering, Row
from carrete.ledger.numbering import numbering
from carrete.ledger.statements import PARAM, statements

_NOT_UTF8 = "Could not decode to UTF-8"
_EXAMINED = ("trail_rows_first", "trail_rows")  # what is hashed; all other rows are for JSON, files and programs

Read = TypeVar("Read")


class _NumberedSql(NamedTuple):
    """A statement with numbered parameters, and what takes their values out of a row."""

    sql: str
    values: Callable[[Mapping[str, Any]], tuple[Any, ...]]


@cache
def _numbered(sql: str) -> _NumberedSql:
    """For rows by the dozen: SQLite looks up the name of each named parameter in a list, once for every row."""
    names = list(dict.fromkeys(PARAM.findall(sql)))
    text = PARAM.sub(lambda found: f"?{names.index(found[1]) + 1}", sql)
    values = itemgetter(*names)
    return _NumberedSql(text, values if len(names) > 1 else lambda row: (values(row),))


class SqliteTx:
    def __init__(self, connection: sqlite3.Connection, counts: CountCache | None = None) -> None:
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
        if not rows:
            return 0
        numbered = _numbered(self._sql[name])
        return self._cursor.executemany(numbered.sql, map(numbered.values, rows)).rowcount

    def all_of(self, *queries: NamedQuery) -> list[list[Row]]:
        return [self.all(name, **params) for name, params in queries]

    def all_of_and_lock_numbering(self, *queries: NamedQuery) -> list[list[Row]]:
        return self.all_of(*queries)

    def many_of(self, *parts: NamedRows) -> list[int]:
        return [self.many(name, rows) for name, rows in parts]

    def write_and_allocate_seqs(self, n: int, *parts: NamedRows) -> tuple[list[int], Numbering]:
        """SQLite has one writer at a time: nothing else needs to be locked."""
        counts = self.many_of(*parts)
        return counts, numbering(self.one("trail_head"), n) if n else NOT_NUMBERED

    def write_last(self, *parts: NamedRows) -> None:
        self.many_of(*parts)

    def begin_writing(self, *parts: NamedRows) -> None:
        self.many_of(*parts)

    def execute(self, sql: str) -> None:
        self._cursor.execute(sql)


class SqliteReadTx(SqliteTx):
    """Also reads text that is no UTF-8: a person who has the file can put it there, and `carrete verify` must name that
    event."""

    def all(self, name: str, /, **params: Any) -> list[Row]:
        return self._read(super().all, name, params)

    def one(self, name: str, /, **params: Any) -> Row | None:
        return self._read(super().one, name, params)

    def _read(self, read: Callable[..., Read], name: str, params: dict[str, Any]) -> Read:
        try:
            return read(name, **params)
        except sqlite3.OperationalError as error:
            if _NOT_UTF8 not in str(error):
                raise
        connection = self._cursor.connection
        # Not always: it is a call of Python for each text.
        connection.text_factory = keep_bad_bytes if name in _EXAMINED else replace_bad_bytes
        try:
            return read(name, **params)
        finally:
            connection.text_factory = str


def keep_bad_bytes(text: bytes) -> str:
    """As lone surrogates, which no valid text has: their hash is another one. Such a text cannot be encoded: it is only
    for the examination of the trail."""
    return text.decode("utf-8", "surrogateescape")


def replace_bad_bytes(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def _lists_as_json(params: dict[str, Any]) -> dict[str, Any]:
    return {k: json.dumps(v, ensure_ascii=False) if isinstance(v, list) else v for k, v in params.items()}
