"""What a person does in a workbook: type, paste, insert, sort, rename, filter, undo. Rows are counted from 1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sheets_emulator import a1, batch, cell_values, structure
from sheets_emulator.a1 import Area
from sheets_emulator.batch.sheets import known_zone
from sheets_emulator.batch.work import BatchWork
from sheets_emulator.cell_values import Input
from sheets_emulator.emulator import DriveFile, Emulator
from sheets_emulator.errors import Json, invalid
from sheets_emulator.locales import known
from sheets_emulator.model import CellWrite, Draft, EnteredFormula, Sheet

_TYPED = Input("USER_ENTERED", False, None, None)
_RAW = Input("RAW", False, None, None)
_CELLS_ONLY = frozenset({"edit", "paste", "clear", "rename_header", "add_row"})


def act(emulator: Emulator, file_id: str, name: str, params: Json) -> Json:
    """One act, one revision."""
    if name not in ACTS:
        raise invalid(f"No such act: {name}. There are: {', '.join(sorted(ACTS))}, undo, restore, replace_by_copy.")
    written: list[CellWrite] = []

    def make(work: BatchWork) -> Json:
        answer = ACTS[name](work, params)
        written.extend(work.draft.written)
        return answer or {}

    try:
        answer = emulator.change(file_id, name, make)
    except (KeyError, TypeError, ValueError) as error:
        raise invalid(f"{name} lacks a parameter or got a wrong one: {error!r}") from None
    file = emulator.file(file_id)
    file.undoable.append((file.book.revision, name, written))
    return {"revision": file.book.revision, **answer}


def undo(emulator: Emulator, file_id: str) -> Json:
    """Undoes the person's last act; what others have written elsewhere since then stays."""
    with emulator.lock:
        file = emulator.file(file_id)
        if not file.undoable:
            raise invalid("There is nothing to undo.")
        revision, name, written = file.undoable.pop()
        if revision == file.book.revision:
            emulator.restore(file_id, revision - 1, "undo")
        elif name in _CELLS_ONLY:
            emulator.change(file_id, "undo", lambda work: _take_back(work.draft, written))
        else:
            raise invalid(f"{name} cannot be undone any more: others wrote since.")
        return {"revision": emulator.file(file_id).book.revision, "undone": name}


def _take_back(draft: Draft, written: list[CellWrite]) -> None:
    for write in reversed(written):
        sheet = draft.own(write.sheet_id)
        index = next((index for index, row in enumerate(sheet.rows) if row.id == write.row.id), None)
        if index is not None:
            draft.write(sheet, index, [(column, was) for column, was, _ in write.was])


def replace_by_copy(emulator: Emulator, file_id: str, title: str | None = None) -> Json:
    """The workbook goes to the bin, a copy with other ids takes its place."""
    with emulator.lock:
        book = emulator.copy(file_id, title or f"Copy of {emulator.file(file_id).book.title}")
        emulator.file(file_id).trashed = True
        return {"spreadsheetId": book.id, "sheetIds": {sheet.title: sheet.sheet_id for sheet in book.sheets}}


# ─── cells ────────────────────────────────────────────────────────────────────────────────────────────────────


def _sheet(work: BatchWork, params: Json) -> Sheet:
    wanted = params["sheet"]
    if isinstance(wanted, int):
        return work.draft.book.sheet(wanted)
    sheet = work.draft.book.titled(wanted)
    if sheet is None:
        raise invalid(f"There is no tab {wanted}.")
    return sheet


def _area(work: BatchWork, params: Json) -> Area:
    """The range, or without one the whole tab."""
    return _named(work, params, params["range"]) if params.get("range") else a1.whole(_sheet(work, params))


def _cell(work: BatchWork, params: Json) -> Area:
    return _named(work, params, params["cell"])


def _named(work: BatchWork, params: Json, name: str) -> Area:
    return a1.parse(work.draft.book, f"{a1.quoted(_sheet(work, params).title)}!{name}")


def _edit(work: BatchWork, params: Json) -> None:
    area = _cell(work, params)
    value = "" if params.get("value") is None else params["value"]
    cell_values.update(work, area, {"values": [[value]]}, _RAW if params.get("as") == "RAW" else _TYPED)


