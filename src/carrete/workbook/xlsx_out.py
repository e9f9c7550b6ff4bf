"""Writes rows in normal form into an .xlsx file: dates as dates, numbers as numbers, and any text as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import xlsxwriter
from xlsxwriter.worksheet import Worksheet

from carrete.workbook import cells
from carrete.workbook.cells import SERIAL_ZERO, Reader
from carrete.workbook.columns import SheetPlan

TEXT_LENGTH_MAX = 32_767  # of one cell
ROWS_MAX = 1_048_575  # of one sheet, below its header
_DAY = timedelta(days=1)
_OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
_ESCAPE = re.compile("_(?=x[0-9a-fA-F]{4}_)")
_UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]")
WriteCell = Callable[[int, int, str], object]


class _LiteralSheet(Worksheet):  # type: ignore[misc]
    """A sheet that writes every text literally.

    The library takes `<r>…</r>` for its own markup, which loses the text or breaks the file; and of two escapes that
    share an underscore it escapes only the first.
    """

    @staticmethod
    def _escape_control_characters(data: Any) -> Any:
        if not isinstance(data, str):
            return data
        data = _ESCAPE.sub("_x005F_", data)
        data = _UNWRITABLE.sub(lambda found: f"_x{ord(found[0]):04X}_", data)
        return f"_x003C_{data[1:]}" if data.startswith("<r>") else data


class BookWriter:
    """Writes sheets one after the other, each from its first row to its last."""

    def __init__(self, path: Path) -> None:
        self._book = xlsxwriter.Workbook(str(path), _OPTIONS)
        self._bold = self._book.add_format({"bold": True, "bg_color": "#E8EEF4", "bottom": 1})
        self._date = self._book.add_format({"num_format": "dd-mm-yyyy"})
        self._moment = self._book.add_format({"num_format": "dd-mm-yyyy hh:mm:ss"})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._book.close()

    def write(self, plan: SheetPlan, rows: Iterable[Mapping[str, str]]) -> int:
        """Returns the number of rows written."""
        sheet = self._book.add_worksheet(plan.name, worksheet_class=_LiteralSheet)
        sheet.freeze_panes(1, 1)
        for at, column in enumerate(plan.columns):
            sheet.set_column(at, at, column.width)
            sheet.write_string(0, at, column.name, self._bold)
        by_reader = self._writers(sheet)
        writers = [(at, column.name, by_reader[column.read]) for at, column in enumerate(plan.columns)]
        number = 0
        for number, row in enumerate(rows, 1):
            for at, name, write in writers:
                if value := row.get(name):
                    write(number, at, value)
        return number

    def _writers(self, sheet: Any) -> dict[Reader, WriteCell]:
        def text(row: int, at: int, value: str) -> None:
            sheet.write_string(row, at, value[:TEXT_LENGTH_MAX])

        def number(row: int, at: int, value: str) -> None:
            if (as_number := _number(value)) is None:
                text(row, at, value)
            else:
                sheet.write_number(row, at, as_number)

        def moment(row: int, at: int, value: str) -> None:
            if (serial := _serial(value)) is None:
                text(row, at, value)
            else:
                style = self._moment if len(value) > len("AAAA-MM-DD") else self._date
                sheet.write_number(row, at, serial, style)

        def yes(row: int, at: int, value: str) -> None:
            sheet.write_boolean(row, at, value == "1")

        dates: dict[Reader, WriteCell] = {cells.day: moment, cells.date_time: moment, cells.date_time_or_text: moment}
        texts: dict[Reader, WriteCell] = {cells.text: text, cells.tag: text, cells.holder: text}
        texts[cells.weld_text] = text
        return {**dates, **texts, cells.number: number, cells.whole_number: number, cells.yes_or_no: yes}


def _number(value: str) -> float | None:
    """None for a text that would not be read back unchanged: it is written as text."""
    try:
        number = float(value)
    except ValueError:
        return None
    return number if abs(number) < cells.NUMBER_MAX and cells.number(number, cells.ANY_ZONE) == value else None


def _serial(value: str) -> float | None:
    try:
        return (datetime.fromisoformat(value) - SERIAL_ZERO) / _DAY
    except (ValueError, TypeError):
        return None
