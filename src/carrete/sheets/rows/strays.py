"""Removes strays from a read: values of ours in cells that they were not intended for. Pure.

If a person moves rows or columns between our read and Google's apply, a write hits other cells than intended: in
another row, in another column, in people's own columns, in a row without a key, even in a key. The stamp tells which
rows were hit, the marks of its batch tell which columns, and the snapshot of the last read has the earlier values. A
cell is restored only while it holds exactly our value: what a person has typed over it stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from carrete.sheets.rows.columns_moved import STAMP
from carrete.sheets.rows.formula_references import moved_references
from carrete.sheets.rows.row_matching import RowMatcher
from carrete.sheets.rows.snapshot import OWN, Layout, SeenRow, SheetSnapshot, Stray, holds, same_value
from carrete.sheets.rows.verdict import RestoredCell, Write, is_newer
from carrete.sheets.rows.view import SheetView, cell, is_formula
from carrete.sheets.rows.write_traces import by_token
from carrete.sheets.structure import SELLO
from carrete.workbook.cells import Formula, Raw, RawRow

Marks = Mapping[str, Mapping[int, int]]  # by attempt: index of the column when planned → its index now


@dataclass(slots=True)
class Repair:
    """The values to restore in one row, by column index."""

    cells: dict[int, Raw] = field(default_factory=dict)
    restored: list[RestoredCell] = field(default_factory=list)  # those of them that are people's own


@dataclass(slots=True)
class CleanedRead:
    """One read of a sheet without strays."""

    rows: list[RawRow]
    repairs: dict[int, Repair] = field(default_factory=dict)  # by row index
    strays: dict[int, dict[str, Stray]] = field(default_factory=dict)  # by row index and column identity
    unclear: dict[str, set[int]] = field(default_factory=dict)  # attempts with unknown columns: planned indexes
    resolved: set[str] = field(default_factory=set)  # attempts whose columns are known
    displaced: set[str] = field(default_factory=set)  # of these: attempts that hit other columns than intended
    lost: list[SeenRow] = field(default_factory=list)  # rows with strays that this read does not show
    hits: int = 0  # cells that hold a stray for the first time
    without_key: list[tuple[Write, int]] = field(
        default_factory=list
    )  # writes that restored cells there, and the row index


class StrayRemover:
    """Removes the strays from one read of one sheet."""

    def __init__(
        self, view: SheetView, layout: Layout, snapshot: SheetSnapshot, writes: Sequence[Write], marks: Marks
    ) -> None:
        self._view, self._layout, self._snapshot, self._marks = view, layout, snapshot, marks
        self._writes = {write.stamp: write for write in writes if write.put}
        self._tokens = by_token(self._writes.values())
        self._keys = {view.header.indexes[name]: name for name in view.plan.key}
        self._cleaned = CleanedRead(list(view.raws))
        self._rows = RowMatcher(view, layout, snapshot)
        self._moves: dict[int, int] = {}
        self._landed: set[str] = set()  # stamps of writes that hit the cells they were intended for

    def run(self) -> CleanedRead:
        landed: list[tuple[Write, int, Mapping[int, int]]] = []
        for attempt, hits in self._by_attempt().items():
            if columns := self._columns(attempt, hits):
                self._cleaned.resolved.add(attempt)
                landed += [(write, index, columns) for write, index in hits]
        self._note_keys_hit(landed)
        for write, index, columns in landed:
            self._undo(write, index, columns)
        self._earlier_strays()
        return self._cleaned

    # ─── which cells were hit ─────────────────────────────────────────────────────────────────────────────────────────

    def _by_attempt(self) -> dict[str, list[tuple[Write, int]]]:
        found: dict[str, list[tuple[Write, int]]] = {}
        stamps = self._hits(self._writes)
        for stamp, indexes in stamps.items():
            write = self._writes[stamp]
            found.setdefault(write.attempt, []).extend((write, index) for index in indexes)
        for token, indexes in self._hits(self._tokens).items():
            write = self._tokens[token]
            if write.stamp not in stamps:
                found.setdefault(write.attempt, []).extend((write, index) for index in indexes)
        return found

    def _hits(self, wanted: Mapping[str, Write]) -> dict[str, list[int]]:
        """By stamp or version token: indexes of the rows that contain it in any column."""
        found: dict[str, list[int]] = {}
        if wanted:
            for index in range(self._view.header.row + 1, len(self._view.raws)):
                for raw in self._view.raws[index]:
                    if raw.__class__ is str and raw in wanted:
                        found.setdefault(str(raw), []).append(index)
        return found

    def _columns(self, attempt: str, hits: Sequence[tuple[Write, int]]) -> Mapping[int, int] | None:
        """By planned index: the present index of each column that this attempt wrote to. None if that is not known."""
        marks = self._marks.get(attempt)
        if marks:
            return marks
        put = {id_: at for write, _ in hits for id_, (at, _) in write.put.items()}
        in_their_columns = all(self._all_in_their_columns(write, index) for write, index in hits)
        if in_their_columns and (marks is not None or not any(self._is_coincidence(*hit) for hit in hits)):
            return {at: self._layout.indexes[id_] for id_, at in put.items()}
        if marks is None:
            self._cleaned.unclear[attempt] = set(put.values())
        return None

    def _is_coincidence(self, write: Write, index: int) -> bool:
        """Whether the row had one of the values before, in a column that has moved since the write was planned. Then it
        does not prove that the write hit that column: the write may have hit the one that is in its place now."""
        seen, indexes = self._rows.by_key(index), self._layout.indexes
        moved = {id_: value for id_, (at, value) in write.put.items() if indexes.get(id_) != at}
        return any(same_value(seen.value(id_) if seen else "", value) for id_, value in moved.items())

    def _all_in_their_columns(self, write: Write, index: int) -> bool:
        """Whether every value of the write is in its own column. A deleted stamp counts as being there."""
        raw, indexes = self._view.raws[index], self._layout.indexes
        put = {id_: value for id_, (_, value) in write.put.items() if id_ != SELLO or write.stamp in raw}
        return all(id_ in indexes and holds(cell(raw, indexes[id_]), value) for id_, value in put.items())

    # ─── undoing ──────────────────────────────────────────────────────────────────────────────────────────────

    def _hit(self, write: Write, index: int, columns: Mapping[int, int]) -> dict[int, Raw]:
        """The cells of this row that hold values of the write, by column index."""
        put = {columns[at]: value for at, value in write.put.values() if at in columns}
        return {at: value for at, value in put.items() if holds(cell(self._view.raws[index], at), value)}

    def _note_keys_hit(self, landed: Sequence[tuple[Write, int, Mapping[int, int]]]) -> None:
        hits: dict[int, set[int]] = {}
        for write, index, columns in landed:
            hits.setdefault(index, set()).update(self._hit(write, index, columns))
        keys_hit = {index for write, index, columns in landed if self._hits_key(write, index, columns)}
        self._rows.note_keys_hit(hits, keys_hit)

    def _hits_key(self, write: Write, index: int, columns: Mapping[int, int]) -> bool:
        return not self._is_new(write) and not self._keys.keys().isdisjoint(self._hit(write, index, columns))

    def _is_new(self, write: Write) -> bool:
        """Whether the write appended its row. A repair may contain a key too, to restore it."""
        return self._view.plan.key[0] in write.cells

    def _undo(self, write: Write, index: int, columns: Mapping[int, int]) -> None:
        hit = self._hit(write, index, columns)
        displaced = any(columns.get(at) != self._layout.indexes.get(id_) for id_, (at, _) in write.put.items())
        self._cleaned.displaced |= {write.attempt} if displaced else set()
        if not displaced and (self._rows.is_row(index, write.row) or self._is_copy(write, index)):
            self._landed.add(write.stamp)
            self._follow_formulas(write, index)
            return
        seen = None if self._is_new(write) else self._rows.find(index, write.row)
        self._cleaned.hits += len(hit)
        if write.restored and not isinstance(self._view.ids[index], tuple) and self._all_in_their_columns(write, index):
            self._cleaned.without_key.append((write, index))
        for at, value in hit.items():
            self._restore(index, at, (value, write.stamp), seen, write.row[0])

    def _follow_formulas(self, write: Write, index: int) -> None:
        """A formula that this write restored while the columns or rows of its references moved: Google took the text as
        it was. So if the cell still has that text, its references point to the wrong cells."""
        seen = self._rows.by_key(index)
        indexes = self._layout.indexes if seen else {}
        formulas = {indexes[id_]: raw for id_, (_, raw) in write.put.items() if id_ in indexes and is_formula(raw)}
        for at, raw in formulas.items():
            if same_value(cell(self._view.raws[index], at), raw) and is_formula(self._before(seen, index, at)):
                self._restore(index, at, (raw, write.stamp), seen, write.row[0])

    def _is_copy(self, write: Write, index: int) -> bool:
        """Whether the write is in its own row too: then a person has copied that row."""
        at, sello = self._view.at.get(write.row), self._layout.indexes.get(SELLO)
        return at is not None and at != index and cell(self._view.raws[at], sello) == write.stamp

    def _restore(self, index: int, at: int, stray: Stray, seen: SeenRow | None, tag: str) -> None:
        """Restores one cell. If a write hit wrong columns, its values in the right columns are undone too: they are
        written again with the rest."""
        ours, theirs = stray[0], self._before(seen, index, at)
        row = self._cleaned.rows[index]
        if row is self._view.raws[index]:
            row = self._cleaned.rows[index] = [*row, *[""] * (at + 1 - len(row))]
        row.extend([""] * (at + 1 - len(row)))
        row[at] = theirs
        if same_value(theirs, ours):
            return
        id_ = self._layout.id_at(at)
        repair = self._cleaned.repairs.setdefault(index, Repair())
        repair.cells[at] = theirs
        if id_:
            self._cleaned.strays.setdefault(index, {})[id_] = stray
        is_peoples = id_.startswith(OWN) or (id_ != SELLO and not isinstance(self._view.ids[index], tuple))
        if is_peoples and theirs != "":
            repair.restored.append(RestoredCell(tag, self._layout.name_of(at), ours, theirs))

    def _before(self, seen: SeenRow | None, index: int, at: int) -> Raw:
        """The earlier value of the cell; `""` in a new row or column."""
        raw = seen.value(self._layout.id_at(at)) if seen else ""
        if seen is None or not is_formula(raw):
            return raw
        column_now, row_now = partial(self._column_now, seen), partial(self._row_now, seen, index)
        return Formula(moved_references(str(raw), column_now, row_now))

    def _column_now(self, seen: SeenRow, column: int) -> int:
        return self._layout.indexes.get(seen.layout.id_at(column), column)

    def _row_now(self, seen: SeenRow, index: int, row: int) -> int:
        """The present index of a row that a formula refers to; `row` is its index in the snapshot."""
        if row == seen.index:
            return index
        if row <= self._view.header.row:
            return row
        if not self._moves:
            at = self._view.at
            self._moves = {one.index: at[row_id] for row_id, one in self._snapshot.rows.items() if row_id in at}
        return self._moves.get(row, row)

    # ─── strays of earlier reads ───────────────────────────────────────────────────────────────────────────────

    def _earlier_strays(self) -> None:
        """Strays that the snapshot has: a later write may have overwritten the stamp that shows them."""
        keyed = [(seen, self._view.at.get(row)) for row, seen in self._snapshot.rows_with_strays()]
        others = [(seen, None) for seen in (*self._snapshot.others, *self._snapshot.lost) if seen.strays]
        for seen, shown_at in (*keyed, *others):
            index = self._rows.index_of(seen, shown_at)
            if index is None:
                self._cleaned.lost.append(seen)
            else:
                self._restore_known(seen, index)

    def _restore_known(self, seen: SeenRow, index: int) -> None:
        self._rows.match(index, seen)
        raw = self._view.raws[index]
        for id_, (ours, stamp) in seen.strays.items():
            at = self._layout.indexes.get(id_)
            if at is not None and holds(cell(raw, at), ours) and not self._written_since(seen, index, stamp):
                self._restore(index, at, (ours, stamp), seen, "")

    def _written_since(self, seen: SeenRow, index: int, stamp: str) -> bool:
        """Whether the row was written after that stray: that write has restored every cell of the row."""
        last = cell(self._view.raws[index], self._layout.indexes.get(SELLO))
        if not isinstance(last, str) or not STAMP.fullmatch(last) or not is_newer(last, stamp):
            return False
        if SELLO in seen.strays and seen.strays[SELLO][0] == last:
            return False
        return last not in self._writes or last in self._landed