def _paste(work: BatchWork, params: Json) -> None:
    corner = _cell(work, params)
    rows = params["rows"]
    sheet = work.draft.book.sheet(corner.sheet_id)
    right = corner.left + max(map(len, rows), default=0)
    structure.resize(
        work.draft, sheet.sheet_id, max(sheet.row_count, corner.top + len(rows)), max(sheet.column_count, right)
    )
    area = Area(sheet.sheet_id, corner.top, corner.top + len(rows), corner.left, right)
    cell_values.update(work, area, {"values": rows}, _RAW if params.get("as") == "RAW" else _TYPED)


def _clear(work: BatchWork, params: Json) -> None:
    cell_values.clear(work, _area(work, params))


def _add_row(work: BatchWork, params: Json) -> Json:
    """By header, after the last row with data."""
    sheet = _sheet(work, params)
    header = list(sheet.rows[0].values)
    top = sheet.last_row
    if top >= sheet.row_count:
        structure.append(work.draft, sheet.sheet_id, "ROWS", 1)
    cells = [(header.index(name), value) for name, value in params["values"].items() if value is not None]
    cell_values.type_in(work, work.draft.own(sheet.sheet_id), top, cells)
    return {"row": top + 1}


def _rename_header(work: BatchWork, params: Json) -> None:
    sheet = _sheet(work, params)
    column = _column(sheet, params["column"])
    work.draft.write(work.draft.own(sheet.sheet_id), 0, [(column, params["to"])])


def _pin(work: BatchWork, params: Json) -> None:
    """Sets the value that a formula shows, for formulas that the emulator cannot compute."""
    area = _cell(work, params)
    sheet = work.draft.own(area.sheet_id)
    value = sheet.value(area.top, area.left)
    if not isinstance(value, EnteredFormula):
        raise invalid(f"There is no formula in {params['cell']}.")
    work.draft.own_row(sheet, area.top).put(area.left, replace(value, pinned=params["value"]))


def _set_format(work: BatchWork, params: Json) -> None:
    area = _area(work, params)
    sheet = work.draft.own(area.sheet_id)
    form = {"type": params["type"], "pattern": params.get("pattern", "")} if params.get("type") else None
    for index in range(area.top, area.bottom):
        row = work.draft.own_row(sheet, index)
        for column in range(area.left, area.right):
            rest = {name: value for name, value in row.formats.get(column, {}).items() if name != "numberFormat"}
            row.formats[column] = {**rest, "numberFormat": form} if form else rest


# ─── rows and columns ─────────────────────────────────────────────────────────────────────────────────────────


def _column(sheet: Sheet, named: Any) -> int:
    """By header, by letters, or by number from 1."""
    if isinstance(named, int):
        return named - 1
    header = sheet.rows[0].values
    return header.index(named) if named in header else a1.column_number(named)


def _insert_rows(work: BatchWork, params: Json) -> None:
    structure.insert(work.draft, _sheet(work, params).sheet_id, "ROWS", params["at"] - 1, params.get("count", 1))


def _delete_rows(work: BatchWork, params: Json) -> None:
    start = params["at"] - 1
    structure.delete(work.draft, _sheet(work, params).sheet_id, "ROWS", start, start + params.get("count", 1))


def _move_rows(work: BatchWork, params: Json) -> None:
    start = params["at"] - 1
    end = start + params.get("count", 1)
    structure.move(work.draft, _sheet(work, params).sheet_id, "ROWS", start, end, params["to"] - 1)


def _insert_columns(work: BatchWork, params: Json) -> None:
    sheet = _sheet(work, params)
    structure.insert(work.draft, sheet.sheet_id, "COLUMNS", _column(sheet, params["at"]), params.get("count", 1))


def _delete_columns(work: BatchWork, params: Json) -> None:
    sheet = _sheet(work, params)
    start = _column(sheet, params["at"])
    structure.delete(work.draft, sheet.sheet_id, "COLUMNS", start, start + params.get("count", 1))


def _move_columns(work: BatchWork, params: Json) -> None:
    """to: the column before which they are put."""
    sheet = _sheet(work, params)
    start = _column(sheet, params["at"])
    end = start + params.get("count", 1)
    structure.move(work.draft, sheet.sheet_id, "COLUMNS", start, end, _column(sheet, params["to"]))


def _sort(work: BatchWork, params: Json) -> None:
    """Without a range: everything below the header."""
    sheet = _sheet(work, params)
    below = Area(sheet.sheet_id, 1, max(sheet.last_row, 1), 0, sheet.column_count)
    area = _area(work, params) if params.get("range") else below
    by = [(_column(sheet, params["column"]), bool(params.get("descending")))]
    structure.sort(work.draft, area, by, work.now, rows_move=work.rows_move_on_sort)


