"""Requests of a batch, as the lane makes them."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def guard(id_: int) -> Json:
    location = {"spreadsheet": True}
    wanted = {"metadataId": id_, "metadataKey": "flush", "visibility": "DOCUMENT", "location": location}
    return {"createDeveloperMetadata": {"developerMetadata": wanted}}


def on_row(id_: int, row: int, sheet_id: int = 0, dimension: str = "ROWS", value: str = "") -> Json:
    span = {"sheetId": sheet_id, "dimension": dimension, "startIndex": row, "endIndex": row + 1}
    wanted: Json = {
        "metadataId": id_,
        "metadataKey": "row",
        "visibility": "DOCUMENT",
        "location": {"dimensionRange": span},
    }
    return {"createDeveloperMetadata": {"developerMetadata": {**wanted, "metadataValue": value}}}


def cells(sheet_id: int, row: int, column: int, *values: Any, fields: str = "userEnteredValue") -> Json:
    """A run of cells in one row, from row and column counted from 0; None empties a cell."""
    start = {"sheetId": sheet_id, "rowIndex": row, "columnIndex": column}
    return {"updateCells": {"start": start, "rows": [{"values": list(map(cell, values))}], "fields": fields}}


def appended(sheet_id: int, *rows: list[Any]) -> Json:
    appended_rows = [{"values": list(map(cell, row))} for row in rows]
    return {"appendCells": {"sheetId": sheet_id, "rows": appended_rows, "fields": "userEnteredValue"}}


def cell(value: Any) -> Json:
    if value is None:
        return {}
    if isinstance(value, dict):
        return value
    if isinstance(value, bool):
        return {"userEnteredValue": {"boolValue": value}}
    kind = "stringValue" if isinstance(value, str) else "numberValue"
    return {"userEnteredValue": {kind: value}}
