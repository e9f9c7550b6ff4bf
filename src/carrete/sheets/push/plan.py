"""What one batch is going to write: rows, events, and values of ours that have to be cleared again."""

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
CELL_BYTES = 90  # of JSON around the value of a cell
ORPHAN: tuple[str, int] = ("", 0)  # stands for the key of a row that has none
REPAIR = "repair"  # stands for the change of a row that the ledger does not want to write
EVENTS_PART, MARKS_PART = "events", "marks"

OutboxEntry: TypeAlias = tuple[RowKey, str]  # a row, and the token of its last change in the outbox


@dataclass(frozen=True, slots=True)
class RowPlan:
    """One row to write: over the row at `row_index`, or below the last row when that is None."""

    row_key: RowKey
    change: str
    row_index: int | None
    cells: Cells  # normal forms by column, as the journal stores them
    give_back: Mapping[int, Raw] = field(default_factory=dict)  # people's values to restore, by column index
    reported: Sequence[RestoredCell] = ()  # restored cells that the trail must report once this write is seen


Part: TypeAlias = RowPlan | Clearing | str  # of a batch: a row, a clearing, EVENTS_PART or MARKS_PART


@dataclass(slots=True)
class BatchPlan:
    rows: list[RowPlan] = field(default_factory=list)
    events: list[StoredEvent] = field(default_factory=list)
    orphans: list[Orphan] = field(default_factory=list)
    stamps: list[tuple[str, str, str]] = field(default_factory=list)  # sheet, a stamp without a row, what it covered
    close: list[OutboxEntry] = field(default_factory=list)  # the sheet already shows what the ledger has
    idle: set[OutboxEntry] = field(default_factory=set)  # cannot be written as the sheet is now
    never: set[RowKey] = field(default_factory=set)  # rows whose key could not be read back
    too_often: list[OutboxEntry] = field(default_factory=list)  # rows that were appended and never showed up
    more: bool = False  # something did not fit
    cells: int = 0
    bytes: int = 0

    def has_room(self) -> bool:
        return self.cells < CELLS_MAX and self.bytes < BYTES_MAX

    def add_size_of(self, cells: Mapping[str, str]) -> None:
        self.cells += len(cells) + 1
        self.bytes += sum(len(value) + CELL_BYTES for value in cells.values()) + CELL_BYTES

    @property
    def cleared(self) -> set[str]:
        """The sheets where this batch clears something in rows without a key."""
        return {orphan.sheet for orphan in self.orphans} | {sheet for sheet, _, _ in self.stamps}

    @property
    def empty(self) -> bool:
        return not (self.rows or self.events or self.orphans or self.stamps)


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """Smaller after Google refused a batch without naming the request."""

    rows: int = CELLS_MAX
    events: int = CELLS_MAX


def is_free(parked: Mapping[RowKey, Parked], row_key: RowKey, change: str) -> bool:
    """Whether this change of the row may be sent: a parked row waits until it changes again."""
    return row_key not in parked or parked[row_key].change != change
