"""Cells as a read shows them: formatted by the locale, unformatted, or as formulas."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sheets_emulator import formats, formulas
from sheets_emulator.a1 import Area
from sheets_emulator.entering import entered
from sheets_emulator.errors import invalid_field
from sheets_emulator.locales import Locale, known
from sheets_emulator.model import Book, EnteredFormula, ErrorValue, Format, Row, Scalar, Sheet

RENDER_OPTIONS = ("FORMATTED_VALUE", "UNFORMATTED_VALUE", "FORMULA")
DATE_OPTIONS = ("SERIAL_NUMBER", "FORMATTED_STRING")


@dataclass(frozen=True, slots=True)
class Render:
    """How a read wants its values. now: in the spreadsheet's own time, for TODAY and NOW."""

    option: str
    dates: str
    locale: Locale
    now: datetime
    apostrophes: bool = False  # an apostrophe before text that would become something else if it were typed


def render_for(
    book: Book, option: str | None, dates: str | None, now: datetime, *, apostrophes: bool = False
) -> Render:
    option = option or "FORMATTED_VALUE"
    dates = dates or "SERIAL_NUMBER"
    _require("value_render_option", "ValueRenderOption", option, RENDER_OPTIONS)
    _require("date_time_render_option", "DateTimeRenderOption", dates, DATE_OPTIONS)
    return Render(option, dates, known(book.locale), now, apostrophes and option == "FORMULA")


def _require(name: str, kind: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        message = f"Invalid value at '{name}' (type.googleapis.com/google.apps.sheets.v4.{kind}), \"{value}\""
        raise invalid_field(name, message)


def rows_of(book: Book, area: Area, render: Render) -> list[list[Any]]:
    """Trimmed as Google does: no empty cells at the end of a row, no empty rows at the end."""
    sheet = book.sheet(area.sheet_id)
    whole = area.left == 0 and area.right >= sheet.column_count
    rows = [_row(book, sheet, row, area, render, whole) for row in sheet.rows[area.top : area.bottom]]
    while rows and not rows[-1]:
        rows.pop()
    return rows


def columns_of(rows: list[list[Any]]) -> list[list[Any]]:
    """The same, column by column."""
    width = max(map(len, rows), default=0)
    columns = [[row[column] if column < len(row) else "" for row in rows] for column in range(width)]
    for column in columns:
        while column and column[-1] == "":
            column.pop()
    return columns


def _row(book: Book, sheet: Sheet, row: Row, area: Area, render: Render, whole: bool) -> list[Any]:
    if not row.values:
        return []
    key = (render.option, render.dates, render.locale.name, render.apostrophes)
    if whole and (kept := row.rendered.get(key)) is not None:
        return kept
    values = row.values if whole else row.values[area.left : area.right]
    shown = _rendered_values(book, sheet, row, values, 0 if whole else area.left, render)
    while shown and shown[-1] == "":
        shown.pop()
    if whole and not any(isinstance(value, EnteredFormula) for value in values):
        row.rendered[key] = shown
    return shown


def _rendered_values(book: Book, sheet: Sheet, row: Row, values: list[Scalar], left: int, render: Render) -> list[Any]:
    if render.option == "UNFORMATTED_VALUE" and render.dates == "SERIAL_NUMBER":
        return [
            "" if value is None else value if value.__class__ in _PLAIN else rendered(book, sheet, value, None, render)
            for value in values
        ]
    return [
        "" if value is None else rendered(book, sheet, value, row.formats.get(column), render)
        for column, value in enumerate(values, left)
    ]


_PLAIN = frozenset({str, int, float, bool})


def rendered(book: Book, sheet: Sheet, value: Scalar, form: Format | None, render: Render) -> Any:
    """The value of one cell that is not empty."""
    if isinstance(value, EnteredFormula):
        if render.option == "FORMULA":
            return value.text
        value = formulas.effective(book, sheet, value, render.now)
    if value is None or isinstance(value, EnteredFormula):
        return ""
    if isinstance(value, ErrorValue):
        return value.text
    if isinstance(value, bool):
        return _truth(value, render.locale) if render.option == "FORMATTED_VALUE" else value
    if isinstance(value, str):
        return f"'{value}" if render.apostrophes and entered(value, render.locale)[0] != value else value
    return _number(value, form, render)


def _truth(value: bool, locale: Locale) -> str:
    return locale.true if value else locale.false


def _number(value: float, form: Format | None, render: Render) -> Any:
    number_format = (form or {}).get("numberFormat") or {}
    kind, pattern = number_format.get("type", ""), number_format.get("pattern", "")
    formatted = render.option == "FORMATTED_VALUE"
    if formatted or (render.dates == "FORMATTED_STRING" and kind in formats.DATE_TYPES):
        return formats.shown(value, kind, pattern, render.locale)
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else value
