"""Imports one read of the sheet into the ledger: the rows that changed are merged as those of an imported file are. A
row that is unclear, or a sheet with too many changes, waits and is reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from carrete.domain.shop import Shop
from carrete.domain.shop_time import whole_second
from carrete.ledger.database import Database, Tx
from carrete.sheets.clock import Clock
from carrete.sheets.freeze import limits
from carrete.sheets.freeze.policy import FreezePolicy, FreezeState
from carrete.sheets.pull.audit import differing_rows
from carrete.sheets.pull.chunks import (
    ROWS_PER_COMMIT_MAX,
    CommitChunk,
    chunks,
    edited_tags,
    incoming_spools,
    refusal_metadata,
)
from carrete.sheets.pull.repairs import LookCloser, Repairer
from carrete.sheets.pull.restored_cells import RestoredRow, record_restored, restored_rows
from carrete.sheets.pull.row_saving import save_left_out, save_taken
from carrete.sheets.pull.sheet_bases import SheetBaseStore
from carrete.sheets.rows import storage
from carrete.sheets.rows.classify import Orphan, RowClassifier, RowDiff
from carrete.sheets.rows.row_state import RowStates
from carrete.sheets.rows.storage import Freeze, RowKey
from carrete.sheets.rows.unimported import NO_INPUTS, UnimportedInputs, save_unimported
from carrete.sheets.rows.view import SheetView, sheet_view
from carrete.sheets.structure import STAMPED, Located, header_of
from carrete.sheets.timings import DEFAULT_TIMINGS
from carrete.workbook.bases import RowId, utc_text
from carrete.workbook.cells import Raw, RawRow
from carrete.workbook.commits import Committer
from carrete.workbook.report import ImportReport, Problem, Progress, no_progress
from carrete.workbook.spools import merge_chunk


@dataclass(slots=True)
class PullResult:
    """The result of one read."""

    report: ImportReport = field(default_factory=ImportReport)
    rows_changed: int = 0
    edited: list[str] = field(default_factory=list)  # tags of the spools that people changed
    strays: int = 0
    again: bool = False  # a sheet should be read once more soon
    given_back: list[RestoredRow] = field(default_factory=list)  # people's cells that a write of ours had overwritten


class Puller:
    """Holds the last read of each sheet and the state of each row; everything else is in the ledger."""

    def __init__(
        self,
        database: Database,
        lease: Committer,
        shop: Shop,
        clock: Clock,
        on_progress: Progress = no_progress,
        look_closer: LookCloser | None = None,
        reversal_s: float = DEFAULT_TIMINGS.reversal_s,
    ) -> None:
        self._database = database
        self._on_progress = on_progress
        self._lease = lease
        self._shop = shop
        self._clock = clock
        self._reversal_s = reversal_s
        self._freeze_policy = FreezePolicy(database, lease, clock)
        self._classifier = RowClassifier(database, shop.zone)
        self.repairer = Repairer(database, lease, look_closer)
        self.views: dict[str, SheetView] = {}
        self.orphans: list[Orphan] = []
        self._states = RowStates()
        self._started = False

    # ─── the state of a row ───────────────────────────────────────────────────────────────────────────────────

    @property
    def waiting(self) -> Mapping[RowKey, tuple[Problem, ...]]:
        """Rows that were left out, with the reasons; they are never written."""
        return self._states.waiting

    @property
    def doubted(self) -> Mapping[RowKey, bool]:
        """Rows that are not written until another read has confirmed their last change."""
        return self._states.doubted

    @property
    def misplaced(self) -> Mapping[RowKey, bool]:
        """Rows that carry the stamp of another row."""
        return self._states.misplaced

    @property
    def give_back(self) -> Mapping[RowKey, Mapping[int, Raw]]:
        """By row and column index: people's own values that a write of ours overwrote."""
        return self._states.give_back

    def strays_of(self, row_key: RowKey) -> Mapping[str, str]:
        return self._states.get(row_key).strays

    def overwritten_input(self, row_key: RowKey) -> dict[str, Raw]:
        """By column: input that was not imported yet and that a write of ours has overwritten."""
        inputs = self._states.get(row_key).unimported
        return {name: one.raw for name, one in inputs.items() if one.hit}

    def is_known(self, row_key: RowKey) -> bool:
        return self._states.is_known(row_key)

    def problems(self) -> list[Problem]:
        """Everything that a person should look at, as of the last reads."""
        return [*(problem for view in self.views.values() for problem in view.problems()), *self._states.problems()]

    # ─── a read ───────────────────────────────────────────────────────────────────────────────────────────────

    def pull(self, grids: Mapping[str, list[RawRow]], located: Mapping[str, Located]) -> PullResult:
        """`grids` has every row of each sheet that was read, all from one answer of Google."""
        self._start()
        self.repairer.begin_read()
        pulled, freezes = PullResult(), self._freeze_policy.current_state()
        diffs: list[RowDiff] = []
        gone: list[RowKey] = []
        views: dict[str, SheetView] = {}
        for plan in STAMPED:
            view = self._view(located[plan.name], grids[plan.name], freezes) if plan.name in grids else None
            if view is None:
                continue
            found, known = self._diffs(view, pulled), self._states.known_rows(plan.name)
            if self._freeze_policy.accepts(view, self.views.get(plan.name), found, known, freezes):
                diffs += found
                gone += self._freeze_policy.deleted_rows(plan.name)
                views[plan.name] = view
        pulled.again |= freezes.again or bool(self.repairer.stale)
        restored = [*restored_rows(diffs), *self.repairer.without_key]
        pulled.given_back = record_restored(self._lease, restored, whole_second(self._clock.now()))
        diffs = [diff for diff in diffs if diff.row_key[0] in freezes.decided or not self._must_confirm(diff, pulled)]
        self._commit(diffs, gone, views, freezes.decided, pulled)
        for view in views.values():
            self.repairer.take_over(view)
        self._freeze_policy.end_decided(freezes)
        self._take_over(views, diffs, pulled)
        return pulled

    def _start(self) -> None:
        if not self._started:
            with self._database.reading() as tx:
                self._states.load(tx)
            self.repairer.load(self._states.unimported)
            self._started = True

    def _view(self, located: Located, rows: list[RawRow], freezes: FreezeState) -> SheetView | None:
        """None when a column of the key is missing, or when the answer is stale. With any other column missing,
        people's edits are still imported."""
        plan, before = located.plan, self.views.get(located.plan.name)

        def view_of(rows: list[RawRow]) -> SheetView | None:
            header = header_of(plan, rows)
            readable = all(name in header.indexes for name in plan.key)
            return sheet_view(plan, header, rows, before, self._shop.zone) if readable else None

        view = view_of(rows)
        view = self.repairer.without_strays(view, view_of) if view else None
        if plan.name in self.repairer.stale:
            return None
        self._freeze_policy.check_columns(located, view.header if view else header_of(plan, rows), freezes)
        return view

    def _diffs(self, view: SheetView, pulled: PullResult) -> list[RowDiff]:
        sheet = view.plan.name
        again = self._states.to_look_at_again(view)
        diffs, orphans = self._classifier.diffs(view, self.views.get(sheet), again, self._states.strays)
        pulled.rows_changed += len(diffs)
        self.orphans = [*(orphan for orphan in self.orphans if orphan.sheet != sheet), *orphans]
        return diffs

    def _must_confirm(self, diff: RowDiff, pulled: PullResult) -> bool:
        doubted = self._states.stored(diff.row_key).must_be_confirmed(diff, self._clock.monotonic() - self._reversal_s)
        pulled.again |= doubted
        return doubted

    # ─── saving ───────────────────────────────────────────────────────────────────────────────────────────────

    def _commit(
        self,
        diffs: list[RowDiff],
        gone: list[RowKey],
        views: Mapping[str, SheetView],
        decided: Mapping[str, Freeze],
        pulled: PullResult,
    ) -> None:
        resumed = {name: freeze for name, freeze in decided.items() if freeze.decision == limits.RESUME}
        done = 0
        for chunk in chunks(diffs, gone):
            pulled.report += self._merge(chunk, resumed)
            pulled.edited += edited_tags(chunk)
            done += len(chunk.diffs)
            self._on_progress(done, len(diffs))
        first = [name for name in views if name not in self.views]
        for name in {*first, *resumed}:
            self._audit(views[name], {diff.row_key[1]: diff for diff in diffs if diff.row_key[0] == name})
        self._freeze_policy.forget(gone)
        for row_key in gone:
            self._states.forget(row_key)
        self._forget_unimported(views)

    def _forget_unimported(self, views: Mapping[str, SheetView]) -> None:
        absent = [row_key for view in views.values() for row_key in self._states.never_imported(view)]
        if absent:
            self._lease.commit(lambda tx: save_unimported(tx, {row_key: {} for row_key in absent}))
        for row_key in absent:
            self._states.forget(row_key)

    def _merge(self, chunk: CommitChunk, resumed: Mapping[str, Freeze]) -> ImportReport:
        now = self._clock.now()
        when = utc_text(now)
        edited = [diff for diff in chunk.diffs if diff.verdict.edited]
        spools = incoming_spools(
            edited, chunk.gone, {name: refusal_metadata(freeze) for name, freeze in resumed.items()}
        )

        def work(tx: Tx) -> tuple[ImportReport, Mapping[RowKey, UnimportedInputs]]:
            bases = {diff.row_key: diff.verdict.base for diff in edited if diff.verdict.base is not None}
            store = SheetBaseStore(bases, when)
            report = merge_chunk(tx, spools, self._shop, now, store) if spools else ImportReport()
            out, in_part = set(report.rows_out), set(report.rows_waiting)
            left_out = [diff for diff in chunk.diffs if diff.row_number in out]
            taken = [diff for diff in chunk.diffs if diff.row_number not in out]
            waiting = {diff.row_key for diff in taken if diff.row_number in in_part}
            save_taken(tx, self._states, taken, store.new_bases, waiting, when)
            save_left_out(tx, self._states, left_out, when)
            waiting |= {diff.row_key for diff in left_out}
            inputs = {diff.row_key: self._unimported_after(diff, waiting) for diff in chunk.diffs}
            save_unimported(tx, {key: new for key, new in inputs.items() if new != self._states.get(key).unimported})
            for row_key in chunk.gone:
                tx.run("sheet_row_forget", **storage.row_params(row_key))
                tx.run("strays_forget", **storage.row_params(row_key))
                tx.run("words_forget", **storage.row_params(row_key))
            storage.queue_rows(tx, [row_key for row_key in chunk.gone if row_key[0] in resumed], when)
            return report, inputs

        report, inputs = self._lease.commit(work)
        for row_key in (*inputs, *chunk.gone):
            self._states.stored(row_key).unimported = inputs.get(row_key) or NO_INPUTS
        self._update_states(chunk.diffs, report)
        return report

    def _unimported_after(self, diff: RowDiff, waiting: Set[RowKey]) -> UnimportedInputs:
        return self._states.get(diff.row_key).unimported_after(diff, waits=diff.row_key in waiting)

    def _update_states(self, diffs: Sequence[RowDiff], report: ImportReport) -> None:
        problems: dict[tuple[str, int], list[Problem]] = {row: [] for row in (*report.rows_out, *report.rows_waiting)}
        in_part = set(report.rows_waiting)
        for problem in report.problems:
            if (problem.sheet, problem.row) in problems:
                problems[problem.sheet, problem.row].append(problem)
        now = self._clock.monotonic()
        for diff in diffs:
            of_row = tuple(problems[diff.row_number]) if diff.row_number in problems else None
            if of_row is None or diff.verdict.landed or diff.row_number in in_part:
                self._states.know(diff.row_key)
            self._states.stored(diff.row_key).update(diff, of_row, now)

    def _take_over(self, views: Mapping[str, SheetView], diffs: Sequence[RowDiff], pulled: PullResult) -> None:
        self.views.update(views)
        for view in views.values():
            self._states.take_over(view, self._clock.monotonic() - self._reversal_s)
        pulled.strays = sum(len(diff.verdict.strays) for diff in diffs) + self.repairer.hits

    def _audit(self, view: SheetView, diffs: Mapping[RowId, RowDiff]) -> None:
        """Queues every row of the ledger that the sheet shows differently."""
        with self._database.reading() as tx:
            found = differing_rows(tx, view, diffs, self.is_known, self._shop.zone)
        when = utc_text(self._clock.now())
        for start in range(0, len(found), ROWS_PER_COMMIT_MAX):
            part = found[start : start + ROWS_PER_COMMIT_MAX]
            self._lease.commit(lambda tx, part=part: storage.queue_rows(tx, part, when))  # type: ignore[misc]
