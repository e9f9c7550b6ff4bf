"""A read of the sheet → the ledger: every row that changed is judged, merged with the ledger in the very way of an
imported file, and remembered. What cannot be told apart, or is too much at once, waits and is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from carrete.domain.shop import Shop
from carrete.ledger.database import Database, Tx
from carrete.ledger.rows import joint_from, spool_from
from carrete.sheets import brakes, memory
from carrete.sheets.clock import Clock
from carrete.sheets.columns_moved import Displaced, displaced, places_of, stamps_elsewhere, stamps_in
from carrete.sheets.lease import Lease, Rehearsal
from carrete.sheets.memory import Freeze, LaneMemory, Place
from carrete.sheets.structure import JOINTS, SELLO, SPOOLS, STAMPED, Located, column_letters, header_of, wrong_columns
from carrete.sheets.verdict import UNKNOWN, Known, Verdict, Write, judge
from carrete.sheets.view import FORMULA, Reading, View, cell, looked_at, read_row, readers
from carrete.workbook.bases import RowId, said_at
from carrete.workbook.cells import Raw
from carrete.workbook.columns import VERSION
from carrete.workbook.keys import Said
from carrete.workbook.report import ImportReport, Problem, Progress, silently
from carrete.workbook.rows import Cells, joint_cells, spool_cells
from carrete.workbook.spools import Piece, merge_chunk
from carrete.workbook.xlsx_in import RawRow

T = TypeVar("T")
ROWS_PER_COMMIT_MAX = 400
GONE_AFTER_READS = 2
REVERSAL_S = 60.0  # a row that says again what it said a moment ago may be a stale answer: it is read once more
OVERWRITTEN = "una escritura de Carrete cayó aquí porque se movieron columnas; revise lo que decía."


@dataclass(slots=True)
class Judged:
    """One row of one read."""

    place: Place
    index: int
    reading: Reading
    known: Known
    verdict: Verdict
    moved: Displaced | None = None  # the columns had moved under a write of ours

    @property
    def remembered(self) -> Cells:
        return {**(self.verdict.base or {}), **self.verdict.said}


@dataclass(slots=True)
class Pulled:
    """What came of one read."""

    report: ImportReport = field(default_factory=ImportReport)
    rows_changed: int = 0
    edited: list[str] = field(default_factory=list)  # spools that people changed
    strays: int = 0
    again: bool = False  # something should be looked at once more soon


@dataclass(frozen=True, slots=True)
class Orphan:
    """Values of ours in a row without a key: a write hit a row that holds nothing."""

    sheet: str
    index: int
    places: tuple[int, ...]  # the columns, by number


class Puller:
    """Remembers the last read of each sheet; everything else is in the ledger."""

    def __init__(
        self,
        database: Database,
        lease: Lease | Rehearsal,
        shop: Shop,
        clock: Clock,
        on_progress: Progress = silently,
    ) -> None:
        self._database = database
        self._on_progress = on_progress
        self._lease = lease
        self._shop = shop
        self._clock = clock
        self.views: dict[str, View] = {}
        self.orphans: list[Orphan] = []
        self.misplaced: set[Place] = set()  # rows whose stamp is another's
        self.give_back: dict[Place, Mapping[int, Raw]] = {}  # people's own cells that a write of ours hit
        self.waiting: dict[Place, tuple[Problem, ...]] = {}  # rows left out, with why; never written
        self.irregular: dict[Place, tuple[Problem, ...]] = {}  # rows with cells that are neither read nor written
        self.doubted: set[Place] = set()  # rows whose last answer may have been stale; not written until read again
        self._recent: dict[Place, tuple[float, Cells]] = {}
        self._missing: dict[Place, int] = {}
        self._known: dict[str, set[RowId]] = {}
        self._strays: dict[Place, Cells] = {}
        self._started = False

    # ─── a read ───────────────────────────────────────────────────────────────────────────────────────────────

    def pull(self, grids: Mapping[str, list[RawRow]], located: Mapping[str, Located]) -> Pulled:
        """Sheets that are given were read whole, in one answer."""
        self._start()
        pulled = Pulled()
        with self._database.reading() as tx:
            frozen = memory.freezes(tx)
        judged: list[Judged] = []
        gone: list[Place] = []
        views: dict[str, View] = {}
        decided: dict[str, Freeze] = {}
        for plan in STAMPED:
            if plan.name in grids:
                wrong, view = self._viewed(located[plan.name], grids[plan.name], frozen.get(plan.name))
                if view is None:
                    continue
                found = self._judged(view, pulled)
                if self._believed(view, found, frozen.get(plan.name), wrong, decided, pulled):
                    judged += found
                    gone += self._gone(view)
                    views[plan.name] = view
        self._commit(judged, gone, views, decided, pulled)
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
                self._strays = memory.strays_known(tx)
                self._known = {plan.name: memory.row_ids(tx, plan.name) for plan in STAMPED}
            self._started = True

    def strays_of(self, place: Place) -> Cells:
        return self._strays.get(place, {})

    def is_known(self, place: Place) -> bool:
        return place[1] in self._known.get(place[0], ())

    # ─── structure ────────────────────────────────────────────────────────────────────────────────────────────

    def _viewed(self, located: Located, rows: list[RawRow], frozen: Freeze | None) -> tuple[str, View | None]:
        """What is wrong with the columns, and the rows unless the key cannot be read at all: with another column
        missing people are still heard."""
        plan = located.plan
        header = header_of(plan, rows)
        wrong = wrong_columns(plan, header, located.columns)
        if wrong:
            self._freeze(plan.name, brakes.COLUMNS, wrong)
        elif frozen is not None and frozen.kind in (brakes.COLUMNS, brakes.TAB):
            self._lease.commit(lambda tx: tx.run("freeze_end", sheet=plan.name))
        if any(name not in header.places for name in plan.key):
            return wrong, None
        return wrong, looked_at(plan, header, rows, self.views.get(plan.name), self._shop.zone)

    def _freeze(self, sheet: str, kind: str, reason: str) -> None:
        now = self._clock.now()
        self._lease.commit(lambda tx: memory.freeze(tx, sheet, kind, reason, now))

    # ─── rows ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _judged(self, view: View, pulled: Pulled) -> list[Judged]:
        sheet = view.plan.name
        again = [row for name, row in (*self.waiting, *self.doubted) if name == sheet and row in view.at]
        changed = list(dict.fromkeys([*view.changed_since(self.views.get(sheet)), *again]))
        pulled.rows_changed += len(changed)
        columns, zone = readers(view), self._shop.zone
        read = {row: read_row(view, view.raw(row), columns, zone) for row in changed}
        with self._database.reading() as tx:
            known = memory.rows_known(tx, sheet, changed)
            stamps = {r.stamp for row, r in read.items() if r.stamp and r.stamp != known.get(row, UNKNOWN).stamp}
            stamps |= {stamp for index in view.keyless for stamp in stamps_in(view, index)}
            elsewhere = stamps_elsewhere(view, self.views.get(sheet))
            writes = memory.writes_with(tx, sheet, sorted({*stamps, *elsewhere.values()}))
        self._look_for_orphans(view, writes)
        judged = []
        for row, reading in read.items():
            stamp = elsewhere.get(view.at[row], reading.stamp)
            judged.append(self._judge(view, row, reading, known.get(row, UNKNOWN), writes.get(stamp)))
        return judged

    def _look_for_orphans(self, view: View, writes: Mapping[str, Write]) -> None:
        """A row without a key may have been hit more than once, and shows the last stamp only: it is held against
        every write of late that was never seen where it belongs."""
        sheet = view.plan.name
        self.orphans = [orphan for orphan in self.orphans if orphan.sheet != sheet]
        if hit := [index for index in view.keyless if _hit_by(view, index, writes)]:
            with self._database.reading() as tx:
                lost = memory.writes_lost(tx, sheet)
            for index in hit:
                places = {at for write in lost for at in places_of(view, index, write, self._shop.zone)}
                self.orphans.append(Orphan(sheet, index, tuple(sorted(places))))

    def _judge(self, view: View, row: RowId, reading: Reading, known: Known, write: Write | None) -> Judged:
        place = (view.plan.name, row)
        strays = self._strays.get(place, {})
        moved = None
        if write is not None and not write.landed:
            before = self.views.get(view.plan.name)
            moved = displaced(view, row, write, before, self._shop.zone)
        hit = moved.ours if moved else None
        verdict = judge(row, reading, known, write, _in_its_row(view, write), strays, hit)
        return Judged(place, view.at[row], reading, known, verdict, moved)

    def _believed(
        self,
        view: View,
        judged: Sequence[Judged],
        frozen: Freeze | None,
        wrong: str,
        decided: dict[str, Freeze],
        pulled: Pulled,
    ) -> bool:
        """The brakes. A supervisor's decision lets one read pass that shows what they saw, and no other."""
        sheet = view.plan.name
        missing = [row for row in self._known[sheet] if row not in view.at and row not in view.doubles]
        self._count_missing(sheet, missing)
        kind, reason = self._too_much(view, judged, len(missing))
        if not reason:
            if frozen is not None and frozen.kind in (brakes.VANISHED, brakes.CHANGED) and not wrong:
                self._lease.commit(lambda tx: tx.run("freeze_end", sheet=sheet))
            return True
        if frozen is None or not frozen.decision or not frozen.is_about(kind, reason) or wrong:
            if not wrong:  # with a column missing nothing can be decided: that one is told first
                self._freeze(sheet, kind, reason)
            return False
        if any(self._missing[sheet, row] < GONE_AFTER_READS for row in missing):
            pulled.again = True
            return False
        decided[sheet] = frozen
        return True

    def _too_much(self, view: View, judged: Sequence[Judged], missing: int) -> tuple[str, str]:
        known = len(self._known[view.plan.name])
        if reason := brakes.vanished(missing, known):
            return brakes.VANISHED, reason
        verdicts = [one.verdict for one in judged]
        return brakes.CHANGED, brakes.changed(verdicts, known, len(readers(view)), self._filled(view, judged))

    def _count_missing(self, sheet: str, missing: list[RowId]) -> None:
        places = {(sheet, row) for row in missing}
        for place in [place for place in self._missing if place[0] == sheet and place not in places]:
            del self._missing[place]
        for place in places:
            self._missing[place] = self._missing.get(place, 0) + 1

    def _filled(self, view: View, judged: Sequence[Judged]) -> Callable[[str], int]:
        """How many cells of a column said something before this read."""
        before = self.views.get(view.plan.name)

        def filled(name: str) -> int:
            if before is None or name not in before.header.places:
                return sum(bool((one.known.base or {}).get(name)) for one in judged)
            place = before.header.places[name]
            return sum(cell(before.raws[index], place) != "" for index in before.at.values())

        return filled

    def _gone(self, view: View) -> list[Place]:
        sheet = view.plan.name
        return [p for p, reads in self._missing.items() if p[0] == sheet and reads >= GONE_AFTER_READS]

    # ─── what is put down ─────────────────────────────────────────────────────────────────────────────────────

    def _commit(
        self,
        judged: list[Judged],
        gone: list[Place],
        views: Mapping[str, View],
        decided: Mapping[str, Freeze],
        pulled: Pulled,
    ) -> None:
        resumed = {name: freeze for name, freeze in decided.items() if freeze.decision == brakes.RESUME}
        judged[:] = [one for one in judged if one.place[0] in decided or not self._in_doubt(one, pulled)]
        done = 0
        for chunk in _chunks(judged, gone):
            pulled.report += self._merge(chunk, resumed)
            pulled.edited += _edited_tags(chunk)
            done += len(chunk.judged)
            self._on_progress(done, len(judged))
        first = [name for name in views if name not in self.views]
        for name in {*first, *resumed}:
            self._audit(views[name], {one.place[1]: one for one in judged if one.place[0] == name})
        if decided:
            self._lease.commit(lambda tx: [tx.run("freeze_end", sheet=name) for name in decided])
        for place in gone:
            self._missing.pop(place, None)
            self._known[place[0]].discard(place[1])

    def _in_doubt(self, one: Judged, pulled: Pulled) -> bool:
        """Said again what it said a moment ago, or carrying an older stamp: believed when the next read says so too."""
        if one.place in self.doubted:
            self.doubted.discard(one.place)
            return False
        edits = {n: s for n, s in one.verdict.said.items() if one.verdict.base and one.verdict.base.get(n) != s}
        at, before = self._recent.get(one.place, (-REVERSAL_S, {}))
        reversal = bool(edits) and self._clock.monotonic() - at < REVERSAL_S
        reversal = reversal and all(before.get(name) == said for name, said in edits.items())
        if not reversal and not (one.verdict.older and edits):
            return False
        self.doubted.add(one.place)
        pulled.again = True
        return True

    def _merge(self, chunk: _Chunk, resumed: Mapping[str, Freeze]) -> ImportReport:
        now = self._clock.now()
        when = said_at(now)
        edited = [one for one in chunk.judged if one.verdict.edited]
        pieces = _pieces(edited, chunk.gone, {name: _why(freeze) for name, freeze in resumed.items()})

        def work(tx: Tx) -> tuple[ImportReport, dict[Place, Cells]]:
            bases = {one.place: one.verdict.base for one in edited if one.verdict.base is not None}
            lane = LaneMemory(bases, when)
            report = merge_chunk(tx, pieces, self._shop, now, lane) if pieces else ImportReport()
            out = set(report.rows_out)
            taken = [one for one in chunk.judged if (one.place[0], one.index + 1) not in out]
            self._remember(tx, taken, lane.kept, when)
            for place in chunk.gone:
                tx.run("sheet_row_forget", **memory.row_params(place))
                tx.run("strays_forget", **memory.row_params(place))
            memory.queue_rows(tx, [place for place in chunk.gone if place[0] in resumed], when)
            return report, lane.kept

        report, _ = self._lease.commit(work)
        self._noted(chunk.judged, report)
        return report

    def _remember(self, tx: Tx, taken: Sequence[Judged], kept: Mapping[Place, Cells], when: str) -> None:
        rows = {one.place: ({**kept.get(one.place, {}), **one.remembered}, one.verdict.stamp) for one in taken}
        known = {one.place: one.known for one in taken}
        fresh = {p: row for p, row in rows.items() if (known[p].base, known[p].stamp) != row}
        memory.remember_rows(tx, fresh, when)
        strays = {o.place: o.verdict.strays for o in taken if o.verdict.strays != self._strays.get(o.place, {})}
        memory.keep_strays(tx, strays)
        tx.many("write_landed", [{"stamp": one.verdict.landed} for one in taken if one.verdict.landed])
        memory.queue_rows(tx, [one.place for one in taken if self._to_be_pushed(one)], when)

    def _to_be_pushed(self, one: Judged) -> bool:
        verdict = one.verdict
        repaired = one.place in self.irregular or one.place in self.waiting
        return bool(verdict.strays or verdict.landed or verdict.misplaced or verdict.older or repaired)

    def _noted(self, judged: Sequence[Judged], report: ImportReport) -> None:
        """After the commit: what this process needs to know of these rows at the next read."""
        out: dict[tuple[str, int], list[Problem]] = {row: [] for row in report.rows_out}
        for problem in report.problems:
            if (problem.sheet, problem.row) in out:
                out[problem.sheet, problem.row].append(problem)
        now = self._clock.monotonic()
        for one in judged:
            place = one.place
            if (place[0], one.index + 1) in out:
                self.waiting[place] = tuple(out[place[0], one.index + 1])
                continue
            self.waiting.pop(place, None)
            _set_or_drop(self.irregular, place, _irregular(one))
            _set_or_drop(self._strays, place, one.verdict.strays)
            (self.misplaced.add if one.verdict.misplaced else self.misplaced.discard)(place)
            _set_or_drop(self.give_back, place, one.moved.theirs if one.moved else {})
            before = one.known.base or {}
            moved = {n: before.get(n, "") for n, s in one.remembered.items() if one.known.base and before.get(n) != s}
            if moved:
                self._recent[place] = (now, moved)
            self._known[place[0]].add(place[1])

    def _take_over(self, views: Mapping[str, View], judged: Sequence[Judged], pulled: Pulled) -> None:
        self.views.update(views)
        for name, view in views.items():
            for kept in (self.waiting, self.irregular):
                for place in [p for p in kept if p[0] == name and p[1] not in view.at]:
                    del kept[place]
            self.doubted = {p for p in self.doubted if p[0] != name or p[1] in view.at}
        pulled.strays = sum(len(one.verdict.strays) for one in judged)
        oldest = self._clock.monotonic() - REVERSAL_S
        self._recent = {place: seen for place, seen in self._recent.items() if seen[0] > oldest}

    # ─── once per process, and when ours stands ───────────────────────────────────────────────────────────────

    def _audit(self, view: View, judged: Mapping[RowId, Judged]) -> None:
        """Every row of the ledger beside what the sheet says: whatever differs is queued, seen or not."""
        sheet, zone = view.plan.name, self._shop.zone
        differing: list[Place] = []
        with self._database.reading() as tx:
            queued = {(s, (tag, n)) for s, tag, n, _ in tx.all("outbox_all")}
            rows = list(ledger_rows(tx, sheet, zone))
        for row, cells in rows:
            one = judged.get(row)
            there = one is not None or row in view.at or row in view.doubles or self.is_known((sheet, row))
            if (sheet, row) in queued or (there and one is None):
                continue
            if one is None or _differs(cells, one.reading):
                differing.append((sheet, row))
        when = said_at(self._clock.now())
        for start in range(0, len(differing), ROWS_PER_COMMIT_MAX):
            chunk = differing[start : start + ROWS_PER_COMMIT_MAX]
            self._lease.commit(lambda tx, chunk=chunk: memory.queue_rows(tx, chunk, when))  # type: ignore[misc]


