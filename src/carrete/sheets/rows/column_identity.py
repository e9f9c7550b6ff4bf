"""Finds each column of the snapshot again in a read, after columns were moved, renamed or inserted. Pure.

Our columns are found by header. People's own columns are found by header if it is unique, or else by their content, or
else by their neighbours.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType

from carrete.sheets.rows.snapshot import OWN, Layout, SeenRow, SheetSnapshot, holds, same_value, width_of
from carrete.sheets.rows.view import SheetView, cell, is_formula
from carrete.workbook.cells import Raw, RawRow

ROWS_COMPARED_MAX = 400


def layout_of(
    view: SheetView,
    snapshot: SheetSnapshot | None,
    hit: Collection[int] = (),
    anchored: Mapping[str, int] = MappingProxyType({}),
) -> Layout:
    """The columns of this read, each with the identity that it had before; a new column gets a new identity. `hit`:
    indexes of rows that a write of ours may have changed, so a difference in them proves nothing. `anchored`: by
    identity, the indexes of columns that were found by their anchor."""
    header = view.raws[view.header.row]
    headers = [cell(header, at) for at in range(width_of(view.raws))]
    before = snapshot.layout if snapshot else None
    names = {at: name for name, at in view.header.indexes.items()}
    if before is not None and tuple(headers) == before.headers and _same_names(before, names):
        return before
    ids = dict(names)
    if snapshot is not None:
        ids |= _ColumnMatcher(view, snapshot, ids, headers, hit).found(anchored)
    return _numbered(ids, headers, before)


def _same_names(before: Layout, names: dict[int, str]) -> bool:
    known = {at: id_ for at, id_ in enumerate(before.ids) if not id_.startswith(OWN)}
    return known == names


def _numbered(ids: dict[int, str], headers: list[Raw], before: Layout | None) -> Layout:
    """Numbers new columns. Google does not return a column at the right edge that was just emptied: it still exists."""
    used = [int(id_[1:]) for id_ in (*ids.values(), *(before.ids if before else ())) if id_.startswith(OWN)]
    following = max(used, default=0) + 1
    width = max(len(headers), max(ids, default=-1) + 1)
    for at in range(width):
        if at not in ids:
            ids[at] = f"{OWN}{following}"
            following += 1
    return Layout([ids[at] for at in range(width)], [*headers, *[""] * (width - len(headers))])


class _ColumnMatcher:
    def __init__(
        self, view: SheetView, snapshot: SheetSnapshot, known: dict[int, str], headers: list[Raw], hit: Collection[int]
    ) -> None:
        self._view, self._snapshot, self._headers, self._hit = view, snapshot, headers, hit
        before = snapshot.layout
        self._known = known
        self._left = [id_ for id_ in before.ids if id_.startswith(OWN)]
        self._free = [at for at in range(len(headers)) if at not in known]
        self._found: dict[int, str] = {}

    def found(self, anchored: Mapping[str, int]) -> dict[int, str]:
        for id_, at in anchored.items():
            if id_ in self._left and at not in self._known:
                self._take(at, id_)
        self._by_header()
        scores = dict(self._scores())
        self._by_content(scores)
        self._by_order(scores)
        return self._found

    def _take(self, at: int, id_: str) -> None:
        self._found[at] = id_
        self._left.remove(id_)
        if at in self._free:
            self._free.remove(at)

    def _by_header(self) -> None:
        before = self._snapshot.layout
        old = {id_: before.headers[before.indexes[id_]] for id_ in self._left}
        counts_old, counts_now = Counter(old.values()), Counter(self._headers[at] for at in self._free)
        now = {self._headers[at]: at for at in self._free}
        for id_, header in old.items():
            if header != "" and counts_old[header] == 1 and counts_now[header] == 1:
                self._take(now[header], id_)

    def _pairs(self) -> Iterator[tuple[SeenRow, RawRow, int]]:
        """Rows of both reads, and the score of a difference: 0 in a row that a write of ours may have changed."""
        at = self._view.at
        rows = [(seen, at[row]) for row, seen in self._snapshot.rows.items() if row in at]
        useful = [(seen, index) for seen, index in rows if any(_helps(seen, id_) for id_ in self._left)]
        for seen, index in useful[:ROWS_COMPARED_MAX]:
            yield seen, self._view.raws[index], 0 if index in self._hit else -1

    def _scores(self) -> Iterator[tuple[tuple[str, int], int]]:
        """By pair of columns: the number of rows with equal cells, minus those with different ones."""
        pairs = list(self._pairs()) if self._left and self._free else []
        for id_ in self._left:
            useful = [pair for pair in pairs if _helps(pair[0], id_)]
            for at in self._free:
                yield (id_, at), sum(1 if _alike(seen, id_, cell(raw, at)) else less for seen, raw, less in useful)

    def _by_content(self, scores: dict[tuple[str, int], int]) -> None:
        before = self._snapshot.layout
        ranked = sorted(scores, key=lambda pair: (-scores[pair], abs(before.indexes[pair[0]] - pair[1])))
        for id_, at in ranked:
            if scores[id_, at] > 0 and id_ in self._left and at in self._free:
                self._take(at, id_)

    def _by_order(self, scores: dict[tuple[str, int], int]) -> None:
        """For columns whose content is not enough: the free column between the same neighbours; of several, one with
        the same header, or without one as before. Of the neighbours only those count that are still in the same order,
        for the others have moved."""
        indexes = self._in_order()
        before = self._snapshot.layout.indexes
        for id_ in sorted(self._left, key=lambda one: (not self._has_content(one), before[one])):
            left, right = self._neighbours(id_, indexes)
            between = [at for at in self._free if left < at < right]
            if not between and self._has_content(id_) and right > len(self._headers):
                between = [max([len(self._headers) - 1, *self._found]) + 1]  # beyond the right edge: it was emptied
            if between:
                header = self._snapshot.layout.headers[before[id_]]
                same = {one for one in between if cell(self._headers, one) == header}
                at = max(between, key=lambda one: (scores.get((id_, one), 0), one in same, -one))
                self._take(at, id_)
                indexes[id_] = at

    def _in_order(self) -> dict[str, int]:
        """Most of the columns found so far: the longest sequence of them that has the order of the read before."""
        now = {id_: at for at, id_ in (*self._known.items(), *self._found.items())}
        longest: list[list[str]] = []  # by length less 1: the sequence so far that ends furthest to the left
        for id_ in (id_ for id_ in self._snapshot.layout.ids if id_ in now):
            length = bisect_left([now[one[-1]] for one in longest], now[id_])
            longest[length : length + 1] = [[*(longest[length - 1] if length else ()), id_]]
        return {id_: now[id_] for id_ in longest[-1]} if longest else {}

    def _has_content(self, id_: str) -> bool:
        seen = (*self._snapshot.rows.values(), *self._snapshot.others)
        return any(_helps(one, id_) for one in seen)

    def _neighbours(self, id_: str, indexes: dict[str, int]) -> tuple[float, float]:
        ids, at = self._snapshot.layout.ids, self._snapshot.layout.indexes[id_]
        left = next((indexes[one] for one in reversed(ids[:at]) if one in indexes), -1)
        right = next((indexes[one] for one in ids[at + 1 :] if one in indexes), float("inf"))
        return left, right


def _helps(seen: SeenRow, id_: str) -> bool:
    """Whether this row helps to find the column again: its cell there has a value or a stray."""
    return seen.value(id_) != "" or id_ in seen.strays


def _alike(seen: SeenRow, id_: str, now: Raw) -> bool:
    """Whether the cell is the same as before, or holds a known stray. Two formulas are taken for equal: references
    change by themselves."""
    was = seen.value(id_)
    if id_ in seen.strays and now != "" and holds(now, seen.strays[id_][0]):
        return True
    return was != "" and (same_value(was, now) or (is_formula(was) and is_formula(now)))
