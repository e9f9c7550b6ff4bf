"""Separates, in a row that was read, our own writes from people's edits. Pure.

Each row that we write carries the stamp of that write, and the journal has the values of that write by stamp. The row
may carry:
- a new stamp of its own: our write landed, so its cells had our values, and every cell that differs now was edited by a
  person afterwards, even if it has its older value again;
- the stamp of a write for another row that never landed there: that write hit this row, because rows moved between our
  read and Google's apply. Cells with its values are strays: no edit, and the ledger's values are written back;
- the stamp of a write that did land in its own row: a person copied or renamed that row. Its values are edits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from carrete.sheets.rows.view import RowReading
from carrete.workbook.bases import RowId
from carrete.workbook.cells import Raw
from carrete.workbook.rows import Cells


@dataclass(frozen=True, slots=True)
class Write:
    """One row of one attempt to send a batch, from the journal."""

    stamp: str
    row: RowId
    cells: Cells
    landed: bool  # a read has shown it in its own row
    indexes: Mapping[str, int] = field(default_factory=dict)  # by column: the index it was written to
    put: Mapping[str, tuple[int, Raw]] = field(default_factory=dict)  # by column identity: its index and the value
    restored: Sequence[RestoredCell] = ()  # people's cells that it restored

    @property
    def attempt(self) -> str:
        """Flush and attempt, as text. Google applies all writes of one attempt at the same moment, or none."""
        return self.stamp.rpartition(".")[0]

    @property
    def flush(self) -> int:
        return int(self.stamp.partition(".")[0])


@dataclass(frozen=True, slots=True)
class RestoredCell:
    """A person's cell that a write of ours had overwritten, and that has its own value again."""

    tag: str  # of the spool whose write went astray
    column: str
    ours: Raw  # the value that had overwritten it
    theirs: Raw  # the person's value


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A row of the sheet as the ledger has it stored."""

    base: Cells | None = None  # None: no read has shown the row yet
    stamp: str = ""


NEVER_SEEN = StoredRow()


@dataclass(frozen=True, slots=True)
class RowVerdict:
    base: Cells | None  # the stored values, with those of our landed write
    values: Cells  # the values in the row, without strays
    strays: Cells = field(default_factory=dict)  # by column: a value of ours that does not belong there
    stamp: str = ""
    landed: str = ""  # the stamp that this read shows in its own row for the first time
    misplaced: bool = False  # the row carries the stamp of another row
    older: bool = False  # its stamp is older than the stored one: an old copy, or a stale answer

    @property
    def edited(self) -> bool:
        """A person has changed a cell, or the row is new."""
        base = self.base
        return base is None or any(base.get(name) != value for name, value in self.values.items())


def classify_row(
    row: RowId,
    reading: RowReading,
    stored: StoredRow,
    write: Write | None,
    in_its_row: bool,
    strays: Mapping[str, str],
    displaced: Set[str] | None = None,
) -> RowVerdict:
    """`write`: the journaled write of the stamp that the row carries. `in_its_row`: in this read, the write's own row
    carries that stamp too. `strays`: those that earlier reads found. `displaced`: the columns that hold values of other
    columns, if columns moved before Google applied the write."""
    if displaced is not None:
        return _displaced(reading, stored, strays, displaced)
    base, stamp, landed, foreign = stored.base, stored.stamp, "", {}
    misplaced = older = False
    if write is not None and write.stamp != stored.stamp:
        if write.row == row and is_newer(write.stamp, stored.stamp):
            base, stamp, landed = {**(base or {}), **write.cells}, write.stamp, write.stamp
        elif write.row == row:
            older = True
        elif not write.landed and not in_its_row:
            foreign, misplaced = write.cells, True
    found = {name: value for name, value in reading.cells.items() if _is_stray(name, value, base, foreign, strays)}
    found |= {name: text for name, _, text in reading.unreadable if strays.get(name) == text}
    values = {name: value for name, value in reading.cells.items() if name not in found}
    return RowVerdict(base, values, found, stamp, landed, misplaced, older)


def _displaced(reading: RowReading, stored: StoredRow, strays: Mapping[str, str], displaced: Set[str]) -> RowVerdict:
    texts = {**reading.cells, **{name: text for name, _, text in reading.unreadable}}
    found = {name: text for name, text in texts.items() if name in displaced or strays.get(name) == text}
    values = {name: value for name, value in reading.cells.items() if name not in found}
    return RowVerdict(stored.base, values, found, stored.stamp, misplaced=True)


def _is_stray(name: str, value: str, base: Cells | None, foreign: Cells, before: Mapping[str, str]) -> bool:
    if base is None:
        return bool(value) and (foreign.get(name) == value or before.get(name) == value)
    return value != base.get(name) and (foreign.get(name) == value or before.get(name) == value)


def stamp_of(flush_id: int, attempt: int, number: int, salt: str) -> str:
    return f"{flush_id}.{attempt}.{number}-{salt}"


def is_newer(stamp: str, than: str) -> bool:
    return not than or _order(stamp) > _order(than)


def _order(stamp: str) -> tuple[int, int]:
    flush, _, rest = stamp.partition(".")
    attempt = rest.partition(".")[0]
    return (int(flush), int(attempt)) if flush.isdigit() and attempt.isdigit() else (0, 0)
