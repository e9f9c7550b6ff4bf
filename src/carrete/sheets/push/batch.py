"""A plan as the requests of one batchUpdate, with the guard first, and as what the journal stores about them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from carrete.domain.trail.canonical import ChainHead
from carrete.domain.trail.witness import Sign
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
from carrete.sheets.push.clearing import Clearing
from carrete.sheets.push.formats import APPENDED, Column
from carrete.sheets.push.guards import guard_value
from carrete.sheets.push.plan import EVENTS_PART, MARKS_PART, ORPHAN, BatchPlan, Part
from carrete.sheets.rows.classify import Orphan
from carrete.sheets.rows.column_marks import anchor_requests, mark_requests
from carrete.sheets.rows.snapshot import Layout
from carrete.sheets.rows.storage import Flush, JournalEntry
from carrete.sheets.rows.verdict import stamp_of
from carrete.sheets.rows.view import SheetView
from carrete.sheets.structure import EVENTS, SELLO, Located
from carrete.workbook.cells import Raw
from carrete.workbook.columns import HASH, Header, SheetPlan
from carrete.workbook.rows import event_cells

NO_HEADER = Header(0, {}, (), ())


@dataclass(slots=True)
class Batch:
    requests: list[dict[str, Any]]
    writes: dict[str, JournalEntry]  # by stamp
    parts: list[Part | None]  # by request: the part of the plan that it writes; None: the guard
    formats: list[frozenset[Column]] = field(default_factory=lambda: [frozenset()])  # by request: where it sets some


def batch_of(
    plan: BatchPlan,
    flush: Flush,
    views: Mapping[str, SheetView],
    located: Mapping[str, Located],
    events_header: Header | None,
    zone: ZoneInfo,
    layouts: Mapping[str, Layout] | None = None,
    anchors: Mapping[str, Mapping[str, int]] | None = None,
    plain: Mapping[str, Set[str]] | None = None,
    sign: Sign | None = None,
) -> Batch:
    """`layouts`: the identity of each column in the read that the plan was made from. `anchors`: by sheet and column
    identity, the columns that get an anchor; None: columns get no marks either. `plain`: by sheet, the columns that are
    written without a number format. `sign` signs the last event."""
    plain = plain or {}
    batch = Batch([guard_request(flush.guard, GUARD_KEY, guard_value(flush.id))], {}, [None])
    salt = os.urandom(3).hex()
    for number, row in enumerate(plan.rows):
        sheet = row.row_key[0]
        stamp = stamp_of(flush.id, flush.attempts, number, salt)
        view, bare = views[sheet], plain.get(sheet, set())
        columns = {at: as_it_was(raw) for at, raw in row.give_back.items()}
        columns |= _columns(view.plan, view.header, {**row.cells, SELLO: stamp}, bare)
        put = _shown_afterwards(columns, (layouts or {}).get(sheet))
        batch.writes[stamp] = JournalEntry(row.row_key, row.cells, _column_indexes(view, row.cells), put, row.reported)
        if row.row_index is None:
            _append(batch, row, sheet, located[sheet].tab_id, [columns], bare)
        else:
            _add(batch, row, row_requests(located[sheet].tab_id, row.row_index, columns), sheet, view.header)
    for sheet, stamp, covered in plan.stamps:
        _add(batch, Clearing(sheet), [replace_request(located[sheet].tab_id, stamp, covered)])
    for number, orphan in enumerate(plan.orphans, len(plan.rows)):
        _clear(batch, orphan, stamp_of(flush.id, flush.attempts, number, salt), views, located)
    if plan.events and events_header is not None:
        cells = [event_cells(stored, zone) for stored in plan.events]
        if sign is not None and plan.events[-1].hash:
            cells[-1][HASH] += f".{sign(ChainHead(plan.events[-1].seq, plan.events[-1].hash))}"
        rows = [_columns(EVENTS, events_header, each) for each in cells]
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


def _shown_afterwards(columns: Mapping[int, dict[str, Any]], layout: Layout | None) -> dict[str, tuple[int, Raw]]:
    """By column identity: the column's index, and the value that a read shows there once the batch is applied."""
    ids = layout.ids if layout else ()
    return {ids[at]: (at, raw_of(typed_cell)) for at, typed_cell in columns.items() if at < len(ids)}


def _clear(
    batch: Batch, orphan: Orphan, stamp: str, views: Mapping[str, SheetView], located: Mapping[str, Located]
) -> None:
    """Empties our values and writes a stamp, which tells where the write landed; the next batch removes the stamp."""
    view = views[orphan.sheet]
    names = {at: name for name, at in view.header.indexes.items()}
    cells = {names[at]: "" for at in orphan.columns if at in names}
    batch.writes[stamp] = JournalEntry((orphan.sheet, ORPHAN), cells, _column_indexes(view, cells), {})
    columns: dict[int, dict[str, Any]] = {at: {} for at in orphan.columns}
    columns |= _columns(view.plan, view.header, {SELLO: stamp if orphan.columns else ""})
    _add(batch, Clearing(orphan.sheet), row_requests(located[orphan.sheet].tab_id, orphan.index, columns))


def _add(batch: Batch, part: Part, requests: list[dict[str, Any]], sheet: str = "", header: Header = NO_HEADER) -> None:
    batch.requests += requests
    batch.parts += [part] * len(requests)
    batch.formats += [_formatted(request, sheet, header) for request in requests]


def _formatted(request: dict[str, Any], sheet: str, header: Header) -> frozenset[Column]:
    """The columns whose number format this request sets."""
    if not has_format(request):
        return frozenset()
    names = {at: name for name, at in header.indexes.items()}
    first, cells = request["updateCells"]["start"]["columnIndex"], request["updateCells"]["rows"][0]["values"]
    return frozenset((sheet, names[at]) for at in range(first, first + len(cells)))


def _append(
    batch: Batch, part: Part, sheet: str, tab_id: int, rows: list[dict[int, dict[str, Any]]], plain: Set[str]
) -> None:
    """One request sets the formats of all cells of its new rows, or of none."""
    if plain:
        rows = [{at: without_format(cell) for at, cell in row.items()} for row in rows]
    request = append_request(tab_id, rows, PLAIN_FIELDS if plain else DATED_FIELDS)
    batch.requests.append(request)
    batch.parts.append(part)
    batch.formats.append(frozenset() if plain else frozenset({(sheet, APPENDED)}))


def _column_indexes(view: SheetView, cells: Mapping[str, str]) -> dict[str, int]:
    return {name: at for name, at in view.header.indexes.items() if name in cells or name == SELLO}


def _columns(
    plan: SheetPlan, header: Header, cells: Mapping[str, str], plain: Set[str] = frozenset()
) -> dict[int, dict[str, Any]]:
    """The cells as Google wants them, by column index."""
    found = {name: typed(value, plan.column(name).read) for name, value in cells.items() if name in header.indexes}
    return {header.indexes[name]: without_format(cell) if name in plain else cell for name, cell in found.items()}
