"""Rows that were appended and that no read has shown yet: they are not appended again at once, nor for ever."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from carrete.sheets.rows.storage import RowKey
from carrete.sheets.rows.view import ERRORS, SheetView
from carrete.workbook.columns import TAG
from carrete.workbook.report import Problem

READS_BEFORE_AGAIN = 2  # one read may be answered with an older state of the sheet
APPENDS_MAX = 3
GIVEN_UP = (
    f"Carrete agregó la fila {APPENDS_MAX} veces y no aparece en la planilla: vea quién la borra, y reintente luego."
)


class Appends:
    def __init__(self) -> None:
        self._reads_without: dict[RowKey, int] = {}  # by row: reads since the append that did not show it
        self._times: dict[RowKey, int] = {}  # by row: how often it was appended

    def expect(self, row_keys: Iterable[RowKey]) -> None:
        """Rows that an earlier process appended and that no read has shown yet."""
        self._reads_without.update(dict.fromkeys(row_keys, 0))

    def done(self, row_keys: Iterable[RowKey]) -> None:
        for row_key in row_keys:
            self._reads_without[row_key] = 0
            self._times[row_key] = self._times.get(row_key, 0) + 1

    def note_reads(self, sheets: Iterable[str], views: Mapping[str, SheetView]) -> None:
        """After a read of these sheets: a row that shows up is forgotten, the others were missed once more."""
        read = set(sheets)
        for row_key in [row_key for row_key in self._reads_without if row_key[0] in read]:
            view = views.get(row_key[0])
            if view is None or row_key[1] in view.at or row_key[1] in view.doubles:
                self.forget(row_key)
            else:
                self._reads_without[row_key] += 1

    def forget(self, row_key: RowKey) -> None:
        self._reads_without.pop(row_key, None)
        self._times.pop(row_key, None)

    def may_show_up(self, row_key: RowKey) -> bool:
        """Whether the row was appended so recently that a read may have missed it."""
        return self._reads_without.get(row_key, READS_BEFORE_AGAIN) < READS_BEFORE_AGAIN

    def too_often(self, row_key: RowKey) -> bool:
        return self._times.get(row_key, 0) >= APPENDS_MAX


def reads_as_an_error(row_key: RowKey) -> bool:
    """Whether the tag is the text of a formula error, such as `#N/A`: a read takes such a key for a broken formula, so
    the row would never be recognised."""
    return row_key[1][0] in ERRORS


def never_written(row_key: RowKey) -> Problem:
    sheet, (tag, _) = row_key
    return Problem(sheet, 0, TAG, f"el spool «{tag}» no se escribe aquí: su nombre es el de un error de fórmula.")
