"""The picture of a sheet in the ledger, so that a process that comes after a kill knows what people had written.

Kept are people's own cells, formulas in ours, and rows without a key; what our columns say is kept with the rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from carrete.ledger.database import Tx
from carrete.sheets.google.cell_requests import raw_of, typed
from carrete.sheets.rows import storage
from carrete.sheets.rows.snapshot import NO_STRAYS, Layout, Seen, SheetSnapshot
from carrete.sheets.rows.storage import raw_from, raw_json
from carrete.sheets.rows.unimported import UnimportedInputs
from carrete.sheets.rows.verdict import Known
from carrete.sheets.structure import PLAN, SELLO
from carrete.workbook.bases import RowId
from carrete.workbook.cells import Raw
from carrete.workbook.columns import N_UNION, TAG, SheetPlan

OWN_CELLS_MAX = 200  # of one row; what is beyond is known to the running process only
ROWS_WITHOUT_KEY_MAX = 300
NOTHING = "{}{}"
UNKNOWN_INDEX = -1  # of rows whose index was not kept


def load(tx: Tx, sheet: str, inputs: Mapping[RowId, UnimportedInputs]) -> SheetSnapshot | None:
    """None when no read was ever kept."""
    found = tx.one("layout", sheet=sheet)
    if found is None:
        return None
    ids, headers, anchors = json.loads(found[0])
    snapshot = SheetSnapshot(Layout(ids, [raw_from(header) for header in headers]), anchors=anchors)
    kept = tx.all("sheet_rows_all", sheet=sheet)
    rows = {(tag, n): Known(json.loads(cells), stamp) for tag, n, cells, stamp, _ in kept}
    own = {(tag, n): (cells, strays) for tag, n, cells, strays in tx.all("own_cells", sheet=sheet)}
    for row in rows.keys() | {row for row in own if row[0]} | inputs.keys():
        ours = _ours(PLAN[sheet], row, rows.get(row), inputs.get(row, {}))
        snapshot.rows[row] = _seen(snapshot.layout, ours, *own.get(row, ("{}", "{}")))
    snapshot.others = [_seen(snapshot.layout, {}, *own[row]) for row in own if not row[0]]
    return snapshot


def _ours(plan: SheetPlan, row: RowId, known: Known | None, inputs: UnimportedInputs) -> dict[str, Raw]:
    key: dict[str, Raw] = {TAG: row[0]}
    if N_UNION in plan.key:
        key[N_UNION] = row[1]
    base = (known.base or {}) if known else {}
    columns = {column.name: column.read for column in plan.columns}
    said = {name: raw_of(typed(value, columns[name])) for name, value in base.items() if name in columns}
    stamp: dict[str, Raw] = {SELLO: known.stamp} if known and known.stamp else {}
    return {**said, **stamp, **{name: one.raw for name, one in inputs.items()}, **key}


def _seen(layout: Layout, ours: Mapping[str, Raw], cells: str, strays: str) -> Seen:
    kept = json.loads(cells)
    index = int(kept.pop("at", UNKNOWN_INDEX))
    said = {**ours, **{id_: raw_from(value) for id_, value in kept.items()}}
    raw = [said.get(id_, "") for id_ in layout.ids]
    standing = {id_: (raw_from(stray), stamp) for id_, (stray, stamp) in json.loads(strays).items()}
    return Seen(raw, layout, index, standing or NO_STRAYS, kept=cells + strays)


def keep(
    tx: Tx, sheet: str, snapshot: SheetSnapshot, changed: Iterable[RowId], *, layout: bool, others: bool
) -> dict[RowId, str]:
    """What differs from what is kept; the texts that are kept now."""
    if layout:
        columns = json.dumps([snapshot.layout.ids, list(map(raw_json, snapshot.layout.headers)), snapshot.anchors])
        tx.run("layout_put", sheet=sheet, columns=columns)
    kept: dict[RowId, str] = {}
    for row in changed:
        seen = snapshot.rows.get(row)
        cells, strays = _texts(seen, seen.own()) if seen else ("{}", "{}")
        _put(tx, sheet, row, cells, strays, seen.kept if seen else NOTHING)
        kept[row] = cells + strays
    if others:
        _keep_others(tx, sheet, snapshot)
    return kept


def is_kept(seen: Seen) -> bool:
    """Whether the ledger remembers of it what there is to remember; for most rows that is nothing."""
    own = seen.own()
    if not own and not seen.strays:
        return seen.kept in ("", NOTHING)
    return "".join(_texts(seen, own)) == seen.kept


def _texts(seen: Seen, cells: Mapping[str, Raw]) -> tuple[str, str]:
    """In ASCII: a cell may hold what is no text."""
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


def _keep_others(tx: Tx, sheet: str, snapshot: SheetSnapshot) -> None:
    there = [n for tag, n, _, _ in tx.all("own_cells", sheet=sheet) if not tag]
    for number, seen in enumerate(snapshot.others[:ROWS_WITHOUT_KEY_MAX]):
        said = {id_: raw for id_, raw in zip(seen.layout.ids, seen.raw, strict=False) if raw != ""}
        cells, strays = _texts(seen, said)
        tx.run("own_cells_put", sheet=sheet, tag="", n_union=number, cells=cells, strays=strays)
    for number in there:
        if number >= len(snapshot.others):
            tx.run("own_cells_forget", sheet=sheet, tag="", n_union=number)
