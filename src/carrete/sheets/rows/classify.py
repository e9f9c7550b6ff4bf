"""The rows of one read that changed, each held against what is known of it and against our own writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from carrete.ledger.database import Database
from carrete.sheets.rows import storage
from carrete.sheets.rows.columns_moved import Displaced, displaced, places_of, stamps_elsewhere, stamps_in
from carrete.sheets.rows.storage import Place
from carrete.sheets.rows.verdict import UNKNOWN, GivenBack, Known, Verdict, Write, judge
from carrete.sheets.rows.view import FORMULA, Reading, View, cell, read_row, readers
from carrete.sheets.structure import SELLO, column_letters
from carrete.workbook.bases import RowId
from carrete.workbook.cells import Raw
from carrete.workbook.report import Problem
from carrete.workbook.rows import Cells

OVERWRITTEN = "una escritura de Carrete cayó aquí porque se movieron columnas; revise lo que decía."


@dataclass(slots=True)
class RowDiff:
    """One row of one read."""

    place: Place
    index: int
    reading: Reading
    known: Known
    verdict: Verdict
    moved: Displaced | None = None  # the columns had moved under a write of ours
    typed: Mapping[str, Raw] = field(default_factory=dict)  # by column: what does not say what we know it said
    hit: Set[str] = frozenset()  # columns where a write of ours stands
    hit_by: str = ""  # its stamp
    given_back: Sequence[GivenBack] = ()  # by the write that landed here

    @property
    def remembered(self) -> Cells:
        return {**(self.verdict.base or {}), **self.verdict.said}

    @property
    def edits(self) -> Cells:
        """The cells that do not say what they last said."""
        base = self.verdict.base
        return {name: said for name, said in self.verdict.said.items() if base and base.get(name) != said}

    @property
    def replaced(self) -> Cells:
        """By column: the stored value, where this read changes it."""
        base = self.known.base or {}
        return {name: base.get(name, "") for name, new in self.remembered.items() if base and base.get(name) != new}

    @property
    def row_number(self) -> tuple[str, int]:
        """Sheet and row as a report names them: the spreadsheet counts from 1."""
        return self.place[0], self.index + 1

    def irregular(self) -> tuple[Problem, ...]:
        """Its cells that are neither read nor written."""
        sheet, number = self.place[0], self.index + 1
        formulas = [Problem(sheet, number, name, FORMULA) for name in sorted(self.reading.formulas)]
        unreadable = [each for each in self.reading.unreadable if each[0] not in self.verdict.strays]
        unknown = self.moved.unknown if self.moved else ()
        hit = [Problem(sheet, number, column_letters(at), OVERWRITTEN) for at in unknown]
        return (*hit, *formulas, *(Problem(sheet, number, name, reason) for name, reason, _ in unreadable))


@dataclass(frozen=True, slots=True)
class Orphan:
    """Values of ours in a row without a key: a write hit a row that holds nothing."""

    sheet: str
    index: int
    places: tuple[int, ...]  # the columns, by number


class RowClassifier:
    def __init__(self, database: Database, zone: ZoneInfo) -> None:
        self._database = database
        self._zone = zone

    def rows(
        self, view: View, before: View | None, again: Iterable[RowId], strays: Mapping[Place, Mapping[str, str]]
    ) -> tuple[list[RowDiff], list[Orphan]]:
        """Those that changed since the read before, and those to be looked at again; and what has no row."""
        sheet = view.plan.name
        changed = list(dict.fromkeys([*view.changed_since(before), *again]))
        columns = readers(view)
        read = {row: read_row(view, view.raw(row), columns, self._zone) for row in changed}
        elsewhere = stamps_elsewhere(view, before)
        with self._database.reading() as tx:
            known = storage.rows_known(tx, sheet, changed)
            stamps = {r.stamp for row, r in read.items() if r.stamp and r.stamp != known.get(row, UNKNOWN).stamp}
            stamps |= {stamp for index in view.keyless for stamp in stamps_in(view, index)}
            writes = storage.writes_with(tx, sheet, sorted({*stamps, *elsewhere.values()}))
        judged = []
        for row, reading in read.items():
            write = writes.get(elsewhere.get(view.at[row], reading.stamp))
            moved = self._moved(view, row, write, known.get(row, UNKNOWN).base, before)
            verdict = judge(
                row,
                reading,
                known.get(row, UNKNOWN),
                write,
                _in_its_row(view, write),
                strays.get((sheet, row), {}),
                moved.ours if moved else None,
            )
            one = RowDiff((sheet, row), view.at[row], reading, known.get(row, UNKNOWN), verdict, moved)
            one.typed = {name: cell(view.raw(row), view.place(name)) for name in _typed(one)}
            came = write is not None and (verdict.misplaced or verdict.landed)
            one.hit = {*verdict.strays, *(_standing(write, reading) if write and came else ())}
            one.hit_by = write.stamp if write and came else ""
            one.given_back = write.told if write and verdict.landed else ()
            judged.append(one)
        return judged, self._orphans(view, writes)

    def _moved(
        self, view: View, row: RowId, write: Write | None, base: Cells | None, before: View | None
    ) -> Displaced | None:
        if write is None or write.landed:
            return None
        return displaced(view, row, write, base, before, self._zone)

    def _orphans(self, view: View, writes: Mapping[str, Write]) -> list[Orphan]:
        """A row without a key may have been hit more than once, and shows the last stamp only: it is held against
        every write of late that was never seen where it belongs."""
        hit = [index for index in view.keyless if _hit_by(view, index, writes)]
        if not hit:
            return []
        with self._database.reading() as tx:
            lost = storage.writes_lost(tx, view.plan.name)
        found = []
        for index in hit:
            places = {at for write in lost for at in places_of(view, index, write, self._zone)}
            found.append(Orphan(view.plan.name, index, tuple(sorted(places))))
        return found


def _in_its_row(view: View, write: Write | None) -> bool:
    return write is not None and write.row in view.at and _stamp(view, view.at[write.row]) == write.stamp


def _typed(one: RowDiff) -> list[str]:
    """The columns that say what a person typed; what we put there ourselves is none of it."""
    verdict, base = one.verdict, one.verdict.base or {}
    changed = [name for name, said in verdict.said.items() if said != base.get(name, "")]
    unreadable = [name for name, _, _ in one.reading.unreadable if name not in verdict.strays]
    return [*changed, *unreadable, *one.reading.formulas]


def _standing(write: Write, reading: Reading) -> list[str]:
    return [name for name, said in write.cells.items() if reading.cells.get(name) == said]


def _stamp(view: View, index: int) -> str:
    raw = cell(view.raws[index], view.place(SELLO))
    return raw.strip() if isinstance(raw, str) else ""


def _hit_by(view: View, index: int, writes: Mapping[str, Write]) -> bool:
    found = (writes[stamp] for stamp in stamps_in(view, index) if stamp in writes)
    return any(not write.landed and not _in_its_row(view, write) for write in found)
