"""Removes strays from each read, with the help of the sheet's snapshot, and lists what to restore in the sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from operator import is_
from typing import Any, TypeAlias

from carrete.ledger.database import Database, Tx
from carrete.sheets.pull.chunks import ROWS_PER_COMMIT_MAX
from carrete.sheets.pull.restored_cells import RestoredRow
from carrete.sheets.rows import snapshot_storage, storage
from carrete.sheets.rows.column_identity import layout_of
from carrete.sheets.rows.column_marks import ANCHOR_KEY, ANCHORS_MAX, MARK_KEY, anchor_value, marks_found, wanted_marks
from carrete.sheets.rows.snapshot import OWN, Layout, SeenRow, SheetSnapshot
from carrete.sheets.rows.storage import RowKey
from carrete.sheets.rows.strays import CleanedRead, Marks, Repair, StrayRemover
from carrete.sheets.rows.unimported import UnimportedInputs
from carrete.sheets.rows.verdict import Write
from carrete.sheets.rows.view import SheetView
from carrete.sheets.rows.write_traces import rows_with
from carrete.sheets.structure import SELLO, STAMPED
from carrete.workbook.bases import RowId
from carrete.workbook.cells import RawRow
from carrete.workbook.commits import Committer

STALE_READS_MAX = 2  # how often a read that does not show the last batch is taken for a stale one
MARK_LOOKUPS_MAX = 3  # how often the marks of an attempt are looked up if it has none: each time costs a read
CLOSER_LOOKS_MAX = 3  # how often the sheet is read again with its marks and anchors, for one read
LookCloser: TypeAlias = Callable[[str, Mapping[str, str]], tuple[list[RawRow], dict[str, int]]]
BuildView: TypeAlias = Callable[[list[RawRow]], SheetView | None]


class Repairer:
    """Holds the snapshot of each sheet."""

    def __init__(self, database: Database, lease: Committer, look_closer: LookCloser | None) -> None:
        self._database = database
        self._lease = lease
        self._look_closer = look_closer
        self._snapshots: dict[str, SheetSnapshot | None] = {}
        self._layouts: dict[str, Layout] = {}  # of the current read
        self._cleaned: dict[str, CleanedRead] = {}
        self._lookups: Counter[str] = Counter()  # by attempt: lookups that found no marks
        self._resolved: dict[str, set[str]] = {plan.name: set() for plan in STAMPED}  # by sheet: attempts that are done
        self.repairs: dict[str, dict[int, Repair]] = {}  # by sheet and row index of the last read
        self.without_key: list[RestoredRow] = []  # cells that this read shows restored in rows without a key
        self.hits = 0  # strays that this read shows for the first time
        self._offered: dict[str, tuple[str, Layout, Mapping[str, int]]] = {}  # by sheet: an attempt and its anchors
        self._stale_reads: Counter[tuple[str, int | None]] = Counter()  # by sheet and flush
        self.stale: set[str] = set()  # sheets for which Google answered with an older state

    def load(self, unimported: Mapping[RowKey, UnimportedInputs]) -> None:
        with self._database.reading() as tx:
            for plan in STAMPED:
                of_sheet = {row: inputs for (sheet, row), inputs in unimported.items() if sheet == plan.name}
                self._snapshots[plan.name] = snapshot_storage.load(tx, plan.name, of_sheet)

    def begin_read(self) -> None:
        """Resets the results of the read before."""
        self.hits, self.without_key = 0, []
        self.stale = set()

    def _is_stale(self, view: SheetView, writes: Sequence[Write]) -> bool:
        """Whether the read shows nothing of the last batch that Google applied. The sheet is then read again, twice at
        most."""
        sheet = view.plan.name
        with self._database.reading() as tx:
            applied = storage.applied_last(tx, sheet)
        mine = [write for write in writes if write.flush == applied and write.put]
        if not mine or self._stale_reads[sheet, applied] >= STALE_READS_MAX or rows_with(view, mine):
            return False
        self._stale_reads[sheet, applied] += 1
        return True

    def without_strays(self, view: SheetView, build_view: BuildView) -> SheetView:
        """The same read without strays. `build_view` makes a view of rows."""
        sheet = view.plan.name
        snapshot = self._snapshots.get(sheet)
        self.repairs[sheet], self._cleaned[sheet] = {}, CleanedRead([])
        if snapshot is None:
            self._layouts[sheet] = layout_of(view, None)
            return view
        with self._database.reading() as tx:
            writes = storage.writes_lost(tx, sheet)
        if self._is_stale(view, writes):
            self.stale.add(sheet)
            return view
        view, cleaned = self._clean_closely(view, snapshot, writes, build_view)
        self._cleaned[sheet] = cleaned
        self.hits += cleaned.hits
        self.without_key += [RestoredRow(w.stamp, sheet, index, None, w.restored) for w, index in cleaned.without_key]
        if all(map(is_, cleaned.rows, view.raws)):
            return view
        return build_view(cleaned.rows) or view

    def _clean_closely(
        self, view: SheetView, snapshot: SheetSnapshot, writes: Sequence[Write], build_view: BuildView
    ) -> tuple[SheetView, CleanedRead]:
        """Cleans the read, and reads the sheet again with marks or anchors if they are needed. That answer may be newer
        or older than the read, and may need the marks of other attempts: then it is read once more."""
        cleaned = self._clean(view, snapshot, writes, {}, {})
        unclear = self._unclear(cleaned)
        wanted = bool(unclear) or self._needs_anchors(snapshot, cleaned, view.plan.name)
        for _ in range(CLOSER_LOOKS_MAX):
            if not wanted:
                break
            view, cleaned = self._closer(view, cleaned, snapshot, writes, unclear, build_view)
            wanted = bool(more := self._unclear(cleaned))
            unclear = {**unclear, **more}
        return view, cleaned

    def _clean(
        self,
        view: SheetView,
        snapshot: SheetSnapshot,
        writes: Sequence[Write],
        marks: Marks,
        anchored: Mapping[str, int],
    ) -> CleanedRead:
        fresh = [write for write in writes if write.attempt not in self._resolved[view.plan.name]]
        layout = self._layouts[view.plan.name] = layout_of(view, snapshot, rows_with(view, fresh), anchored)
        return StrayRemover(view, layout, snapshot, fresh, marks).run()

    def _unclear(self, cleaned: CleanedRead) -> dict[str, set[int]]:
        if self._look_closer is None:
            return {}
        return {attempt: at for attempt, at in cleaned.unclear.items() if self._lookups[attempt] < MARK_LOOKUPS_MAX}

    def _needs_anchors(self, snapshot: SheetSnapshot, cleaned: CleanedRead, sheet: str) -> bool:
        """With strays in the sheet and columns that have moved, people's own columns must be identified for certain."""
        moved = self._layouts[sheet] is not snapshot.layout
        return self._look_closer is not None and moved and bool(cleaned.strays and snapshot.anchors)

    def _closer(
        self,
        view: SheetView,
        cleaned: CleanedRead,
        snapshot: SheetSnapshot,
        writes: Sequence[Write],
        unclear: Mapping[str, set[int]],
        build_view: BuildView,
    ) -> tuple[SheetView, CleanedRead]:
        """Reads the sheet again, with the marks of the unclear attempts and all anchors, and cleans that read."""
        assert self._look_closer is not None
        sheet = view.plan.name
        wanted = dict.fromkeys(wanted_marks(sheet, unclear), MARK_KEY)
        rows, found = self._look_closer(sheet, wanted | dict.fromkeys(snapshot.anchors.values(), ANCHOR_KEY))
        marks = marks_found(unclear, found)
        anchored = {id_: found[value] for id_, value in snapshot.anchors.items() if value in found}
        self._lookups.update(attempt for attempt, columns in marks.items() if not columns)
        closer = build_view(rows)
        return (closer, self._clean(closer, snapshot, writes, marks, anchored)) if closer else (view, cleaned)

    def unanchored(self) -> dict[str, dict[str, int]]:
        """By sheet and identity: the indexes of people's own columns that have no anchor yet, in the current read."""
        found: dict[str, dict[str, int]] = {}
        for sheet, layout in self._layouts.items():
            snapshot = self._snapshots.get(sheet)
            anchors = snapshot.anchors if snapshot else {}
            own = {id_: at for id_, at in layout.indexes.items() if id_.startswith(OWN) and id_ not in anchors}
            found[sheet] = dict(list(own.items())[: max(0, ANCHORS_MAX - len(anchors))])
        return found

    def offered(self, attempt: str, anchors: Mapping[str, Mapping[str, int]]) -> None:
        """This attempt contains anchors. They count once a read shows that no column moved before Google's apply."""
        self._offered = {s: (attempt, self._layouts[s], columns) for s, columns in anchors.items() if columns}

    def _confirm_anchors(self, sheet: str, snapshot: SheetSnapshot) -> bool:
        attempt, layout, columns = self._offered.get(sheet, ("", None, {}))
        cleaned = self._cleaned[sheet]
        if layout is None or attempt not in cleaned.resolved or attempt in cleaned.displaced:
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
        """The stray stamp in the stamp column of this row, or `""`."""
        ours, _ = self._cleaned[sheet].strays.get(index, {}).get(SELLO, ("", ""))
        return str(ours)

    def take_over(self, view: SheetView) -> None:
        """Takes an accepted read over as the snapshot, and stores it for the next process."""
        sheet, layout, cleaned = view.plan.name, self._layouts[view.plan.name], self._cleaned[view.plan.name]
        self.repairs[sheet] = cleaned.repairs  # set only now: its row indexes are those of an accepted read
        snapshot = self._snapshots.get(sheet)
        old_layout, old_others = (snapshot.layout, _comparable(snapshot.others)) if snapshot else (None, [])
        if snapshot is None:
            snapshot = self._snapshots[sheet] = SheetSnapshot(layout)
        self._resolved[sheet] |= cleaned.resolved  # from here on the snapshot has their strays
        changed = snapshot.take_over(view, layout, cleaned.strays) | snapshot.note_strays(view, cleaned.strays)
        snapshot.keep_lost(cleaned.lost)
        others = old_others != _comparable(snapshot.others)
        snapshot.anchors = {id_: value for id_, value in snapshot.anchors.items() if id_ in layout.indexes}
        moved = self._confirm_anchors(sheet, snapshot) or old_layout is not layout
        rows = snapshot.rows
        changed = {row for row in changed if row not in rows or not snapshot_storage.is_stored(rows[row])}
        if changed or others or moved:
            self._save(sheet, snapshot, sorted(changed), layout=moved, others=others)

    def _save(
        self, sheet: str, snapshot: SheetSnapshot, changed: Sequence[RowId], *, layout: bool, others: bool
    ) -> None:
        """In several commits, so that workers' actions do not wait long for the ledger."""
        for start in range(0, max(1, len(changed)), ROWS_PER_COMMIT_MAX):
            part, first = changed[start : start + ROWS_PER_COMMIT_MAX], start == 0

            def save(tx: Tx, part: Sequence[RowId] = part, first: bool = first) -> dict[RowId, str]:
                return snapshot_storage.save(
                    tx, sheet, snapshot, part, layout=layout and first, others=others and first
                )

            for row, text in self._lease.commit(save).items():
                if row in snapshot.rows:
                    snapshot.rows[row].stored = text


def _comparable(rows: Sequence[SeenRow]) -> list[tuple[Any, ...]]:
    return [(seen.layout.ids, tuple(seen.raw), tuple(seen.strays.items())) for seen in rows]
