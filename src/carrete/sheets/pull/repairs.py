"""Keeps the picture of each sheet and undoes, in each read, what went astray; the same undoing waits to be written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from carrete.ledger.database import Database, Tx
from carrete.sheets.lease import DryRun, Lease
from carrete.sheets.pull.chunks import ROWS_PER_COMMIT_MAX
from carrete.sheets.pull.restored_cells import Restored
from carrete.sheets.rows import snapshot_storage, storage
from carrete.sheets.rows.column_identity import layout_of
from carrete.sheets.rows.column_marks import ANCHOR_KEY, ANCHORS_MAX, MARK_KEY, anchor_value, marks_found, wanted_marks
from carrete.sheets.rows.snapshot import OWN, Layout, SheetSnapshot
from carrete.sheets.rows.storage import Place
from carrete.sheets.rows.strays import Marks, Repair, Undoing, Undone
from carrete.sheets.rows.unimported import UnimportedInputs
from carrete.sheets.rows.verdict import Write
from carrete.sheets.rows.view import View
from carrete.sheets.rows.write_traces import rows_with
from carrete.sheets.structure import SELLO, STAMPED
from carrete.workbook.bases import RowId
from carrete.workbook.cells import RawRow

DOUBTED_MAX = 2  # how often a read that does not show the last batch is taken for an older state
ASKED_MAX = 3  # how often marks are asked for of an attempt that shows none: each time costs a read
LOOKS_MAX = 3  # how often one read is followed by a closer look
LookCloser: TypeAlias = Callable[[str, Mapping[str, str]], tuple[list[RawRow], dict[str, int]]]
Viewed: TypeAlias = Callable[[list[RawRow]], View | None]


class Repairer:
    def __init__(self, database: Database, lease: Lease | DryRun, look_closer: LookCloser | None) -> None:
        self._database = database
        self._lease = lease
        self._look_closer = look_closer
        self._snapshots: dict[str, SheetSnapshot | None] = {}
        self._layouts: dict[str, Layout] = {}  # of the read at hand
        self._undone: dict[str, Undone] = {}
        self._asked: Counter[str] = Counter()
        self._resolved: dict[str, set[str]] = {plan.name: set() for plan in STAMPED}  # attempts, by sheet
        self.repairs: dict[str, dict[int, Repair]] = {}  # by sheet and row index of the last read
        self.without_key: list[Restored] = []  # of this read
        self.hits = 0  # cells of ours that this read found in a wrong place
        self._offered: dict[str, tuple[str, Layout, Mapping[str, int]]] = {}  # by sheet: anchors of an attempt
        self._doubted: Counter[tuple[str, int | None]] = Counter()
        self.stale: set[str] = set()  # sheets of which this read showed an older state

    def start(self, unimported: Mapping[Place, UnimportedInputs]) -> None:
        with self._database.reading() as tx:
            for plan in STAMPED:
                of_sheet = {row: inputs for (sheet, row), inputs in unimported.items() if sheet == plan.name}
                self._snapshots[plan.name] = snapshot_storage.load(tx, plan.name, of_sheet)

    def begin(self) -> None:
        """Another read."""
        self.hits, self.without_key = 0, []
        self.stale = set()

    def _is_stale(self, view: View, writes: Sequence[Write]) -> bool:
        """It shows nothing of the last batch that Google applied: an older state was answered. Asked again, twice."""
        sheet = view.plan.name
        with self._database.reading() as tx:
            applied = storage.applied_last(tx, sheet)
        mine = [write for write in writes if write.flush == applied and write.put]
        if not mine or self._doubted[sheet, applied] >= DOUBTED_MAX or rows_with(view, mine):
            return False
        self._doubted[sheet, applied] += 1
        return True

    def corrected(self, view: View, viewed: Viewed) -> View:
        """The same read as if nothing of ours had gone astray. `viewed` looks at rows as at a read."""
        sheet = view.plan.name
        snapshot = self._snapshots.get(sheet)
        self.repairs[sheet], self._undone[sheet] = {}, Undone([])
        if snapshot is None:
            self._layouts[sheet] = layout_of(view, None)
            return view
        with self._database.reading() as tx:
            writes = storage.writes_lost(tx, sheet)
        if self._is_stale(view, writes):
            self.stale.add(sheet)
            return view
        view, undone = self._undo_closer(view, snapshot, writes, viewed)
        self._undone[sheet] = undone
        self.hits += undone.hits
        self.without_key += [Restored(w.stamp, sheet, index, None, w.told) for w, index in undone.without_key]
        if all(row is raw for row, raw in zip(undone.rows, view.raws, strict=True)):
            return view
        return viewed(undone.rows) or view

    def _undo_closer(
        self, view: View, snapshot: SheetSnapshot, writes: Sequence[Write], viewed: Viewed
    ) -> tuple[View, Undone]:
        """A closer look may be answered with a newer or an older state than the read, and show other attempts that
        nobody can tell without their marks: then once more, with these too."""
        undone = self._undo(view, snapshot, writes, {}, {})
        asked = self._unclear(undone)
        wanted = bool(asked) or self._needs_anchors(snapshot, undone, view.plan.name)
        for _ in range(LOOKS_MAX):
            if not wanted:
                break
            view, undone = self._closer(view, undone, snapshot, writes, asked, viewed)
            wanted = bool(more := self._unclear(undone))
            asked = {**asked, **more}
        return view, undone

    def _undo(
        self, view: View, snapshot: SheetSnapshot, writes: Sequence[Write], marks: Marks, anchored: Mapping[str, int]
    ) -> Undone:
        fresh = [write for write in writes if write.attempt not in self._resolved[view.plan.name]]
        layout = self._layouts[view.plan.name] = layout_of(view, snapshot, rows_with(view, fresh), anchored)
        return Undoing(view, layout, snapshot, fresh, marks).run()

    def _unclear(self, undone: Undone) -> dict[str, set[int]]:
        if self._look_closer is None:
            return {}
        return {attempt: at for attempt, at in undone.unclear.items() if self._asked[attempt] < ASKED_MAX}

    def _needs_anchors(self, snapshot: SheetSnapshot, undone: Undone, sheet: str) -> bool:
        """Something of ours stands astray, and columns have moved: which of people's own is which must be certain."""
        moved = self._layouts[sheet] is not snapshot.layout
        return self._look_closer is not None and moved and bool(undone.strays and snapshot.anchors)

    def _closer(
        self,
        view: View,
        undone: Undone,
        snapshot: SheetSnapshot,
        writes: Sequence[Write],
        asked: Mapping[str, set[int]],
        viewed: Viewed,
    ) -> tuple[View, Undone]:
        """Once more, from an answer that tells the marks of these attempts and all anchors too."""
        assert self._look_closer is not None
        sheet = view.plan.name
        wanted = dict.fromkeys(wanted_marks(sheet, asked), MARK_KEY)
        rows, found = self._look_closer(sheet, wanted | dict.fromkeys(snapshot.anchors.values(), ANCHOR_KEY))
        marks = marks_found(asked, found)
        anchored = {id_: found[value] for id_, value in snapshot.anchors.items() if value in found}
        self._asked.update(attempt for attempt, columns in marks.items() if not columns)
        closer = viewed(rows)
        return (closer, self._undo(closer, snapshot, writes, marks, anchored)) if closer else (view, undone)

    def unanchored(self) -> dict[str, dict[str, int]]:
        """By sheet: people's own columns without an anchor, by identity, and their numbers in the read at hand."""
        found: dict[str, dict[str, int]] = {}
        for sheet, layout in self._layouts.items():
            snapshot = self._snapshots.get(sheet)
            anchors = snapshot.anchors if snapshot else {}
            own = {id_: at for id_, at in layout.places.items() if id_.startswith(OWN) and id_ not in anchors}
            found[sheet] = dict(list(own.items())[: max(0, ANCHORS_MAX - len(anchors))])
        return found

    def offered(self, attempt: str, anchors: Mapping[str, Mapping[str, int]]) -> None:
        """This attempt carries anchors: they count once a read shows that no column moved under it."""
        self._offered = {s: (attempt, self._layouts[s], columns) for s, columns in anchors.items() if columns}

    def _confirm_anchors(self, sheet: str, snapshot: SheetSnapshot) -> bool:
        attempt, layout, columns = self._offered.get(sheet, ("", None, {}))
        undone = self._undone[sheet]
        if layout is None or attempt not in undone.resolved or attempt in undone.displaced:
            return False
        del self._offered[sheet]
        if layout.ids != self._layouts[sheet].ids or layout.headers != self._layouts[sheet].headers:
            return False
        snapshot.anchors |= {id_: anchor_value(sheet, attempt, at) for id_, at in columns.items()}
        return True

    @property
    def layouts(self) -> Mapping[str, Layout]:
        return self._layouts

    def stamp_at(self, sheet: str, index: int) -> str:
        """What stands in the column of stamps of a row, whatever this read made of it."""
        ours, _ = self._undone[sheet].strays.get(index, {}).get(SELLO, ("", ""))
        return str(ours)

    def take_over(self, view: View) -> None:
        """This read was believed: it is what stood there, from now on and after a kill."""
        sheet, layout = view.plan.name, self._layouts[view.plan.name]
        self.repairs[sheet] = self._undone[sheet].repairs  # of a read that was not believed, the rows are in no view
        snapshot = self._snapshots.get(sheet)
        old_layout, old_others = (snapshot.layout, [_text(s) for s in snapshot.others]) if snapshot else (None, [])
        if snapshot is None:
            snapshot = self._snapshots[sheet] = SheetSnapshot(layout)
        known = set(snapshot.rows)
        self._resolved[sheet] |= self._undone[sheet].resolved  # from here on the picture knows its cells
        changed = snapshot.take_over(view, layout, self._undone[sheet].strays) | self._note_strays(view, snapshot)
        changed |= known - snapshot.rows.keys()
        snapshot.lose(self._undone[sheet].lost)
        others = old_others != [_text(seen) for seen in snapshot.others]
        snapshot.anchors = {id_: value for id_, value in snapshot.anchors.items() if id_ in layout.places}
        moved = self._confirm_anchors(sheet, snapshot) or old_layout is not layout
        changed = {
            row for row in changed if row not in snapshot.rows or not snapshot_storage.is_kept(snapshot.rows[row])
        }
        if not (changed or others or moved):
            return
        self._keep(sheet, snapshot, sorted(changed), layout=moved, others=others)

    def _keep(
        self, sheet: str, snapshot: SheetSnapshot, changed: Sequence[RowId], *, layout: bool, others: bool
    ) -> None:
        """In parts, so that nobody who waits for the ledger waits long."""
        for start in range(0, max(1, len(changed)), ROWS_PER_COMMIT_MAX):
            part, first = changed[start : start + ROWS_PER_COMMIT_MAX], start == 0

            def keep(tx: Tx, part: Sequence[RowId] = part, first: bool = first) -> dict[RowId, str]:
                return snapshot_storage.keep(
                    tx, sheet, snapshot, part, layout=layout and first, others=others and first
                )

            for row, text in self._lease.commit(keep).items():
                if row in snapshot.rows:
                    snapshot.rows[row].kept = text

    def _note_strays(self, view: View, snapshot: SheetSnapshot) -> set[RowId]:
        """What of ours still stands there; what does not is forgotten once a second read says so too."""
        changed: set[RowId] = set()
        strays = self._undone[view.plan.name].strays
        by_index = {seen.index: (row, seen) for row, seen in snapshot.rows.items() if not seen.missed}
        by_index |= {seen.index: (("", 0), seen) for seen in snapshot.others}
        wanted = {index for index, (_, seen) in by_index.items() if seen.strays or index in strays}
        for index in wanted:
            row, seen = by_index[index]
            if seen.note_strays(strays.get(index, {})):
                changed.add(row)
        return changed - {("", 0)}


def _text(seen: Any) -> tuple[Any, ...]:
    return (seen.layout.ids, tuple(seen.raw), tuple(seen.strays.items()))
