"""The ledger → one guarded batch: what differs from this cycle's read, row by row, and the events that wait.

A row index never comes from anywhere but the read of the same cycle. A row is written only where the sheet says what
we know it says; formulas, unreadable cells, repeated keys and rows that wait for a person are left alone.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

from carrete.ledger.database import Tx
from carrete.ledger.rows import StoredEvent, event_from
from carrete.sheets.google.cell_requests import (
    DATED_FIELDS,
    PLAIN_FIELDS,
    append_request,
    as_it_was,
    guard_request,
    has_format,
    raw_of,
    replace_request,
    row_requests,
    typed,
    without_format,
)
from carrete.sheets.google.client import GUARD_KEY
from carrete.sheets.pull.puller import Puller
from carrete.sheets.push.appends import Appends, reads_as_an_error
from carrete.sheets.push.clearing import Clearing, RefusedClearings
from carrete.sheets.push.formats import APPENDED, Column
from carrete.sheets.push.ledger_rows import LedgerRows
from carrete.sheets.push.plan import CELLS_MAX, EVENTS_PART, MARKS_PART, ORPHAN, Limits, Part, Plan, RowPlan, is_free
from carrete.sheets.push.repairs import RepairPlanner
from carrete.sheets.rows import storage
from carrete.sheets.rows.classify import Orphan
from carrete.sheets.rows.column_marks import anchor_requests, mark_requests
from carrete.sheets.rows.snapshot import Layout
from carrete.sheets.rows.storage import Flush, JournalEntry, Parked, RowKey
from carrete.sheets.rows.verdict import stamp_of
from carrete.sheets.rows.view import SheetView, read_row, readers
from carrete.sheets.structure import EVENTS, SELLO, SPOOLS, Located
from carrete.workbook.cells import Raw
from carrete.workbook.columns import N_UNION, TAG, Header, SheetPlan
from carrete.workbook.rows import Cells, event_cells

GAP_S_MAX = 10.0  # PostgreSQL shows numbers out of order: a missing one is waited for this long
NOWHERE = Header(0, {}, (), ())


class Planner:
    def __init__(self, puller: Puller, zone: ZoneInfo) -> None:
        self._puller = puller
        self._zone = zone
        self._repairs = RepairPlanner(puller)
        self._gaps: dict[int, float] = {}
        self.appends = Appends()
        self.refused = RefusedClearings()

    def to_repair(self, parked: Mapping[RowKey, Parked], monotonic: float) -> set[str]:
        return self._repairs.waiting(parked, self.refused.sheets(monotonic))

    def plan(
        self,
        tx: Tx,
        sheets: Sequence[str],
        events_header: Header | None,
        flush: Flush | None,
        limits: Limits,
        monotonic: float,
    ) -> Plan:
        """Of these sheets, which this cycle has read and may write. A flush in flight keeps its members."""
        plan = Plan()
        members = {(s, (tag, n)) for s, tag, n in tx.all("writes_of_flush", flush_id=flush.id)} if flush else None
        self._rows(tx, plan, sheets, members, limits)
        refused = self.refused.sheets(monotonic)
        self._repairs.add_to(plan, sheets, storage.parked_rows(tx), limits, refused)
        if members is None:
            plan.orphans = [one for one in self._puller.orphans if one.sheet in sheets and one.sheet not in refused]
        if events_header is not None:
            self._events(tx, plan, flush, limits, monotonic)
        return plan

    # ─── rows ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _rows(self, tx: Tx, plan: Plan, sheets: Sequence[str], members: set[RowKey] | None, limits: Limits) -> None:
        parked = storage.parked_rows(tx)
        entries = [(s, (tag, n), change) for s, tag, n, change in tx.all("outbox_all")]
        wanted = [(s, row, change) for s, row, change in entries if s in sheets and is_free(parked, (s, row), change)]
        if members is not None:
            wanted = [entry for entry in wanted if (entry[0], entry[1]) in members]
        ledger = LedgerRows(
            tx, {row[0] for _, row, _ in wanted}, any(s != SPOOLS.name for s, _, _ in wanted), self._zone
        )
        for sheet, row, change in wanted:
            if len(plan.rows) >= limits.rows or not plan.has_room():
                plan.more = True
                return
            self._row(plan, (sheet, row), change, ledger)

    def _row(self, plan: Plan, place: RowKey, change: str, ledger: LedgerRows) -> None:
        sheet, row = place
        view = self._puller.views[sheet]
        ours = ledger.cells(sheet, row)
        held_back = place in self._puller.waiting or place in self._puller.doubted
        if row in view.at and not held_back and ours is not None:
            self._over(plan, view, place, change, ours)
        elif ours is None or (ledger.retired(sheet, row) and row not in view.at and row not in view.doubles):
            plan.close.append((place, change))
        elif row in view.at or row in view.doubles or self._puller.is_known(place):
            plan.idle.add((place, change))
        else:
            self._append(plan, view, place, change, ours)

    def _append(self, plan: Plan, view: SheetView, place: RowKey, change: str, ours: Cells) -> None:
        """A row that the sheet does not have: put below the last one, unless it may be there already."""
        if reads_as_an_error(place):
            plan.never.add(place)
        if place in plan.never or self.appends.may_be_on_its_way(place):
            plan.idle.add((place, change))
        elif self.appends.too_often(place):
            plan.too_often.append((place, change))
        else:
            self._below(plan, view, place, change, ours)

    def _over(self, plan: Plan, view: SheetView, place: RowKey, change: str, ours: Cells) -> None:
        index = view.at[place[1]]
        reading = read_row(view, view.raws[index], readers(view), self._zone)
        cells = {name: ours[name] for name, said in reading.cells.items() if ours[name] != said}
        cells |= {name: ours[name] for name in self._puller.strays_of(place) if name in view.header.indexes}
        typed = self._puller.words_hit(place)
        cells = {name: said for name, said in cells.items() if name not in typed}
        if cells or typed or place in self._puller.misplaced:
            give_back = {at: typed[name] for name, at in view.header.indexes.items() if name in typed}
            give_back |= self._puller.give_back.get(place, {})
            plan.rows.append(RowPlan(place, change, index, cells, give_back))
            plan.weigh(cells)
        else:
            plan.close.append((place, change))

    def _below(self, plan: Plan, view: SheetView, place: RowKey, change: str, ours: Cells) -> None:
        tag, n_union = place[1]
        key = {TAG: tag, N_UNION: str(n_union)} if n_union else {TAG: tag}
        cells = {name: said for name, said in {**key, **ours}.items() if name in view.header.indexes}
        plan.rows.append(RowPlan(place, change, None, cells))
        plan.weigh(cells)

    # ─── events ───────────────────────────────────────────────────────────────────────────────────────────────

    def _events(self, tx: Tx, plan: Plan, flush: Flush | None, limits: Limits, monotonic: float) -> None:
        if flush is not None:
            plan.events = [event_from(row) for row in tx.all("events_of_flush", flush_id=flush.id)]
            return
        columns = len(EVENTS.columns)
        limit = max(0, min(limits.events, (CELLS_MAX - plan.cells) // columns))
        through = storage.events_through(tx)
        found = [event_from(row) for row in tx.all("events_to_send", through=through, limit=limit + 1)]
        (last,) = tx.one("events_sent_last", through=through) or (through,)
        for stored in self._without_gaps(last, found, monotonic)[:limit]:
            if not plan.has_room():
                break
            plan.events.append(stored)
            plan.weigh(event_cells(stored, self._zone))
        plan.more = plan.more or len(found) > len(plan.events)

    def _without_gaps(self, last: int, found: list[StoredEvent], monotonic: float) -> list[StoredEvent]:
        """In order: behind a number that is missing we wait a little, it may be about to be committed."""
        for index, (before, seq) in enumerate(pairwise([last, *(stored.seq for stored in found)])):
            if seq > before + 1 and monotonic - self._gaps.setdefault(before + 1, monotonic) < GAP_S_MAX:
                return found[:index]
        if len(self._gaps) > 1_000:
            self._gaps.clear()
        return found


# ─── the batch ────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class Batch:
    """The requests, what the journal must know of them, and which part each request belongs to."""

    requests: list[dict[str, Any]]
    writes: dict[str, JournalEntry]
    blame: list[Part | None]  # by request; None: nothing that can be set aside
    formats: list[frozenset[Column]] = field(default_factory=lambda: [frozenset()])  # by request: where it sets some


def batch_of(
    plan: Plan,
    flush: Flush,
    views: Mapping[str, SheetView],
    located: Mapping[str, Located],
    events_header: Header | None,
    zone: ZoneInfo,
    layouts: Mapping[str, Layout] | None = None,
    anchors: Mapping[str, Mapping[str, int]] | None = None,
    plain: Mapping[str, Set[str]] | None = None,
) -> Batch:
    """`layouts`: the identity of each column, as of the same read. `anchors`: columns of the sheets that are written
    which get an anchor, by identity; None: no column gets a mark either. `plain`: by
    sheet, the columns that are written without a number format."""
    plain = plain or {}
    batch = Batch([guard_request(flush.guard, GUARD_KEY, str(flush.id))], {}, [None])
    salt = os.urandom(3).hex()
    for number, row in enumerate(plan.rows):
        sheet = row.place[0]
        stamp = stamp_of(flush.id, flush.attempts, number, salt)
        view, bare = views[sheet], plain.get(sheet, set())
        columns = {at: as_it_was(raw) for at, raw in row.give_back.items()}
        columns |= _columns(view.plan, view.header, {**row.cells, SELLO: stamp}, bare)
        put = _put(columns, (layouts or {}).get(sheet))
        batch.writes[stamp] = JournalEntry(row.place, row.cells, _places(view, row.cells), put, row.told)
        if row.index is None:
            _append(batch, row, sheet, located[sheet].tab_id, [columns], bare)
        else:
            _add(batch, row, row_requests(located[sheet].tab_id, row.index, columns), sheet, view.header)
    for sheet, stamp, hidden in plan.stamps:
        _add(batch, Clearing(sheet), [replace_request(located[sheet].tab_id, stamp, hidden)])
    for number, orphan in enumerate(plan.orphans, len(plan.rows)):
        _clear(batch, orphan, stamp_of(flush.id, flush.attempts, number, salt), views, located)
    if plan.events and events_header is not None:
        rows = [_columns(EVENTS, events_header, event_cells(stored, zone)) for stored in plan.events]
        _append(batch, EVENTS_PART, EVENTS.name, located[EVENTS.name].tab_id, rows, plain.get(EVENTS.name, set()))
    if anchors is not None:
        _mark(batch, f"{flush.id}.{flush.attempts}", located, anchors)
    return batch


def _mark(batch: Batch, attempt: str, located: Mapping[str, Located], anchors: Mapping[str, Mapping[str, int]]) -> None:
    columns: dict[str, set[int]] = {}
    for write in batch.writes.values():
        columns.setdefault(write.row_key[0], set()).update(at for at, _ in write.put.values())
    for sheet, written in columns.items():
        _add(batch, MARKS_PART, mark_requests(sheet, located[sheet].tab_id, attempt, written))
        anchored = anchors.get(sheet, {}).values()
        _add(batch, MARKS_PART, anchor_requests(sheet, located[sheet].tab_id, attempt, anchored))


def _put(columns: Mapping[int, dict[str, Any]], layout: Layout | None) -> dict[str, tuple[int, Raw]]:
    """By the identity of each column: its number, and what a read will show there."""
    ids = layout.ids if layout else ()
    return {ids[at]: (at, raw_of(typed_cell)) for at, typed_cell in columns.items() if at < len(ids)}


def _clear(
    batch: Batch, orphan: Orphan, stamp: str, views: Mapping[str, SheetView], located: Mapping[str, Located]
) -> None:
    """Emptied first, under a stamp that would tell where it landed; the stamp itself goes with the next batch."""
    view = views[orphan.sheet]
    names = {at: name for name, at in view.header.indexes.items()}
    cells = {names[at]: "" for at in orphan.columns if at in names}
    batch.writes[stamp] = JournalEntry((orphan.sheet, ORPHAN), cells, _places(view, cells), {})
    columns: dict[int, dict[str, Any]] = {at: {} for at in orphan.columns}
    columns |= _columns(view.plan, view.header, {SELLO: stamp if orphan.columns else ""})
    _add(batch, Clearing(orphan.sheet), row_requests(located[orphan.sheet].tab_id, orphan.index, columns))


def _add(batch: Batch, blame: Part, requests: list[dict[str, Any]], sheet: str = "", header: Header = NOWHERE) -> None:
    batch.requests += requests
    batch.blame += [blame] * len(requests)
    batch.formats += [_formatted(request, sheet, header) for request in requests]


def _formatted(request: dict[str, Any], sheet: str, header: Header) -> frozenset[Column]:
    """The columns whose number format this request sets."""
    if not has_format(request):
        return frozenset()
    names = {at: name for name, at in header.indexes.items()}
    first, cells = request["updateCells"]["start"]["columnIndex"], request["updateCells"]["rows"][0]["values"]
    return frozenset((sheet, names[at]) for at in range(first, first + len(cells)))


def _append(
    batch: Batch, blame: Part, sheet: str, tab_id: int, rows: list[dict[int, dict[str, Any]]], plain: Set[str]
) -> None:
    """All cells of a new row have their format set, also those without one: it is set for all of them, or for none."""
    if plain:
        rows = [{at: without_format(cell) for at, cell in row.items()} for row in rows]
    request = append_request(tab_id, rows, PLAIN_FIELDS if plain else DATED_FIELDS)
    batch.requests.append(request)
    batch.blame.append(blame)
    batch.formats.append(frozenset() if plain else frozenset({(sheet, APPENDED)}))


def _places(view: SheetView, cells: Mapping[str, str]) -> dict[str, int]:
    return {name: at for name, at in view.header.indexes.items() if name in cells or name == SELLO}


def _columns(
    plan: SheetPlan, header: Header, cells: Mapping[str, str], plain: Set[str] = frozenset()
) -> dict[int, dict[str, Any]]:
    found = {name: typed(said, plan.column(name).read) for name, said in cells.items() if name in header.indexes}
    return {header.indexes[name]: without_format(cell) if name in plain else cell for name, cell in found.items()}
