"""What a person's hands do to a workbook: type, paste, insert, sort, rename, filter, undo. Rows are counted from 1."""

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


def act(emulator: Emulator, file_id: str, name: str, said: Json) -> Json:
    """One act, one revision."""
    if name not in ACTS:
        raise invalid(f"No such act: {name}. There are: {', '.join(sorted(ACTS))}, undo, restore, replace_by_copy.")
    written: list[CellWrite] = []

    def make(work: BatchWork) -> Json:
        answer = ACTS[name](work, said)
        written.extend(work.draft.written)
        return answer or {}

    try:
        answer = emulator.change(file_id, name, make)
    except (KeyError, TypeError, ValueError) as error:
        raise invalid(f"{name} needs more, or other, than was said: {error!r}") from None
    file = emulator.file(file_id)
    file.undoable.append((file.book.revision, name, written))
    return {"revision": file.book.revision, **answer}


def undo(emulator: Emulator, file_id: str) -> Json:
    """The person's last act is taken back; what others wrote elsewhere since stays."""
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


def _sheet(work: BatchWork, said: Json) -> Sheet:
    wanted = said["sheet"]
    if isinstance(wanted, int):
        return work.draft.book.sheet(wanted)
    sheet = work.draft.book.titled(wanted)
    if sheet is None:
        raise invalid(f"There is no tab {wanted}.")
    return sheet


def _area(work: BatchWork, said: Json) -> Area:
    """The range, or without one the whole tab."""
    return _named(work, said, said["range"]) if said.get("range") else a1.whole(_sheet(work, said))


def _cell(work: BatchWork, said: Json) -> Area:
    return _named(work, said, said["cell"])


def _named(work: BatchWork, said: Json, name: str) -> Area:
    return a1.parse(work.draft.book, f"{a1.quoted(_sheet(work, said).title)}!{name}")


def _edit(work: BatchWork, said: Json) -> None:
    area = _cell(work, said)
    value = "" if said.get("value") is None else said["value"]
    cell_values.update(work, area, {"values": [[value]]}, _RAW if said.get("as") == "RAW" else _TYPED)


def _paste(work: BatchWork, said: Json) -> None:
    corner = _cell(work, said)
    rows = said["rows"]
    sheet = work.draft.book.sheet(corner.sheet_id)
    right = corner.left + max(map(len, rows), default=0)
    structure.resize(
        work.draft, sheet.sheet_id, max(sheet.row_count, corner.top + len(rows)), max(sheet.column_count, right)
    )
    area = Area(sheet.sheet_id, corner.top, corner.top + len(rows), corner.left, right)
    cell_values.update(work, area, {"values": rows}, _RAW if said.get("as") == "RAW" else _TYPED)


def _clear(work: BatchWork, said: Json) -> None:
    cell_values.clear(work, _area(work, said))


def _add_row(work: BatchWork, said: Json) -> Json:
    """By header, after the last row with data."""
    sheet = _sheet(work, said)
    header = list(sheet.rows[0].values)
    top = sheet.last_row
    if top >= sheet.row_count:
        structure.append(work.draft, sheet.sheet_id, "ROWS", 1)
    cells = [(header.index(name), value) for name, value in said["values"].items() if value is not None]
    cell_values.type_in(work, work.draft.own(sheet.sheet_id), top, cells)
    return {"row": top + 1}


def _rename_header(work: BatchWork, said: Json) -> None:
    sheet = _sheet(work, said)
    column = _column(sheet, said["column"])
    work.draft.write(work.draft.own(sheet.sheet_id), 0, [(column, said["to"])])


def _pin(work: BatchWork, said: Json) -> None:
    """What a formula shows, for those that cannot be computed here."""
    area = _cell(work, said)
    sheet = work.draft.own(area.sheet_id)
    value = sheet.value(area.top, area.left)
    if not isinstance(value, EnteredFormula):
        raise invalid(f"There is no formula in {said['cell']}.")
    work.draft.own_row(sheet, area.top).put(area.left, replace(value, pinned=said["value"]))


def _set_format(work: BatchWork, said: Json) -> None:
    area = _area(work, said)
    sheet = work.draft.own(area.sheet_id)
    form = {"type": said["type"], "pattern": said.get("pattern", "")} if said.get("type") else None
    for index in range(area.top, area.bottom):
        row = work.draft.own_row(sheet, index)
        for column in range(area.left, area.right):
            rest = {name: value for name, value in row.formats.get(column, {}).items() if name != "numberFormat"}
            row.formats[column] = {**rest, "numberFormat": form} if form else rest


# ─── rows and columns ─────────────────────────────────────────────────────────────────────────────────────────


def _column(sheet: Sheet, said: Any) -> int:
    """By header, by letters, or by number from 1."""
    if isinstance(said, int):
        return said - 1
    header = sheet.rows[0].values
    return header.index(said) if said in header else a1.column_number(said)


def _insert_rows(work: BatchWork, said: Json) -> None:
    structure.insert(work.draft, _sheet(work, said).sheet_id, "ROWS", said["at"] - 1, said.get("count", 1))


def _delete_rows(work: BatchWork, said: Json) -> None:
    start = said["at"] - 1
    structure.delete(work.draft, _sheet(work, said).sheet_id, "ROWS", start, start + said.get("count", 1))


