"""addTable, deleteTable: a range of rows under one header whose columns may have a type.

The type of a column decides how its cells look, so a number format for one of them is refused. Rows written right below
a table become part of it.
"""

from __future__ import annotations

from sheets_emulator import a1, fields
from sheets_emulator.batch.work import BatchWork, Handler
from sheets_emulator.errors import Json, invalid
from sheets_emulator.fields import Mask
from sheets_emulator.model import Sheet, Table

TYPES = frozenset(
    {"DOUBLE", "CURRENCY", "PERCENT", "DATE", "TIME", "DATE_TIME", "TEXT", "BOOLEAN", "DROPDOWN", "RATINGS_CHIP"}
)
UNTYPED = "COLUMN_TYPE_UNSPECIFIED"
REFUSED = "This operation is not allowed on cells in a typed column."


def add_table(work: BatchWork, body: Json) -> Json:
    wanted = body.get("table") or {}
    area = a1.from_grid_range(work.draft.book, wanted.get("range") or {})
    sheet = work.draft.own(area.sheet_id)
    id_ = str(wanted.get("tableId") or work.fresh_id())
    if any(table.id == id_ for other in work.draft.book.sheets for table in other.tables):
        raise invalid(f"A table with ID {id_} already exists.")
    typed = []
    for column in wanted.get("columnProperties") or []:
        kind = column.get("columnType") or UNTYPED
        if kind not in (*TYPES, UNTYPED):
            raise invalid(f"Invalid column type: {kind}.")
        if kind != UNTYPED:
            typed.append((sheet.columns[area.left + int(column.get("columnIndex") or 0)], kind))
    sheet.tables = (
        *sheet.tables,
        Table(id_, wanted.get("name") or f"Table{id_}", sheet.rows[area.top].id, tuple(typed)),
    )
    return {"addTable": {"table": {**wanted, "tableId": id_}}}


def delete_table(work: BatchWork, body: Json) -> None:
    """The cells stay as they are; they are a plain range again."""
    id_ = str(body.get("tableId"))
    for sheet in work.draft.book.sheets:
        if any(table.id == id_ for table in sheet.tables):
            own = work.draft.own(sheet.sheet_id)
            own.tables = tuple(table for table in own.tables if table.id != id_)
            return
    raise invalid(f"No table with ID {id_}.")


def require_untyped(sheet: Sheet, row: int, left: int, width: int, mask: Mask) -> None:
    """Refuses to set or remove the number format of cells that are in a typed column."""
    if not sheet.tables or not fields.wants(mask, "userEnteredFormat", "numberFormat"):
        return
    columns = set(sheet.columns[left : left + width])
    for table in sheet.tables:
        header = next((index for index, one in enumerate(sheet.rows) if one.id == table.header_row), None)
        if header is not None and row > header and any(identity in columns for identity, _ in table.typed):
            raise invalid(REFUSED)


HANDLERS: dict[str, Handler] = {"addTable": add_table, "deleteTable": delete_table}
