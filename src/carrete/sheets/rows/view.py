"""One read of a sheet: its rows by key, and the rows whose key is missing or repeated.

Rows that have not changed since the read before are recognised by comparing raw lists, so that only changed rows cost
time: a sheet may have 20,000 rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from carrete.sheets.structure import JOINTS, SELLO
from carrete.workbook.bases import RowId
from carrete.workbook.cells import Broken, Formula, Raw, RawRow, Reader, Unreadable
from carrete.workbook.columns import N_UNION, TAG, Header, SheetPlan
from carrete.workbook.report import Problem, row_numbers_text
from carrete.workbook.rows import Cells

ERRORS = ("#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "#ERROR!")
FORMULA = "la celda tiene una fórmula: Carrete ni la lee ni la escribe."
KEY_FORMULA = (
    "la clave es una fórmula, y Carrete no sabe qué fila es: pegue ahí sólo el valor. "
    "Mientras tanto la fila no se lee ni se escribe."
)
BLANK = object()


@dataclass(frozen=True, slots=True)
class RowReading:
    """One row in normal form."""

    cells: Cells  # without key and stamp
    stamp: str
    formulas: frozenset[str] = frozenset()
    unreadable: tuple[tuple[str, str, str], ...] = ()  # column, reason and text of the cell


@dataclass(slots=True)
class SheetView:
    plan: SheetPlan
    header: Header
    raws: list[RawRow]  # all rows of the sheet, header included
    ids: list[Any]  # by row index: RowId, BLANK, or the Problem of a row without a usable key
    at: dict[RowId, int] = field(default_factory=dict)  # row indexes of the keys that appear once
    doubles: dict[RowId, list[int]] = field(default_factory=dict)  # row indexes of the keys that appear more than once
    keyless: list[int] = field(default_factory=list)  # row indexes of rows without a usable key

    def column_index(self, name: str) -> int | None:
        return self.header.indexes.get(name)

    def raw(self, row: RowId) -> RawRow:
        return self.raws[self.at[row]]

    def key_at(self, index: int) -> RowId | None:
        """None if this row has no usable key, or if its key appears more than once."""
        row = self.ids[index]
        return row if type(row) is tuple and row in self.at else None

    def same_columns(self, other: SheetView) -> bool:
        return self.header.indexes == other.header.indexes and self.header.row == other.header.row

    def changed_since(self, before: SheetView | None) -> list[RowId]:
        """The rows of which any cell has changed."""
        if before is None or not self.same_columns(before):
            return list(self.at)
        was, raws, old = before.at, self.raws, before.raws
        found = []
        for row, index in self.at.items():
            at = was.get(row)
            if at is None or (raws[index] is not old[at] and raws[index] != old[at]):
                found.append(row)
        return found

    def problems(self) -> list[Problem]:
        found = [problem for index in self.keyless if isinstance(problem := self.ids[index], Problem)]
        for row, indexes in self.doubles.items():
            numbers = row_numbers_text([index + 1 for index in indexes])
            reason = f"{_named(row)} está repetido en las filas {numbers}; no se lee ni se escribe ninguna."
            found += [Problem(self.plan.name, index + 1, self.plan.key[0], reason) for index in indexes]
        return found


def _named(row: RowId) -> str:
    return f"{row[0]} {row[1]}" if row[1] else row[0]


def sheet_view(
    plan: SheetPlan, header: Header, raws: list[RawRow], before: SheetView | None, zone: ZoneInfo
) -> SheetView:
    if before is not None and (before.header.indexes != header.indexes or before.header.row != header.row):
        before = None
    view = SheetView(plan, header, raws, [BLANK] * len(raws))
    ids, first = view.ids, header.row + 1
    old_raws, old_ids = (before.raws, before.ids) if before else ([], [])
    key_of = _joint_key if plan is JOINTS else _spool_key
    for index in range(first, len(raws)):
        if index < len(old_raws) and (raws[index] is old_raws[index] or raws[index] == old_raws[index]):
            raws[index] = old_raws[index]  # keep the older list, so that two reads do not take twice the memory
            ids[index] = old_ids[index]
        else:
            ids[index] = key_of(view, index, zone)
        row = ids[index]
        if type(row) is tuple:
            if view.at.setdefault(row, index) != index:
                view.doubles.setdefault(row, []).append(index)
        elif row is not BLANK:
            view.keyless.append(index)
    repeated = sorted(view.doubles, key=view.at.__getitem__)
    view.doubles = {row: [view.at.pop(row), *view.doubles[row]] for row in repeated}
    return view


def cell(raw: RawRow, column_index: int | None) -> Raw:
    """`""` beyond the end of the row: Google leaves empty cells at the end of a row out."""
    return raw[column_index] if column_index is not None and column_index < len(raw) else ""


def is_formula(raw: Raw) -> bool:
    return isinstance(raw, Formula)


def plain(raw: Raw) -> Raw:
    """Marks the text of a formula error, pasted as a value, as an error."""
    return Broken.FORMULA if isinstance(raw, str) and raw in ERRORS else raw


def _spool_key(view: SheetView, index: int, zone: ZoneInfo) -> Any:
    raw = view.raws[index]
    tag = _key_part(view, index, TAG, zone)
    return tag if not isinstance(tag, str) else (tag, 0) if tag else _without_key(view, index, raw, TAG)


def _joint_key(view: SheetView, index: int, zone: ZoneInfo) -> Any:
    raw = view.raws[index]
    key: list[str] = []
    for name in (TAG, N_UNION):
        part = _key_part(view, index, name, zone)
        if not isinstance(part, str):
            return part
        if not part:
            return _without_key(view, index, raw, name)
        key.append(part)
    return (key[0], int(key[1]))


def _key_part(view: SheetView, index: int, name: str, zone: ZoneInfo) -> str | Problem:
    raw = cell(view.raws[index], view.header.indexes[name])
    if is_formula(raw):
        return Problem(view.plan.name, index + 1, name, KEY_FORMULA)
    try:
        return view.plan.column(name).read(plain(raw), zone)
    except Unreadable as error:
        return Problem(view.plan.name, index + 1, name, str(error))


def _without_key(view: SheetView, index: int, raw: RawRow, name: str) -> Any:
    if all(isinstance(each, str) and not each.strip() for each in raw):
        return BLANK
    return Problem(view.plan.name, index + 1, name, "falta; la fila quedó fuera.")


def readers(view: SheetView) -> list[tuple[str, int, Reader]]:
    """All columns of the plan except key and stamp: name, column index and reader."""
    identifying = {*view.plan.key, SELLO}
    return [
        (c.name, view.header.indexes[c.name], c.read)
        for c in view.plan.columns
        if c.name in view.header.indexes and c.name not in identifying
    ]


def read_row(view: SheetView, raw: RawRow, columns: list[tuple[str, int, Reader]], zone: ZoneInfo) -> RowReading:
    cells: Cells = {}
    formulas: list[str] = []
    unreadable: list[tuple[str, str, str]] = []
    width = len(raw)
    for name, column_index, read in columns:
        value = raw[column_index] if column_index < width else ""
        if value == "" and type(value) is str:
            cells[name] = ""
        elif is_formula(value):
            formulas.append(name)
        else:
            try:
                cells[name] = read(plain(value), zone)
            except Unreadable as error:
                unreadable.append((name, str(error), str(value)))
    stamp = cell(raw, view.header.indexes.get(SELLO))
    return RowReading(cells, _text(stamp), frozenset(formulas), tuple(unreadable))


def _text(raw: Raw) -> str:
    return raw.strip() if isinstance(raw, str) else ""