def _move_rows(work: BatchWork, said: Json) -> None:
    start = said["at"] - 1
    end = start + said.get("count", 1)
    structure.move(work.draft, _sheet(work, said).sheet_id, "ROWS", start, end, said["to"] - 1)


def _insert_columns(work: BatchWork, said: Json) -> None:
    sheet = _sheet(work, said)
    structure.insert(work.draft, sheet.sheet_id, "COLUMNS", _column(sheet, said["at"]), said.get("count", 1))


def _delete_columns(work: BatchWork, said: Json) -> None:
    sheet = _sheet(work, said)
    start = _column(sheet, said["at"])
    structure.delete(work.draft, sheet.sheet_id, "COLUMNS", start, start + said.get("count", 1))


def _move_columns(work: BatchWork, said: Json) -> None:
    """to: the column that they are to stand before."""
    sheet = _sheet(work, said)
    start = _column(sheet, said["at"])
    end = start + said.get("count", 1)
    structure.move(work.draft, sheet.sheet_id, "COLUMNS", start, end, _column(sheet, said["to"]))


def _sort(work: BatchWork, said: Json) -> None:
    """Without a range: everything below the header."""
    sheet = _sheet(work, said)
    below = Area(sheet.sheet_id, 1, max(sheet.last_row, 1), 0, sheet.column_count)
    area = _area(work, said) if said.get("range") else below
    by = [(_column(sheet, said["column"]), bool(said.get("descending")))]
    structure.sort(work.draft, area, by, work.now, rows_move=work.rows_move_on_sort)


def _cut_paste(work: BatchWork, said: Json) -> None:
    source = _area(work, said)
    target = _cell(work, {"sheet": said.get("to_sheet", said["sheet"]), "cell": said["to"]})
    structure.paste(work.draft, source, target.sheet_id, target.top, target.left, cut=True)


# ─── tabs, filters, protection ────────────────────────────────────────────────────────────────────────────────


def _request(kind: str, body: Callable[[BatchWork, Json], Json]) -> Callable[[BatchWork, Json], Json]:
    """What the API can do too is done the API's way."""

    def do(work: BatchWork, said: Json) -> Json:
        return batch.apply_all(work, [{kind: body(work, said)}])[0]

    return do


def _rename_tab(work: BatchWork, said: Json) -> Json:
    return {"properties": {"sheetId": _sheet(work, said).sheet_id, "title": said["to"]}, "fields": "title"}


def _reorder_tab(work: BatchWork, said: Json) -> Json:
    return {"properties": {"sheetId": _sheet(work, said).sheet_id, "index": said["to"]}, "fields": "index"}


def _duplicate_tab(work: BatchWork, said: Json) -> Json:
    return {"sourceSheetId": _sheet(work, said).sheet_id, "newSheetName": said.get("to")}


def _filter(work: BatchWork, said: Json) -> Json:
    return {"filter": {"range": {**_area(work, said).grid_range, "sheetId": _sheet(work, said).sheet_id}}}


def _protect(work: BatchWork, said: Json) -> Json:
    grid = {**_area(work, said).grid_range, "sheetId": _sheet(work, said).sheet_id}
    return {"protectedRange": {"range": grid, "warningOnly": bool(said.get("warning")), "editors": said.get("editors")}}


def _unprotect(work: BatchWork, said: Json) -> None:
    work.draft.own(_sheet(work, said).sheet_id).protected = ()


def _make_table(work: BatchWork, said: Json) -> Json:
    """types: column → type; the other columns of the table have none."""
    sheet = _sheet(work, said)
    columns = [{"columnIndex": _column(sheet, name), "columnType": kind} for name, kind in said["types"].items()]
    table = {"name": said.get("name"), "range": {"sheetId": sheet.sheet_id}, "columnProperties": columns}
    return {"table": table}


def _drop_tables(work: BatchWork, said: Json) -> None:
    work.draft.own(_sheet(work, said).sheet_id).tables = ()


def _locale(work: BatchWork, said: Json) -> None:
    work.draft.book.locale = known(said["locale"]).name


def _time_zone(work: BatchWork, said: Json) -> None:
    work.draft.book.time_zone = known_zone(said["time_zone"])


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
    "add_tab": _request("addSheet", lambda _work, said: {"properties": {"title": said["title"]}}),
    "rename_tab": _request("updateSheetProperties", _rename_tab),
    "reorder_tab": _request("updateSheetProperties", _reorder_tab),
    "delete_tab": _request("deleteSheet", lambda work, said: {"sheetId": _sheet(work, said).sheet_id}),
    "duplicate_tab": _request("duplicateSheet", _duplicate_tab),
    "filter": _request("setBasicFilter", _filter),
    "unfilter": _request("clearBasicFilter", lambda work, said: {"sheetId": _sheet(work, said).sheet_id}),
    "protect": _request("addProtectedRange", _protect),
    "unprotect": _unprotect,
    "make_table": _request("addTable", _make_table),
    "drop_tables": _drop_tables,
    "locale": _locale,
    "time_zone": _time_zone,
}


def file_of(emulator: Emulator, said: Json) -> tuple[str, DriveFile]:
    """The workbook meant: by id, or the first that is not in the bin."""
    with emulator.lock:
        file_id = said.get("spreadsheet") or next((i for i, file in emulator.files.items() if not file.trashed), "")
        return file_id, emulator.file(file_id)
