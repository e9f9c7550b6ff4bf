"""One guarded batch at a time: journaled before Google hears of it, settled by its guard, its poison set aside.

Of a batch whose answer was lost nobody knows: it is asked for by its guard, and sent again with the same guard until
one of its twins is known to be in. It is dropped only when no twin of it can arrive any more.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

import structlog

from carrete.ledger.database import Database, Tx
from carrete.sheets.clock import Clock
from carrete.sheets.google.client import SheetsClient
from carrete.sheets.google.errors import BadBatch, Denied, GuardRefused, GuardTaken, TabGone, TooFast
from carrete.sheets.lease import Lease
from carrete.sheets.pull.puller import Puller
from carrete.sheets.push.appends import GIVEN_UP, never_written
from carrete.sheets.push.batch_size import AlternateBatches, halved
from carrete.sheets.push.clearing import Clearing
from carrete.sheets.push.formats import Formats, Witness
from carrete.sheets.push.guards import MarkKeeper, forget_guards
from carrete.sheets.push.plan import EVENTS_PART, MARKS_PART, Limits, Part, Plan, RowPlan
from carrete.sheets.push.planner import Batch, Planner, batch_of
from carrete.sheets.rows import storage
from carrete.sheets.rows.classify import Orphan
from carrete.sheets.rows.storage import Flush, Parked, RowKey
from carrete.sheets.status import SyncStats
from carrete.sheets.structure import EVENTS, Located
from carrete.workbook.columns import Header
from carrete.workbook.report import Problem

log = structlog.get_logger()
OUTSIDE_MAX = 5  # so often in a row it is taken for a column or row that was deleted since the read
RECENT_FLUSHES = 5  # a row that one of them appended may still be missing from a stale answer


@dataclass(frozen=True, slots=True)
class Sheets:
    """Where a flush may write: the sheets that this cycle has read, and the trail if events may go."""

    located: Mapping[str, Located]
    rows_of: Sequence[str]
    trail: Header | None


class Flusher:
    def __init__(
        self,
        database: Database,
        lease: Lease,
        client: SheetsClient,
        clock: Clock,
        notes: SyncStats,
        puller: Puller,
        zone: ZoneInfo,
    ) -> None:
        self._database = database
        self._lease = lease
        self._client = client
        self._clock = clock
        self._notes = notes
        self._puller = puller
        self._zone = zone
        self._planner = Planner(puller, zone)
        self._limits = Limits()
        self._turns = AlternateBatches()
        self._marks = MarkKeeper(client)
        self._outside = 0  # batches in a row that wrote to what had been deleted
        self.idle: set[tuple[RowKey, str]] = set()  # what cannot be written as its sheet is now
        self.to_verify: set[str] = set()  # sheets to be read again soon
        self.cleared: set[Orphan] = set()  # what the last batch took away, or tried to
        self._formats = Formats()
        self._never: set[RowKey] = set()  # rows that cannot be written because their key could not be read back

    def begin(self) -> None:
        with self._database.reading() as tx:
            (last,) = tx.one("flush_last") or (0,)
            recent = tx.all("writes_not_landed", flush_id=last - RECENT_FLUSHES)
            self._formats = Formats.load(tx)
        self._planner.appends.expect((sheet, (tag, n)) for sheet, tag, n in recent)

    def problems(self) -> list[Problem]:
        """What a person should know about the rows that are not written."""
        return [never_written(place) for place in sorted(self._never)]

    def notices(self) -> list[Problem]:
        return self._formats.notices()

    def to_repair(self, parked: Mapping[RowKey, Parked]) -> set[str]:
        """The sheets with cells to give back, apart from those that Google refuses to take."""
        return self._planner.to_repair(parked, self._clock.monotonic())

    def to_clear(self) -> set[str]:
        """The sheets with something of ours in rows without a key, apart from what the last batch took away, and from
        what Google refuses to clear."""
        refused = self._planner.refused.sheets(self._clock.monotonic())
        return {orphan.sheet for orphan in self._puller.orphans if orphan not in self.cleared} - refused

    def saw(self, sheets: Sequence[str]) -> None:
        self._planner.appends.saw(sheets, self._puller.views)

    # ─── settling ─────────────────────────────────────────────────────────────────────────────────────────────

    def settle(self) -> Flush | None:
        """The flush in flight, if it still is: its guard in the workbook says that it was applied."""
        with self._database.reading() as tx:
            flush = storage.open_flush(tx)
        if flush is not None and self._is_in(flush):
            self._applied(flush)
            return None
        return flush

    def _is_in(self, flush: Flush) -> bool:
        return self._client.guard(flush.guard) == str(flush.id)

    def _applied(self, flush: Flush) -> None:
        self._lease.commit(lambda tx: tx.run("flush_settle", id=flush.id, state="APPLIED", guard_kept=1))
        self._notes.written_at = self._clock.now()
        self._notes.flushes += 1

    def _dropped(self, flush: Flush, *, guarded: bool = False) -> None:
        """Nothing of it is in the sheet, nor will be: its events wait again. `guarded`: the guard alone is there."""

        def work(tx: Tx) -> None:
            tx.run("flush_settle", id=flush.id, state="DROPPED", guard_kept=int(guarded))
            tx.run("sheet_events_back", flush_id=flush.id)

        self._lease.commit(work)

    # ─── sending ──────────────────────────────────────────────────────────────────────────────────────────────

    def flush(self, in_flight: Flush | None, sheets: Sheets) -> None:
        """What waits for these sheets, or the batch in flight once more."""
        if in_flight is not None and sheets.trail is None and self._has_events(in_flight):
            self._call_off(in_flight)  # its events cannot be sent again as they were
            return
        limits = self._limits if in_flight else self._turns.of(self._limits)
        with self._database.reading() as tx:
            plan = self._planner.plan(tx, sheets.rows_of, sheets.trail, in_flight, limits, self._clock.monotonic())
            (last,) = tx.one("flush_last") or (0,)
        self._close(plan)
        self._set_aside(plan, sheets.rows_of)
        self.cleared = set(plan.orphans)
        self._notes.more = plan.more
        self._turns.pass_on()
        if plan.empty and in_flight is None:
            return
        flush = in_flight.again() if in_flight else Flush(last + 1, random.randrange(1, 2**31), 1)
        headers = self._headers(sheets)
        views, layouts = self._puller.views, self._puller.repairer.layouts
        anchors = self._puller.repairer.unanchored() if self._marks.wanted else None
        plain = self._formats.without()
        batch = batch_of(plan, flush, views, sheets.located, sheets.trail, self._zone, layouts, anchors, plain)
        self._puller.repairer.offered(f"{flush.id}.{flush.attempts}", anchors or {})
        self._journal(flush, plan, batch)
        self._send(flush, plan, batch, headers)

    def _headers(self, sheets: Sheets) -> dict[str, Header]:
        """Of all sheets that may be written. Formats that were refused before the columns changed are tried again."""
        headers = {name: view.header for name, view in self._puller.views.items()}
        if sheets.trail is not None:
            headers[EVENTS.name] = sheets.trail
        if self._formats.forget_old(headers, self._clock.now()):
            self._lease.commit(self._formats.save)
        return headers

    def _has_events(self, flush: Flush) -> bool:
        with self._database.reading() as tx:
            return bool(tx.all("events_of_flush", flush_id=flush.id))

    def _journal(self, flush: Flush, plan: Plan, batch: Batch) -> None:
        """Before Google hears of it."""
        planned_at = storage.moment(self._clock.now())

        def work(tx: Tx) -> None:
            tx.run("flush_put", id=flush.id, guard=flush.guard, attempts=flush.attempts, planned_at=planned_at)
            storage.journal(tx, flush.id, batch.writes)
            if flush.attempts == 1:
                events = [{"seq": stored.seq, "flush_id": flush.id, "reason": ""} for stored in plan.events]
                tx.many("sheet_event_put", events)

        self._lease.commit(work)

    def _send(self, flush: Flush, plan: Plan, batch: Batch, headers: Mapping[str, Header]) -> None:
        self.to_verify |= {row.place[0] for row in plan.rows} | plan.cleared
        try:
            self._client.write(batch.requests)
        except GuardTaken as error:
            self._met_its_guard(flush, error, first=flush.attempts == 1)
        except BadBatch as error:
            self._refused(flush, plan, batch, error)
        except (TooFast, Denied, TabGone):
            if flush.attempts == 1:
                self._dropped(flush)
            raise
        else:
            self._applied(flush)
            self._went_through(plan)
            self._learn_formats(plan, headers)
            self._marks.sent(flush.id)

    def _learn_formats(self, plan: Plan, headers: Mapping[str, Header]) -> None:
        rows, events = {row.place for row in plan.rows}, frozenset(stored.seq for stored in plan.events)
        if refused := self._formats.went_through(rows, events, headers, self._clock.now()):
            self._lease.commit(self._formats.save)
            log.warning("Google refuses our number formats here, and is sent none", columns=refused)

    def _went_through(self, plan: Plan) -> None:
        self._outside = 0
        if plan.events or not self._turns.taken:
            self._limits, self._turns = Limits(), AlternateBatches()
        for row in plan.rows:
            if row.index is None:
                self._planner.appends.done(row.place)

    def _met_its_guard(self, flush: Flush, error: GuardTaken, *, first: bool) -> None:
        """Ours: an earlier attempt is in. Of a first attempt it is somebody else's number, or there is no room for
        it: nothing was done. Of a later one nobody knows yet, for the answer about the guard may be stale."""
        if self._is_in(flush):
            self._applied(flush)
            return
        if first:
            self._dropped(flush)
        forget_guards(self._lease, self._database, self._client, self._clock, most=0)
        raise GuardRefused(f"La planilla no acepta la marca de un envío de Carrete: {error}") from error

    # ─── refused ──────────────────────────────────────────────────────────────────────────────────────────────

    def _refused(self, flush: Flush, plan: Plan, batch: Batch, error: BadBatch) -> None:
        """Nothing was done. Whatever is to blame is set aside, found by its number or by halving."""
        if flush.attempts > 1:
            self._call_off(flush)
        else:
            self._dropped(flush)
        log.warning("Google refuses a part of the batch", reason=str(error), rows=len(plan.rows))
        index = error.index if error.index is not None and error.index < len(batch.blame) else None
        blamed = batch.blame[index] if index is not None else None
        if blamed == EVENTS_PART and plan.rows:
            self._turns = AlternateBatches(taken=True)
        if error.outside and self._outside < OUTSIDE_MAX:
            self._outside += 1  # planned anew from the next read
        elif not self._try_without_formats(plan, batch, index):
            self._set_blamed_aside(flush, plan, blamed, str(error))

    def _set_blamed_aside(self, flush: Flush, plan: Plan, blamed: Part | None, reason: str) -> None:
        """Where Google does not say what it refuses, what is cleared is left out first: nobody waits for that."""
        if isinstance(blamed, RowPlan):
            self._park(blamed, reason)
        elif isinstance(blamed, Clearing):
            self._planner.refused.refused([blamed.sheet], self._clock.monotonic())
        elif blamed is None and plan.cleared:
            self._planner.refused.refused(plan.cleared, self._clock.monotonic())
        elif blamed == MARKS_PART:
            self._marks.refused(flush.id)
        elif len(plan.rows) == 1 and not plan.events:
            self._park(plan.rows[0], reason)
        elif len(plan.events) == 1 and (blamed == EVENTS_PART or not plan.rows):
            self._park_event(plan, flush, reason)
        else:
            self._limits = halved(plan, blamed)

    def _try_without_formats(self, plan: Plan, batch: Batch, index: int | None) -> bool:
        """Before anything is set aside. Of a batch of which Google does not say what it refuses, a part is tried first:
        only what is alone in its batch can be a witness."""
        events, now = frozenset(stored.seq for stored in plan.events), self._clock.now()
        if index is not None:
            blamed = batch.blame[index]
            if not isinstance(blamed, RowPlan) and blamed != EVENTS_PART:
                return False  # of the others none sets a format that could be left out
            witness: Witness = blamed.place if isinstance(blamed, RowPlan) else events
            return self._formats.try_without(witness, batch.formats[index], now)
        if len(plan.rows) + len(events) != 1:
            return False
        witness = plan.rows[0].place if plan.rows else events
        return self._formats.try_without(witness, frozenset().union(*batch.formats), now)

    def _call_off(self, flush: Flush) -> None:
        """An earlier attempt may still arrive: the guard alone keeps it out, or says that it was in already."""
        try:
            self._client.write(batch_of(Plan(), flush, {}, {}, None, self._zone).requests)
        except GuardTaken as error:
            self._met_its_guard(flush, error, first=False)
        else:
            self._dropped(flush, guarded=True)

    def _park(self, row: RowPlan, reason: str) -> None:
        params = {**storage.row_params(row.place), "change": row.change, "reason": reason}
        at = storage.moment(self._clock.now())
        self._lease.commit(lambda tx: tx.run("parked_put", **params, parked_at=at))

    def _park_event(self, plan: Plan, flush: Flush, reason: str) -> None:
        seq = plan.events[0].seq
        self._lease.commit(lambda tx: tx.run("sheet_event_put", seq=seq, flush_id=flush.id, reason=reason))

    def forget_marks(self) -> None:
        self._marks.forget_old()

    # ─── verified ─────────────────────────────────────────────────────────────────────────────────────────────

    def close_verified(self, read: Sequence[str]) -> None:
        """Without writing: rows that say what the ledger says leave the queue."""
        with self._database.reading() as tx:
            sheets = [name for name in read if name not in storage.freezes(tx)]
            plan = self._planner.plan(tx, sheets, None, None, Limits(), self._clock.monotonic())
        self._close(plan)
        self._set_aside(plan, sheets)
        if not plan.rows:
            self._notes.verified_at = self._clock.now()

    def _close(self, plan: Plan) -> None:
        if not plan.close:
            return
        rows = [{**storage.row_params(place), "change": change} for place, change in sorted(plan.close)]

        def work(tx: Tx) -> None:
            tx.many("outbox_close", rows)
            tx.many("parked_forget", [storage.row_params(place) for place, _ in plan.close])

        self._lease.commit(work)
        self._notes.verified_at = self._clock.now()

    def _set_aside(self, plan: Plan, sheets: Sequence[str]) -> None:
        """What cannot be written as these sheets are now is not tried again before they were read again."""
        self.idle = {entry for entry in self.idle if entry[0][0] not in sheets} | plan.idle
        self._never = {place for place in self._never if place[0] not in sheets} | plan.never
        for place, change in plan.too_often:
            self._park(RowPlan(place, change, None, {}), GIVEN_UP)
            self._planner.appends.forget(place)
