"""The content of a ledger in a form that can be compared between runs: tokens are numbered, times and days are
replaced."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

Rows = list[tuple[Any, ...]]
_TOKEN = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:\d\d|Z)?)?|\d\d-\d\d-\d{4}( \d\d:\d\d:\d\d)?")
_RECEIPT = re.compile(r'"recibo":\s*\{[^}]*\}')  # its hash depends on tokens and times


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`raw` is the stored content; compare `comparable`."""

    raw: dict[str, Rows]
    schema: tuple[str, ...] = ()

    @property
    def comparable(self) -> dict[str, Rows]:
        return plain(self.raw)

    def same_as(self, other: Snapshot) -> bool:
        return self.schema == other.schema and self.comparable == other.comparable

    def of_tag(self, tag: str) -> dict[str, Rows]:
        """Everything about one spool, with tokens numbered for that spool alone."""
        return plain({table: [row for row in rows if tag in row] for table, rows in self.raw.items()})


def plain(tables: dict[str, Rows]) -> dict[str, Rows]:
    tokens: dict[str, str] = {}

    def numbered(found: re.Match[str]) -> str:
        return tokens.setdefault(found[0], f"token {len(tokens)}")

    def cell(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return _TIME.sub("when", _TOKEN.sub(numbered, _RECEIPT.sub('"recibo": {}', value)))

    return {table: [tuple(map(cell, row)) for row in rows] for table, rows in tables.items()}


def difference(found: Snapshot, wanted: Snapshot) -> str:
    """The first row that differs."""
    if found.schema != wanted.schema:
        return f"the schema: {sorted({*found.schema} ^ {*wanted.schema})[:1]}"
    ours, theirs = found.comparable, wanted.comparable
    for table in theirs:
        if ours[table] != theirs[table]:
            only = [row for row in ours[table] if row not in theirs[table]]
            lacking = [row for row in theirs[table] if row not in ours[table]]
            return f"{table} has {only[:1]} and lacks {lacking[:1]}"
    return "nothing"
