"""Loads and saves what the ledger stores for the lane: rows of the sheet, the journal, freezes, parked rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from carrete.ledger.database import Row, Tx
from carrete.ledger.tokens import fresh_token
from carrete.sheets.rows.verdict import RestoredCell, StoredRow, Write
from carrete.sheets.structure import PLAN, Located
from carrete.webhooks.kinds import WebhookKind
from carrete.webhooks.message import new_message
from carrete.webhooks.notices import notify
from carrete.workbook.bases import RowId
from carrete.workbook.cells import Formula, Raw
from carrete.workbook.rows import Cells

RowKey: TypeAlias = tuple[str, RowId]  # sheet and row
CONNECTED = "GOOGLE_SHEET_ID"  # the workbook that this ledger is connected to
TITLE = "google_sheet_title"  # as it was when it was connected, for people
EVENTS_THROUGH = "sheet_events_through"
RECOUNTED_AT = "sheet_events_recounted_at"
FORMATS_REFUSED = "sheet_formats_refused"
LOST_FLUSHES = 50  # writes that never landed are looked for in this many last flushes
ROWS_AT_ONCE = 400  # for more rows, loading all of them is cheaper than a long list of tags
_FORGET_STATEMENTS = (
    "lane_forget_tabs",
    "lane_forget_rows",
    "lane_forget_layouts",
    "lane_forget_own_cells",
    "lane_forget_flushes",
    "lane_forget_writes",
    "lane_forget_events",
    "lane_forget_strays",
    "lane_forget_words",
    "lane_forget_parked",
    "lane_forget_freezes",
)
_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def located_sheets(tx: Tx) -> dict[str, Located]:
    rows = tx.all("sheet_tabs")
    return {sheet: Located(PLAN[sheet], tab_id, frozenset(json.loads(columns))) for sheet, tab_id, columns in rows}


def locate(tx: Tx, located: Located) -> None:
    columns = _json(sorted(located.columns))
    tx.run("sheet_tab_put", sheet=located.plan.name, tab_id=located.tab_id, columns=columns)


# ─── rows ─────────────────────────────────────────────────────────────────────────────────────────────────────


def stored_rows(tx: Tx, sheet: str, rows: Sequence[RowId]) -> dict[RowId, StoredRow]:
    if len(rows) > ROWS_AT_ONCE:
        found = tx.all("sheet_rows_all", sheet=sheet)
    else:
        found = tx.all("sheet_rows_of", sheet=sheet, tags=sorted({tag for tag, _ in rows})) if rows else []
    return {(tag, n): StoredRow(json.loads(cells), stamp) for tag, n, cells, stamp, _ in found}


def row_ids(tx: Tx, sheet: str) -> set[RowId]:
    return {(row[0], row[1]) for row in tx.all("sheet_rows_all", sheet=sheet)}


def row_params(row_key: RowKey) -> dict[str, Any]:
    sheet, (tag, n_union) = row_key
    return {"sheet": sheet, "tag": tag, "n_union": n_union}


def save_rows(tx: Tx, rows: Mapping[RowKey, tuple[Cells, str]], when: str) -> None:
    tx.many(
        "sheet_row_put",
        [
            {**row_params(row_key), "cells": _json(cells), "stamp": stamp, "said_at": when}
            for row_key, (cells, stamp) in rows.items()
        ],
    )


def queue_rows(tx: Tx, row_keys: Iterable[RowKey], when: str) -> None:
    """The next push compares these rows with the ledger, and writes them if they differ."""
    tx.many(
        "outbox_put",
        [{**row_params(row_key), "change": fresh_token(), "queued_at": when} for row_key in sorted(set(row_keys))],
    )


# ─── the journal ──────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Flush:
    id: int
    guard: int
    attempts: int

    def again(self) -> Flush:
        return Flush(self.id, self.guard, self.attempts + 1)


def open_flush(tx: Tx) -> Flush | None:
    row = tx.one("flush_open")
    return Flush(*row) if row else None


def writes_with(tx: Tx, sheet: str, stamps: Sequence[str]) -> dict[str, Write]:
    found: dict[str, Write] = {}
    for start in range(0, len(stamps), 1_000):
        rows = tx.all("writes_by_stamp", sheet=sheet, stamps=list(stamps[start : start + 1_000]))
        found |= {row[0]: _write(row) for row in rows}
    return found


def _write(row: Row) -> Write:
    stamp, tag, n_union, cells, indexes, put, restored, landed = row
    return Write(
        stamp,
        (tag, n_union),
        json.loads(cells),
        bool(landed),
        json.loads(indexes),
        {column: (at, raw_from(raw)) for column, (at, raw) in json.loads(put).items()},
        [
            RestoredCell(tag, column, raw_from(ours), raw_from(theirs))
            for tag, column, ours, theirs in json.loads(restored)
        ],
    )


def writes_lost(tx: Tx, sheet: str) -> list[Write]:
    """The writes of the last flushes that no read has shown in their own row."""
    (last,) = tx.one("flush_last") or (0,)
    return [_write(row) for row in tx.all("writes_lost", sheet=sheet, flush_id=last - LOST_FLUSHES)]


def applied_last(tx: Tx, sheet: str) -> int | None:
    """The last flush that Google applied and that wrote to this sheet."""
    (last,) = tx.one("flush_last") or (0,)
    row = tx.one("flush_applied_last", sheet=sheet, since=last - LOST_FLUSHES)
    return int(row[0]) if row else None


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One row of a batch, to be stored in the journal. Field names as in `Write`."""

    row_key: RowKey
    cells: Cells
    indexes: Mapping[str, int]
    put: Mapping[str, tuple[int, Raw]]
    restored: Sequence[RestoredCell] = ()


