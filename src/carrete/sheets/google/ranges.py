"""The ranges that a read asks for, and which of Google's answers belongs to which range."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]
Start: TypeAlias = tuple[int, int, int]  # tab id, first row, first column
_CELL = re.compile(r"(?P<column>[A-Z]+)(?P<row>\d+)")


@dataclass(frozen=True, slots=True)
class TabRange:
    """A range of a tab: all rows, or those in [rows_start, rows_end); all columns, or those in [first, last)."""

    tab_id: int
    rows_end: int | None = None
    columns: tuple[int, int] | None = None
    rows_start: int = 0

    def grid_range(self) -> dict[str, int]:
        found = {"sheetId": self.tab_id}
        if self.rows_end is not None:
            found |= {"startRowIndex": self.rows_start, "endRowIndex": self.rows_end}
        if self.columns is not None:
            found |= {"startColumnIndex": self.columns[0], "endColumnIndex": self.columns[1]}
        return found

    @property
    def start(self) -> Start:
        """By which an answer of Google is matched with the range that was asked for."""
        rows = self.rows_start if self.rows_end is not None else 0
        return self.tab_id, rows, self.columns[0] if self.columns else 0


def answers_in_order(found: Sequence[Json], wanted: Sequence[TabRange], tabs: Mapping[str, int]) -> list[Json] | None:
    """The answers in the order of `wanted`; None when it is unclear which is which. `tabs`: tab ids by title."""
    by_start: dict[Start, Json] = {}
    for answer in found:
        starts = _filter_starts(answer) or _range_start(answer, tabs)
        if any(start in by_start for start in starts):
            return None
        by_start |= dict.fromkeys(starts, answer)
    if any(one.start not in by_start for one in wanted):
        return None
    return [by_start[one.start] for one in wanted]


def _filter_starts(answer: Json) -> list[Start]:
    """Where the filters start that the answer names. Google leaves zeros out."""
    grids = [one["gridRange"] for one in answer.get("dataFilters", []) if "gridRange" in one]
    return [(g.get("sheetId", 0), g.get("startRowIndex", 0), g.get("startColumnIndex", 0)) for g in grids]


def _range_start(answer: Json, tabs: Mapping[str, int]) -> list[Start]:
    """Where its range starts, `'Hoja 1'!B2:Z1000`. The end is not compared: Google clips it to the sheet."""
    title, _, cells = answer.get("valueRange", {}).get("range", "").rpartition("!")
    if title.startswith("'"):
        title = title[1:-1].replace("''", "'")
    cell = _CELL.match(cells)
    if title not in tabs or cell is None:
        return []
    return [(tabs[title], int(cell["row"]) - 1, _column(cell["column"]))]


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
