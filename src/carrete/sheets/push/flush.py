"""Sends one guarded batch at a time: it is journaled before Google gets it, and settled by its guard.

If the answer to a batch is lost, it is unknown whether Google applied it. The guard is then looked for in the workbook,
and the batch is sent again with the same guard, which Google takes only once, until one attempt is known to be applied.
A batch is dropped only when no earlier attempt of it can arrive any more.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from carrete.domain.trail.witness import Sign
from carrete.ledger.database import Database, Tx
from carrete.sheets.clock import Clock
from carrete.sheets.google.cell_requests import guard_request
from carrete.sheets.google.client import GUARD_KEY, SheetsClient
from carrete.sheets.google.errors import BadBatch, Denied, GuardRefused, GuardTaken, TabGone, TooFast
from carrete.sheets.lease import Lease
from carrete.sheets.pull.puller import Puller
from carrete.sheets.push import outbox
from carrete.sheets.push.appends import GIVEN_UP, never_written
from carrete.sheets.push.batch import Batch, batch_of
from carrete.sheets.push.guards import MarkBudget, called_off_value, forget_guards, guard_value
from carrete.sheets.push.plan import BatchLimits, BatchPlan, OutboxEntry, is_free
from carrete.sheets.push.planner import Planner
from carrete.sheets.push.refusals import RefusalHandler
from carrete.sheets.rows import storage
from carrete.sheets.rows.classify import Orphan
from carrete.sheets.rows.storage import Flush, Parked, RowKey
from carrete.sheets.status import SyncStats
from carrete.sheets.structure import EVENTS, JOINTS, SPOOLS, Located
from carrete.workbook.columns import Header
from carrete.workbook.report import Problem

RECENT_FLUSHES = 5  # a row that one of them appended may still be missing from a stale answer


@dataclass(frozen=True, slots=True)
class WritableSheets:
    """Where a flush may write: the sheets that this cycle has read, and the header of the sheet of events, if events
    may be written now."""

    located: Mapping[str, Located]
    rows_of: Sequence[str]
    events_header: Header | None


class Flusher:
    def __init__(
        self,
        database: Database,
        lease: Lease,
        client: SheetsClient,
        clock: Clock,
        stats: SyncStats,
        puller: Puller,
        zone: ZoneInfo,
        sign: Sign | None = None,
    ) -> None:
        self._database = database
        self._lease = lease
        self._client = client
        self._clock = clock
        self._stats = stats
        self._puller = puller
        self._zone = zone
        self._sign = sign
        self._planner = Planner(puller, zone)
        self._marks = MarkBudget(client)
        self._refusals = RefusalHandler(lease, clock, self._marks)
        self.idle: set[OutboxEntry] = set()  # cannot be written as its sheet is now
        self.to_verify: set[str] = set()  # sheets to be read again soon
        self._cleared: set[Orphan] = set()  # what the last batch cleared, or tried to
        self._never: set[RowKey] = set()  # rows that are not written because their key could not be read back

    def begin(self) -> None:
        with self._database.reading() as tx:
            (last,) = tx.one("flush_last") or (0,)
            recent = tx.all("writes_not_landed", flush_id=last - RECENT_FLUSHES)
            self._refusals.load(tx)
        self._planner.appends.expect((sheet, (tag, n)) for sheet, tag, n in recent)

    def problems(self) -> list[Problem]:
        """One for each row that is never written."""
        return [never_written(row_key) for row_key in sorted(self._never)]

    def notices(self) -> list[Problem]:
        return self._refusals.notices()

    def note_reads(self, sheets: Sequence[str]) -> None:
        self._planner.appends.note_reads(sheets, self._puller.views)

    def forget_marks(self) -> None:
        self._marks.forget_old()

    # ─── what waits ───────────────────────────────────────────────────────────────────────────────────────────

    def sheets_waiting(self, located: Collection[str]) -> set[str]:
        """The sheets that a flush has to read; empty when there is nothing to write."""
        with self._database.reading() as tx:
            frozen = storage.freezes(tx)
            parked = storage.parked_rows(tx)
            entries = [((sheet, (tag, n)), change) for sheet, tag, n, change in tx.all("outbox_all")]
            free = [entry for entry in entries if is_free(parked, *entry) and entry not in self.idle]
            sheets = {sheet for (sheet, _), _ in free if sheet not in frozen}
            sheets |= (self._to_clear() | self._to_repair(parked)) - frozen.keys()
            through = storage.events_through(tx)
            if EVENTS.name not in frozen and tx.all("events_to_send", through=through, limit=1):
                sheets.add(EVENTS.name)
            if storage.open_flush(tx):
                sheets |= {SPOOLS.name, JOINTS.name, EVENTS.name}
        return sheets.intersection(located)

    def _to_repair(self, parked: Mapping[RowKey, Parked]) -> set[str]:
        """The sheets with people's values to restore, apart from rows that Google refuses."""
        return self._planner.to_repair(parked, self._refusals.not_cleared())

    def _to_clear(self) -> set[str]:
        """The sheets with values of ours in rows without a key, apart from those that the last batch cleared and those
        that Google refuses to clear."""
        waiting = {orphan.sheet for orphan in self._puller.orphans if orphan not in self._cleared}
        return waiting - self._refusals.not_cleared()

    # ─── settling ─────────────────────────────────────────────────────────────────────────────────────────────

    def settle(self) -> Flush | None:
        """The flush in flight, unless its guard in the workbook shows what became of it."""
        with self._database.reading() as tx:
            flush = storage.open_flush(tx)
        return None if flush is None or self._settled_by_guard(flush) else flush

    def _settled_by_guard(self, flush: Flush) -> bool:
        """Whether the guard in the workbook is ours. Its value says whether the flush was applied or called off."""
        value = self._client.guard(flush.guard)
        if value == guard_value(flush.id):
            self._applied(flush)
        elif value == called_off_value(flush.id):
            self._dropped(flush, guarded=True)
        return value in (guard_value(flush.id), called_off_value(flush.id))

    def _applied(self, flush: Flush) -> None:
        self._lease.commit(lambda tx: tx.run("flush_settle", id=flush.id, state="APPLIED", guard_kept=1))
        self._stats.written_at = self._clock.now()
        self._stats.flushes += 1

    def _dropped(self, flush: Flush, *, guarded: bool = False) -> None:
        """No attempt of it was applied or can be any more: its events wait again. `guarded`: only the guard was
        written."""

        def work(tx: Tx) -> None:
            tx.run("flush_settle", id=flush.id, state="DROPPED", guard_kept=int(guarded))
            tx.run("sheet_events_back", flush_id=flush.id)

        self._lease.commit(work)

    # ─── sending ──────────────────────────────────────────────────────────────────────────────────────────────

    def flush(self, in_flight: Flush | None, sheets: WritableSheets) -> None:
        """Sends what waits for these sheets, or the batch in flight once more."""
        if in_flight is not None and sheets.events_header is None and self._has_events(in_flight):
            self._call_off(in_flight)  # its events cannot be written now, so it cannot be sent again as it was
            return
        limits, not_cleared = self._refusals.limits(in_flight), self._refusals.not_cleared()
        outbox.see(self._database, self._lease)
        with self._database.reading() as tx:
            plan = self._planner.plan(tx, sheets.rows_of, sheets.events_header, in_flight, limits, not_cleared)
            (last,) = tx.one("flush_last") or (0,)
        self._close(plan)
        self._leave_unwritable(plan, sheets.rows_of)
        self._cleared = set(plan.orphans)
        self._stats.more = plan.more
        self._refusals.next_turn()
        if plan.empty and in_flight is None:
            return
        flush = in_flight.again() if in_flight else Flush(last + 1, random.randrange(1, 2**31), 1)
        headers = self._headers(sheets)
        batch = self._batch(flush, plan, sheets, headers)
        self._journal(flush, plan, batch)
        self._send(flush, plan, batch, headers)

    def _batch(self, flush: Flush, plan: BatchPlan, sheets: WritableSheets, headers: Mapping[str, Header]) -> Batch:
        repairer = self._puller.repairer
        plain = self._refusals.plain_columns(headers)
        anchors = repairer.unanchored() if self._marks.wanted else None
        batch = batch_of(
            plan,
            flush,
            self._puller.views,
            sheets.located,
            sheets.events_header,
            self._zone,
            repairer.layouts,
            anchors,
            plain,
            self._sign,
        )
        repairer.offered(f"{flush.id}.{flush.attempts}", anchors or {})
        return batch

    def _headers(self, sheets: WritableSheets) -> dict[str, Header]:
        """By sheet, of all sheets that may be written."""
        headers = {name: view.header for name, view in self._puller.views.items()}
        if sheets.events_header is not None:
            headers[EVENTS.name] = sheets.events_header
        return headers

    def _has_events(self, flush: Flush) -> bool:
        with self._database.reading() as tx:
            return bool(tx.all("events_of_flush", flush_id=flush.id))

    def _journal(self, flush: Flush, plan: BatchPlan, batch: Batch) -> None:
        """In the ledger before the batch is sent: after a crash the next process knows what may be in the sheet."""
        planned_at = storage.moment(self._clock.now())

        def work(tx: Tx) -> None:
            tx.run("flush_put", id=flush.id, guard=flush.guard, attempts=flush.attempts, planned_at=planned_at)
            storage.journal(tx, flush.id, batch.writes)
            if flush.attempts == 1:
                events = [{"seq": stored.seq, "flush_id": flush.id, "reason": ""} for stored in plan.events]
                tx.many("sheet_event_put", events)

        self._lease.commit(work)

    def _send(self, flush: Flush, plan: BatchPlan, batch: Batch, headers: Mapping[str, Header]) -> None:
        self.to_verify |= {row.row_key[0] for row in plan.rows} | plan.cleared
        try:
            self._client.write(batch.requests)
        except GuardTaken as error:
            self._on_guard_taken(flush, error, first=flush.attempts == 1)
        except BadBatch as error:
            if flush.attempts > 1:
                self._call_off(flush)
            else:
                self._dropped(flush)
            self._refusals.refused(flush, plan, batch, error)
        except (TooFast, Denied, TabGone):
            if flush.attempts == 1:
                self._dropped(flush)
            raise
        else:
            self._applied(flush)
            self._planner.appends.done(row.row_key for row in plan.rows if row.row_index is None)
            self._refusals.accepted(plan, headers)
            self._marks.sent(flush.id)

    def _on_guard_taken(self, flush: Flush, error: GuardTaken, *, first: bool) -> None:
        """If the guard in the workbook is ours, it tells what became of an earlier attempt. If not, a first attempt was
        not applied: the number belongs to another program, or the workbook has no room for a guard. After a later
        attempt that is still unknown, because the read of the guard may be stale."""
        if self._settled_by_guard(flush):
            return
        if first:
            self._dropped(flush)
        forget_guards(self._lease, self._database, self._client, self._clock, most=0)
        raise GuardRefused(f"La planilla no acepta la marca de un envío de Carrete: {error}") from error

    def _call_off(self, flush: Flush) -> None:
        """Sends the guard alone, with a value that says so: an earlier attempt that arrives later is then refused. If
        the guard is taken, that attempt was applied already."""
        try:
            self._client.write([guard_request(flush.guard, GUARD_KEY, called_off_value(flush.id))])
        except GuardTaken as error:
            self._on_guard_taken(flush, error, first=False)
        else:
            self._dropped(flush, guarded=True)

    # ─── the outbox ───────────────────────────────────────────────────────────────────────────────────────────

    def close_verified(self, read: Sequence[str]) -> None:
        """Takes rows that already show what the ledger has out of the outbox, without writing anything."""
        not_cleared = self._refusals.not_cleared()
        outbox.see(self._database, self._lease)
        with self._database.reading() as tx:
            sheets = [name for name in read if name not in storage.freezes(tx)]
            plan = self._planner.plan(tx, sheets, None, None, BatchLimits(), not_cleared)
        self._close(plan)
        self._leave_unwritable(plan, sheets)
        if not plan.rows:
            self._stats.verified_at = self._clock.now()

    def _close(self, plan: BatchPlan) -> None:
        if plan.close:
            outbox.close(self._lease, plan.close)
            self._stats.verified_at = self._clock.now()

    def _leave_unwritable(self, plan: BatchPlan, sheets: Sequence[str]) -> None:
        """Rows that cannot be written as these sheets are now are not tried again before the next read of them."""
        self.idle = {entry for entry in self.idle if entry[0][0] not in sheets} | plan.idle
        self._never = {row_key for row_key in self._never if row_key[0] not in sheets} | plan.never
        for row_key, change in plan.too_often:
            self._refusals.park(row_key, change, GIVEN_UP)
            self._planner.appends.forget(row_key)
