"""Plans one batch from the ledger: what differs from this cycle's read, row by row, and the events that wait.

A row index comes from the read of the same cycle only. A row is written only where the sheet shows what we expect it to
show; formulas, unreadable cells, repeated keys and rows that wait for a person are left alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from zoneinfo import ZoneInfo

from carrete.ledger.database import Tx
from carrete.ledger.rows import event_from
from carrete.sheets.pull.puller import Puller
from carrete.sheets.push.appends import Appends, reads_as_an_error
from carrete.sheets.push.ledger_rows import LedgerRows
from carrete.sheets.push.plan import CELLS_MAX, BatchLimits, BatchPlan, RowPlan, is_free
from carrete.sheets.push.repairs import RepairPlanner
from carrete.sheets.rows import storage
from carrete.sheets.rows.storage import Flush, Parked, RowKey
from carrete.sheets.rows.view import SheetView, read_row, readers
from carrete.sheets.structure import EVENTS, SPOOLS
from carrete.workbook.columns import N_UNION, TAG, Header
from carrete.workbook.rows import Cells, event_cells


class Planner:
    def __init__(self, puller: Puller, zone: ZoneInfo) -> None:
        self._puller = puller
        self._zone = zone
        self._repairs = RepairPlanner(puller)
        self.appends = Appends()

    def to_repair(self, parked: Mapping[RowKey, Parked], not_cleared: Set[str]) -> set[str]:
        return self._repairs.waiting(parked, not_cleared)

    def plan(
        self,
        tx: Tx,
        sheets: Sequence[str],
        events_header: Header | None,
        flush: Flush | None,
        limits: BatchLimits,
        not_cleared: Set[str],
    ) -> BatchPlan:
        """`sheets`: those that this cycle has read and may write. `flush`: the one in flight, which is planned again
        with the same rows and events. `not_cleared`: the sheets where Google refuses that our values are cleared."""
        plan = BatchPlan()
        members = {(s, (tag, n)) for s, tag, n in tx.all("writes_of_flush", flush_id=flush.id)} if flush else None
        self._rows(tx, plan, sheets, members, limits)
        self._repairs.add_to(plan, sheets, storage.parked_rows(tx), limits, not_cleared)
        if members is None:
            plan.orphans = [one for one in self._puller.orphans if one.sheet in sheets and one.sheet not in not_cleared]
        if events_header is not None:
            self._events(tx, plan, flush, limits)
        return plan

    # ─── rows ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _rows(
        self, tx: Tx, plan: BatchPlan, sheets: Sequence[str], members: set[RowKey] | None, limits: BatchLimits
    ) -> None:
        parked = storage.parked_rows(tx)
        entries = [((sheet, (tag, n)), change) for sheet, tag, n, change in tx.all("outbox_seen")]
        wanted = [(key, change) for key, change in entries if key[0] in sheets and is_free(parked, key, change)]
        if members is not None:
            wanted = [(key, change) for key, change in wanted if key in members]
        tags, any_joint = {row[0] for (_, row), _ in wanted}, any(sheet != SPOOLS.name for (sheet, _), _ in wanted)
        ledger = LedgerRows(tx, tags, any_joint, self._zone)
        for row_key, change in wanted:
            if len(plan.rows) >= limits.rows or not plan.has_room():
                plan.more = True
                return
            self._row(plan, row_key, change, ledger)

    def _row(self, plan: BatchPlan, row_key: RowKey, change: str, ledger: LedgerRows) -> None:
        sheet, row = row_key
        view = self._puller.views[sheet]
        ours = ledger.cells(sheet, row)
        held_back = row_key in self._puller.waiting or row_key in self._puller.doubted
        if row in view.at and not held_back and ours is not None:
            self._overwrite(plan, view, row_key, change, ours)
        elif ours is None or (ledger.retired(sheet, row) and row not in view.at and row not in view.doubles):
            plan.close.append((row_key, change))
        elif row in view.at or row in view.doubles or self._puller.is_known(row_key):
            plan.idle.add((row_key, change))
        else:
            self._append(plan, view, row_key, change, ours)

    def _overwrite(self, plan: BatchPlan, view: SheetView, row_key: RowKey, change: str, ours: Cells) -> None:
        index = view.at[row_key[1]]
        reading = read_row(view, view.raws[index], readers(view), self._zone)
        cells = {name: ours[name] for name, value in reading.cells.items() if ours[name] != value}
        cells |= {name: ours[name] for name in self._puller.strays_of(row_key) if name in view.header.indexes}
        typed = self._puller.overwritten_input(row_key)
        cells = {name: value for name, value in cells.items() if name not in typed}
        if cells or typed or row_key in self._puller.misplaced:
            give_back = {at: typed[name] for name, at in view.header.indexes.items() if name in typed}
            give_back |= self._puller.give_back.get(row_key, {})
            plan.rows.append(RowPlan(row_key, change, index, cells, give_back))
            plan.add_size_of(cells)
        else:
            plan.close.append((row_key, change))

    def _append(self, plan: BatchPlan, view: SheetView, row_key: RowKey, change: str, ours: Cells) -> None:
        """Appends a row that the sheet does not have, unless a read may show it soon."""
        if reads_as_an_error(row_key):
            plan.never.add(row_key)
        if row_key in plan.never or self.appends.may_show_up(row_key):
            plan.idle.add((row_key, change))
        elif self.appends.too_often(row_key):
            plan.too_often.append((row_key, change))
        else:
            tag, n_union = row_key[1]
            key = {TAG: tag, N_UNION: str(n_union)} if n_union else {TAG: tag}
            cells = {name: value for name, value in {**key, **ours}.items() if name in view.header.indexes}
            plan.rows.append(RowPlan(row_key, change, None, cells))
            plan.add_size_of(cells)

    # ─── events ───────────────────────────────────────────────────────────────────────────────────────────────

    def _events(self, tx: Tx, plan: BatchPlan, flush: Flush | None, limits: BatchLimits) -> None:
        """Seqs become visible in their order (decision 9): a missing one was rolled back, and is not waited for."""
        if flush is not None:
            plan.events = [event_from(row) for row in tx.all("events_of_flush", flush_id=flush.id)]
            return
        columns = len(EVENTS.columns)
        limit = max(0, min(limits.events, (CELLS_MAX - plan.cells) // columns))
        through = storage.events_through(tx)
        found = [event_from(row) for row in tx.all("events_to_send", through=through, limit=limit + 1)]
        for stored in found[:limit]:
            if not plan.has_room():
                break
            plan.events.append(stored)
            plan.add_size_of(event_cells(stored, self._zone))
        plan.more = plan.more or len(found) > len(plan.events)
