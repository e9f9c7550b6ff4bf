"""A spreadsheet as `spreadsheets.get` shows it: properties, sheets and, if the request wants it, each cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sheets_emulator import fields, formulas, metadata
from sheets_emulator.a1 import Area, whole
from sheets_emulator.errors import Json
from sheets_emulator.fields import Mask
from sheets_emulator.model import Book, EnteredFormula, ErrorValue, Place, Row, Scalar, Sheet
from sheets_emulator.values import Render, rendered

MADE_BY = "madeBy"
OWNER = "owner@example.org"
GRID_LOOKS = ("hideGridlines", "rowGroupControlAfter", "columnGroupControlAfter")


@dataclass(frozen=True, slots=True)
class SpreadsheetView:
    """Which parts of a spreadsheet a request wants, and for which account. Without areas: every sheet."""

    areas: Sequence[Area]
    grid: bool
    mask: Mask
    render: Render
    user: str = ""

    @property
    def shows_grid(self) -> bool:
        """A mask that names the grid includes it, also without `includeGridData`."""
        named = fields.names(self.mask, "sheets", "data")
        return named or (self.grid and fields.wants(self.mask, "sheets", "data"))


def spreadsheet(book: Book, view: SpreadsheetView) -> Json:
    wanted = {area.sheet_id for area in view.areas}
    sheets = [_sheet(book, sheet, view) for sheet in book.sheets if sheet.sheet_id in wanted or not view.areas]
    result: Json = {"spreadsheetId": book.id, "properties": properties(book), "sheets": sheets}
    if book.named_ranges:
        result["namedRanges"] = list(book.named_ranges.values())
    result["spreadsheetUrl"] = f"https://docs.google.com/spreadsheets/d/{book.id}/edit"
    if fields.wants(view.mask, "developerMetadata") and (own := _metadata(book, Place())):
        result["developerMetadata"] = own
    picked: Json = fields.apply(view.mask, result)
    return picked


def properties(book: Book) -> Json:
    return {
        "title": book.title,
        "locale": book.locale,
        "autoRecalc": "ON_CHANGE",
        "timeZone": book.time_zone,
        "defaultFormat": {"verticalAlignment": "BOTTOM", "wrapStrategy": "OVERFLOW_CELL"},
    }


def sheet_properties(book: Book, sheet: Sheet) -> Json:
    grid: Json = {"rowCount": sheet.row_count, "columnCount": sheet.column_count}
    if sheet.frozen_rows:
        grid["frozenRowCount"] = sheet.frozen_rows
    if sheet.frozen_columns:
        grid["frozenColumnCount"] = sheet.frozen_columns
    grid |= {name: sheet.looks[name] for name in GRID_LOOKS if sheet.looks.get(name)}
    result: Json = {
        "sheetId": sheet.sheet_id,
        "title": sheet.title,
        "index": next(index for index, other in enumerate(book.sheets) if other is sheet),
        "sheetType": "GRID",
        "gridProperties": grid,
    }
    if sheet.hidden:
        result["hidden"] = True
    return result | {name: value for name, value in sheet.looks.items() if name not in GRID_LOOKS}


def _sheet(book: Book, sheet: Sheet, view: SpreadsheetView) -> Json:
    result: Json = {"properties": sheet_properties(book, sheet)}
    if view.shows_grid:
        areas = [area for area in view.areas if area.sheet_id == sheet.sheet_id] or [whole(sheet)]
        mask = view.mask.get("sheets", {}).get("data", {})
        result["data"] = [_grid(book, sheet, area, mask, view.render) for area in areas]
    if sheet.protected:
        result["protectedRanges"] = [protected_range(one, view.user) for one in sheet.protected]
    if sheet.basic_filter:
        result["basicFilter"] = sheet.basic_filter
    if fields.wants(view.mask, "sheets", "developerMetadata") and (own := _metadata(book, Place(sheet.sheet_id))):
        result["developerMetadata"] = own
    return result


def protected_range(one: Json, user: str) -> Json:
    """As the API shows it to that user. The field that says who made it is the emulator's own and is left out; its
    maker is among the editors."""
    result = {name: value for name, value in one.items() if name not in (MADE_BY, "range", "editors")}
    area = {name: value for name, value in one["range"].items() if name != "sheetId" or value}
    may = {"requestingUserCanEdit": True} if one.get("warningOnly") or user in editors(one) else {}
    return {**result, "range": area, **may, "editors": {**one["editors"], "users": sorted(editors(one))}}


def editors(one: Json) -> set[str]:
    return {one[MADE_BY] or OWNER, *one["editors"].get("users", [])}


def _metadata(book: Book, place: Place) -> list[Json]:
    attached = [datum for datum in book.metadata.values() if datum.place == place]
    return [metadata.as_json(book, datum) for datum in sorted(attached, key=lambda datum: datum.id)]


def _grid(book: Book, sheet: Sheet, area: Area, mask: Mask, render: Render) -> Json:
    result: Json = {}
    if area.top:
        result["startRow"] = area.top
    if area.left:
        result["startColumn"] = area.left
    if fields.wants(mask, "rowData"):
        rows = [_row(book, sheet, row, area, render) for row in sheet.rows[area.top : area.bottom]]
        while rows and not rows[-1]:
            rows.pop()
        if rows:
            result["rowData"] = rows
    attached = _dimension_metadata(book, sheet)
    if fields.wants(mask, "rowMetadata"):
        ids = [row.id for row in sheet.rows[area.top : area.bottom]]
        result["rowMetadata"] = [_dimension(sheet, identity, 21, attached) for identity in ids]
    if fields.wants(mask, "columnMetadata"):
        ids = sheet.columns[area.left : area.right]
        result["columnMetadata"] = [_dimension(sheet, identity, 100, attached) for identity in ids]
    return result


def _dimension(sheet: Sheet, identity: int, size: int, attached: dict[int, Json]) -> Json:
    return {"pixelSize": size, **sheet.dimensions.get(identity, {}), **attached.get(identity, {})}


def _dimension_metadata(book: Book, sheet: Sheet) -> dict[int, Json]:
    attached: dict[int, Json] = {}
    for datum in sorted(book.metadata.values(), key=lambda datum: datum.id):
        if datum.place.sheet_id == sheet.sheet_id and datum.place.identity is not None:
            held = attached.setdefault(datum.place.identity, {"developerMetadata": []})
            held["developerMetadata"].append(metadata.as_json(book, datum))
    return attached


def _row(book: Book, sheet: Sheet, row: Row, area: Area, render: Render) -> Json:
    cells = [_cell(book, sheet, row, column, render) for column in range(area.left, min(area.right, _reach(row)))]
    while cells and not cells[-1]:
        cells.pop()
    return {"values": cells} if cells else {}


def _reach(row: Row) -> int:
    return max(len(row.values), *(max(kept) + 1 for kept in (row.formats, row.notes) if kept), 0)


def _cell(book: Book, sheet: Sheet, row: Row, column: int, render: Render) -> Json:
    result: Json = {}
    value, form = row.get(column), row.formats.get(column)
    if value is not None:
        result["userEnteredValue"] = _typed(value)
        shown = formulas.effective(book, sheet, value, render.now) if isinstance(value, EnteredFormula) else value
        result["effectiveValue"] = _typed(shown)
        result["formattedValue"] = rendered(book, sheet, value, form, render)
    if form:
        result["userEnteredFormat"] = form
        result["effectiveFormat"] = form
    if note := row.notes.get(column):
        result["note"] = note
    return result


def _typed(value: Scalar) -> Json:
    kinds: dict[type, str] = {bool: "boolValue", int: "numberValue", float: "numberValue", str: "stringValue"}
    if isinstance(value, EnteredFormula):
        return {"formulaValue": value.text}
    if isinstance(value, ErrorValue):
        kind = value.text.strip("#!?").replace("/", "_")
        return {"errorValue": {"type": {"DIV_0": "DIVIDE_BY_ZERO"}.get(kind, kind), "message": value.text}}
    result: dict[str, Any] = {} if value is None else {kinds[type(value)]: value}
    return result
