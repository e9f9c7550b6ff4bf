"""Tells formulas from text that only looks like one.

A read of formulas shows the formula `=1+1` and the text `=1+1` alike, and may put an apostrophe before a text that
would become something else if it were typed. A second read, of values, shows a text unchanged. It is made for rows with
such a cell when they are new or have changed, and again every minute: a person may turn a formula into text, and
the first read shows no difference.

Somebody may move or change rows between the two reads, or one of them may be stale. Then a text looks like a formula,
and if it had to be restored later, it would become one. So both reads are made again, until they show the same state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TypeAlias

from carrete.sheets.clock import Clock
from carrete.sheets.google.ranges import TabRange
from carrete.workbook.cells import Formula, Raw, RawRow

READ_AGAIN_S = 60.0
ROWS_MANY = 500  # a sheet with more rows with such cells is read a second time only every hour
MANY_READ_AGAIN_S = 3_600.0
READS_MAX = 3  # how often both reads are made if they show different states
_LEADS = frozenset("='")

ReadValues: TypeAlias = Callable[[Sequence[TabRange]], list[list[RawRow]]]
Rows: TypeAlias = Mapping[int, RawRow]  # by index


@dataclass(slots=True)
class _KnownRows:
    """What the last read of one range has shown."""

    shown: list[RawRow] = field(default_factory=list)  # all rows, if the range is read in every cycle
    suspects: Set[int] = frozenset()  # indexes of the rows that may hold a formula
    rows: dict[int, tuple[RawRow, RawRow]] = field(default_factory=dict)  # of these: as shown, and with formulas marked
    differing: dict[int, tuple[RawRow, int]] = field(default_factory=dict)  # see `differs_always`
    values_read_at: float = float("-inf")

    def differs_always(self, index: int, row: RawRow) -> bool:
        """Whether the two reads of this row differed each time while the first showed the same. Then no person is
        changing the row: it is how Google shows it, for instance with cells that an array formula has filled, perhaps
        with other values each time."""
        before, times = self.differing.get(index, (row, 0))
        self.differing[index] = (row, times + 1 if before == row else 1)
        return self.differing[index][1] >= READS_MAX

    def marked(self, index: int, row: RawRow) -> RawRow | None:
        """None when the row is new or has changed."""
        before = self.rows.get(index)
        return before[1] if before is not None and before[0] == row else None

    def find_suspects(self, grid: list[RawRow], *, keep: bool) -> dict[int, RawRow]:
        """The rows that may hold a formula. A row that has not changed is replaced by the list of the read before: it
        need not be examined again, neither here nor later."""
        found: dict[int, RawRow] = {}
        before, suspects = self.shown, self.suspects
        for index, row in enumerate(grid):
            if index < len(before) and before[index] == row:
                grid[index] = before[index]
                if index in suspects:
                    found[index] = before[index]
            elif _is_suspect(row):
                found[index] = row
        self.shown, self.suspects = list(grid) if keep else [], frozenset(found)
        return found


class FormulaReader:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: dict[TabRange, _KnownRows] = {}

    def mark(
        self, wanted: Sequence[TabRange], grids: Sequence[list[RawRow]], read_values: ReadValues, *, keep: bool
    ) -> bool:
        """Replaces the rows of these grids that hold formulas: each formula is a `Formula` there, text is a `str`.
        `keep`: these ranges are read in every cycle, so their rows are kept for the next read. Returns whether both
        reads show the same state; if not, a text may be marked as a formula."""
        known = [self._known.setdefault(one, _KnownRows()) for one in wanted]
        suspects = [one.find_suspects(grid, keep=keep) for one, grid in zip(known, grids, strict=True)]
        found = {one: self._unclear(one, rows) for one, rows in zip(wanted, suspects, strict=True)}
        values = _values({one: rows for one, rows in found.items() if rows}, read_values)
        ranges = zip(wanted, grids, suspects, strict=True)
        same = [self._mark(one, grid, rows, values.get(one)) for one, grid, rows in ranges]
        return all(same)

    def _unclear(self, wanted: TabRange, rows: Rows) -> Rows:
        """The rows that are new or changed; all of them when the last read of all their values is old."""
        known = self._known[wanted]
        every_s = READ_AGAIN_S if len(rows) <= ROWS_MANY else MANY_READ_AGAIN_S
        if self._clock.monotonic() - known.values_read_at >= every_s:
            known.values_read_at = self._clock.monotonic()
            return rows
        return {index: row for index, row in rows.items() if known.marked(index, row) is None}

    def _mark(self, wanted: TabRange, grid: list[RawRow], suspects: Rows, values: Rows | None) -> bool:
        """A row that changed between the two reads is not remembered, so that the next read looks at it again. Returns
        whether there is no such row."""
        known = self._known[wanted]
        certain_rows: dict[int, tuple[RawRow, RawRow]] = {}
        for index, row in suspects.items():
            marked, certain = known.marked(index, row), True
            if marked is None or (values is not None and index in values):
                shown = (values or {}).get(index, [])
                marked, certain = _with_formulas(row, shown)
                certain = certain or known.differs_always(index, row)
            grid[index] = marked
            if certain:
                certain_rows[index] = (row, marked)
        known.rows = certain_rows
        known.differing = {index: one for index, one in known.differing.items() if index in suspects}
        return len(certain_rows) == len(suspects)


def _is_suspect(row: RawRow) -> bool:
    """Whether a cell may be a formula, or a text that is shown with an apostrophe before it."""
    for cell in row:  # noqa: SIM110 - a plain loop, because it sees every cell of a changed row
        if cell.__class__ is str and cell[:1] in _LEADS:
            return True
    return False


def _values(unclear: Mapping[TabRange, Rows], read_values: ReadValues) -> dict[TabRange, Rows]:
    """The values of these rows. One request reads each range from its first to its last such row."""
    if not unclear:
        return {}
    ranges = [TabRange(one.tab_id, max(rows) + 1, one.columns, min(rows)) for one, rows in unclear.items()]
    grids = read_values(ranges)
    return {one: dict(enumerate(grid, min(unclear[one]))) for one, grid in zip(unclear, grids, strict=True)}


def _with_formulas(row: RawRow, values: RawRow) -> tuple[RawRow, bool]:
    """The row with its formulas marked, and whether both reads seem to show the same state of the row."""
    cells: RawRow = []
    certain = len(values) <= len(row)
    for shown, value in zip_longest(row, values[: len(row)], fillvalue=""):
        found = _text_or_formula(shown, value)
        cells.append(found)
        certain = certain and not (type(shown) is str and shown[:1] not in _LEADS and shown != value)
        certain = certain and not (isinstance(found, Formula) and found.text.startswith("'"))
    return cells, certain


def _text_or_formula(shown: Raw, value: Raw) -> Raw:
    """One cell, from what each of the two reads shows. A text that the second read does not confirm is treated like a
    formula: it is neither read nor written."""
    if type(shown) is not str or shown[:1] not in _LEADS or shown in ("=", value):
        return shown
    if shown.startswith("'") and isinstance(value, str) and shown == f"'{value}":
        return value
    return Formula(shown)
