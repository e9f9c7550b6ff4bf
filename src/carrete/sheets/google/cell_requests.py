"""Requests that write cells. Values have types: text stays text whatever it looks like, a date is a number with a
format."""

from __future__ import annotations

from datetime import date, datetime
from itertools import groupby
from typing import Any

from carrete.workbook import cells
from carrete.workbook.cells import SERIAL_ZERO, Formula, Raw, Reader

Json = dict[str, Any]
DAY_FORMAT = {"type": "DATE", "pattern": "dd-mm-yyyy"}
MOMENT_FORMAT = {"type": "DATE_TIME", "pattern": "dd-mm-yyyy hh:mm:ss"}
PLAIN_FIELDS = "userEnteredValue"
DATED_FIELDS = "userEnteredValue,userEnteredFormat.numberFormat"
_DAY_S = 86_400


def typed(value: str, read: Reader) -> Json:
    """A value in normal form as a cell; `{}` empties it. Never a formula: a value that begins with = is written as
    text."""
    if not value:
        return {}
    if read in (cells.day, cells.date_time, cells.date_time_or_text) and (dated := _dated(value)):
        return dated
    if read in (cells.number, cells.whole_number):
        try:
            return {"userEnteredValue": {"numberValue": float(value)}}
        except ValueError:
            return _text(value)
    if read is cells.yes_or_no:
        return {"userEnteredValue": {"boolValue": value == "1"}}
    return _text(value)


def as_it_was(raw: Raw) -> Json:
    """Restores a person's cell that a write of ours hit, exactly, also a formula."""
    if isinstance(raw, Formula) and raw.text.startswith("="):
        return {"userEnteredValue": {"formulaValue": raw.text}}
    if isinstance(raw, bool):
        return {"userEnteredValue": {"boolValue": raw}}
    if isinstance(raw, int | float):
        return {"userEnteredValue": {"numberValue": raw}}
    return _text(str(raw)) if isinstance(raw, str | Formula) and str(raw) else {}


def raw_of(typed_cell: Json) -> Raw:
    """The value that a read shows once this cell was written."""
    ((kind, value),) = typed_cell.get("userEnteredValue", {"": ""}).items()
    if kind == "formulaValue":
        return Formula(value)
    raw: Raw = int(value) if isinstance(value, float) and value.is_integer() else value
    return raw


def replace_request(tab_id: int, text: str, by: str) -> Json:
    """Replaces the text in every cell of the tab that has exactly this text. For unique texts: no row or column is
    needed."""
    return {
        "findReplace": {
            "find": text,
            "replacement": by,
            "sheetId": tab_id,
            "matchCase": True,
            "matchEntireCell": True,
        }
    }


def _text(value: str) -> Json:
    return {"userEnteredValue": {"stringValue": value}}


def _dated(value: str) -> Json | None:
    """None for a value that is no date, such as a note in the column NDT_FECHA."""
    try:
        local = datetime.fromisoformat(value)
    except ValueError:
        return None
    whole_day = len(value) == len(date.min.isoformat())
    since = local - SERIAL_ZERO
    serial: float = since.days if whole_day else since.days + since.seconds / _DAY_S
    return {
        "userEnteredValue": {"numberValue": serial},
        "userEnteredFormat": {"numberFormat": DAY_FORMAT if whole_day else MOMENT_FORMAT},
    }


def row_requests(tab_id: int, row: int, columns: dict[int, Json]) -> list[Json]:
    """The cells of one row: one request for each run of neighbours that all set a format, or all do not."""
    ordered = sorted(columns.items())
    runs = groupby(enumerate(ordered), lambda each: (each[1][0] - each[0], "userEnteredFormat" in each[1][1]))
    return [_run(tab_id, row, [cell for _, cell in run], dated) for (_, dated), run in runs]


def _run(tab_id: int, row: int, run: list[tuple[int, Json]], dated: bool) -> Json:
    return {
        "updateCells": {
            "start": {"sheetId": tab_id, "rowIndex": row, "columnIndex": run[0][0]},
            "rows": [{"values": [cell for _, cell in run]}],
            "fields": DATED_FIELDS if dated else PLAIN_FIELDS,
        }
    }


def append_request(tab_id: int, rows: list[dict[int, Json]], fields: str = DATED_FIELDS) -> Json:
    """New rows below the last row with data; columns that are not given stay empty."""
    return {
        "appendCells": {
            "sheetId": tab_id,
            "rows": [{"values": [row.get(at, {}) for at in range(max(row) + 1)]} for row in rows],
            "fields": fields,
        }
    }


def without_format(cell: Json) -> Json:
    return {name: value for name, value in cell.items() if name != "userEnteredFormat"}


def has_format(request: Json) -> bool:
    """Whether a request sets or removes formats."""
    return any(body.get("fields") == DATED_FIELDS for body in request.values())


def guard_request(guard: int, key: str, value: str) -> Json:
    return {
        "createDeveloperMetadata": {
            "developerMetadata": {
                "metadataId": guard,
                "metadataKey": key,
                "metadataValue": value,
                "location": {"spreadsheet": True},
                "visibility": "DOCUMENT",
            }
        }
    }
