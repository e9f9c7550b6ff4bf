"""Cells of ours that stand where they do not belong, and what belongs there: a read as if they had never come. Pure.

Between our read and Google's apply somebody moved rows or columns, so a write hit other cells than it was meant for:
in another row, in another column, in a column of people's own, in a row without a key, even in a key. The stamp tells
which rows were hit, the marks of its batch which columns, and the picture of the last read what had stood there. A
cell is given back only while it holds exactly what we wrote: what a person typed over it stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from carrete.sheets.rows.columns_moved import STAMP
from carrete.sheets.rows.formula_references import followed
from carrete.sheets.rows.likeness import carries_stamp, likeness, standing
from carrete.sheets.rows.snapshot import OWN, Layout, Seen, SheetSnapshot, Stray, holds, same
from carrete.sheets.rows.verdict import GivenBack, Write, is_newer
from carrete.sheets.rows.view import View, cell, is_formula
from carrete.sheets.rows.write_traces import by_token
from carrete.sheets.structure import SELLO
from carrete.workbook.bases import RowId
from carrete.workbook.cells import Formula, Raw, RawRow

Marks = Mapping[str, Mapping[int, int]]  # by attempt: column number of the plan → where that column stands now


@dataclass(slots=True)
class Repair:
    """What belongs into the cells of one row, by column number."""

    cells: dict[int, Raw] = field(default_factory=dict)
    told: list[GivenBack] = field(default_factory=list)


@dataclass(slots=True)
class Undone:
    rows: list[RawRow]
    repairs: dict[int, Repair] = field(default_factory=dict)  # by row index
    strays: dict[int, dict[str, Stray]] = field(default_factory=dict)  # by row index and column: ours, still standing
    unclear: dict[str, set[int]] = field(default_factory=dict)  # attempts without known columns, and their numbers
    resolved: set[str] = field(default_factory=set)  # attempts of which every cell was found
    displaced: set[str] = field(default_factory=set)  # of them: those that hit other columns than they were meant for
    lost: list[Seen] = field(default_factory=list)  # rows where something of ours stood, not found in this read
    hits: int = 0
    without_key: list[tuple[Write, int]] = field(default_factory=list)  # what gave something back to rows without a key


class Undoing:
    """Of one read of one sheet."""

    def __init__(
        self, view: View, layout: Layout, snapshot: SheetSnapshot, writes: Sequence[Write], marks: Marks
    ) -> None:
        self._view, self._layout, self._picture, self._marks = view, layout, snapshot, marks
        self._writes = {write.stamp: write for write in writes if write.put}
        self._tokens = by_token(self._writes.values())
        self._keys = {view.header.places[name]: name for name in view.plan.key}
        self._undone = Undone(list(view.raws))
        self._matched: dict[int, Seen | None] = {}  # by row index
        self._taken: set[int] = set()  # rows of the picture that were found again, by identity
        self._moves: dict[int, int] = {}
        self._keys_hit: set[int] = set()  # rows whose key proves nothing: a write of ours put it there, by index
        self._right: set[str] = set()  # stamps of writes that are where they were meant to be

    def run(self) -> Undone:
        landed: list[tuple[Write, int, Mapping[int, int]]] = []
        for attempt, hits in self._by_attempt().items():
            if columns := self._columns(attempt, hits):
                self._undone.resolved.add(attempt)
                landed += [(write, index, columns) for write, index in hits]
        self._keys_hit = {index for write, index, columns in landed if self._hits_key(write, index, columns)}
        for write, index, columns in landed:
            self._undo(write, index, columns)
        self._strays_of_before()
        return self._undone

    # ─── what was hit ─────────────────────────────────────────────────────────────────────────────────────────

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
        """By stamp or token: the rows where it stands, in whichever column."""
        found: dict[str, list[int]] = {}
        if wanted:
            for index in range(self._view.header.row + 1, len(self._view.raws)):
                for raw in self._view.raws[index]:
                    if raw.__class__ is str and raw in wanted:
                        found.setdefault(str(raw), []).append(index)
        return found

    def _columns(self, attempt: str, hits: Sequence[tuple[Write, int]]) -> Mapping[int, int] | None:
        """Where the columns stand that this attempt wrote to; None when nobody knows."""
        if attempt in self._marks:
            return self._marks[attempt]
        put = {id_: at for write, _ in hits for id_, (at, _) in write.put.items()}
        if all(self._all_in_their_columns(write, index) for write, index in hits):
            return {at: self._layout.places[id_] for id_, at in put.items()}
        self._undone.unclear[attempt] = set(put.values())
        return None

    def _all_in_their_columns(self, write: Write, index: int) -> bool:
        """A stamp that somebody took away from that row may have stood in its column as well."""
        raw, places = self._view.raws[index], self._layout.places
        put = {id_: said for id_, (_, said) in write.put.items() if id_ != SELLO or write.stamp in raw}
        return all(id_ in places and holds(cell(raw, places[id_]), said) for id_, said in put.items())

    # ─── undoing ──────────────────────────────────────────────────────────────────────────────────────────────

    def _hit(self, write: Write, index: int, columns: Mapping[int, int]) -> dict[int, Raw]:
        """The cells of that row where it stands, by column number."""
        put = {columns[at]: said for at, said in write.put.values() if at in columns}
        return {at: said for at, said in put.items() if holds(cell(self._view.raws[index], at), said)}

    def _hits_key(self, write: Write, index: int, columns: Mapping[int, int]) -> bool:
        return not self._is_new(write) and not self._keys.keys().isdisjoint(self._hit(write, index, columns))

    def _is_new(self, write: Write) -> bool:
        """Whether it put its row there; a repair may carry a key as well, to give it back."""
        return self._view.plan.key[0] in write.cells

    def _undo(self, write: Write, index: int, columns: Mapping[int, int]) -> None:
        hit = self._hit(write, index, columns)
        displaced = any(columns.get(at) != self._layout.places.get(id_) for id_, (at, _) in write.put.items())
        self._undone.displaced |= {write.attempt} if displaced else set()
        if not displaced and (self._is_its_own(write, index, set(hit)) or self._is_copy(write, index)):
            self._right.add(write.stamp)
            self._follow_formulas(write, index)
            return
        seen = None if self._is_new(write) else self._seen(index, set(hit), write)
        self._undone.hits += len(hit)
        if write.told and not isinstance(self._view.ids[index], tuple) and self._all_in_their_columns(write, index):
            self._undone.without_key.append((write, index))
        for at, said in hit.items():
            self._put_back(index, at, (said, write.stamp), seen, write.row[0])

    def _follow_formulas(self, write: Write, index: int) -> None:
        """A formula that this write gave back, while the columns or rows that it refers to moved away: Google took its
        text as it was, and from then on lets it follow. So where it still says that text, it refers to others."""
        seen = self._by_key(index)
        places = self._layout.places if seen else {}
        given = {places[id_]: said for id_, (_, said) in write.put.items() if id_ in places and is_formula(said)}
        for at, said in given.items():
            if same(cell(self._view.raws[index], at), said) and is_formula(self._before(seen, index, at)):
                self._put_back(index, at, (said, write.stamp), seen, write.row[0])

    def _is_its_own(self, write: Write, index: int, hit: set[int]) -> bool:
        """Whether it landed in the row that it was meant for. A key that it gave back itself does not tell."""
        if self._view.ids[index] != write.row:
            return False
        found = self._seen(index, hit, write) if index in self._keys_hit else None
        return found is None or found is self._picture.rows.get(write.row)

    def _is_copy(self, write: Write, index: int) -> bool:
        """It is in its own row too: a person copied that row."""
        at, sello = self._view.at.get(write.row), self._layout.places.get(SELLO)
        return at is not None and at != index and cell(self._view.raws[at], sello) == write.stamp

    def _put_back(self, index: int, at: int, found: Stray, seen: Seen | None, tag: str) -> None:
        """Of a write that hit wrong columns also what hit the right ones: it is written again with the rest."""
        ours, theirs = found[0], self._before(seen, index, at)
        row = self._undone.rows[index]
        if row is self._view.raws[index]:
            row = self._undone.rows[index] = [*row, *[""] * (at + 1 - len(row))]
        row.extend([""] * (at + 1 - len(row)))
        row[at] = theirs
        if same(theirs, ours):
            return
        id_ = self._layout.id_at(at)
        repair = self._undone.repairs.setdefault(index, Repair())
        repair.cells[at] = theirs
        if id_:
            self._undone.strays.setdefault(index, {})[id_] = found
        peoples = id_.startswith(OWN) or (id_ != SELLO and not isinstance(self._view.ids[index], tuple))
        if peoples and theirs != "":
            repair.told.append(GivenBack(tag, self._layout.name_of(at), ours, theirs))

    def _before(self, seen: Seen | None, index: int, at: int) -> Raw:
        """What that cell said; a new row or column said nothing."""
        raw = seen.said(self._layout.id_at(at)) if seen else ""
        if seen is None or not is_formula(raw):
            return raw
        column_now, row_now = partial(self._column_now, seen), partial(self._row_now, seen, index)
        return Formula(followed(str(raw), column_now, row_now))

    def _column_now(self, seen: Seen, column: int) -> int:
        return self._layout.places.get(seen.layout.id_at(column), column)

    def _row_now(self, seen: Seen, index: int, row: int) -> int:
        """The row that a formula refers to; its own it takes along."""
        if row == seen.index:
            return index
        if row <= self._view.header.row:
            return row
        if not self._moves:
            at = self._view.at
            self._moves = {one.index: at[row_id] for row_id, one in self._picture.rows.items() if row_id in at}
        return self._moves.get(row, row)

    # ─── which row it is ──────────────────────────────────────────────────────────────────────────────────────

    def _seen(self, index: int, hit: set[int], write: Write) -> Seen | None:
        """The row as it was before; None when it is new."""
        if index not in self._matched:
            found = None if index in self._keys_hit else self._by_key(index)
            found = found or self._by_content(index, hit, write.row)
            self._matched[index] = found
            if found is not None:
                self._taken.add(id(found))
        return self._matched[index]

    def _by_key(self, index: int) -> Seen | None:
        row = self._view.ids[index]
        return self._picture.rows.get(row) if isinstance(row, tuple) and row in self._view.at else None

    def _by_content(self, index: int, hit: set[int], meant: RowId) -> Seen | None:
        """The row that says the same in every column that was not hit."""
        shown, rows = self._view.at, self._picture.rows
        keyed = [seen for row, seen in rows.items() if shown.get(row, index) == index or self._key_is_hit(shown[row])]
        others = (*self._picture.others, *self._picture.lost)
        candidates = [seen for seen in (*keyed, *others) if id(seen) not in self._taken]
        first = rows.get(meant)
        candidates.sort(key=lambda seen: (seen is not first, abs(seen.index - index)))
        raw = self._view.raws[index]
        best, most = None, 0
        for seen in candidates:
            score = likeness(self._layout, seen, raw, hit)
            if score > most:
                best, most = seen, score
        return best

    def _key_is_hit(self, index: int) -> bool:
        return index in self._keys_hit or (index in self._matched and self._matched[index] is not self._by_key(index))

    # ─── what was known already ───────────────────────────────────────────────────────────────────────────────

    def _strays_of_before(self) -> None:
        """The next write may have taken the stamp away that told of them."""
        already = {id(seen): index for index, seen in self._matched.items() if seen is not None}
        keyed = [(seen, self._view.at.get(row)) for row, seen in self._picture.rows.items() if seen.strays]
        others = [(seen, None) for seen in (*self._picture.others, *self._picture.lost) if seen.strays]
        for seen, index in (*keyed, *others):
            index = already.get(id(seen), index)
            index = None if index is not None and self._matched.get(index, seen) is not seen else index
            index = self._found_again(seen) if index is None else index
            if index is None:
                self._undone.lost.append(seen)
            else:
                self._still(seen, index)

    def _found_again(self, seen: Seen) -> int | None:
        """Of a row whose key is not shown: the row without one, or with a new one, that says the same."""
        view = self._view
        unknown = [index for row, index in view.at.items() if row not in self._picture.rows]
        doubles = [index for indexes in view.doubles.values() for index in indexes]
        hit = {self._layout.places[id_] for id_ in seen.strays if id_ in self._layout.places}
        scores = {i: likeness(self._layout, seen, view.raws[i], hit) for i in (*unknown, *view.keyless, *doubles)}
        likely = [i for i, score in scores.items() if score >= 0 or carries_stamp(seen, view.raws[i])]
        free = [i for i in likely if self._matched.get(i) is None]
        stands = {i: standing(self._layout, seen, view.raws[i]) for i in free}
        alike = [i for i, strays in stands.items() if strays]
        return max(alike, key=lambda i: (scores[i] + stands[i], -abs(i - seen.index)), default=None)

    def _still(self, seen: Seen, index: int) -> None:
        self._matched[index] = seen
        self._taken.add(id(seen))
        raw = self._view.raws[index]
        for id_, (ours, stamp) in seen.strays.items():
            at = self._layout.places.get(id_)
            if at is not None and holds(cell(raw, at), ours) and not self._written_since(seen, index, stamp):
                self._put_back(index, at, (ours, stamp), seen, "")

    def _written_since(self, seen: Seen, index: int, stamp: str) -> bool:
        """A later write of the row itself has given everything back that it knew of."""
        last = cell(self._view.raws[index], self._layout.places.get(SELLO))
        if not isinstance(last, str) or not STAMP.fullmatch(last) or not is_newer(last, stamp):
            return False
        if SELLO in seen.strays and seen.strays[SELLO][0] == last:
            return False
        return last not in self._writes or last in self._right