def _cut_paste(work: BatchWork, params: Json) -> None:
    source = _area(work, params)
    target = _cell(work, {"sheet": params.get("to_sheet", params["sheet"]), "cell": params["to"]})
    structure.paste(work.draft, source, target.sheet_id, target.top, target.left, cut=True)


# ─── tabs, filters, protection ────────────────────────────────────────────────────────────────────────────────


def _request(kind: str, body: Callable[[BatchWork, Json], Json]) -> Callable[[BatchWork, Json], Json]:
    """An act that the API has as a request too: carried out as that request."""

    def do(work: BatchWork, params: Json) -> Json:
        return batch.apply_all(work, [{kind: body(work, params)}])[0]

    return do


def _rename_tab(work: BatchWork, params: Json) -> Json:
    return {"properties": {"sheetId": _sheet(work, params).sheet_id, "title": params["to"]}, "fields": "title"}


def _reorder_tab(work: BatchWork, params: Json) -> Json:
    return {"properties": {"sheetId": _sheet(work, params).sheet_id, "index": params["to"]}, "fields": "index"}


def _duplicate_tab(work: BatchWork, params: Json) -> Json:
    return {"sourceSheetId": _sheet(work, params).sheet_id, "newSheetName": params.get("to")}


def _filter(work: BatchWork, params: Json) -> Json:
    return {"filter": {"range": {**_area(work, params).grid_range, "sheetId": _sheet(work, params).sheet_id}}}


def _protect(work: BatchWork, params: Json) -> Json:
    grid = {**_area(work, params).grid_range, "sheetId": _sheet(work, params).sheet_id}
    return {
        "protectedRange": {"range": grid, "warningOnly": bool(params.get("warning")), "editors": params.get("editors")}
    }


def _unprotect(work: BatchWork, params: Json) -> None:
    work.draft.own(_sheet(work, params).sheet_id).protected = ()


def _make_table(work: BatchWork, params: Json) -> Json:
    """types: column → type; the other columns of the table have none."""
    sheet = _sheet(work, params)
    columns = [{"columnIndex": _column(sheet, name), "columnType": kind} for name, kind in params["types"].items()]
    table = {"name": params.get("name"), "range": {"sheetId": sheet.sheet_id}, "columnProperties": columns}
    return {"table": table}


def _drop_tables(work: BatchWork, params: Json) -> None:
    work.draft.own(_sheet(work, params).sheet_id).tables = ()


def _locale(work: BatchWork, params: Json) -> None:
    work.draft.book.locale = known(params["locale"]).name


def _time_zone(work: BatchWork, params: Json) -> None:
    work.draft.book.time_zone = known_zone(params["time_zone"])


ACTS: dict[str, Callable[[BatchWork, Json], Json | None]] = {
    "edit": _edit,
    "paste": _paste,
    "clear": _clear,
    "add_row": _add_row,
    "rename_header": _rename_header,
    "pin": _pin,
    "set_format": _set_format,
    "insert_rows": _insert_rows,
    "delete_rows": _delete_rows,
    "move_rows": _move_rows,
    "insert_columns": _insert_columns,
    "delete_columns": _delete_columns,
    "move_columns": _move_columns,
    "sort": _sort,
    "cut_paste": _cut_paste,
    "add_tab": _request("addSheet", lambda _work, params: {"properties": {"title": params["title"]}}),
    "rename_tab": _request("updateSheetProperties", _rename_tab),
    "reorder_tab": _request("updateSheetProperties", _reorder_tab),
    "delete_tab": _request("deleteSheet", lambda work, params: {"sheetId": _sheet(work, params).sheet_id}),
    "duplicate_tab": _request("duplicateSheet", _duplicate_tab),
    "filter": _request("setBasicFilter", _filter),
    "unfilter": _request("clearBasicFilter", lambda work, params: {"sheetId": _sheet(work, params).sheet_id}),
    "protect": _request("addProtectedRange", _protect),
    "unprotect": _unprotect,
    "make_table": _request("addTable", _make_table),
    "drop_tables": _drop_tables,
    "locale": _locale,
    "time_zone": _time_zone,
}


def file_of(emulator: Emulator, params: Json) -> tuple[str, DriveFile]:
    """The workbook with the given id, or without one the first that is not in the bin."""
    with emulator.lock:
        file_id = params.get("spreadsheet") or next((i for i, file in emulator.files.items() if not file.trashed), "")
        return file_id, emulator.file(file_id)
