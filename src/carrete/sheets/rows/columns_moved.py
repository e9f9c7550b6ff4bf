"""Columns that moved between our read and Google's apply: where the cells of a write really stand. Pure.

A write goes to column numbers. If somebody inserted or moved a column meanwhile, its values stand in other columns of
the row than those they were meant for: in one of ours, which gets its own value back, or in one of the people's, which
gets back what it said before.

Where nothing moved since the apply they stand at the numbers that the write went to. Where columns moved once more
before the next read they stand at numbers that nobody wrote down, and are known by what they say: a column that says
something else than before, and that is what the write carried for another one, was hit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from carrete.sheets.rows.verdict import Write
from carrete.sheets.rows.view import View, cell, plain
from carrete.sheets.structure import SELLO
from carrete.workbook.bases import RowId
from carrete.workbook.cells import Raw, RawRow, Unreadable
from carrete.workbook.rows import Cells

STAMP = re.compile(r"\d+\.\d+\.\d+-[0-9a-f]{6}")


@dataclass(frozen=True, slots=True)
class Displaced:
    """Ours: columns of ours that hold what was meant for another. Theirs: column number → what it said before."""

    ours: frozenset[str]
    theirs: Mapping[int, Raw]
    unknown: tuple[int, ...]  # people's columns of which nobody knows any more what they said


def stamps_elsewhere(view: View, before: View | None) -> dict[int, str]:
    """By row index: stamps that stand in another column than the stamps' own. Only looked for when columns moved."""
    if before is not None and view.same_columns(before):
        return {}
    return {index: stamp for index in (*view.at.values(), *view.keyless) for stamp in _elsewhere(view, index)}


def _elsewhere(view: View, index: int) -> Iterator[str]:
    sello = view.place(SELLO)
    for place, raw in enumerate(view.raws[index]):
        if place != sello and isinstance(raw, str) and STAMP.fullmatch(raw):
            yield raw


def stamps_in(view: View, index: int) -> list[str]:
    """Of a row, wherever they stand."""
    return [raw for raw in view.raws[index] if isinstance(raw, str) and STAMP.fullmatch(raw)]


def places_of(view: View, index: int, write: Write, zone: ZoneInfo) -> tuple[int, ...]:
    """Where the values of this write stand in a row: under their headers, or where it put them by number."""
    raw, found = view.raws[index], set[int]()
    for name, said in write.cells.items():
        for at in (view.place(name), write.places.get(name)):
            if said and at is not None and _says(view, raw, at, name, said, zone):
                found.add(at)
    found |= {at for at, each in enumerate(raw) if each == write.stamp and at != view.place(SELLO)}
    return tuple(sorted(found))


def displaced(
    view: View, row: RowId, write: Write, base: Cells | None, before: View | None, zone: ZoneInfo
) -> Displaced | None:
    """None when the write's cells stand where they were meant to, however the columns stand now."""
    if all(view.place(name) == at for name, at in write.places.items()):
        return None
    found = _Search(view, row, write, base or {}, before, zone).places()
    return _told(view, row, sorted(found), before) if found else None


class _Search:
    """For the cells of one write, in a row that carries its stamp."""

    def __init__(self, view: View, row: RowId, write: Write, base: Cells, before: View | None, zone: ZoneInfo) -> None:
        self._view, self._row, self._raw = view, row, view.raw(row)
        self._base, self._before, self._zone = base, before, zone
        self._meant = {name: at for name, at in write.places.items() if name in write.cells or name == SELLO}
        self._cells = {**write.cells, SELLO: write.stamp}
        self._names = {at: name for name, at in view.header.places.items()}
        self._elsewhere = [name for name in self._meant if not self._says(view.place(name), name)]

    def places(self) -> set[int]:
        """The columns that the write hit; none when what is not in its column was changed by a person."""
        return self._by_number() or self._by_value()

    def _by_number(self) -> set[int]:
        by_name = len(self._meant) - len(self._elsewhere)
        by_number = sum(self._says(at, name) for name, at in self._meant.items())
        all_there = all(self._says(self._meant[name], name) for name in self._elsewhere if self._cells[name])
        return set(self._meant.values()) if by_number > by_name and all_there else set()

    def _by_value(self) -> set[int]:
        hit = {at for at in range(self._width()) if self._is_hit(at)}
        if not any(self._cells[name] and self._says(at, name) for at in hit for name in self._elsewhere):
            return set()
        in_place = {at for name in self._meant if self._says(at := self._view.place(name), name) and at is not None}
        return hit | in_place | self._emptied()

    def _is_hit(self, at: int) -> bool:
        """It says what was meant for another column, and did not say so before. A column of which nobody knows what it
        said is held only against what is missing."""
        name = self._names.get(at)
        if name in self._meant and self._says(at, name):
            return False
        of_which = self._meant if name or self._said_before(at) is not None else self._elsewhere
        carried = any(self._cells[other] and self._says(at, other) for other in of_which if other != name)
        return carried and self._changed(at)

    def _emptied(self) -> set[int]:
        """If the write emptied a cell, and another than the one that was meant: those that said something before."""
        if all(self._cells[name] for name in self._elsewhere):
            return set()
        known = [at for at in range(self._width()) if at in self._names or self._said_before(at) is not None]
        return {at for at in known if cell(self._raw, at) == "" and self._changed(at)}

    def _changed(self, at: int) -> bool:
        name = self._names.get(at)
        if name is None:
            return cell(self._raw, at) != self._said_before(at)
        if name == SELLO or name in self._view.plan.key:
            return False  # rewritten with every write, or never written: neither is given back
        return not _says(self._view, self._raw, at, name, self._base.get(name, ""), self._zone)

    def _said_before(self, at: int) -> Raw:
        return _said_before(self._view, self._row, at, self._before)

    def _says(self, at: int | None, name: str) -> bool:
        return _says(self._view, self._raw, at, name, self._cells[name], self._zone)

    def _width(self) -> int:
        return max(len(self._raw), len(self._view.raws[self._view.header.row]))


def _says(view: View, raw: RawRow, place: int | None, name: str, said: str, zone: ZoneInfo) -> bool:
    try:
        return place is not None and view.plan.column(name).read(plain(cell(raw, place)), zone) == said
    except Unreadable:
        return False


def _told(view: View, row: RowId, places: list[int], before: View | None) -> Displaced:
    names = {at: name for name, at in view.header.places.items()}
    ours = frozenset(names[at] for at in places if at in names)
    theirs: dict[int, Raw] = {}
    unknown: list[int] = []
    for at in places:
        if at not in names:
            found = _said_before(view, row, at, before)
            if found is None:
                unknown.append(at)
            else:
                theirs[at] = found
    return Displaced(ours, theirs, tuple(unknown))


def _said_before(view: View, row: RowId, place: int, before: View | None) -> Raw:
    """A column without a header is new or nobody's: it was empty. None when there is no read before this one."""
    header = cell(view.raws[view.header.row], place)
    if header == "":
        return ""
    if before is None or row not in before.at:
        return None
    headers = before.raws[before.header.row]
    return cell(before.raw(row), headers.index(header)) if headers.count(header) == 1 else ""
