"""A normal form as a typed cell: text stays text whatever it looks like, a date is a number with a format."""

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


def typed(said: str, read: Reader) -> Json:
    """`{}` empties the cell. Never a formula: whatever begins with = is text here."""
    if not said:
        return {}
    if read in (cells.day, cells.date_time, cells.date_time_or_text) and (dated := _dated(said)):
        return dated
    if read in (cells.number, cells.whole_number):
        try:
            return {"userEnteredValue": {"numberValue": float(said)}}
        except ValueError:
            return _text(said)
    if read is cells.yes_or_no:
        return {"userEnteredValue": {"boolValue": said == "1"}}
    return _text(said)


def as_it_was(raw: Raw) -> Json:
    """A person's own cell that we hit by mistake, formula included: theirs again, exactly."""
    if isinstance(raw, Formula) and raw.text.startswith("="):
        return {"userEnteredValue": {"formulaValue": raw.text}}
    if isinstance(raw, bool):
        return {"userEnteredValue": {"boolValue": raw}}
    if isinstance(raw, int | float):
        return {"userEnteredValue": {"numberValue": raw}}
    return _text(str(raw)) if isinstance(raw, str | Formula) and str(raw) else {}


def raw_of(typed_cell: Json) -> Raw:
    """As a read shows that cell afterwards."""
    ((kind, value),) = typed_cell.get("userEnteredValue", {"": ""}).items()
    if kind == "formulaValue":
        return Formula(value)
    raw: Raw = int(value) if isinstance(value, float) and value.is_integer() else value
    return raw


def replace_request(tab_id: int, text: str, by: str) -> Json:
    """Wherever that text fills a cell of the tab. For texts that are one of a kind: it needs no row and no column."""
    return {
        "findReplace": {
            "find": text,
            "replacement": by,
            "sheetId": tab_id,
            "matchCase": True,
            "matchEntireCell": True,
        }
    }


def _text(said: str) -> Json:
    return {"userEnteredValue": {"stringValue": said}}


def _dated(said: str) -> Json | None:
    """None for what only looks like a date's column, such as a note in NDT_FECHA."""
    try:
        local = datetime.fromisoformat(said)
    except ValueError:
        return None
    whole_day = len(said) == len(date.min.isoformat())
    since = local - SERIAL_ZERO
    serial: float = since.days if whole_day else since.days + since.seconds / _DAY_S
    return {
        "userEnteredValue": {"numberValue": serial},
        "userEnteredFormat": {"numberFormat": DAY_FORMAT if whole_day else MOMENT_FORMAT},
    }


def row_requests(tab_id: int, row: int, columns: dict[int, Json]) -> list[Json]:
    """The cells of one row, one request for each run of neighbours that are written alike."""
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
    """New rows below the last one with data; columns that are not ours stay empty."""
    return {
        "appendCells": {
            "sheetId": tab_id,
            "rows": [{"values": [row.get(place, {}) for place in range(max(row) + 1)]} for row in rows],
            "fields": fields,
        }
    }


def without_format(cell: Json) -> Json:
    return {name: value for name, value in cell.items() if name != "userEnteredFormat"}


def has_format(request: Json) -> bool:
    """Whether a request sets formats, or takes them away."""
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
