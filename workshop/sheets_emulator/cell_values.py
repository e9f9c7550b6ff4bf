"""The `values` collection: get, update, append and clear, by A1 range or by data filter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sheets_emulator import a1, metadata, structure
from sheets_emulator.a1 import Area
from sheets_emulator.batch.work import BatchWork
from sheets_emulator.entering import entered
from sheets_emulator.errors import Json, invalid, invalid_field
from sheets_emulator.model import Book, Draft, Place, Scalar, Sheet
from sheets_emulator.values import Render, columns_of, render_for, rows_of

INPUT_OPTIONS = ("RAW", "USER_ENTERED")


# ─── reading ──────────────────────────────────────────────────────────────────────────────────────────────────


def value_range(book: Book, area: Area, major: str | None, render: Render) -> Json:
    major = dimension_of(major)
    rows = rows_of(book, area, render)
    result: Json = {"range": a1.area_name(book, area), "majorDimension": major}
    if rows:
        result["values"] = rows if major == "ROWS" else columns_of(rows)
    return result


def dimension_of(major: str | None) -> str:
    if major in (None, "", "DIMENSION_UNSPECIFIED"):
        return "ROWS"
    if major not in ("ROWS", "COLUMNS"):
        message = (
            f"Invalid value at 'major_dimension' (type.googleapis.com/google.apps.sheets.v4.Dimension), \"{major}\""
        )
        raise invalid_field("major_dimension", message)
    return str(major)


def filtered_areas(book: Book, data_filter: Json) -> list[Area]:
    """A filter has one criterion: a range by name, by grid, or the place that developer metadata is attached to."""
    criteria = [
        name for name in ("a1Range", "gridRange", "developerMetadataLookup") if data_filter.get(name) is not None
    ]
    if len(criteria) != 1:
        raise invalid("Exactly one criterion must be set in a data filter.")
    if criteria == ["a1Range"]:
        return [a1.parse(book, data_filter["a1Range"])]
    if criteria == ["gridRange"]:
        return [a1.from_grid_range(book, data_filter["gridRange"])]
    found = metadata.matching(book, data_filter["developerMetadataLookup"])
    return [area for datum in found if (area := _attached_area(book, datum.place)) is not None]


def _attached_area(book: Book, place: Place) -> Area | None:
    if place.sheet_id is None:
        return None
    sheet = book.sheet(place.sheet_id)
    if place.dimension is None:
        return a1.whole(sheet)
    index = metadata.index_of(sheet, place)
    if index is None:
        return None
    if place.dimension == "ROWS":
        return Area(sheet.sheet_id, index, index + 1, 0, sheet.column_count)
    return Area(sheet.sheet_id, 0, sheet.row_count, index, index + 1)


# ─── writing ──────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Input:
    """How the values of a request are interpreted, and whether the answer repeats them."""

    option: str
    echo: bool
    render: str | None
    dates: str | None


def input_from(options: Json) -> Input:
    option = options.get("valueInputOption") or ""
    if option not in INPUT_OPTIONS:
        if option:
            message = (
                "Invalid value at 'value_input_option' "
                f'(type.googleapis.com/google.apps.sheets.v4.ValueInputOption), "{option}"'
            )
            raise invalid_field("value_input_option", message)
        raise invalid("'valueInputOption' is required but not specified")
    echo = str(options.get("includeValuesInResponse") or "").lower() == "true"
    return Input(option, echo, options.get("responseValueRenderOption"), options.get("responseDateTimeRenderOption"))


def update(work: BatchWork, area: Area, body: Json, how: Input) -> Json:
    """null leaves a cell alone, "" empties it. The answer counts only the cells that the request gave."""
    rows = _rows(body)
    area = _opened(work.draft.book, area, rows)
    _require_inside(work.draft.book, area, rows)
    written = _written_area(area, rows)
    if written is not None:
        work.require_editable(written)
        _put(work, written, rows, how)
    return _updated(work, area, written, rows, how)


def _rows(body: Json) -> list[list[Any]]:
    """Row by row, also when the request gave them column by column."""
    values = body.get("values") or []
    if not isinstance(values, list):
        raise _no_list("data.values", values)
    for row in values:
        if not isinstance(row, list):
            raise _no_list("data.values", row)
    if dimension_of(body.get("majorDimension")) == "ROWS":
        return values
    height = max(map(len, values), default=0)
    return [[column[row] if row < len(column) else None for column in values] for row in range(height)]


def _no_list(field: str, value: Any) -> Exception:
    shown = f'"{value}"' if isinstance(value, str) else value
    return invalid_field(field, f"Invalid value at '{field}' (type.googleapis.com/google.protobuf.ListValue), {shown}")


def _opened(book: Book, area: Area, rows: list[list[Any]]) -> Area:
    """A range of one cell is where the values begin; a larger one is where they must stay."""
    width = max(map(len, rows), default=0)
    if (area.bottom - area.top, area.right - area.left) != (1, 1) or not width:
        return area
    sheet = book.sheet(area.sheet_id)
    opened = Area(area.sheet_id, area.top, area.top + len(rows), area.left, area.left + width)
    if opened.bottom > sheet.row_count or opened.right > sheet.column_count:
        raise a1.exceeds_grid(sheet, a1.area_name(book, opened))
    return opened


def _require_inside(book: Book, area: Area, rows: list[list[Any]]) -> None:
    name = a1.area_name(book, area)
    if len(rows) > area.bottom - area.top:
        raise invalid(f"Requested writing within range [{name}], but tried writing to row [{area.bottom + 1}]")
    if max(map(len, rows), default=0) > area.right - area.left:
        raise invalid(
            f"Requested writing within range [{name}], but tried writing to column [{a1.letters(area.right)}]"
        )


def _written_area(area: Area, rows: list[list[Any]]) -> Area | None:
    width = max(map(len, rows), default=0)
    if not width:
        return None
    return Area(area.sheet_id, area.top, area.top + len(rows), area.left, area.left + width)


def _put(work: BatchWork, area: Area, rows: list[list[Any]], how: Input) -> None:
    sheet = work.draft.own(area.sheet_id)
    for index, row in enumerate(rows, area.top):
        if how.option == "RAW":
            given = [(area.left + offset, _raw(value)) for offset, value in enumerate(row) if value is not None]
            work.draft.write(sheet, index, given)
        else:
            type_in(
                work,
                sheet,
                index,
                [(area.left + offset, value) for offset, value in enumerate(row) if value is not None],
            )


def _raw(value: Any) -> Scalar:
    if not isinstance(value, str | int | float | bool):
        raise invalid_field("data.values", f"Invalid values: {value!r} is neither text, number nor truth")
    return value


def type_in(work: BatchWork, sheet: Sheet, index: int, cells: list[tuple[int, Any]]) -> None:
    """As if a person typed each value: text that looks like a date becomes one, and its cell gets a date format."""
    row = work.draft.own_row(sheet, index)
    made: list[tuple[int, Scalar]] = []
    brought: list[tuple[int, Json]] = []
    for column, value in cells:
        if isinstance(value, str):
            scalar, form = entered(value, work.locale, row.formats.get(column))
            if form is not None and not _shows_dates(row.formats.get(column), form):
                brought.append((column, form))
            made.append((column, scalar))
        else:
            made.append((column, _raw(value)))
    work.draft.write(sheet, index, made)
    for column, form in brought:
        row.formats[column] = {**row.formats.get(column, {}), **form}


def _shows_dates(held: Json | None, brought: Json) -> bool:
    """A cell that already has a date format keeps it."""
    dates = ("DATE", "DATE_TIME", "TIME")
    kind = ((held or {}).get("numberFormat") or {}).get("type")
    return kind in dates and brought["numberFormat"]["type"] in dates


def _updated(work: BatchWork, area: Area, written: Area | None, rows: list[list[Any]], how: Input) -> Json:
    book = work.draft.book
    given = sum(1 for row in rows for value in row if value is not None)
    result: Json = {"spreadsheetId": book.id, "updatedRange": a1.area_name(book, written or area)}
    if written is not None and given:
        columns = {offset for row in rows for offset, value in enumerate(row) if value is not None}
        result["updatedRows"] = sum(1 for row in rows if any(value is not None for value in row))
        result["updatedColumns"] = len(columns)
        result["updatedCells"] = given
    if how.echo:
        render = render_for(book, how.render, how.dates, work.now)
        result["updatedData"] = value_range(book, area, None, render)
    return result


def batch_totals(book: Book, answers: list[Json]) -> Json:
    """A row or column written by two ranges counts once."""
    written = [a1.parse(book, answer["updatedRange"]) for answer in answers if "updatedCells" in answer]
    totals = {
        "totalUpdatedRows": len({(area.sheet_id, row) for area in written for row in range(area.top, area.bottom)}),
        "totalUpdatedColumns": len({(area.sheet_id, col) for area in written for col in range(area.left, area.right)}),
        "totalUpdatedCells": sum(answer.get("updatedCells", 0) for answer in answers),
        "totalUpdatedSheets": len({area.sheet_id for area in written}),
    }
    return {"spreadsheetId": book.id, **{name: total for name, total in totals.items() if total}}


def clear(work: BatchWork, area: Area) -> str:
    """Removes the values; formats and notes stay."""
    work.require_editable(area)
    sheet = work.draft.own(area.sheet_id)
    for index in range(area.top, area.bottom):
        row = sheet.rows[index]
        if row.width > area.left:
            work.draft.write(sheet, index, [(column, None) for column in range(area.left, min(area.right, row.width))])
    return a1.area_name(work.draft.book, area)


# ─── append: looks for a table by itself, and so can write to the wrong place ─────────────────────────────────


@dataclass(frozen=True, slots=True)
class AppendOdds:
    """Which of the known bugs of append to imitate."""

    filter_bug: str = "off"  # overwrite or drop, on a sheet with a filter
    believed_end: int | None = None  # the row where the table ended when a concurrent append looked


def append(work: BatchWork, area: Area, body: Json, how: Input, insert_rows: bool, odds: AppendOdds) -> Json:
    rows = _rows(body)
    sheet = work.draft.own(area.sheet_id)
    table = _table(sheet, area)
    top, left = (table.bottom, table.left) if table else (area.top, area.left)
    if not insert_rows and odds.believed_end is not None:
        top = odds.believed_end
    result: Json = {"spreadsheetId": work.draft.book.id}
    if table:
        result["tableRange"] = a1.area_name(work.draft.book, table)
    width = max(map(len, rows), default=0)
    if sheet.basic_filter and odds.filter_bug == "drop":
        return {**result, "updates": {"spreadsheetId": work.draft.book.id}}
    if sheet.basic_filter and odds.filter_bug == "overwrite" and top > 0:
        top -= 1
    _make_room(work.draft, sheet, top, left, len(rows), width, insert_rows and table is not None)
    target = Area(sheet.sheet_id, top, top + max(len(rows), 1), left, left + max(width, 1))
    return {**result, "updates": update(work, target, {"values": rows}, how)}


def table_end(book: Book, area: Area) -> int:
    table = _table(book.sheet(area.sheet_id), area)
    return table.bottom if table else area.top


def _make_room(draft: Draft, sheet: Sheet, top: int, left: int, height: int, width: int, insert: bool) -> None:
    if left + width > sheet.column_count:
        structure.append(draft, sheet.sheet_id, "COLUMNS", left + width - sheet.column_count)
    if insert and height:
        structure.insert(draft, sheet.sheet_id, "ROWS", top, height)
    elif (missing := top + height - sheet.row_count) > 0:
        structure.append(draft, sheet.sheet_id, "ROWS", missing)


def _table(sheet: Sheet, area: Area) -> Area | None:
    """The block of data that touches the requested range and ends lowest. If a column gap divides the range, the part
    after the gap counts: that is why appended rows drift to the right."""
    tables: list[Area] = []
    for row in range(area.top, min(area.bottom, sheet.last_row)):
        for column in range(area.left, min(area.right, sheet.rows[row].width)):
            known = any(table.covers(row, column) for table in tables)
            if not known and sheet.value(row, column) is not None:
                tables.append(_block(sheet, row, column))
    return max(tables, key=lambda table: (table.bottom, table.left), default=None)


def _block(sheet: Sheet, row: int, column: int) -> Area:
    """The area around a cell, grown until no neighbouring cell (corners included) has data. It grows by rows first,
    because a table is longer than it is wide."""
    top, bottom, left, right = row, row + 1, column, column + 1

    def filled(rows: range, columns: range) -> bool:
        return any(sheet.value(r, c) is not None for r in rows for c in columns)

    while True:
        before = (top, bottom, left, right)
        across = range(max(left - 1, 0), min(right + 1, sheet.column_count))
        while bottom < sheet.row_count and filled(range(bottom, bottom + 1), across):
            bottom += 1
        while top and filled(range(top - 1, top), across):
            top -= 1
        down = range(max(top - 1, 0), min(bottom + 1, sheet.row_count))
        while right < sheet.column_count and filled(down, range(right, right + 1)):
            right += 1
        while left and filled(down, range(left - 1, left)):
            left -= 1
        if before == (top, bottom, left, right):
            return Area(sheet.sheet_id, *before)
