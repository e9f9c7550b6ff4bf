"""Rows in normal form → an .xlsx file: real dates, real numbers, and text that stays text whatever it looks like."""

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

TEXT_LENGTH_MAX = 32_767  # what one cell can hold
ROWS_MAX = 1_048_575  # what one sheet can hold below its header
_DAY = timedelta(days=1)
_OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
_ESCAPE = re.compile("_(?=x[0-9a-fA-F]{4}_)")
_UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]")
Write = Callable[[int, int, str], object]


class _Sheet(Worksheet):  # type: ignore[misc]
    """A sheet in which any text is that text.

    The library takes `<r>…</r>` for markup of its own, which loses the text or the whole file, and of two escapes that
    share an underscore it sees only the first.
    """

    @staticmethod
    def _escape_control_characters(data: Any) -> Any:
        if not isinstance(data, str):
            return data
        data = _ESCAPE.sub("_x005F_", data)
        data = _UNWRITABLE.sub(lambda found: f"_x{ord(found[0]):04X}_", data)
        return f"_x003C_{data[1:]}" if data.startswith("<r>") else data


class BookWriter:
    """Sheets are written one after the other, each from its first row to its last."""

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
        """The number of rows written."""
        sheet = self._book.add_worksheet(plan.name, worksheet_class=_Sheet)
        sheet.freeze_panes(1, 1)
        for place, column in enumerate(plan.columns):
            sheet.set_column(place, place, column.width)
            sheet.write_string(0, place, column.name, self._bold)
        kinds = self._kinds(sheet)
        writers = [(place, column.name, kinds[column.read]) for place, column in enumerate(plan.columns)]
        number = 0
        for number, row in enumerate(rows, 1):
            for place, name, write in writers:
                if said := row.get(name):
                    write(number, place, said)
        return number

    def _kinds(self, sheet: Any) -> dict[Reader, Write]:
        def text(row: int, place: int, said: str) -> None:
            sheet.write_string(row, place, said[:TEXT_LENGTH_MAX])

        def number(row: int, place: int, said: str) -> None:
            if (value := _number(said)) is None:
                text(row, place, said)
            else:
                sheet.write_number(row, place, value)

        def moment(row: int, place: int, said: str) -> None:
            if (serial := _serial(said)) is None:
                text(row, place, said)
            else:
                style = self._moment if len(said) > len("AAAA-MM-DD") else self._date
                sheet.write_number(row, place, serial, style)

        def yes(row: int, place: int, said: str) -> None:
            sheet.write_boolean(row, place, said == "1")

        dates: dict[Reader, Write] = {cells.day: moment, cells.moment: moment, cells.loose_moment: moment}
        texts: dict[Reader, Write] = {cells.text: text, cells.tag: text, cells.holder: text}
        return {**dates, **texts, cells.number: number, cells.whole: number, cells.yes: yes}


def _number(said: str) -> float | None:
    """None for what is not read back as the same text: that is written as the text it is."""
    try:
        value = float(said)
    except ValueError:
        return None
    return value if abs(value) < cells.NUMBER_MAX and cells.number(value, cells.ANY_ZONE) == said else None


def _serial(said: str) -> float | None:
    try:
        return (datetime.fromisoformat(said) - SERIAL_ZERO) / _DAY
    except (ValueError, TypeError):
        return None
