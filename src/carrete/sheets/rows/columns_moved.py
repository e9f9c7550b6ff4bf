"""Finds the cells that a write hit, if columns moved between our read and Google's apply. Pure.

A write goes to column indexes. If a person inserts or moves a column meanwhile, its values land in other columns than
intended: in a column of ours, which then gets its own value again, or in a column of people, which gets its earlier
value back.

If no column has moved since the apply, the values are at the indexes of the write. If columns have moved again before
the next read, they are found by content: a column was hit if its value has changed to the one that the write carried
for another column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from carrete.sheets.rows.verdict import Write
from carrete.sheets.rows.view import SheetView, cell, plain
from carrete.sheets.structure import SELLO
from carrete.workbook.bases import RowId
from carrete.workbook.cells import Raw, RawRow, Unreadable
from carrete.workbook.rows import Cells

STAMP = re.compile(r"\d+\.\d+\.\d+-[0-9a-f]{6}")


@dataclass(frozen=True, slots=True)
class DisplacedCells:
    """The cells of one row that a write hit by mistake."""

    ours: frozenset[str]  # columns of ours that hold the value of another column
    theirs: Mapping[int, Raw]  # by index: people's columns, with their earlier values
    unknown: tuple[int, ...]  # indexes of people's columns whose earlier value is not known


def stamps_elsewhere(view: SheetView, before: SheetView | None) -> dict[int, str]:
    """By row index: stamps outside the stamp column. Searched for only when columns have moved."""
    if before is not None and view.same_columns(before):
        return {}
    return {index: stamp for index in (*view.at.values(), *view.keyless) for stamp in _elsewhere(view, index)}


def _elsewhere(view: SheetView, index: int) -> Iterator[str]:
    sello = view.column_index(SELLO)
    for at, raw in enumerate(view.raws[index]):
        if at != sello and isinstance(raw, str) and STAMP.fullmatch(raw):
            yield raw


def stamps_in(view: SheetView, index: int) -> list[str]:
    """The stamps in any column of this row."""
    return [raw for raw in view.raws[index] if isinstance(raw, str) and STAMP.fullmatch(raw)]


def columns_hit(view: SheetView, index: int, write: Write, zone: ZoneInfo) -> tuple[int, ...]:
    """The columns of a row that hold values of this write: under their headers, or at the indexes of the write."""
    raw, found = view.raws[index], set[int]()
    for name, value in write.cells.items():
        for at in (view.column_index(name), write.indexes.get(name)):
            if value and at is not None and _holds(view, raw, at, name, value, zone):
                found.add(at)
    found |= {at for at, each in enumerate(raw) if each == write.stamp and at != view.column_index(SELLO)}
    return tuple(sorted(found))


def displaced_cells(
    view: SheetView, row: RowId, write: Write, base: Cells | None, before: SheetView | None, zone: ZoneInfo
) -> DisplacedCells | None:
    """None if the write hit the columns that it was intended for."""
    if all(view.column_index(name) == at for name, at in write.indexes.items()):
        return None
    found = _HitSearch(view, row, write, base or {}, before, zone).columns()
    return _displaced(view, row, sorted(found), before) if found else None


class _HitSearch:
    """Searches for the values of one write in a row that carries its stamp."""

    def __init__(
        self, view: SheetView, row: RowId, write: Write, base: Cells, before: SheetView | None, zone: ZoneInfo
    ) -> None:
        self._view, self._row, self._raw = view, row, view.raw(row)
        self._base, self._before, self._zone = base, before, zone
        self._intended = {name: at for name, at in write.indexes.items() if name in write.cells or name == SELLO}
        self._cells = {**write.cells, SELLO: write.stamp}
        self._names = {at: name for name, at in view.header.indexes.items()}
        self._missing = [name for name in self._intended if not self._holds(view.column_index(name), name)]

    def columns(self) -> set[int]:
        """The columns that the write hit; empty if a person has changed the values that are missing."""
        return self._by_index() or self._by_value()

    def _by_index(self) -> set[int]:
        by_name = len(self._intended) - len(self._missing)
        by_index = sum(self._holds(at, name) for name, at in self._intended.items())
        all_there = all(self._holds(self._intended[name], name) for name in self._missing if self._cells[name])
        return set(self._intended.values()) if by_index > by_name and all_there else set()

    def _by_value(self) -> set[int]:
        hit = {at for at in range(self._width()) if self._is_hit(at)}
        if not any(self._cells[name] and self._holds(at, name) for at in hit for name in self._missing):
            return set()
        own = [(self._view.column_index(name), name) for name in self._intended]
        in_own_column = {at for at, name in own if at is not None and self._holds(at, name)}
        return hit | in_own_column | self._emptied()

    def _is_hit(self, at: int) -> bool:
        """Whether the column has changed to the value of another column. If its earlier value is unknown, compare only
        with the values that are missing from their own columns."""
        name = self._names.get(at)
        if name in self._intended and self._holds(at, name):
            return False
        candidates = self._intended if name or self._earlier_value(at) is not None else self._missing
        carried = any(self._cells[other] and self._holds(at, other) for other in candidates if other != name)
        return carried and self._changed(at)

    def _emptied(self) -> set[int]:
        """The columns that this write may have emptied by mistake: they were not empty before."""
        if all(self._cells[name] for name in self._missing):
            return set()
        known = [at for at in range(self._width()) if at in self._names or self._earlier_value(at) is not None]
        return {at for at in known if cell(self._raw, at) == "" and self._changed(at)}

    def _changed(self, at: int) -> bool:
        name = self._names.get(at)
        if name is None:
            return cell(self._raw, at) != self._earlier_value(at)
        if name == SELLO or name in self._view.plan.key:
            return False  # the stamp is part of every write, the key of none: neither is restored
        return not _holds(self._view, self._raw, at, name, self._base.get(name, ""), self._zone)

    def _earlier_value(self, at: int) -> Raw:
        return _earlier_value(self._view, self._row, at, self._before)

    def _holds(self, at: int | None, name: str) -> bool:
        return _holds(self._view, self._raw, at, name, self._cells[name], self._zone)

    def _width(self) -> int:
        return max(len(self._raw), len(self._view.raws[self._view.header.row]))


def _holds(view: SheetView, raw: RawRow, at: int | None, name: str, value: str, zone: ZoneInfo) -> bool:
    try:
        return at is not None and view.plan.column(name).read(plain(cell(raw, at)), zone) == value
    except Unreadable:
        return False


def _displaced(view: SheetView, row: RowId, columns: list[int], before: SheetView | None) -> DisplacedCells:
    names = {at: name for name, at in view.header.indexes.items()}
    ours = frozenset(names[at] for at in columns if at in names)
    theirs: dict[int, Raw] = {}
    unknown: list[int] = []
    for at in columns:
        if at not in names:
            found = _earlier_value(view, row, at, before)
            if found is None:
                unknown.append(at)
            else:
                theirs[at] = found
    return DisplacedCells(ours, theirs, tuple(unknown))


def _earlier_value(view: SheetView, row: RowId, at: int, before: SheetView | None) -> Raw:
    """None if no earlier read shows the row. A column without a header is new, so it was empty."""
    header = cell(view.raws[view.header.row], at)
    if header == "":
        return ""
    if before is None or row not in before.at:
        return None
    headers = before.raws[before.header.row]
    return cell(before.raw(row), headers.index(header)) if headers.count(header) == 1 else ""
