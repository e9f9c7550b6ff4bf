"""Stores the snapshot of a sheet in the ledger, so that the next process has people's own cells after a kill.

Stored are people's own cells, formulas in our columns, and rows without a key. The other values of our columns are
stored with the rows (`storage`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from carrete.ledger.database import Tx
from carrete.sheets.google.cell_requests import raw_of, typed
from carrete.sheets.rows import storage
from carrete.sheets.rows.snapshot import NO_STRAYS, Layout, SeenRow, SheetSnapshot
from carrete.sheets.rows.storage import raw_from, raw_json
from carrete.sheets.rows.unimported import UnimportedInputs
from carrete.sheets.rows.verdict import StoredRow
from carrete.sheets.structure import PLAN, SELLO
from carrete.workbook.bases import RowId
from carrete.workbook.cells import Raw
from carrete.workbook.columns import N_UNION, TAG, SheetPlan

OWN_CELLS_MAX = 200  # stored of one row; the others are only in the memory of the running process
ROWS_WITHOUT_KEY_MAX = 300
NOTHING = "{}{}"
UNKNOWN_INDEX = -1  # the index of a row for which none was stored


def load(tx: Tx, sheet: str, inputs: Mapping[RowId, UnimportedInputs]) -> SheetSnapshot | None:
    """None if no read of this sheet was stored yet."""
    found = tx.one("layout", sheet=sheet)
    if found is None:
        return None
    ids, headers, anchors = json.loads(found[0])
    snapshot = SheetSnapshot(Layout(ids, [raw_from(header) for header in headers]), anchors=anchors)
    stored = tx.all("sheet_rows_all", sheet=sheet)
    rows = {(tag, n): StoredRow(json.loads(cells), stamp) for tag, n, cells, stamp, _ in stored}
    own = {(tag, n): (cells, strays) for tag, n, cells, strays in tx.all("own_cells", sheet=sheet)}
    for row in rows.keys() | {row for row in own if row[0]} | inputs.keys():
        ours = _ours(PLAN[sheet], row, rows.get(row), inputs.get(row, {}))
        snapshot.rows[row] = _seen_row(snapshot.layout, ours, *own.get(row, ("{}", "{}")))
    snapshot.with_strays = {row for row, seen in snapshot.rows.items() if seen.strays}
    snapshot.others = [_seen_row(snapshot.layout, {}, *own[row]) for row in own if not row[0]]
    return snapshot


def _ours(plan: SheetPlan, row: RowId, stored: StoredRow | None, inputs: UnimportedInputs) -> dict[str, Raw]:
    key: dict[str, Raw] = {TAG: row[0]}
    if N_UNION in plan.key:
        key[N_UNION] = row[1]
    base = (stored.base or {}) if stored else {}
    columns = {column.name: column.read for column in plan.columns}
    values = {name: raw_of(typed(value, columns[name])) for name, value in base.items() if name in columns}
    stamp: dict[str, Raw] = {SELLO: stored.stamp} if stored and stored.stamp else {}
    return {**values, **stamp, **{name: one.raw for name, one in inputs.items()}, **key}


def _seen_row(layout: Layout, ours: Mapping[str, Raw], cells: str, strays: str) -> SeenRow:
    own = json.loads(cells)
    index = int(own.pop("at", UNKNOWN_INDEX))
    values = {**ours, **{id_: raw_from(value) for id_, value in own.items()}}
    raw = [values.get(id_, "") for id_ in layout.ids]
    standing = {id_: (raw_from(stray), stamp) for id_, (stray, stamp) in json.loads(strays).items()}
    return SeenRow(raw, layout, index, standing or NO_STRAYS, stored=cells + strays)


def save(
    tx: Tx, sheet: str, snapshot: SheetSnapshot, changed: Iterable[RowId], *, layout: bool, others: bool
) -> dict[RowId, str]:
    """Stores the rows that have changed. Returns the text that is stored now for each of them."""
    if layout:
        columns = json.dumps([snapshot.layout.ids, list(map(raw_json, snapshot.layout.headers)), snapshot.anchors])
        tx.run("layout_put", sheet=sheet, columns=columns)
    stored: dict[RowId, str] = {}
    for row in changed:
        seen = snapshot.rows.get(row)
        cells, strays = _texts(seen, seen.own()) if seen else ("{}", "{}")
        _put(tx, sheet, row, cells, strays, seen.stored if seen else NOTHING)
        stored[row] = cells + strays
    if others:
        _save_others(tx, sheet, snapshot)
    return stored


def is_stored(seen: SeenRow) -> bool:
    """Whether the ledger has the row as it is now. For most rows there is nothing to store."""
    own = seen.own()
    if not own and not seen.strays:
        return seen.stored in ("", NOTHING)
    return "".join(_texts(seen, own)) == seen.stored


def _texts(seen: SeenRow, cells: Mapping[str, Raw]) -> tuple[str, str]:
    """JSON in ASCII: a cell may hold half of a surrogate pair, which no database stores as text."""
    some: dict[str, Any] = {id_: raw_json(raw) for id_, raw in list(cells.items())[:OWN_CELLS_MAX]}
    if some:
        some["at"] = seen.index
    return json.dumps(some), json.dumps({id_: (raw_json(ours), stamp) for id_, (ours, stamp) in seen.strays.items()})


def _put(tx: Tx, sheet: str, row: RowId, cells: str, strays: str, before: str) -> None:
    params = storage.row_params((sheet, row))
    if cells + strays == NOTHING:
        if before:
            tx.run("own_cells_forget", **params)
    else:
        tx.run("own_cells_put", **params, cells=cells, strays=strays)


def _save_others(tx: Tx, sheet: str, snapshot: SheetSnapshot) -> None:
    numbers = [n for tag, n, _, _ in tx.all("own_cells", sheet=sheet) if not tag]
    for number, seen in enumerate(snapshot.others[:ROWS_WITHOUT_KEY_MAX]):
        filled = {id_: raw for id_, raw in zip(seen.layout.ids, seen.raw, strict=False) if raw != ""}
        cells, strays = _texts(seen, filled)
        tx.run("own_cells_put", sheet=sheet, tag="", n_union=number, cells=cells, strays=strays)
    for number in numbers:
        if number >= len(snapshot.others):
            tx.run("own_cells_forget", sheet=sheet, tag="", n_union=number)
