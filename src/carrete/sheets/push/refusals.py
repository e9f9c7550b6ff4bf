"""Finds the part of a batch that Google refuses, and sets only that part aside.

Google applies a batch as a whole or not at all, so one cell that it refuses would hold back everything else. Where it
names the request, the part is known; where it does not, the next batches are halved until one part is alone.
"""

from __future__ import annotations

from collections.abc import Mapping

import structlog

from carrete.ledger.database import Tx
from carrete.sheets.clock import Clock
from carrete.sheets.google.errors import BadBatch
from carrete.sheets.lease import Lease
from carrete.sheets.push.batch import Batch
from carrete.sheets.push.batch_size import AlternateBatches, halved
from carrete.sheets.push.clearing import Clearing, RefusedClearings
from carrete.sheets.push.formats import Formats, Witness
from carrete.sheets.push.guards import MarkBudget
from carrete.sheets.push.plan import EVENTS_PART, MARKS_PART, BatchLimits, BatchPlan, Part, RowPlan
from carrete.sheets.rows import storage
from carrete.sheets.rows.storage import Flush, RowKey
from carrete.workbook.columns import Header
from carrete.workbook.report import Problem

log = structlog.get_logger()
OUTSIDE_MAX = 5  # batches in a row that may miss because people delete rows or columns right after the read


class RefusalHandler:
    def __init__(self, lease: Lease, clock: Clock, marks: MarkBudget) -> None:
        self._lease = lease
        self._clock = clock
        self._marks = marks
        self._formats = Formats()
        self._clearings = RefusedClearings()
        self._limits = BatchLimits()
        self._turns = AlternateBatches()
        self._outside = 0  # refusals in a row because a cell was no longer in the sheet

    def load(self, tx: Tx) -> None:
        self._formats = Formats.load(tx)

    # ─── what the next batch may hold ─────────────────────────────────────────────────────────────────────────

    def limits(self, in_flight: Flush | None) -> BatchLimits:
        return self._limits if in_flight else self._turns.limit(self._limits)

    def next_turn(self) -> None:
        self._turns.next_turn()

    def not_cleared(self) -> set[str]:
        """The sheets where Google refuses that our values are cleared."""
        return self._clearings.sheets(self._clock.monotonic())

    def plain_columns(self, headers: Mapping[str, Header]) -> dict[str, set[str]]:
        """By sheet, the columns to write without a number format. A refusal is forgotten when its sheet's columns
        change, so that the format is tried again."""
        if self._formats.forget_old(headers, self._clock.now()):
            self._lease.commit(self._formats.save)
        return self._formats.without()

    def notices(self) -> list[Problem]:
        return self._formats.notices()

    # ─── what became of a batch ───────────────────────────────────────────────────────────────────────────────

    def accepted(self, plan: BatchPlan, headers: Mapping[str, Header]) -> None:
        self._outside = 0
        if plan.events or not self._turns.active:
            self._limits, self._turns = BatchLimits(), AlternateBatches()
        rows, events = {row.row_key for row in plan.rows}, frozenset(stored.seq for stored in plan.events)
        if columns := self._formats.went_through(rows, events, headers, self._clock.now()):
            self._lease.commit(self._formats.save)
            log.warning("Google refuses our number formats here, and is sent none", columns=columns)

    def refused(self, flush: Flush, plan: BatchPlan, batch: Batch, error: BadBatch) -> None:
        log.warning("Google refuses a part of the batch", reason=str(error), rows=len(plan.rows))
        index = error.index if error.index is not None and error.index < len(batch.parts) else None
        part = batch.parts[index] if index is not None else None
        if part == EVENTS_PART and plan.rows:
            self._turns = AlternateBatches(active=True)
        if error.outside and self._outside < OUTSIDE_MAX:
            self._outside += 1  # the next read shows the sheet as it is now, and the batch is planned again
        elif not self._retry_without_formats(plan, batch, index):
            self._set_aside(flush, plan, part, str(error))

    def _set_aside(self, flush: Flush, plan: BatchPlan, part: Part | None, reason: str) -> None:
        """Where Google names no request, clearings are left out first, because no person waits for them."""
        if isinstance(part, RowPlan):
            self.park(part.row_key, part.change, reason)
        elif isinstance(part, Clearing):
            self._clearings.refused([part.sheet], self._clock.monotonic())
        elif part is None and plan.cleared:
            self._clearings.refused(plan.cleared, self._clock.monotonic())
        elif part == MARKS_PART:
            self._marks.refused(flush.id)
        elif len(plan.rows) == 1 and not plan.events:
            self.park(plan.rows[0].row_key, plan.rows[0].change, reason)
        elif len(plan.events) == 1 and (part == EVENTS_PART or not plan.rows):
            self._park_event(plan.events[0].seq, flush, reason)
        else:
            self._limits = halved(plan, part)

    def _retry_without_formats(self, plan: BatchPlan, batch: Batch, index: int | None) -> bool:
        """Whether the refused part is tried once more without number formats, before it is set aside. Where Google
        names no request, the batch is halved first: only a row or an event that is alone in its batch proves
        anything."""
        events, now = frozenset(stored.seq for stored in plan.events), self._clock.now()
        if index is not None:
            part = batch.parts[index]
            if not isinstance(part, RowPlan) and part != EVENTS_PART:
                return False  # no other part sets a format that could be left out
            witness: Witness = part.row_key if isinstance(part, RowPlan) else events
            return self._formats.try_without(witness, batch.formats[index], now)
        if len(plan.rows) + len(events) != 1:
            return False
        witness = plan.rows[0].row_key if plan.rows else events
        return self._formats.try_without(witness, frozenset().union(*batch.formats), now)

    def park(self, row_key: RowKey, change: str, reason: str) -> None:
        """The row is not sent again before it changes, or a supervisor asks for it."""
        params = {**storage.row_params(row_key), "change": change, "reason": reason}
        at = storage.moment(self._clock.now())
        self._lease.commit(lambda tx: tx.run("parked_put", **params, parked_at=at))

    def _park_event(self, seq: int, flush: Flush, reason: str) -> None:
        self._lease.commit(lambda tx: tx.run("sheet_event_put", seq=seq, flush_id=flush.id, reason=reason))