def journal(tx: Tx, flush_id: int, writes: Mapping[str, JournalEntry]) -> None:
    tx.many(
        "write_put",
        [
            {
                "stamp": stamp,
                "flush_id": flush_id,
                **row_params(one.row_key),
                "cells": _json(one.cells),
                "places": _json(one.indexes),
                "put": json.dumps(
                    {column: (at, raw_json(raw)) for column, (at, raw) in one.put.items()}
                ),  # in ASCII: a cell may hold half of a surrogate pair
                "told": json.dumps(
                    [[each.tag, each.column, raw_json(each.ours), raw_json(each.theirs)] for each in one.restored]
                ),
            }
            for stamp, one in writes.items()
        ],
    )


# ─── strays, freezes, parked rows ───────────────────────────────────────────────────────────────────────────────────


def load_strays(tx: Tx) -> dict[RowKey, Cells]:
    found: dict[RowKey, Cells] = {}
    for sheet, tag, n, col, value in tx.all("strays_all"):
        found.setdefault((sheet, (tag, n)), {})[col] = value
    return found


def save_strays(tx: Tx, strays: Mapping[RowKey, Cells]) -> None:
    for row_key, cells in strays.items():
        tx.run("strays_forget", **row_params(row_key))
        tx.many("stray_put", [{**row_params(row_key), "col": col, "value": value} for col, value in cells.items()])


def raw_json(raw: Raw) -> Any:
    """A cell as JSON. A string that begins with = is a formula; a text that begins with = is an object."""
    if isinstance(raw, Formula):
        return raw.text
    return {"text": raw} if isinstance(raw, str) and raw.startswith("=") else raw


def raw_from(stored: Any) -> Raw:
    if isinstance(stored, dict):
        return str(stored["text"])
    return Formula(stored) if isinstance(stored, str) and stored.startswith("=") else stored


@dataclass(frozen=True, slots=True)
class Freeze:
    sheet: str
    kind: str
    reason: str
    since: str
    decision: str
    id: str
    decided_by: int

    def decides(self, kind: str, reason: str) -> bool:
        """Whether a supervisor has decided about this freeze, or the decision is already being carried out."""
        return bool(self.decision) and (not self.id or (self.kind, self.reason) == (kind, reason))


def freeze(tx: Tx, sheet: str, kind: str, reason: str, now: datetime) -> None:
    """A webhook message is written when a sheet stops for another reason, not for another number of the same one."""
    before = freezes(tx).get(sheet)
    tx.run("freeze_put", sheet=sheet, kind=kind, reason=reason, since=moment(now), id=fresh_token())
    if before is None or before.kind != kind:
        text = f"La hoja {sheet} está detenida: {reason}. Un supervisor decide en la página de supervisión."
        data = {"hoja": sheet, "clase": kind, "motivo": reason}
        notify(tx, new_message(WebhookKind.PLANILLA_DETENIDA, text, now, data=data))


def freezes(tx: Tx) -> dict[str, Freeze]:
    return {row[0]: Freeze(*row) for row in tx.all("freezes")}


@dataclass(frozen=True, slots=True)
class Parked:
    change: str
    reason: str
    at: str


def parked_rows(tx: Tx) -> dict[RowKey, Parked]:
    return {(s, (tag, n)): Parked(change, reason, at) for s, tag, n, change, reason, at in tx.all("parked_all")}


def setting(tx: Tx, name: str) -> str:
    row = tx.one("setting", name=name)
    return str(row[0]) if row else ""


def events_through(tx: Tx) -> int:
    return int(setting(tx, EVENTS_THROUGH) or 0)


def forget_everything(tx: Tx) -> None:
    """For a ledger that is connected to another workbook."""
    for statement in _FORGET_STATEMENTS:
        tx.run(statement)
    tx.run("setting_put", name=EVENTS_THROUGH, value="0")
    tx.run("setting_put", name=RECOUNTED_AT, value="")
    tx.run("setting_put", name=FORMATS_REFUSED, value="")


def moment(instant: datetime) -> str:
    return instant.isoformat(timespec="seconds")
