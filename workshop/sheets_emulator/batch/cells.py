"""updateCells, appendCells, repeatCell, findReplace: typed values into cells, nothing is ever parsed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sheets_emulator import a1, fields, structure
from sheets_emulator.a1 import Area
from sheets_emulator.batch.tables import require_untyped
from sheets_emulator.batch.work import BatchWork, Handler
from sheets_emulator.errors import Json, invalid, invalid_field
from sheets_emulator.fields import Mask
from sheets_emulator.model import EnteredFormula, Format, Row, Scalar, Sheet

_KINDS: dict[str, Any] = {
    "numberValue": (int, float),
    "stringValue": str,
    "boolValue": bool,
    "formulaValue": str,
}


def update_cells(work: BatchWork, body: Json) -> None:
    mask = _mask(body)
    area = _target(work, body)
    work.require_editable(area)
    sheet = work.draft.own(area.sheet_id)
    rows = body.get("rows") or []
    _require_inside(area, rows)
    for offset in range(area.bottom - area.top):
        cells = (rows[offset].get("values") or []) if offset < len(rows) else []
        width = len(cells) if "range" not in body else area.right - area.left
        padded = [*cells, *[{}] * (width - len(cells))]
        if padded:
            put_cells(work, sheet, area.top + offset, area.left, padded, mask)


def _mask(body: Json) -> Mask:
    if not body.get("fields"):
        raise invalid("At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)")
    return fields.parse(body["fields"])


def _target(work: BatchWork, body: Json) -> Area:
    """With start: as large as the rows given. With range: exactly that range; cells not given are emptied."""
    if body.get("range") is not None:
        return a1.from_grid_range(work.draft.book, body["range"], clip=False)
    start = body.get("start")
    if start is None:
        raise invalid("No area specified.")
    sheet = work.draft.book.sheet(int(start.get("sheetId") or 0))
    top, left = int(start.get("rowIndex") or 0), int(start.get("columnIndex") or 0)
    require_in_grid(sheet, top, left)
    rows = body.get("rows") or []
    width = max((len(row.get("values") or []) for row in rows), default=0)
    if top + len(rows) > sheet.row_count:
        raise _beyond("row", sheet.row_count)
    if left + width > sheet.column_count:
        raise _beyond("column", sheet.column_count)
    return Area(sheet.sheet_id, top, top + len(rows), left, left + width)


def require_in_grid(sheet: Sheet, row: int, column: int) -> None:
    if not 0 <= row < sheet.row_count:
        raise invalid(f"GridCoordinate.rowIndex[{row}] is after last row in grid[{sheet.row_count - 1}]")
    if not 0 <= column < sheet.column_count:
        raise invalid(f"GridCoordinate.columnIndex[{column}] is after last column in grid[{sheet.column_count - 1}]")


def _require_inside(area: Area, rows: list[Json]) -> None:
    if len(rows) > area.bottom - area.top:
        raise _beyond("row", area.bottom)
    if max((len(row.get("values") or []) for row in rows), default=0) > area.right - area.left:
        raise _beyond("column", area.right)


def _beyond(what: str, end: int) -> Exception:
    return invalid(f"Attempting to write {what}: {end}, beyond the last requested {what} of: {end - 1}")


def append_cells(work: BatchWork, body: Json) -> None:
    """After the last row with data; rows are added to the grid when there are not enough."""
    mask = _mask(body)
    rows = body.get("rows") or []
    sheet = work.draft.own(int(body.get("sheetId") or 0))
    top = sheet.last_row
    width = max((len(row.get("values") or []) for row in rows), default=0)
    if width > sheet.column_count:
        structure.append(work.draft, sheet.sheet_id, "COLUMNS", width - sheet.column_count)
    if (missing := top + len(rows) - sheet.row_count) > 0:
        structure.append(work.draft, sheet.sheet_id, "ROWS", missing)
    work.require_editable(Area(sheet.sheet_id, top, top + len(rows), 0, max(width, 1)))
    for offset, row in enumerate(rows):
        put_cells(work, sheet, top + offset, 0, row.get("values") or [], mask, appended=True)


def repeat_cell(work: BatchWork, body: Json) -> None:
    mask = _mask(body)
    area = a1.from_grid_range(work.draft.book, body.get("range") or {})
    work.require_editable(area)
    sheet = work.draft.own(area.sheet_id)
    cell = body.get("cell") or {}
    for index in range(area.top, area.bottom):
        put_cells(work, sheet, index, area.left, [cell] * (area.right - area.left), mask)


def put_cells(
    work: BatchWork, sheet: Sheet, index: int, left: int, cells: list[Json], mask: Mask, *, appended: bool = False
) -> None:
    require_untyped(sheet, index, left, len(cells), mask)
    if fields.wants(mask, "userEnteredValue"):
        values = [
            (left + offset, typed_value((cell or {}).get("userEnteredValue"))) for offset, cell in enumerate(cells)
        ]
        work.draft.write(sheet, index, values, appended=appended)
    if fields.wants(mask, "userEnteredFormat") or fields.wants(mask, "note"):
        row = work.draft.own_row(sheet, index)
        for offset, cell in enumerate(cells):
            _put_looks(row, left + offset, cell or {}, mask)


def typed_value(wrapped: Json | None) -> Scalar:
    if not wrapped:
        return None
    if len(wrapped) != 1:
        raise invalid("Exactly one value must be set.")
    kind, value = next(iter(wrapped.items()))
    wanted = _KINDS.get(kind)
    if wanted is None:
        raise invalid_field(
            "userEnteredValue", f'Invalid JSON payload received. Unknown name "{kind}": Cannot find field.'
        )
    if not isinstance(value, wanted) or (kind == "numberValue" and isinstance(value, bool)):
        raise invalid_field("userEnteredValue", f"Invalid value at 'userEnteredValue.{kind}', {value!r}")
    if kind == "formulaValue":
        if not value.startswith("="):
            raise invalid("Formulas must start with '='.")
        return EnteredFormula(value)
    typed: Scalar = value
    return typed


def _put_looks(row: Row, column: int, cell: Json, mask: Mask) -> None:
    if fields.wants(mask, "userEnteredFormat"):
        wanted = fields.apply(mask.get("userEnteredFormat", fields.EVERYTHING), cell.get("userEnteredFormat") or {})
        partial = mask.get("userEnteredFormat")
        kept: Format = _without(row.formats.get(column, {}), partial) if partial else {}
        _keep(row.formats, column, _merged(kept, wanted))
    if fields.wants(mask, "note"):
        _keep(row.notes, column, cell.get("note"))


def _without(held: Json, mask: Mask) -> Json:
    """The format without the parts that the mask names: those are replaced, also by nothing."""
    kept: Json = {}
    for name, value in held.items():
        if name not in mask:
            kept[name] = value
        elif mask[name] and isinstance(value, dict) and (rest := _without(value, mask[name])):
            kept[name] = rest
    return kept


def _merged(held: Json, more: Json) -> Json:
    both = dict(held)
    for name, value in more.items():
        both[name] = (
            _merged(both[name], value) if isinstance(both.get(name), dict) and isinstance(value, dict) else value
        )
    return both


def _keep(kept: dict[int, Any], column: int, value: Any) -> None:
    if value:
        kept[column] = value
    else:
        kept.pop(column, None)


def find_replace(work: BatchWork, body: Json) -> Json:
    find = body.get("find") or ""
    if not find:
        raise invalid("Find text must be set.")
    pattern = re.compile(find if body.get("searchByRegex") else re.escape(find), 0 if body.get("matchCase") else re.I)
    replacement = body.get("replacement") or ""
    counts = {"occurrencesChanged": 0, "valuesChanged": 0, "rowsChanged": 0, "sheetsChanged": 0}
    for area in _searched(work, body):
        changed = _replace_in(work, area, pattern, replacement, bool(body.get("matchEntireCell")), counts)
        counts["sheetsChanged"] += int(changed)
    return {"findReplace": {name: count for name, count in counts.items() if count}}


def _searched(work: BatchWork, body: Json) -> Iterator[Area]:
    book = work.draft.book
    if body.get("allSheets"):
        yield from map(a1.whole, list(book.sheets))
    elif body.get("range") is not None:
        yield a1.from_grid_range(book, body["range"])
    elif body.get("sheetId") is not None:
        yield a1.whole(book.sheet(int(body["sheetId"])))
    else:
        raise invalid("No search scope set.")


def _replace_in(
    work: BatchWork, area: Area, pattern: re.Pattern[str], replacement: str, entire: bool, counts: dict[str, int]
) -> bool:
    sheet = work.draft.own(area.sheet_id)
    found = False
    for index in range(area.top, area.bottom):
        changes: list[tuple[int, Scalar]] = []
        for column in range(area.left, area.right):
            value = sheet.value(index, column)
            if isinstance(value, str) and (not entire or pattern.fullmatch(value)):
                text, times = pattern.subn(lambda _: replacement, value)
                if times:
                    changes.append((column, text))
                    counts["occurrencesChanged"] += times
        if changes:
            for column, _ in changes:
                work.require_editable(Area(area.sheet_id, index, index + 1, column, column + 1))
            counts["valuesChanged"] += work.draft.write(sheet, index, changes)
            counts["rowsChanged"] += 1
            found = True
    return found


HANDLERS: dict[str, Handler] = {
    "updateCells": update_cells,
    "appendCells": append_cells,
    "repeatCell": repeat_cell,
    "findReplace": find_replace,
}
