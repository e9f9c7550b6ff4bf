"""Tabs and the spreadsheet's own properties: add, delete, duplicate, rename, reorder, resize, hide."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

from sheets_emulator import fields, locales, metadata, resource, structure
from sheets_emulator.batch.work import BatchWork, Handler
from sheets_emulator.errors import Json, invalid
from sheets_emulator.model import NEW_SHEET_COLUMNS, NEW_SHEET_ROWS, Sheet, new_sheet

_LOOKS = ("tabColor", "tabColorStyle", "rightToLeft")
_GRID_LOOKS = ("hideGridlines", "rowGroupControlAfter", "columnGroupControlAfter")


def add_sheet(work: BatchWork, body: Json) -> Json:
    wanted = body.get("properties") or {}
    grid = wanted.get("gridProperties") or {}
    book = work.draft.book
    title = wanted.get("title") or _free_title(work)
    _require_free_title(work, title, None)
    sheet = new_sheet(
        work.draft,
        _free_id(work, wanted.get("sheetId")),
        title,
        int(grid.get("rowCount") or NEW_SHEET_ROWS),
        int(grid.get("columnCount") or NEW_SHEET_COLUMNS),
    )
    sheet.frozen_rows, sheet.frozen_columns = (
        int(grid.get("frozenRowCount") or 0),
        int(grid.get("frozenColumnCount") or 0),
    )
    sheet.hidden = bool(wanted.get("hidden"))
    index = len(book.sheets) if wanted.get("index") is None else int(wanted["index"])
    book.sheets.insert(min(index, len(book.sheets)), sheet)
    work.draft.require_room()
    return {"addSheet": {"properties": resource.sheet_properties(book, sheet)}}


def _free_id(work: BatchWork, wanted: Any) -> int:
    taken = {sheet.sheet_id for sheet in work.draft.book.sheets}
    if wanted is not None:
        if int(wanted) in taken:
            raise invalid(f"A sheet with the ID {wanted} already exists. Please enter another ID.")
        return int(wanted)
    while (id_ := work.fresh_id()) in taken:
        pass
    return id_


def _free_title(work: BatchWork) -> str:
    number = len(work.draft.book.sheets) + 1
    while work.draft.book.titled(f"Sheet{number}"):
        number += 1
    return f"Sheet{number}"


def _require_free_title(work: BatchWork, title: str, own_id: int | None) -> None:
    taken = work.draft.book.titled(title)
    if taken is not None and taken.sheet_id != own_id:
        raise invalid(f'A sheet with the name "{title}" already exists. Please enter another name.')


def delete_sheet(work: BatchWork, body: Json) -> None:
    book = work.draft.book
    sheet = book.sheet(int(body.get("sheetId") or 0))
    if len([other for other in book.sheets if not other.hidden or other is sheet]) == 1:
        raise invalid("You can't remove all the visible sheets in a document.")
    book.sheets.remove(sheet)
    metadata.forget(work.draft, sheet.sheet_id)
    for id_, named in list(book.named_ranges.items()):
        if int(named["range"].get("sheetId") or 0) == sheet.sheet_id:
            del work.draft.own_named_ranges()[id_]


def duplicate_sheet(work: BatchWork, body: Json) -> Json:
    source = work.draft.book.sheet(int(body.get("sourceSheetId") or 0))
    title = body.get("newSheetName") or f"Copy of {source.title}"
    _require_free_title(work, title, None)
    twin = twin_of(work, source, _free_id(work, body.get("newSheetId")), title)
    place = len(work.draft.book.sheets) if body.get("insertSheetIndex") is None else int(body["insertSheetIndex"])
    work.draft.book.sheets.insert(place, twin)
    work.draft.require_room()
    return {"duplicateSheet": {"properties": resource.sheet_properties(work.draft.book, twin)}}


def twin_of(work: BatchWork, source: Sheet, sheet_id: int, title: str) -> Sheet:
    """The same cells in rows and columns of their own; metadata and protection stay behind."""
    identities = iter(work.draft.identities(source.row_count))
    rows = [row.copy(work.draft.token, next(identities)) for row in source.rows]
    columns = list(work.draft.identities(source.column_count))
    kept = None
    if source.basic_filter:
        kept = {**source.basic_filter, "range": {**source.basic_filter["range"], "sheetId": sheet_id}}
    return replace(
        source, sheet_id=sheet_id, title=title, rows=rows, columns=columns, protected=(), tables=(), basic_filter=kept,
        looks=dict(source.looks), owner=work.draft.token,
    )  # fmt: skip


def update_sheet_properties(work: BatchWork, body: Json) -> None:
    change = body.get("properties") or {}
    if not body.get("fields"):
        raise invalid("At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)")
    mask = fields.parse(body["fields"])
    sheet = work.draft.own(int(change.get("sheetId") or 0))
    if fields.names(mask, "sheetId"):
        raise invalid("The sheet ID cannot be changed once set.")
    if fields.wants(mask, "title") and change.get("title"):
        _require_free_title(work, change["title"], sheet.sheet_id)
        sheet.title = change["title"]
    if fields.wants(mask, "hidden") and ("hidden" in change or fields.names(mask, "hidden")):
        _hide(work, sheet, bool(change.get("hidden")))
    if fields.wants(mask, "gridProperties"):
        _regrid(work, sheet, change.get("gridProperties") or {}, mask.get("gridProperties", fields.EVERYTHING))
    if fields.wants(mask, "index") and change.get("index") is not None:
        _reorder(work, sheet, int(change["index"]))
    for name in _LOOKS:
        if fields.wants(mask, name):
            _look(sheet, name, change.get(name), fields.names(mask, name))


def _look(sheet: Sheet, name: str, value: Any, named: bool) -> None:
    look = {inner: one for inner, one in value.items() if one is not None} if isinstance(value, dict) else value
    if look:
        sheet.looks[name] = look
    elif named:
        sheet.looks.pop(name, None)


def _hide(work: BatchWork, sheet: Sheet, hidden: bool) -> None:
    if hidden and all(other.hidden for other in work.draft.book.sheets if other is not sheet):
        raise invalid("You can't hide all the sheets in a document.")
    sheet.hidden = hidden


def _regrid(work: BatchWork, sheet: Sheet, grid: Json, mask: fields.Mask) -> None:
    rows = int(grid["rowCount"]) if fields.wants(mask, "rowCount") and grid.get("rowCount") is not None else None
    columns = (
        int(grid["columnCount"]) if fields.wants(mask, "columnCount") and grid.get("columnCount") is not None else None
    )
    structure.resize(work.draft, sheet.sheet_id, rows, columns)
    if fields.wants(mask, "frozenRowCount") and ("frozenRowCount" in grid or fields.names(mask, "frozenRowCount")):
        sheet.frozen_rows = _frozen(int(grid.get("frozenRowCount") or 0), sheet.row_count, "rows")
    if fields.wants(mask, "frozenColumnCount") and (
        "frozenColumnCount" in grid or fields.names(mask, "frozenColumnCount")
    ):
        sheet.frozen_columns = _frozen(int(grid.get("frozenColumnCount") or 0), sheet.column_count, "columns")
    for name in _GRID_LOOKS:
        if fields.wants(mask, name):
            _look(sheet, name, grid.get(name), fields.names(mask, name))


def _frozen(wanted: int, size: int, what: str) -> int:
    if wanted >= size:
        raise invalid(f"You can't freeze all visible {what} on the sheet.")
    return wanted


def _reorder(work: BatchWork, sheet: Sheet, index: int) -> None:
    """index: counted while the tab is still in its old place."""
    sheets = work.draft.book.sheets
    if not 0 <= index <= len(sheets):
        raise invalid(f"The index {index} is out of range.")
    was = sheets.index(sheet)
    sheets.remove(sheet)
    sheets.insert(index - 1 if index > was else index, sheet)


def update_spreadsheet_properties(work: BatchWork, body: Json) -> None:
    change = body.get("properties") or {}
    mask = fields.parse(body.get("fields"))
    book = work.draft.book
    if fields.wants(mask, "title") and change.get("title"):
        book.title = change["title"]
    if fields.wants(mask, "locale") and change.get("locale"):
        book.locale = locales.known(change["locale"]).name
    if fields.wants(mask, "timeZone") and change.get("timeZone"):
        book.time_zone = known_zone(change["timeZone"])


def known_zone(name: str) -> str:
    try:
        return ZoneInfo(name).key
    except (KeyError, ValueError, OSError):
        raise invalid(f"Invalid time zone: {name}") from None


HANDLERS: dict[str, Handler] = {
    "addSheet": add_sheet,
    "deleteSheet": delete_sheet,
    "duplicateSheet": duplicate_sheet,
    "updateSheetProperties": update_sheet_properties,
    "updateSpreadsheetProperties": update_spreadsheet_properties,
}
