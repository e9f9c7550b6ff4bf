"""Rows and columns inserted, deleted, moved, sorted, cut and pasted, by the API or by a person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sheets_emulator import formulas, metadata
from sheets_emulator.a1 import Area
from sheets_emulator.errors import Json, invalid
from sheets_emulator.model import (
    COLUMNS_MAX,
    Book,
    Draft,
    EnteredFormula,
    ErrorValue,
    Format,
    Mark,
    Row,
    Scalar,
    Sheet,
)

Order = list[int | None]  # for each new place its old index, None for a new row or column


def insert(draft: Draft, sheet_id: int, dimension: str, at: int, count: int) -> None:
    size = _size(draft.book.sheet(sheet_id), dimension)
    if not 0 <= at <= size or count < 1:
        raise invalid(f"Cannot insert {count} {dimension.lower()} at {at}: the sheet has {size}.")
    rearrange(draft, sheet_id, dimension, [*range(at), *[None] * count, *range(at, size)])


def append(draft: Draft, sheet_id: int, dimension: str, count: int) -> None:
    insert(draft, sheet_id, dimension, _size(draft.book.sheet(sheet_id), dimension), count)


def delete(draft: Draft, sheet_id: int, dimension: str, start: int, end: int) -> None:
    size = _size(draft.book.sheet(sheet_id), dimension)
    if not 0 <= start < end <= size:
        raise invalid(f"Cannot delete {dimension.lower()} {start} to {end}: the sheet has {size}.")
    if end - start == size:
        raise invalid(f"You can't delete all the {dimension.lower()} on the sheet.")
    rearrange(draft, sheet_id, dimension, [*range(start), *range(end, size)])


def move(draft: Draft, sheet_id: int, dimension: str, start: int, end: int, to: int) -> None:
    """to: counted before anything moves, as the API counts."""
    size = _size(draft.book.sheet(sheet_id), dimension)
    if not (0 <= start < end <= size and 0 <= to <= size) or start < to < end:
        raise invalid(f"Cannot move {dimension.lower()} {start} to {end} before {to}.")
    rest = [index for index in range(size) if not start <= index < end]
    place = sum(1 for index in rest if index < to)
    rearrange(draft, sheet_id, dimension, [*rest[:place], *range(start, end), *rest[place:]])


def rearrange(draft: Draft, sheet_id: int, dimension: str, order: Sequence[int | None]) -> None:
    """The only function that moves rows and columns: identities, metadata, ranges and formulas follow."""
    sheet = draft.own(sheet_id)
    places = {was: now for now, was in enumerate(order) if was is not None}
    if dimension == "ROWS":
        gone = {row.id for index, row in enumerate(sheet.rows) if index not in places}
        fresh = iter(draft.blank_rows(sum(1 for was in order if was is None)))
        sheet.rows = [next(fresh) if was is None else sheet.rows[was] for was in order]
    else:
        gone = {identity for index, identity in enumerate(sheet.columns) if index not in places}
        _reshape(draft, sheet, list(order))
    metadata.forget(draft, sheet_id, gone)
    _shift_ranges(draft, sheet, dimension, places.get)
    formulas.follow(draft, sheet, dimension, places.get)
    draft.require_room()


def _reshape(draft: Draft, sheet: Sheet, order: Order) -> None:
    if len(order) > COLUMNS_MAX:
        raise invalid(f"This action would increase the number of columns above the limit of {COLUMNS_MAX} columns.")
    fresh = iter(draft.identities(sum(1 for was in order if was is None)))
    sheet.columns = [next(fresh) if was is None else sheet.columns[was] for was in order]
    for index, row in enumerate(sheet.rows):
        if row.values or row.formats or row.notes or row.writers:
            draft.own_row(sheet, index).reshape(order)


def _size(sheet: Sheet, dimension: str) -> int:
    if dimension not in ("ROWS", "COLUMNS"):
        raise invalid("No dimension set.")
    return sheet.row_count if dimension == "ROWS" else sheet.column_count


def resize(draft: Draft, sheet_id: int, rows: int | None, columns: int | None) -> None:
    for dimension, wanted in (("ROWS", rows), ("COLUMNS", columns)):
        size = _size(draft.book.sheet(sheet_id), dimension)
        if wanted is None or wanted == size:
            continue
        if wanted < 1:
            raise invalid(f"You can't delete all the {dimension.lower()} on the sheet.")
        if wanted > size:
            append(draft, sheet_id, dimension, wanted - size)
        else:
            delete(draft, sheet_id, dimension, wanted, size)


# ─── ranges that follow ───────────────────────────────────────────────────────────────────────────────────────


def _shift_ranges(draft: Draft, sheet: Sheet, dimension: str, now_at: Callable[[int], int | None]) -> None:
    """Moves the filter, protected and named ranges; one of which nothing is left is removed."""
    if sheet.basic_filter:
        moved = shifted(sheet.basic_filter["range"], dimension, now_at)
        sheet.basic_filter = {**sheet.basic_filter, "range": moved} if moved else None
    kept = ({**one, "range": shifted(one["range"], dimension, now_at)} for one in sheet.protected)
    sheet.protected = tuple(one for one in kept if one["range"])
    for id_, named in list(draft.book.named_ranges.items()):
        if int(named["range"].get("sheetId") or 0) == sheet.sheet_id:
            moved = shifted(named["range"], dimension, now_at)
            held = draft.own_named_ranges()
            if moved:
                held[id_] = {**named, "range": moved}
            else:
                del held[id_]


def shifted(grid: Json, dimension: str, now_at: Callable[[int], int | None]) -> Json | None:
    first, last = ("startRowIndex", "endRowIndex") if dimension == "ROWS" else ("startColumnIndex", "endColumnIndex")
    if grid.get(last) is None:
        return grid
    left = [
        place for index in range(int(grid.get(first) or 0), int(grid[last])) if (place := now_at(index)) is not None
    ]
    return {**grid, first: min(left), last: max(left) + 1} if left else None


# ─── pieces of rows ───────────────────────────────────────────────────────────────────────────────────────────


class Piece(NamedTuple):
    """The cells of some columns of one row, taken out to be put elsewhere."""

    values: list[Scalar]
    formats: dict[int, Format]
    notes: dict[int, str]
    writers: dict[int, Mark]


def lifted(row: Row, left: int, right: int) -> Piece:
    def part(kept: dict[int, Any]) -> dict[int, Any]:
        return {column - left: value for column, value in kept.items() if left <= column < right}

    values = [row.get(column) for column in range(left, right)]
    return Piece(values, part(row.formats), part(row.notes), part(row.writers))


def laid(draft: Draft, sheet: Sheet, index: int, left: int, piece: Piece) -> None:
    row = draft.own_row(sheet, index)
    for offset, value in enumerate(piece.values):
        column = left + offset
        row.put(column, value)
        for kept, brought in ((row.formats, piece.formats), (row.notes, piece.notes), (row.writers, piece.writers)):
            _set(kept, column, brought.get(offset))


def _set(kept: dict[int, Any], column: int, value: Any) -> None:
    if value is None:
        kept.pop(column, None)
    else:
        kept[column] = value


def sort(draft: Draft, area: Area, by: Sequence[tuple[int, bool]], now: datetime, *, rows_move: bool = False) -> None:
    """by: columns of the sheet and whether descending. Cells move; the rows themselves only if rows_move says so."""
    sheet = draft.own(area.sheet_id)
    order = list(range(area.top, area.bottom))
    for column, descending in reversed(by):
        filled = [index for index in order if sheet.value(index, column) is not None]
        blank = [index for index in order if sheet.value(index, column) is None]
        filled.sort(key=lambda index: _rank(draft.book, sheet, sheet.value(index, column), now), reverse=descending)
        order = filled + blank
    if rows_move and area.left == 0 and area.right >= sheet.column_count:
        sheet.rows[area.top : area.bottom] = [sheet.rows[index] for index in order]
        return
    pieces = [lifted(sheet.rows[index], area.left, area.right) for index in order]
    for index, (was, piece) in enumerate(zip(order, pieces, strict=True), area.top):
        if was != index:
            laid(draft, sheet, index, area.left, piece)


def _rank(book: Book, sheet: Sheet, value: Scalar, now: datetime) -> tuple[int, float, str]:
    """Numbers, then text whatever its case, then FALSE and TRUE, then errors."""
    if isinstance(value, EnteredFormula):
        value = formulas.effective(book, sheet, value, now)
    if isinstance(value, bool):
        return 2, float(value), ""
    if isinstance(value, int | float):
        return 0, float(value), ""
    if isinstance(value, ErrorValue):
        return 3, 0.0, value.text
    return 1, 0.0, str(value or "").casefold()


def paste(draft: Draft, source: Area, sheet_id: int, top: int, left: int, *, cut: bool) -> Area:
    """Pastes values and formats; metadata stays with its row. The grid does not grow."""
    height, width = source.bottom - source.top, source.right - source.left
    target = draft.own(sheet_id)
    if top + height > target.row_count or left + width > target.column_count:
        raise invalid("The destination is too small for what is pasted.")
    rows = draft.book.sheet(source.sheet_id).rows[source.top : source.bottom]
    pieces = [lifted(row, source.left, source.right) for row in rows]
    if cut:
        emptied = Piece([None] * width, {}, {}, {})
        origin = draft.own(source.sheet_id)
        for index in range(source.top, source.bottom):
            laid(draft, origin, index, source.left, emptied)
    for offset, piece in enumerate(pieces):
        laid(draft, draft.own(sheet_id), top + offset, left, piece)
    return Area(sheet_id, top, top + height, left, left + width)
