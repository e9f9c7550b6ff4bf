"""Columns that moved between our read and Google's apply: where the cells of a write really stand. Pure.

A write goes to column numbers. If somebody inserted or moved a column meanwhile, its values stand in other columns of
the row than those they were meant for: in one of ours, which gets its own value back, or in one of the people's, which
gets back what it said before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from carrete.sheets.structure import SELLO
from carrete.sheets.verdict import Write
from carrete.sheets.view import View, cell, plain
from carrete.workbook.bases import RowId
from carrete.workbook.cells import Raw, Unreadable
from carrete.workbook.xlsx_in import RawRow

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


def displaced(view: View, row: RowId, write: Write, before: View | None, zone: ZoneInfo) -> Displaced | None:
    """None when the write's cells stand where they were meant to, however the columns stand now."""
    if all(view.place(name) == at for name, at in write.places.items()):
        return None
    raw = view.raw(row)
    cells = {**write.cells, SELLO: write.stamp}
    meant = {name: at for name, at in write.places.items() if name in cells}
    by_name = sum(_says(view, raw, view.place(name), name, cells[name], zone) for name in meant)
    by_place = sum(_says(view, raw, at, name, cells[name], zone) for name, at in meant.items())
    if by_place <= by_name:
        return None
    return _told(view, row, sorted(meant.values()), before)


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
