"""Finds the rows of one read that changed, and compares each with its stored values and with our own writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from carrete.ledger.database import Database
from carrete.sheets.rows import storage
from carrete.sheets.rows.columns_moved import DisplacedCells, columns_hit, displaced_cells, stamps_elsewhere, stamps_in
from carrete.sheets.rows.storage import RowKey
from carrete.sheets.rows.verdict import NEVER_SEEN, RestoredCell, RowVerdict, StoredRow, Write, classify_row
from carrete.sheets.rows.view import FORMULA, RowReading, SheetView, cell, read_row, readers
from carrete.sheets.structure import SELLO, column_letters
from carrete.workbook.bases import RowId
from carrete.workbook.cells import Raw
from carrete.workbook.report import Problem
from carrete.workbook.rows import Cells

OVERWRITTEN = "una escritura de Carrete cayó aquí porque se movieron columnas; revise lo que decía."


@dataclass(slots=True)
class RowDiff:
    """One row of one read, compared with its stored values."""

    row_key: RowKey
    index: int
    reading: RowReading
    stored: StoredRow
    verdict: RowVerdict
    moved: DisplacedCells | None = None  # columns had moved before Google applied a write of ours
    typed: Mapping[str, Raw] = field(default_factory=dict)  # by column: raw input of a person
    hit: Set[str] = frozenset()  # columns that hold values of a write of ours
    hit_by: str = ""  # the stamp of that write
    restored: Sequence[RestoredCell] = ()  # people's cells that the write which landed here has restored

    @property
    def remembered(self) -> Cells:
        """The values to store."""
        return {**(self.verdict.base or {}), **self.verdict.values}

    @property
    def edits(self) -> Cells:
        """The cells that a person has changed."""
        base = self.verdict.base
        return {name: value for name, value in self.verdict.values.items() if base and base.get(name) != value}

    @property
    def replaced(self) -> Cells:
        """By column: the stored value, where this read changes it."""
        base = self.stored.base or {}
        return {name: base.get(name, "") for name, new in self.remembered.items() if base and base.get(name) != new}

    @property
    def typed_over(self) -> Cells:
        """By column: the value that a person has changed, our own write included."""
        base = self.verdict.base or {}
        return {name: base.get(name, "") for name in self.edits}

    @property
    def has_stored_stamp(self) -> bool:
        """Whether the row carries the stamp of the last write of ours that landed in it."""
        return self.reading.stamp == self.stored.stamp != ""

    @property
    def row_number(self) -> tuple[str, int]:
        """Sheet and row as a report names them: the spreadsheet counts from 1."""
        return self.row_key[0], self.index + 1

    def irregular(self) -> tuple[Problem, ...]:
        """The problems of cells that are neither read nor written."""
        sheet, number = self.row_key[0], self.index + 1
        formulas = [Problem(sheet, number, name, FORMULA) for name in sorted(self.reading.formulas)]
        unreadable = [each for each in self.reading.unreadable if each[0] not in self.verdict.strays]
        unknown = self.moved.unknown if self.moved else ()
        hit = [Problem(sheet, number, column_letters(at), OVERWRITTEN) for at in unknown]
        return (*hit, *formulas, *(Problem(sheet, number, name, reason) for name, reason, _ in unreadable))


@dataclass(frozen=True, slots=True)
class Orphan:
    """Values of ours in a row without a key: a write hit an empty row."""

    sheet: str
    index: int
    columns: tuple[int, ...]  # indexes of the columns that hold them


class RowClassifier:
    """Compares the rows of a read with the ledger's stored rows and the journal of our writes."""

    def __init__(self, database: Database, zone: ZoneInfo) -> None:
        self._database = database
        self._zone = zone

    def diffs(
        self,
        view: SheetView,
        before: SheetView | None,
        again: Iterable[RowId],
        strays: Mapping[RowKey, Mapping[str, str]],
    ) -> tuple[list[RowDiff], list[Orphan]]:
        """Compares the rows that changed since `before`, and those of `again`. Finds orphans too."""
        sheet = view.plan.name
        changed = list(dict.fromkeys([*view.changed_since(before), *again]))
        columns = readers(view)
        read = {row: read_row(view, view.raw(row), columns, self._zone) for row in changed}
        elsewhere = stamps_elsewhere(view, before)
        with self._database.reading() as tx:
            stored = storage.stored_rows(tx, sheet, changed)
            stamps = {r.stamp for row, r in read.items() if r.stamp and r.stamp != stored.get(row, NEVER_SEEN).stamp}
            stamps |= {stamp for index in view.keyless for stamp in stamps_in(view, index)}
            writes = storage.writes_with(tx, sheet, sorted({*stamps, *elsewhere.values()}))
        found = []
        for row, reading in read.items():
            write = writes.get(elsewhere.get(view.at[row], reading.stamp))
            moved = self._moved(view, row, write, stored.get(row, NEVER_SEEN).base, before)
            verdict = classify_row(
                row,
                reading,
                stored.get(row, NEVER_SEEN),
                write,
                _in_its_row(view, write),
                strays.get((sheet, row), {}),
                moved.ours if moved else None,
            )
            diff = RowDiff((sheet, row), view.at[row], reading, stored.get(row, NEVER_SEEN), verdict, moved)
            diff.typed = {name: cell(view.raw(row), view.column_index(name)) for name in _typed(diff)}
            arrived = write is not None and (verdict.misplaced or verdict.landed)
            diff.hit = {*verdict.strays, *(_present(write, reading) if write and arrived else ())}
            diff.hit_by = write.stamp if write and arrived else ""
            diff.restored = write.restored if write and verdict.landed else ()
            found.append(diff)
        return found, self._orphans(view, writes)

    def _moved(
        self, view: SheetView, row: RowId, write: Write | None, base: Cells | None, before: SheetView | None
    ) -> DisplacedCells | None:
        if write is None or write.landed:
            return None
        return displaced_cells(view, row, write, base, before, self._zone)

    def _orphans(self, view: SheetView, writes: Mapping[str, Write]) -> list[Orphan]:
        """A row without a key may have been hit several times, and shows only the last stamp: so it is compared with
        all recent writes that never landed."""
        hit = [index for index in view.keyless if _is_hit(view, index, writes)]
        if not hit:
            return []
        with self._database.reading() as tx:
            lost = storage.writes_lost(tx, view.plan.name)
        found = []
        for index in hit:
            columns = {at for write in lost for at in columns_hit(view, index, write, self._zone)}
            found.append(Orphan(view.plan.name, index, tuple(sorted(columns))))
        return found


def _in_its_row(view: SheetView, write: Write | None) -> bool:
    return write is not None and write.row in view.at and _stamp(view, view.at[write.row]) == write.stamp


def _typed(diff: RowDiff) -> list[str]:
    """The columns with input of a person; our own values are not input."""
    verdict, base = diff.verdict, diff.verdict.base or {}
    changed = [name for name, value in verdict.values.items() if value != base.get(name, "")]
    unreadable = [name for name, _, _ in diff.reading.unreadable if name not in verdict.strays]
    return [*changed, *unreadable, *diff.reading.formulas]


def _present(write: Write, reading: RowReading) -> list[str]:
    return [name for name, value in write.cells.items() if reading.cells.get(name) == value]


def _stamp(view: SheetView, index: int) -> str:
    raw = cell(view.raws[index], view.column_index(SELLO))
    return raw.strip() if isinstance(raw, str) else ""


def _is_hit(view: SheetView, index: int, writes: Mapping[str, Write]) -> bool:
    found = (writes[stamp] for stamp in stamps_in(view, index) if stamp in writes)
    return any(not write.landed and not _in_its_row(view, write) for write in found)
