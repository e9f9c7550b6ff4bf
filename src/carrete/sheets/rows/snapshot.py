"""The snapshot of a sheet: every cell of the last read, with people's own columns and rows without a key. Pure.

A column has an identity that stays when the column is moved or renamed: its name for ours, a number for people's own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isclose
from types import MappingProxyType
from typing import TypeAlias

from carrete.sheets.rows.formula_references import same_but_for_references
from carrete.sheets.rows.view import SheetView, cell, is_formula
from carrete.sheets.structure import column_letters
from carrete.workbook.bases import RowId
from carrete.workbook.cells import Formula, Raw, RawRow

OWN = "#"  # the first character of the identity of people's own columns
MISSED_READS_MAX = 3  # a row that this many reads do not show is forgotten


Stray: TypeAlias = tuple[Raw, str]  # the value of a write of ours, and the stamp of that write
NO_STRAYS: Mapping[str, Stray] = MappingProxyType({})  # one for all rows: there are thousands of them


class Layout:
    """The columns of one read: identity and header by index."""

    __slots__ = ("headers", "ids", "indexes")

    def __init__(self, ids: Sequence[str], headers: Sequence[Raw]) -> None:
        self.ids = tuple(ids)
        self.headers = tuple(headers)
        self.indexes = {id_: at for at, id_ in enumerate(self.ids)}

    def id_at(self, at: int) -> str:
        return self.ids[at] if at < len(self.ids) else ""

    def name_of(self, at: int) -> str:
        """The header of the column, or its letters if it has none."""
        header = self.headers[at] if at < len(self.headers) else ""
        return str(header) if header != "" else column_letters(at)


@dataclass(slots=True)
class SeenRow:
    """One row of the last read that shows it, without strays."""

    raw: RawRow
    layout: Layout
    index: int
    strays: Mapping[str, Stray] = field(default_factory=lambda: NO_STRAYS)  # by column identity
    fading: frozenset[str] = frozenset()  # strays that the last read did not show: it may have been stale
    missed: int = 0  # number of reads since that did not show the row
    stored: str = ""  # what the ledger has stored of it, as text

    def value(self, id_: str) -> Raw:
        return cell(self.raw, self.layout.indexes.get(id_, len(self.raw)))

    def note_strays(self, standing: Mapping[str, Stray]) -> bool:
        """`standing`: the strays of this read. A stray is forgotten when two reads in a row do not show it. Returns
        whether the strays have changed."""
        left = {id_: ours for id_, ours in self.strays.items() if id_ not in self.fading}
        self.fading = frozenset(left.keys() - standing.keys())
        before, self.strays = self.strays, {**left, **standing} or NO_STRAYS
        return before != self.strays

    def own(self) -> dict[str, Raw]:
        """The cells of people's own columns, and formulas in ours."""
        ids = self.layout.ids
        return {
            ids[at]: raw
            for at, raw in enumerate(self.raw[: len(ids)])
            if raw != "" and (ids[at].startswith(OWN) or is_formula(raw))
        }


@dataclass(slots=True)
class SheetSnapshot:
    layout: Layout
    rows: dict[RowId, SeenRow] = field(default_factory=dict)
    others: list[SeenRow] = field(default_factory=list)  # rows without a key, or with a repeated key
    anchors: dict[str, str] = field(default_factory=dict)  # by column identity: the value of its anchor
    lost: list[SeenRow] = field(default_factory=list)  # rows of `others` with strays that this read does not show
    with_strays: set[RowId] = field(default_factory=set)  # those of `rows` that have strays

    def take_over(self, view: SheetView, layout: Layout, hit: Collection[int] = ()) -> set[RowId]:
        """Takes an accepted read over, in which strays are undone. `hit`: indexes of the rows with strays, which may be
        empty otherwise. Returns the rows that may have to be stored."""
        changed: set[RowId] = set()
        for row, index in view.at.items():
            seen, raw = self.rows.get(row), view.raws[index]
            if seen is None:
                self.rows[row] = SeenRow(raw, layout, index)
                changed.add(row)
            else:
                if seen.raw is not raw or seen.layout is not layout:
                    changed.add(row)
                    seen.raw, seen.layout = raw, layout
                seen.index, seen.missed = index, 0
        changed |= self._miss(view)
        self.layout = layout
        self.others = self._others(view, layout, hit)
        return changed

    def note_strays(self, view: SheetView, strays: Mapping[int, Mapping[str, Stray]]) -> set[RowId]:
        """Notes the strays of the read that was just taken over, by row index. Returns the rows whose strays have
        changed."""
        hit = {row for index in strays if (row := view.key_at(index)) is not None}
        self.with_strays = {row for row in self.with_strays if row in self.rows} | hit
        shown = [(row, self.rows[row]) for row in self.with_strays if not self.rows[row].missed]
        changed = {row for row, seen in shown if seen.note_strays(strays.get(seen.index, {}))}
        self.with_strays = {row for row in self.with_strays if self.rows[row].strays}
        for seen in self.others:
            if seen.index in strays:
                seen.note_strays(strays[seen.index])
        return changed

    def rows_with_strays(self) -> list[tuple[RowId, SeenRow]]:
        """The rows that have strays, in the order of `rows`."""
        return [(row, seen) for row, seen in self.rows.items() if row in self.with_strays] if self.with_strays else []

    def keep_lost(self, seen: Iterable[SeenRow]) -> None:
        """Keeps rows without a key that this read does not show, for a few reads more: this one may be stale."""
        candidates = [one for one in seen if one.missed < MISSED_READS_MAX]
        keyed = {id(one) for one in self.rows.values()} if candidates else set()
        self.lost = [one for one in candidates if id(one) not in keyed]
        for one in self.lost:
            one.missed += 1

    def _miss(self, view: SheetView) -> set[RowId]:
        """Counts the reads that do not show a row. Returns the rows that are forgotten now."""
        if len(self.rows) == len(view.at):  # every row of the view is in `rows`: none is missing
            return set()
        forgotten: set[RowId] = set()
        for row in [row for row in self.rows if row not in view.at]:
            self.rows[row].missed += 1
            if self.rows[row].missed > MISSED_READS_MAX:
                del self.rows[row]
                forgotten.add(row)
        return forgotten

    def _others(self, view: SheetView, layout: Layout, hit: Collection[int]) -> list[SeenRow]:
        doubles = {index for indexes in view.doubles.values() for index in indexes}
        rows = {*view.keyless, *doubles, *(index for index in hit if view.key_at(index) is None)}
        filled = [index for index in sorted(rows) if index in hit or any(raw != "" for raw in view.raws[index])]
        return [SeenRow(view.raws[index], layout, index) for index in filled]


def same_value(one: Raw, other: Raw) -> bool:
    """Whether two cells are equal. Times are numbers with rounding errors; True is not the number 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return isclose(one, other, rel_tol=1e-12, abs_tol=1e-9)
    return one == other


def holds(now: Raw, ours: Raw) -> bool:
    """Whether a cell still holds the value of a write of ours. The references of a formula may have moved since. A text
    that begins with = may be read as a formula, if two reads of it disagree."""
    if isinstance(now, Formula) and isinstance(ours, Formula):
        return same_but_for_references(now.text, ours.text)
    if isinstance(now, Formula) and isinstance(ours, str):
        return now.text.removeprefix("'") == ours != ""
    return same_value(now, ours)


def width_of(rows: Iterable[RawRow]) -> int:
    return max(map(len, rows), default=0)