@dataclass(frozen=True, slots=True)
class _Chunk:
    judged: list[Judged]
    gone: list[Place]


def _chunks(judged: Sequence[Judged], gone: Sequence[Place]) -> Iterator[_Chunk]:
    """By tag, so that a new spool and its joints come together."""
    by_tag: dict[str, _Chunk] = {}
    for one in judged:
        by_tag.setdefault(one.place[1][0], _Chunk([], [])).judged.append(one)
    for place in gone:
        by_tag.setdefault(place[1][0], _Chunk([], [])).gone.append(place)
    chunk = _Chunk([], [])
    for tag in sorted(by_tag):
        chunk.judged.extend(by_tag[tag].judged)
        chunk.gone.extend(by_tag[tag].gone)
        if len(chunk.judged) + len(chunk.gone) >= ROWS_PER_COMMIT_MAX:
            yield chunk
            chunk = _Chunk([], [])
    if chunk.judged or chunk.gone:
        yield chunk


def _why(freeze: Freeze) -> dict[str, Any]:
    """What the trail says of edits that were not taken because a supervisor let ours stand."""
    return {"motivo": freeze.reason, "supervisor_id": freeze.decided_by}


def _pieces(edited: Sequence[Judged], gone: Sequence[Place], refused: Mapping[str, Mapping[str, Any]]) -> list[Piece]:
    spools: dict[str, Said] = {}
    joints: dict[str, dict[int, Said]] = {}
    for one in edited:
        tag, n_union = one.place[1]
        said = Said(one.index + 1, "", one.verdict.said)
        if one.place[0] == SPOOLS.name:
            spools[tag] = said
        else:
            joints.setdefault(tag, {})[n_union] = said
    gone_spools = {row[0] for sheet, row in gone if sheet == SPOOLS.name}
    gone_joints: dict[str, set[int]] = {}
    for sheet, (tag, n_union) in gone:
        if sheet == JOINTS.name:
            gone_joints.setdefault(tag, set()).add(n_union)
    tags = sorted({*spools, *joints, *gone_spools, *gone_joints})
    return [
        Piece(
            tag, spools.get(tag), joints.get(tag, {}), tag in gone_spools, frozenset(gone_joints.get(tag, ())), refused
        )
        for tag in tags
    ]


