"""What Trabajadores and Roles of the live sheet contained at the last read: only a cell that differs is an edit.

Somebody who was deactivated in the app stays so, although the sheet still has `Activo` on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from carrete.workbook.rows import Cells

PeopleRow: TypeAlias = tuple[str, str]  # sheet and key


@dataclass(slots=True)
class PeopleBases:
    """Without `known`, as for a file, every cell counts. `read` is what is to be stored after this import."""

    known: Mapping[PeopleRow, Cells] = field(default_factory=dict)
    read: dict[PeopleRow, Cells] = field(default_factory=dict)

    def edited(self, row: PeopleRow, cells: Cells) -> Cells:
        base = self.known.get(row, {})
        return {name: value for name, value in cells.items() if base.get(name) != value}

    def remember(self, row: PeopleRow, cells: Cells) -> None:
        """A cell that cannot be read now keeps its base."""
        base = self.known.get(row, {})
        if {**base, **cells} != base:
            self.read[row] = {**base, **cells}

    def leave_open(self, row: PeopleRow, column: str) -> None:
        """An edit that was not obeyed stays an edit, and is reported again after a restart."""
        if row in self.read:
            base = self.known.get(row, {})
            self.read[row] = {name: value for name, value in self.read[row].items() if name != column}
            if column in base:
                self.read[row][column] = base[column]
