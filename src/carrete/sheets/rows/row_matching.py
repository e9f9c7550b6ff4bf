"""Finds the rows of a read again in the snapshot: by key, or by content where a write of ours hit the key. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from carrete.sheets.rows.likeness import carries_stamp, likeness, strays_present
from carrete.sheets.rows.snapshot import Layout, SeenRow, SheetSnapshot, holds
from carrete.sheets.rows.view import SheetView, cell
from carrete.workbook.bases import RowId

NO_LIKENESS = (False, 0)  # the rank of a row that shares nothing with a row of the snapshot


class RowMatcher:
    """Each row of the read is matched with one row of the snapshot at most, and the other way round."""

    def __init__(self, view: SheetView, layout: Layout, snapshot: SheetSnapshot) -> None:
        self._view, self._layout, self._snapshot = view, layout, snapshot
        self._keys = {name: view.header.indexes[name] for name in view.plan.key}
        self._keys_hit: set[int] = set()  # indexes of rows whose key was written by us, so it does not identify them
        self._matched: dict[int, SeenRow | None] = {}  # by row index; None: the row is new
        self._taken: set[int] = set()  # rows of the snapshot that were found in this read, by id()
        self._hits: Mapping[int, Set[int]] = {}  # by row index: columns that hold values of new writes

    def match(self, index: int, seen: SeenRow | None) -> None:
        self._matched[index] = seen
        if seen is not None:
            self._taken.add(id(seen))

    def is_row(self, index: int, row: RowId) -> bool:
        """Whether this is the row that its key says. If a write of ours put the key there, the key is no proof: its
        content must not be that of another row, nor another row have its content."""
        if self._view.ids[index] != row:
            return False
        if index not in self._keys_hit:
            return True
        found, own = self.find(index, row), self._snapshot.rows.get(row)
        return found is own or (found is None and own is not None and not self._is_elsewhere(own, index))

    def _is_elsewhere(self, own: SeenRow, index: int) -> bool:
        ranks = {i: self._rank(own, i) for i in (index, *self._unidentified()) if self._matched.get(i) is None}
        best = max(ranks, key=ranks.__getitem__)
        return best != index and ranks[best] > NO_LIKENESS

    def _unidentified(self) -> Iterator[int]:
        """The rows without a key, or with one that does not identify a row of the snapshot."""
        yield from self._view.keyless
        yield from (index for indexes in self._view.doubles.values() for index in indexes)
        for row, index in self._view.at.items():
            if index in self._keys_hit or row not in self._snapshot.rows:
                yield index

    def _rank(self, seen: SeenRow, index: int) -> tuple[bool, int]:
        """How well this row fits a row of the snapshot: whether a stamp proves that it is this row, and how many cells
        are equal, apart from those that were hit."""
        raw, hit = self._view.raws[index], self._hits.get(index, frozenset())
        return carries_stamp(self._layout, seen, raw), likeness(self._layout, seen, raw, hit)

    def find(self, index: int, intended: RowId) -> SeenRow | None:
        """The row of the snapshot that this row was before; None if it is new. `intended`: the row that the write which
        hit it was intended for."""
        if index not in self._matched:
            found = None if index in self._keys_hit else self.by_key(index)
            self.match(index, found or self._by_content(index, intended))
        return self._matched[index]

    def by_key(self, index: int) -> SeenRow | None:
        row = self._view.ids[index]
        return self._snapshot.rows.get(row) if isinstance(row, tuple) and row in self._view.at else None

    def _by_content(self, index: int, intended: RowId) -> SeenRow | None:
        """The row of the snapshot that fits best, if any does."""
        shown, rows = self._view.at, self._snapshot.rows
        keyed = [seen for row, seen in rows.items() if shown.get(row, index) == index or self._is_other(shown[row])]
        others = (*self._snapshot.others, *self._snapshot.lost)
        candidates = [seen for seen in (*keyed, *others) if id(seen) not in self._taken]
        first = rows.get(intended)
        candidates.sort(key=lambda seen: (seen is not first, abs(seen.index - index)))
        best = max(candidates, key=lambda seen: self._rank(seen, index), default=None)
        return best if best is not None and self._rank(best, index) > NO_LIKENESS else None

    def _is_other(self, index: int) -> bool:
        """Whether the row is another one than its key says."""
        return index in self._keys_hit or (index in self._matched and self._matched[index] is not self.by_key(index))

    # ─── keys that are strays ─────────────────────────────────────────────────────────────────────────────────────

    def note_keys_hit(self, hits: Mapping[int, Set[int]], keys_hit: Set[int]) -> None:
        """`hits`: by row index, the columns that hold values of writes that this read shows for the first time.
        `keys_hit`: those of these rows whose key was hit. An earlier write may have given a key back to a wrong row:
        until that is undone the key names another row of the snapshot, but the snapshot knows it as a stray."""
        self._hits = hits
        self._keys_hit |= keys_hit
        for seen in self._with_strays():
            index = self._shown_under_other_key(seen)
            if index is not None and index not in self._matched:
                self._keys_hit.add(index)
                self.match(index, seen)

    def _with_strays(self) -> Iterator[SeenRow]:
        yield from (seen for _, seen in self._snapshot.rows_with_strays())
        yield from (seen for seen in (*self._snapshot.others, *self._snapshot.lost) if seen.strays)

    def _shown_under_other_key(self, seen: SeenRow) -> int | None:
        """The index of this row, if its key is a stray that is the key of another row of the snapshot."""
        found: dict[int, tuple[bool, int]] = {}
        for index in self._holding_key_stray(seen):
            owner = self._snapshot.rows.get(self._view.ids[index])
            if owner is not None and owner is not seen and self._rank(seen, index) > self._rank(owner, index):
                found[index] = self._rank(seen, index)
        return max(found, key=found.__getitem__, default=None)

    def _holding_key_stray(self, seen: SeenRow) -> Iterator[int]:
        strays = {at: seen.strays[name][0] for name, at in self._keys.items() if name in seen.strays}
        filled = {at: ours for at, ours in strays.items() if ours != ""}
        rows = range(self._view.header.row + 1, len(self._view.raws)) if filled else ()
        for index in rows:
            if any(holds(cell(self._view.raws[index], at), ours) for at, ours in filled.items()):
                yield index

    # ─── rows with strays ─────────────────────────────────────────────────────────────────────────────────────────

    def index_of(self, seen: SeenRow, shown_at: int | None) -> int | None:
        """The index of a row with known strays. `shown_at`: the index of the row with its key, if there is one."""
        index = next((index for index, found in self._matched.items() if found is seen), shown_at)
        if index is not None and self._matched.get(index, seen) is not seen:
            index = None
        return self._found_again(seen) if index is None else index

    def _found_again(self, seen: SeenRow) -> int | None:
        """Finds a row of the snapshot whose key is not in this read, among the rows without a key or with a new one."""
        view = self._view
        unknown = [index for row, index in view.at.items() if row not in self._snapshot.rows]
        doubles = [index for indexes in view.doubles.values() for index in indexes]
        hit = {self._layout.indexes[id_] for id_ in seen.strays if id_ in self._layout.indexes}
        scores = {i: likeness(self._layout, seen, view.raws[i], hit) for i in (*unknown, *view.keyless, *doubles)}
        likely = [i for i, score in scores.items() if score >= 0 or self._is_proven(seen, i)]
        free = [i for i in likely if self._matched.get(i) is None]
        strays = {i: strays_present(self._layout, seen, view.raws[i]) for i in free}
        candidates = [i for i, count in strays.items() if count]
        return max(candidates, key=lambda i: (scores[i] + strays[i], -abs(i - seen.index)), default=None)

    def _is_proven(self, seen: SeenRow, index: int) -> bool:
        """Whether this is the row of the snapshot, whatever else people have typed into it: it carries a stamp, or the
        row was blank and still holds all of its strays, but for those that a new write has overwritten."""
        raw, hit = self._view.raws[index], self._hits.get(index, frozenset())
        if carries_stamp(self._layout, seen, raw):
            return True
        strays = {self._layout.indexes.get(id_): ours for id_, (ours, _) in seen.strays.items() if ours != ""}
        left = {at: ours for at, ours in strays.items() if at not in hit}
        blank = all(value == "" for value in seen.raw)
        return blank and bool(left) and all(holds(cell(raw, at), ours) for at, ours in left.items())