def _edited_tags(chunk: _Chunk) -> list[str]:
    edited = [one.place[1][0] for one in chunk.judged if one.verdict.edited]
    return list(dict.fromkeys([*edited, *(tag for _, (tag, _) in chunk.gone)]))


def _irregular(one: Judged) -> tuple[Problem, ...]:
    sheet, number = one.place[0], one.index + 1
    formulas = [Problem(sheet, number, name, FORMULA) for name in sorted(one.reading.formulas)]
    readable_by_nobody = [each for each in one.reading.unreadable if each[0] not in one.verdict.strays]
    unknown = one.moved.unknown if one.moved else ()
    hit = [Problem(sheet, number, column_letters(at), OVERWRITTEN) for at in unknown]
    return (*hit, *formulas, *(Problem(sheet, number, name, reason) for name, reason, _ in readable_by_nobody))


def _set_or_drop(kept: dict[Place, T], place: Place, value: T) -> None:
    if value:
        kept[place] = value
    else:
        kept.pop(place, None)


def _stamp(view: View, index: int) -> str:
    raw = cell(view.raws[index], view.place(SELLO))
    return raw.strip() if isinstance(raw, str) else ""


def _in_its_row(view: View, write: Write | None) -> bool:
    return write is not None and write.row in view.at and _stamp(view, view.at[write.row]) == write.stamp


def _hit_by(view: View, index: int, writes: Mapping[str, Write]) -> bool:
    found = (writes[stamp] for stamp in stamps_in(view, index) if stamp in writes)
    return any(not write.landed and not _in_its_row(view, write) for write in found)


def _differs(cells: Cells, reading: Reading) -> bool:
    return any(said != cells[name] for name, said in reading.cells.items())


def ledger_rows(tx: Tx, sheet: str, zone: ZoneInfo) -> Iterator[tuple[RowId, Cells]]:
    """Every row that the ledger would have shown, its token included; a joint goes with its spool."""
    spools = [spool_from(row) for row in tx.all("spools_all")]
    if sheet == SPOOLS.name:
        yield from (((s.tag, 0), {**spool_cells(s, zone), VERSION: s.version}) for s in spools)
        return
    listed = {spool.tag for spool in spools}
    joints = (joint_from(row) for row in tx.all("joints_all"))
    shown = (joint for joint in joints if joint.tag in listed)
    yield from (((j.tag, j.n_union), {**joint_cells(j, zone), VERSION: j.version}) for j in shown)
