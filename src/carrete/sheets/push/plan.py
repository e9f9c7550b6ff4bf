"""What one batch is to write: rows, events, and what must be taken away again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from carrete.ledger.rows import StoredEvent
from carrete.sheets.push.clearing import Clearing
from carrete.sheets.rows.classify import Orphan
from carrete.sheets.rows.storage import Parked, RowKey
from carrete.sheets.rows.verdict import RestoredCell
from carrete.workbook.cells import Raw
from carrete.workbook.rows import Cells

CELLS_MAX = 20_000
BYTES_MAX = 1_500_000
CELL_BYTES = 90  # of JSON around a value
ORPHAN: tuple[str, int] = ("", 0)  # in the place of a key: the row has none
REPAIR = "repair"  # in the place of a change: nothing of the ledger waits for this row
EVENTS_PART, MARKS_PART = "events", "marks"  # of a batch, beside its rows


@dataclass(frozen=True, slots=True)
class RowPlan:
    """One row to write: over the row at `index`, or below the last one when that is None."""

    place: RowKey
    change: str
    index: int | None
    cells: Cells  # as journaled: normal forms by column
    give_back: Mapping[int, Raw] = field(default_factory=dict)  # what belongs into cells that we hit, by number
    told: Sequence[RestoredCell] = ()


Part: TypeAlias = RowPlan | Clearing | str  # of a batch: a row, what is cleared, EVENTS_PART or MARKS_PART


@dataclass(slots=True)
class Plan:
    rows: list[RowPlan] = field(default_factory=list)
    events: list[StoredEvent] = field(default_factory=list)
    orphans: list[Orphan] = field(default_factory=list)
    stamps: list[tuple[str, str, str]] = field(default_factory=list)  # sheet, a stamp without a row, what it hid
    close: list[tuple[RowKey, str]] = field(default_factory=list)  # the sheet says what the ledger says
    idle: set[tuple[RowKey, str]] = field(default_factory=set)  # cannot be written as things stand
    never: set[RowKey] = field(default_factory=set)  # rows whose key could not be read back
    too_often: list[tuple[RowKey, str]] = field(default_factory=list)  # rows that were appended and never showed up
    more: bool = False  # what did not fit
    cells: int = 0
    bytes: int = 0

    def has_room(self) -> bool:
        return self.cells < CELLS_MAX and self.bytes < BYTES_MAX

    def weigh(self, cells: Mapping[str, str]) -> None:
        self.cells += len(cells) + 1
        self.bytes += sum(len(value) + CELL_BYTES for value in cells.values()) + CELL_BYTES

    @property
    def cleared(self) -> set[str]:
        """The sheets where something is taken away from rows without a key."""
        return {orphan.sheet for orphan in self.orphans} | {sheet for sheet, _, _ in self.stamps}

    @property
    def empty(self) -> bool:
        return not (self.rows or self.events or self.orphans or self.stamps)


@dataclass(frozen=True, slots=True)
class Limits:
    """Smaller after Google refused a batch without saying which part of it."""

    rows: int = CELLS_MAX
    events: int = CELLS_MAX


def is_free(parked: Mapping[RowKey, Parked], place: RowKey, change: str) -> bool:
    """Whether Google has not refused exactly this."""
    return place not in parked or parked[place].change != change
