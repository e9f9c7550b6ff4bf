"""The ranges that a read asks for, and which of Google's answers belongs to which of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Rows of a tab: all of them, or those in [start, end); all columns, or those in [first, last)."""

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


def in_the_order_asked(found: list[Json], wanted: Sequence[Wanted]) -> list[Json]:
    """Google names the filter of each range; where it does not, the order asked is taken."""
    tabs = [one.get("dataFilters", [{}])[0].get("gridRange", {}).get("sheetId") for one in found]
    asked = [one.tab_id for one in wanted]
    if len(set(asked)) != len(asked) or any(tab is None for tab in tabs) or set(tabs) != set(asked):
        return found
    return [found[tabs.index(tab)] for tab in asked]
