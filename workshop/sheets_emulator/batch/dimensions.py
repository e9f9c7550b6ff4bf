"""insert, append, delete and moveDimension, sortRange, cutPaste, copyPaste: requests that move cells."""

from __future__ import annotations

from sheets_emulator import a1, fields, structure
from sheets_emulator.a1 import Area
from sheets_emulator.batch.work import BatchWork, Handler
from sheets_emulator.errors import Json, invalid


def _span(work: BatchWork, span: Json | None) -> tuple[int, str, int, int]:
    if not span or span.get("dimension") not in ("ROWS", "COLUMNS"):
        raise invalid("No dimension set.")
    sheet = work.draft.book.sheet(int(span.get("sheetId") or 0))
    size = sheet.row_count if span["dimension"] == "ROWS" else sheet.column_count
    end = size if span.get("endIndex") is None else int(span["endIndex"])
    return sheet.sheet_id, span["dimension"], int(span.get("startIndex") or 0), end


def _require_editable(work: BatchWork, sheet_id: int, dimension: str, start: int, end: int) -> None:
    sheet = work.draft.book.sheet(sheet_id)
    if dimension == "ROWS":
        work.require_editable(Area(sheet_id, start, end, 0, sheet.column_count))
    else:
        work.require_editable(Area(sheet_id, 0, sheet.row_count, start, end))


def append_dimension(work: BatchWork, body: Json) -> None:
    structure.append(
        work.draft, int(body.get("sheetId") or 0), body.get("dimension") or "", int(body.get("length") or 0)
    )


def insert_dimension(work: BatchWork, body: Json) -> None:
    sheet_id, dimension, start, end = _span(work, body.get("range"))
    structure.insert(work.draft, sheet_id, dimension, start, end - start)


def delete_dimension(work: BatchWork, body: Json) -> None:
    sheet_id, dimension, start, end = _span(work, body.get("range"))
    _require_editable(work, sheet_id, dimension, start, end)
    structure.delete(work.draft, sheet_id, dimension, start, end)


def move_dimension(work: BatchWork, body: Json) -> None:
    sheet_id, dimension, start, end = _span(work, body.get("source"))
    _require_editable(work, sheet_id, dimension, start, end)
    structure.move(work.draft, sheet_id, dimension, start, end, int(body.get("destinationIndex") or 0))


def update_properties(work: BatchWork, body: Json) -> None:
    """Widths and hidden rows or columns are stored and have no effect."""
    sheet_id, dimension, start, end = _span(work, body.get("range"))
    change = fields.apply(fields.parse(body.get("fields")), body.get("properties") or {})
    sheet = work.draft.own(sheet_id)
    identities = [row.id for row in sheet.rows] if dimension == "ROWS" else sheet.columns
    for identity in identities[start:end]:
        looks = {**sheet.dimensions.get(identity, {}), **change}
        sheet.dimensions[identity] = {name: value for name, value in looks.items() if value}


def auto_resize(work: BatchWork, body: Json) -> None:
    _span(work, body.get("dimensions"))


def sort_range(work: BatchWork, body: Json) -> None:
    area = a1.from_grid_range(work.draft.book, body.get("range") or {})
    work.require_editable(area)
    specs = body.get("sortSpecs") or []
    if not specs:
        raise invalid("No sort specs.")
    by = [(int(spec.get("dimensionIndex") or 0), spec.get("sortOrder") == "DESCENDING") for spec in specs]
    structure.sort(work.draft, area, by, work.now, rows_move=work.rows_move_on_sort)


def cut_paste(work: BatchWork, body: Json) -> None:
    source = a1.from_grid_range(work.draft.book, body.get("source") or {})
    to = body.get("destination") or {}
    sheet_id, top, left = int(to.get("sheetId") or 0), int(to.get("rowIndex") or 0), int(to.get("columnIndex") or 0)
    height, width = source.bottom - source.top, source.right - source.left
    work.require_editable(source)
    work.require_editable(Area(sheet_id, top, top + height, left, left + width))
    structure.paste(work.draft, source, sheet_id, top, left, cut=True)


def copy_paste(work: BatchWork, body: Json) -> None:
    source = a1.from_grid_range(work.draft.book, body.get("source") or {})
    target = a1.from_grid_range(work.draft.book, body.get("destination") or {})
    height, width = source.bottom - source.top, source.right - source.left
    work.require_editable(target)
    for top in range(target.top, max(target.bottom - height, target.top) + 1, height):
        for left in range(target.left, max(target.right - width, target.left) + 1, width):
            structure.paste(work.draft, source, target.sheet_id, top, left, cut=False)


HANDLERS: dict[str, Handler] = {
    "appendDimension": append_dimension,
    "insertDimension": insert_dimension,
    "deleteDimension": delete_dimension,
    "moveDimension": move_dimension,
    "updateDimensionProperties": update_properties,
    "autoResizeDimensions": auto_resize,
    "sortRange": sort_range,
    "cutPaste": cut_paste,
    "copyPaste": copy_paste,
}
