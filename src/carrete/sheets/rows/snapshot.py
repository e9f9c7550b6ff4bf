"""What every cell of a sheet said at the last read: people's own columns and rows without a key included. Pure.

A column has an identity that it keeps when it is moved or renamed: ours its name, people's own a number.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isclose
from types import MappingProxyType
from typing import TypeAlias

from carrete.sheets.rows.formula_references import same_but_for_references
from carrete.sheets.rows.view import View, cell, is_formula
from carrete.sheets.structure import column_letters
from carrete.workbook.bases import RowId
from carrete.workbook.cells import Formula, Raw, RawRow

OWN = "#"  # begins the identity of a column that is not ours
MISSED_READS_MAX = 3  # for so many reads a row that is no longer shown is remembered


Stray: TypeAlias = tuple[Raw, str]  # what a write of ours put there, and the stamp of that write
NO_STRAYS: Mapping[str, Stray] = MappingProxyType({})  # one for all rows: there are thousands of them


class Layout:
    """The columns of one read, by number."""

    __slots__ = ("headers", "ids", "places")

    def __init__(self, ids: Sequence[str], headers: Sequence[Raw]) -> None:
        self.ids = tuple(ids)
        self.headers = tuple(headers)
        self.places = {id_: at for at, id_ in enumerate(self.ids)}

    def id_at(self, place: int) -> str:
        return self.ids[place] if place < len(self.ids) else ""

    def name_of(self, place: int) -> str:
        """As a person finds it: by its header, or by its letters."""
        header = self.headers[place] if place < len(self.headers) else ""
        return str(header) if header != "" else column_letters(place)


@dataclass(slots=True)
class Seen:
    """One row as it was last seen, without what went astray into it."""

    raw: RawRow
    layout: Layout
    index: int
    strays: Mapping[str, Stray] = field(
        default_factory=lambda: NO_STRAYS
    )  # by column: what is ours and does not belong there
    fading: frozenset[str] = frozenset()  # strays that the last read did not show: a stale answer does not either
    missed: int = 0  # reads since that did not show it
    kept: str = ""  # what the ledger remembers of it, as text

    def said(self, id_: str) -> Raw:
        return cell(self.raw, self.layout.places.get(id_, len(self.raw)))

    def note_strays(self, standing: Mapping[str, Stray]) -> bool:
        """Whether that changes what is known of them."""
        kept = {id_: ours for id_, ours in self.strays.items() if id_ not in self.fading}
        self.fading = frozenset(kept.keys() - standing.keys())
        before, self.strays = self.strays, {**kept, **standing} or NO_STRAYS
        return before != self.strays

    def own(self) -> dict[str, Raw]:
        """The cells that are people's own, and formulas that they put into ours."""
        ids = self.layout.ids
        return {
            ids[at]: raw
            for at, raw in enumerate(self.raw[: len(ids)])
            if raw != "" and (ids[at].startswith(OWN) or is_formula(raw))
        }


@dataclass(slots=True)
class SheetSnapshot:
    layout: Layout
    rows: dict[RowId, Seen] = field(default_factory=dict)
    others: list[Seen] = field(default_factory=list)  # without a key, or with one that is there twice
    anchors: dict[str, str] = field(default_factory=dict)  # by identity of a column: the value of its anchor
    lost: list[Seen] = field(default_factory=list)  # of others: where something of ours stood, and that is not shown

    def take_over(self, view: View, layout: Layout, hit: Collection[int] = ()) -> set[RowId]:
        """After a read, with what went astray undone in it: the rows of which the ledger may have to learn. `hit`: the
        rows, by index, where something of ours stands, also those that are empty otherwise."""
        changed: set[RowId] = set()
        for row, index in view.at.items():
            seen, raw = self.rows.get(row), view.raws[index]
            if seen is None:
                self.rows[row] = Seen(raw, layout, index)
                changed.add(row)
            else:
                if seen.raw is not raw or seen.layout is not layout:
                    changed.add(row)
                    seen.raw, seen.layout = raw, layout
                seen.index, seen.missed = index, 0
        self._miss(view)
        self.layout = layout
        self.others = self._others(view, layout, hit)
        return changed

    def lose(self, seen: Iterable[Seen]) -> None:
        """Rows that were not found again: a read may be stale."""
        keyed = {id(one) for one in self.rows.values()}
        self.lost = [one for one in seen if id(one) not in keyed and one.missed < MISSED_READS_MAX]
        for one in self.lost:
            one.missed += 1

    def _miss(self, view: View) -> None:
        for row in [row for row in self.rows if row not in view.at]:
            self.rows[row].missed += 1
            if self.rows[row].missed > MISSED_READS_MAX:
                del self.rows[row]

    def _others(self, view: View, layout: Layout, hit: Collection[int]) -> list[Seen]:
        keyed = set(view.at.values())
        doubles = {index for indexes in view.doubles.values() for index in indexes}
        rows = {*view.keyless, *doubles, *(index for index in hit if index not in keyed)}
        said = [index for index in sorted(rows) if index in hit or any(raw != "" for raw in view.raws[index])]
        return [Seen(view.raws[index], layout, index) for index in said]


def same(one: Raw, other: Raw) -> bool:
    """Whether a cell holds exactly that. A moment goes through a number with a fraction; a tick is no number."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return isclose(one, other, rel_tol=1e-12, abs_tol=1e-9)
    return one == other


def holds(now: Raw, ours: Raw) -> bool:
    """Whether a cell holds what a write of ours put there. A formula has followed what it refers to since. A text that
    begins with = may be taken for a formula, when two reads of it disagree."""
    if isinstance(now, Formula) and isinstance(ours, Formula):
        return same_but_for_references(now.text, ours.text)
    if isinstance(now, Formula) and isinstance(ours, str):
        return now.text.removeprefix("'") == ours != ""
    return same(now, ours)


def width_of(rows: Iterable[RawRow]) -> int:
    return max(map(len, rows), default=0)
