"""Ranges as people and the API write them: A1 and R1C1, quoted titles, open ends, named ranges."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sheets_emulator.errors import Json, invalid
from sheets_emulator.model import Book, Sheet

_TITLED = re.compile(r"(?s)(?:'(?P<quoted>(?:[^']|'')*)'|(?P<plain>[^!]+?))(?:!(?P<cells>.*))?")
_CORNER = re.compile(r"\$?(?P<column>[A-Za-z]{1,3})?\$?(?P<row>[0-9]{1,8})?")
_CORNER_RC = re.compile(r"(?:[Rr](?P<row>[0-9]{1,8}))?(?:[Cc](?P<column>[0-9]{1,6}))?")
_PLAIN_TITLE = re.compile(r"[^\W\d]\w*")
_LOOKS_LIKE_CELL = re.compile(r"[A-Za-z]{1,3}[0-9]+|[Rr][0-9]*([Cc][0-9]*)?|[Cc][0-9]*")


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle of one sheet: top and left included, bottom and right not."""

    sheet_id: int
    top: int
    bottom: int
    left: int
    right: int

    def covers(self, row: int, column: int) -> bool:
        return self.top <= row < self.bottom and self.left <= column < self.right

    @property
    def grid_range(self) -> Json:
        """The id of a sheet is left out when it is 0, as in Google's answers."""
        return {
            **({"sheetId": self.sheet_id} if self.sheet_id else {}),
            "startRowIndex": self.top,
            "endRowIndex": self.bottom,
            "startColumnIndex": self.left,
            "endColumnIndex": self.right,
        }


Corner = tuple[int | None, int | None]  # row and column, from 0


def letters(column: int) -> str:
    """0 is A, 26 is AA."""
    text = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        text = chr(65 + rest) + text
    return text


def column_number(text: str) -> int:
    number = 0
    for letter in text.upper():
        number = number * 26 + ord(letter) - 64
    return number - 1


def quoted(title: str) -> str:
    """Quoted only when needed, as in Google's answers."""
    if _PLAIN_TITLE.fullmatch(title) and not _LOOKS_LIKE_CELL.fullmatch(title):
        return title
    return "'" + title.replace("'", "''") + "'"


def cell_name(row: int, column: int) -> str:
    return f"{letters(column)}{row + 1}"


def area_name(book: Book, area: Area) -> str:
    first = cell_name(area.top, area.left)
    last = cell_name(area.bottom - 1, area.right - 1)
    return f"{quoted(book.sheet(area.sheet_id).title)}!{first if first == last else f'{first}:{last}'}"


def parse(book: Book, text: str) -> Area:
    """Clipped to the grid at its far end; a range that begins outside the grid is refused."""
    found = _whole_title(book, text) or _named(book, text) or _with_title(book, text) or _on_first_sheet(book, text)
    if found is None:
        raise invalid(f"Unable to parse range: {text}")
    return found


def _whole_title(book: Book, text: str) -> Area | None:
    title = text[1:-1].replace("''", "'") if text[:1] == text[-1:] == "'" and len(text) > 1 else text
    sheet = book.titled(title)
    if sheet is None or (title == text and _cells(text) is not None and sheet is None):
        return None
    return whole(sheet)


def _named(book: Book, text: str) -> Area | None:
    for named in book.named_ranges.values():
        if named["name"].casefold() == text.casefold():
            return from_grid_range(book, named["range"])
    return None


def _with_title(book: Book, text: str) -> Area | None:
    match = _TITLED.fullmatch(text)
    if match is None or match["cells"] is None:
        return None
    title = match["quoted"].replace("''", "'") if match["quoted"] is not None else match["plain"]
    sheet = book.titled(title)
    corners = _cells(match["cells"])
    if sheet is None or corners is None:
        return None
    return _clipped(sheet, *corners)


def _on_first_sheet(book: Book, text: str) -> Area | None:
    corners = _cells(text)
    if corners is None:
        return None
    return _clipped(book.sheets[0], *corners)


def _cells(text: str) -> tuple[Corner, Corner] | None:
    first, colon, last = text.strip().partition(":")
    begin = _corner(first)
    if begin is None:
        return None
    if not colon:
        return (begin, begin) if None not in begin else None
    end = _corner(last)
    return None if end is None else (begin, end)


def _corner(text: str) -> Corner | None:
    text = text.strip()
    if not text:
        return None
    if match := _CORNER.fullmatch(text):
        row = int(match["row"]) - 1 if match["row"] else None
        column = column_number(match["column"]) if match["column"] else None
    elif match := _CORNER_RC.fullmatch(text):
        row = int(match["row"]) - 1 if match["row"] else None
        column = int(match["column"]) - 1 if match["column"] else None
    else:
        return None
    return None if (row or 0) < 0 or (column or 0) < 0 else (row, column)


def _clipped(sheet: Sheet, begin: Corner, end: Corner) -> Area:
    top, bottom = _ordered(begin[0], end[0])
    left, right = _ordered(begin[1], end[1])
    if top >= sheet.row_count or left >= sheet.column_count:
        shown = f"{quoted(sheet.title)}!{_corners_text(begin, end)}"
        raise exceeds_grid(sheet, shown)
    return Area(
        sheet.sheet_id,
        top,
        sheet.row_count if bottom is None else min(bottom + 1, sheet.row_count),
        left,
        sheet.column_count if right is None else min(right + 1, sheet.column_count),
    )


def _ordered(first: int | None, last: int | None) -> tuple[int, int | None]:
    """`D4:A1` means A1:D4; a missing end is open."""
    if first is None or last is None:
        return first or 0, None if last is None else last
    return min(first, last), max(first, last)


def _corners_text(begin: Corner, end: Corner) -> str:
    def one(corner: Corner) -> str:
        row, column = corner
        return f"{'' if column is None else letters(column)}{'' if row is None else row + 1}"

    return one(begin) if begin == end else f"{one(begin)}:{one(end)}"


def exceeds_grid(sheet: Sheet, shown: str) -> Exception:
    return invalid(
        f"Range ({shown}) exceeds grid limits. Max rows: {sheet.row_count}, max columns: {sheet.column_count}"
    )


def whole(sheet: Sheet) -> Area:
    return Area(sheet.sheet_id, 0, sheet.row_count, 0, sheet.column_count)


def from_grid_range(book: Book, grid: Json, *, clip: bool = True) -> Area:
    """A GridRange of the API: a missing end is open; without a sheet id it is the sheet with id 0."""
    sheet = book.sheet(int(grid.get("sheetId") or 0))
    top, left = int(grid.get("startRowIndex") or 0), int(grid.get("startColumnIndex") or 0)
    bottom = sheet.row_count if grid.get("endRowIndex") is None else int(grid["endRowIndex"])
    right = sheet.column_count if grid.get("endColumnIndex") is None else int(grid["endColumnIndex"])
    if min(top, left) < 0 or bottom < top or right < left:
        raise invalid(f"Invalid range: [{top}, {left}] to [{bottom}, {right}]")
    outside = top >= sheet.row_count or left >= sheet.column_count
    if outside or (not clip and (bottom > sheet.row_count or right > sheet.column_count)):
        shown = f"{quoted(sheet.title)}!{cell_name(top, left)}:{cell_name(max(bottom - 1, top), max(right - 1, left))}"
        raise exceeds_grid(sheet, shown)
    return Area(sheet.sheet_id, top, min(bottom, sheet.row_count), left, min(right, sheet.column_count))
