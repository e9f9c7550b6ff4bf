"""A read of the sheet → the ledger: every row that changed is judged, merged with the ledger in the very way of an
imported file, and remembered. What cannot be told apart, or is too much at once, waits and is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import TypeVar

from carrete.domain.shop import Shop
from carrete.domain.shop_time import whole_second
from carrete.ledger.database import Database, Tx
from carrete.sheets.clock import Clock
from carrete.sheets.freeze import limits
from carrete.sheets.freeze.policy import FreezePolicy, FreezeState
from carrete.sheets.lease import DryRun, Lease
from carrete.sheets.pull.audit import differing
from carrete.sheets.pull.chunks import ROWS_PER_COMMIT_MAX, Chunk, chunks, edited_tags, pieces_of, why
from carrete.sheets.pull.repairs import LookCloser, Repairer
from carrete.sheets.pull.restored_cells import Restored, restored_by, say_given_back
from carrete.sheets.rows import storage
from carrete.sheets.rows.classify import Orphan, RowClassifier, RowDiff
from carrete.sheets.rows.storage import Freeze, Place, SheetBaseStore, UnimportedInput, Words
from carrete.sheets.rows.view import View, looked_at
from carrete.sheets.structure import STAMPED, Located, header_of
from carrete.sheets.timings import DEFAULT_TIMINGS
from carrete.workbook.bases import RowId, said_at
from carrete.workbook.cells import Raw, RawRow
from carrete.workbook.report import ImportReport, Problem, Progress, silently
from carrete.workbook.rows import Cells
from carrete.workbook.spools import merge_chunk

T = TypeVar("T")


@dataclass(slots=True)
class Pulled:
    """What came of one read."""

    report: ImportReport = field(default_factory=ImportReport)
    rows_changed: int = 0
    edited: list[str] = field(default_factory=list)  # spools that people changed
    strays: int = 0
    again: bool = False  # something should be looked at once more soon
    given_back: list[Restored] = field(default_factory=list)  # people's cells that a write of ours had hit


class Puller:
    """Remembers the last read of each sheet; everything else is in the ledger."""

    def __init__(
        self,
        database: Database,
        lease: Lease | DryRun,
        shop: Shop,
        clock: Clock,
        on_progress: Progress = silently,
        look_closer: LookCloser | None = None,
        reversal_s: float = DEFAULT_TIMINGS.reversal_s,
    ) -> None:
        self._database = database
        self._on_progress = on_progress
        self._lease = lease
        self._shop = shop
        self._clock = clock
        self._reversal_s = reversal_s
        self._stopper = FreezePolicy(database, lease, clock)
        self._judge = RowClassifier(database, shop.zone)
        self.repairer = Repairer(database, lease, look_closer)
        self.views: dict[str, View] = {}
        self.orphans: list[Orphan] = []
        self.misplaced: set[Place] = set()  # rows whose stamp is another's
        self.give_back: dict[Place, Mapping[int, Raw]] = {}  # people's own cells that a write of ours hit, by number
        self.waiting: dict[Place, tuple[Problem, ...]] = {}  # rows left out, with why; never written
        self.irregular: dict[Place, tuple[Problem, ...]] = {}  # rows with cells that are neither read nor written
        self.doubted: set[Place] = set()  # rows whose last answer may have been stale; not written until read again
        self._recent: dict[Place, tuple[float, Cells]] = {}
        self._known: dict[str, set[RowId]] = {}
        self._strays: dict[Place, Cells] = {}
        self._words: dict[Place, Words] = {}  # people's words that were not taken yet
        self._started = False

    # ─── a read ───────────────────────────────────────────────────────────────────────────────────────────────

    def pull(self, grids: Mapping[str, list[RawRow]], located: Mapping[str, Located]) -> Pulled:
        """Sheets that are given were read whole, in one answer."""
        self._start()
        self.repairer.begin()
        pulled, stops = Pulled(), self._stopper.look()
        judged: list[RowDiff] = []
        gone: list[Place] = []
        views: dict[str, View] = {}
        for plan in STAMPED:
            view = self._viewed(located[plan.name], grids[plan.name], stops) if plan.name in grids else None
            if view is None:
                continue
            found = self._judged(view, pulled)
            if self._stopper.accepts(view, self.views.get(plan.name), found, self._known[plan.name], stops):
                judged += found
                gone += self._stopper.gone(plan.name)
                views[plan.name] = view
        pulled.again |= stops.again or bool(self.repairer.stale)
        restored = [*restored_by(judged), *self.repairer.without_key]
        pulled.given_back = say_given_back(self._lease, restored, whole_second(self._clock.now()))
        self._commit(judged, gone, views, stops.decided, pulled)
        for view in views.values():
            self.repairer.take_over(view)
        self._stopper.carried_out(stops)
        self._take_over(views, judged, pulled)
        return pulled

    def problems(self) -> list[Problem]:
        """Everything that a person should look at, as of the last reads."""
        found = [problem for view in self.views.values() for problem in view.problems()]
        for problems in (*self.waiting.values(), *self.irregular.values()):
            found += problems
        return found

    def forget(self, sheet: str) -> None:
        """The next read of it is like the first."""
        self.views.pop(sheet, None)

    def _start(self) -> None:
        if not self._started:
            with self._database.reading() as tx:
                self._strays = storage.strays_known(tx)
                self._words = storage.words_known(tx)
                self._known = {plan.name: storage.row_ids(tx, plan.name) for plan in STAMPED}
            self.repairer.start(self._words)
            self._started = True

    def strays_of(self, place: Place) -> Cells:
        return self._strays.get(place, {})

    def words_hit(self, place: Place) -> dict[str, Raw]:
        """People's words that were not taken yet and where a write of ours stands now."""
        return {name: word.raw for name, word in self._words.get(place, {}).items() if word.hit}

    def is_known(self, place: Place) -> bool:
        return place[1] in self._known.get(place[0], ())

    def _viewed(self, located: Located, rows: list[RawRow], stops: FreezeState) -> View | None:
        """None when the key cannot be read at all: with another column missing people are still heard."""
        plan, before = located.plan, self.views.get(located.plan.name)

        def viewed(rows: list[RawRow]) -> View | None:
            header = header_of(plan, rows)
            readable = all(name in header.places for name in plan.key)
            return looked_at(plan, header, rows, before, self._shop.zone) if readable else None

        view = viewed(rows)
        view = self.repairer.corrected(view, viewed) if view else None
        if plan.name in self.repairer.stale:
            return None
        self._stopper.check_columns(located, view.header if view else header_of(plan, rows), stops)
        return view

    def _judged(self, view: View, pulled: Pulled) -> list[RowDiff]:
        sheet = view.plan.name
        again = [row for name, row in (*self.waiting, *self.doubted) if name == sheet and row in view.at]
        judged, orphans = self._judge.rows(view, self.views.get(sheet), again, self._strays)
        pulled.rows_changed += len(judged)
        self.orphans = [*(orphan for orphan in self.orphans if orphan.sheet != sheet), *orphans]
        return judged

    # ─── what is put down ─────────────────────────────────────────────────────────────────────────────────────

    def _commit(
        self,
        judged: list[RowDiff],
        gone: list[Place],
        views: Mapping[str, View],
        decided: Mapping[str, Freeze],
        pulled: Pulled,
    ) -> None:
        resumed = {name: freeze for name, freeze in decided.items() if freeze.decision == limits.RESUME}
        judged[:] = [one for one in judged if one.place[0] in decided or not self._in_doubt(one, pulled)]
        done = 0
        for chunk in chunks(judged, gone):
            pulled.report += self._merge(chunk, resumed)
            pulled.edited += edited_tags(chunk)
            done += len(chunk.judged)
            self._on_progress(done, len(judged))
        first = [name for name in views if name not in self.views]
        for name in {*first, *resumed}:
            self._audit(views[name], {one.place[1]: one for one in judged if one.place[0] == name})
        self._stopper.forget(gone)
        for sheet, row in gone:
            self._known[sheet].discard(row)
        self._forget_words(views)

    def _forget_words(self, views: Mapping[str, View]) -> None:
        """Of rows that were never taken, and are no longer there."""
        left = [(sheet, row) for sheet, row in self._words if sheet in views and row not in self._known[sheet]]
        left = [(s, row) for s, row in left if row not in views[s].at and row not in views[s].doubles]
        if left:
            self._lease.commit(lambda tx: storage.keep_words(tx, {place: {} for place in left}))
        for place in left:
            del self._words[place]

    def _in_doubt(self, one: RowDiff, pulled: Pulled) -> bool:
        """Said again what it said a moment ago, or carrying an older stamp: believed when the next read says so too."""
        if one.place in self.doubted:
            self.doubted.discard(one.place)
            return False
        edits = one.edits
        at, before = self._recent.get(one.place, (-self._reversal_s, {}))
        reversal = bool(edits) and self._clock.monotonic() - at < self._reversal_s
        reversal = reversal and all(before.get(name) == said for name, said in edits.items())
        if not reversal and not (one.verdict.older and edits):
            return False
        self.doubted.add(one.place)
        pulled.again = True
        return True

    def _merge(self, chunk: Chunk, resumed: Mapping[str, Freeze]) -> ImportReport:
        now = self._clock.now()
        when = said_at(now)
        edited = [one for one in chunk.judged if one.verdict.edited]
        pieces = pieces_of(edited, chunk.gone, {name: why(freeze) for name, freeze in resumed.items()})

        def work(tx: Tx) -> tuple[ImportReport, Mapping[Place, Words]]:
            bases = {one.place: one.verdict.base for one in edited if one.verdict.base is not None}
            lane = SheetBaseStore(bases, when)
            report = merge_chunk(tx, pieces, self._shop, now, lane) if pieces else ImportReport()
            out, in_part = set(report.rows_out), set(report.rows_waiting)
            left_out = [one for one in chunk.judged if (one.place[0], one.index + 1) in out]
            taken = [one for one in chunk.judged if (one.place[0], one.index + 1) not in out]
            waiting = {one.place for one in taken if (one.place[0], one.index + 1) in in_part}
            self._remember(tx, taken, lane.kept, waiting, when)
            self._remember_writes(tx, left_out, when)
            waiting |= {one.place for one in left_out}
            words = {one.place: self._words_after(one, waits=one.place in waiting) for one in chunk.judged}
            storage.keep_words(tx, {place: kept for place, kept in words.items() if kept != self._words.get(place, {})})
            for place in chunk.gone:
                tx.run("sheet_row_forget", **storage.row_params(place))
                tx.run("strays_forget", **storage.row_params(place))
                tx.run("words_forget", **storage.row_params(place))
            storage.queue_rows(tx, [place for place in chunk.gone if place[0] in resumed], when)
            return report, words

        report, words = self._lease.commit(work)
        for place in (*words, *chunk.gone):
            _set_or_drop(self._words, place, words.get(place, {}))
        self._noted(chunk.judged, report)
        return report

    def _remember(
        self, tx: Tx, taken: Sequence[RowDiff], kept: Mapping[Place, Cells], waiting: Set[Place], when: str
    ) -> None:
        """Of a new row that waits for a person only the cells that were taken: the others count once repaired."""
        said = {one.place: {} if one.place in waiting else one.remembered for one in taken}
        rows = {one.place: ({**kept.get(one.place, {}), **said[one.place]}, one.verdict.stamp) for one in taken}
        known = {one.place: one.known for one in taken}
        fresh = {p: row for p, row in rows.items() if (known[p].base, known[p].stamp) != row}
        storage.remember_rows(tx, fresh, when)
        self._keep_strays(tx, taken)
        tx.many("write_landed", [{"stamp": one.verdict.landed} for one in taken if one.verdict.landed])
        storage.queue_rows(tx, [one.place for one in taken if self._to_be_pushed(one)], when)

    def _remember_writes(self, tx: Tx, left_out: Sequence[RowDiff], when: str) -> None:
        """Of rows that wait for a person: what we wrote there ourselves. The next write that goes astray may take the
        stamp away that tells."""
        landed = [one for one in left_out if one.verdict.landed]
        storage.remember_rows(tx, {one.place: (one.verdict.base or {}, one.verdict.stamp) for one in landed}, when)
        tx.many("write_landed", [{"stamp": one.verdict.landed} for one in landed])
        self._keep_strays(tx, left_out)

    def _keep_strays(self, tx: Tx, judged: Sequence[RowDiff]) -> None:
        strays = {one.place: one.verdict.strays for one in judged}
        storage.keep_strays(tx, {place: found for place, found in strays.items() if found != self.strays_of(place)})

    def _to_be_pushed(self, one: RowDiff) -> bool:
        verdict = one.verdict
        repaired = one.place in self.irregular or one.place in self.waiting
        return bool(verdict.strays or verdict.landed or verdict.misplaced or verdict.older or repaired)

    def _noted(self, judged: Sequence[RowDiff], report: ImportReport) -> None:
        """After the commit: what this process needs to know of these rows at the next read."""
        out: dict[tuple[str, int], list[Problem]] = {row: [] for row in (*report.rows_out, *report.rows_waiting)}
        in_part = set(report.rows_waiting)
        for problem in report.problems:
            if (problem.sheet, problem.row) in out:
                out[problem.sheet, problem.row].append(problem)
        now = self._clock.monotonic()
        for one in judged:
            place = one.place
            _set_or_drop(self._strays, place, one.verdict.strays)
            if one.verdict.landed or (place[0], one.index + 1) in in_part:
                self._known[place[0]].add(place[1])
            if (place[0], one.index + 1) in out:
                self.waiting[place] = tuple(out[place[0], one.index + 1])
                continue
            self.waiting.pop(place, None)
            _set_or_drop(self.irregular, place, one.irregular())
            (self.misplaced.add if one.verdict.misplaced else self.misplaced.discard)(place)
            _set_or_drop(self.give_back, place, one.moved.theirs if one.moved else {})
            before = one.known.base or {}
            moved = {n: before.get(n, "") for n, s in one.remembered.items() if one.known.base and before.get(n) != s}
            if moved:
                self._recent[place] = (now, moved)
            self._known[place[0]].add(place[1])

    def _words_after(self, one: RowDiff, *, waits: bool) -> dict[str, UnimportedInput]:
        """What was typed into a row that waits for a person stands nowhere but in the sheet. Once hit, by a write that
        went astray or by a late one of its own, it is kept until it stands there again, or somebody types over what
        hit it."""
        verdict, base = one.verdict, one.verdict.base or {}
        kept = {name: UnimportedInput(raw, one.reading.stamp) for name, raw in one.typed.items()} if waits else {}
        ours = verdict.landed and one.known.base is None  # we put the row there: nobody's words were in it
        before: Words = {} if ours else self._words.get(one.place, {})
        for name, word in before.items():
            still = word.hit and not verdict.landed and base.get(name) == verdict.said.get(name)
            hit = name in one.hit and (name in verdict.strays or word.stamp != one.hit_by)
            if hit or still:
                kept[name] = UnimportedInput(word.raw, one.reading.stamp, hit=True)
        return kept

    def _take_over(self, views: Mapping[str, View], judged: Sequence[RowDiff], pulled: Pulled) -> None:
        self.views.update(views)
        for name, view in views.items():
            for kept in (self.waiting, self.irregular):
                for place in [p for p in kept if p[0] == name and p[1] not in view.at]:
                    del kept[place]
            self.doubted = {p for p in self.doubted if p[0] != name or p[1] in view.at}
        pulled.strays = sum(len(one.verdict.strays) for one in judged) + self.repairer.hits
        oldest = self._clock.monotonic() - self._reversal_s
        self._recent = {place: seen for place, seen in self._recent.items() if seen[0] > oldest}

    def _audit(self, view: View, judged: Mapping[RowId, RowDiff]) -> None:
        """Whatever differs is queued, seen or not."""
        with self._database.reading() as tx:
            found = differing(tx, view, judged, self.is_known, self._shop.zone)
        when = said_at(self._clock.now())
        for start in range(0, len(found), ROWS_PER_COMMIT_MAX):
            part = found[start : start + ROWS_PER_COMMIT_MAX]
            self._lease.commit(lambda tx, part=part: storage.queue_rows(tx, part, when))  # type: ignore[misc]


def _set_or_drop(kept: dict[Place, T], place: Place, value: T) -> None:
    if value:
        kept[place] = value
    else:
        kept.pop(place, None)
