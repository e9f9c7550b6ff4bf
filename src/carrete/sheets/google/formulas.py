"""Tells formulas from text that only looks like one.

A read of formulas shows the formula `=1+1` and the text `=1+1` alike, and may put an apostrophe before a text that
would be something else if it were typed. A second read, of values, shows a text as that very text. It is made for the
rows with such a cell when they are new or have changed, and now and then again: a person may turn a formula into text
without the first read looking any different.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TypeAlias

from carrete.sheets.clock import Clock
from carrete.sheets.google.ranges import Wanted
from carrete.workbook.cells import Formula, Raw, RawRow

ASKED_AGAIN_S = 60.0
ROWS_MANY = 500  # a sheet with more rows of this kind is not asked about every minute
MANY_ASKED_AGAIN_S = 3_600.0
_LEADS = frozenset("='")

ReadValues: TypeAlias = Callable[[Sequence[Wanted]], list[list[RawRow]]]
Rows: TypeAlias = Mapping[int, RawRow]  # by index


@dataclass(slots=True)
class _Known:
    """Of one range: each row with such a cell, as the first read showed it and with its formulas marked."""

    rows: dict[int, tuple[RawRow, RawRow]] = field(default_factory=dict)
    asked_at: float = float("-inf")

    def marked(self, index: int, row: RawRow) -> RawRow | None:
        """None when the row is new or has changed."""
        before = self.rows.get(index)
        return before[1] if before is not None and before[0] == row else None


class FormulaReader:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: dict[Wanted, _Known] = {}

    def mark(self, wanted: Sequence[Wanted], grids: Sequence[list[RawRow]], read_values: ReadValues) -> None:
        """Replaces the rows of these grids that hold formulas: each formula is a `Formula` there, text is a `str`."""
        suspects = [_suspects(grid) for grid in grids]
        asked = {one: found for one, rows in zip(wanted, suspects, strict=True) if (found := self._to_ask(one, rows))}
        values = _values(asked, read_values)
        for one, grid, rows in zip(wanted, grids, suspects, strict=True):
            self._mark(one, grid, rows, values.get(one))

    def _to_ask(self, wanted: Wanted, rows: Rows) -> Rows:
        """The rows that are new or changed; all of them when the last answer about all is old."""
        known = self._known.setdefault(wanted, _Known())
        every_s = ASKED_AGAIN_S if len(rows) <= ROWS_MANY else MANY_ASKED_AGAIN_S
        if self._clock.monotonic() - known.asked_at >= every_s:
            known.asked_at = self._clock.monotonic()
            return rows
        return {index: row for index, row in rows.items() if known.marked(index, row) is None}

    def _mark(self, wanted: Wanted, grid: list[RawRow], suspects: Rows, values: Rows | None) -> None:
        """A row that changed between the two reads is not remembered: the next read asks about it again."""
        known = self._known[wanted]
        kept: dict[int, tuple[RawRow, RawRow]] = {}
        for index, row in suspects.items():
            marked, certain = known.marked(index, row), True
            if marked is None or (values is not None and index in values):
                marked, certain = _told_apart(row, (values or {}).get(index, []))
            grid[index] = marked
            if certain:
                kept[index] = (row, marked)
        known.rows = kept


def _suspects(grid: list[RawRow]) -> dict[int, RawRow]:
    """The rows in which a cell may be a formula, or a text that is shown with an apostrophe before it."""
    found: dict[int, RawRow] = {}
    for index, row in enumerate(grid):
        for cell in row:  # a plain loop: it sees every cell of every read
            if cell.__class__ is str and cell[:1] in _LEADS:
                found[index] = row
                break
    return found


def _values(asked: Mapping[Wanted, Rows], read_values: ReadValues) -> dict[Wanted, Rows]:
    """From the first to the last row in question of each range, all ranges in one request."""
    if not asked:
        return {}
    ranges = [Wanted(one.tab_id, max(rows) + 1, one.columns, min(rows)) for one, rows in asked.items()]
    grids = read_values(ranges)
    return {one: dict(enumerate(grid, min(asked[one]))) for one, grid in zip(asked, grids, strict=True)}


def _told_apart(row: RawRow, values: RawRow) -> tuple[RawRow, bool]:
    """The row with its formulas marked, and whether both reads seem to have shown the same row."""
    cells: RawRow = []
    certain = len(values) <= len(row)
    for shown, value in zip_longest(row, values[: len(row)], fillvalue=""):
        found = _told(shown, value)
        cells.append(found)
        certain = certain and not (type(shown) is str and shown[:1] not in _LEADS and shown != value)
        certain = certain and not (isinstance(found, Formula) and found.text.startswith("'"))
    return cells, certain


def _told(shown: Raw, value: Raw) -> Raw:
    """One cell as both reads show it. A text that the second read does not confirm is treated like a formula: it is
    neither read nor written."""
    if type(shown) is not str or shown[:1] not in _LEADS or shown in ("=", value):
        return shown
    if shown.startswith("'") and isinstance(value, str) and shown == f"'{value}":
        return value
    return Formula(shown)
