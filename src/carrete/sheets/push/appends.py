"""Rows that we put below the last one of a sheet, until a read shows them: none is put there again and again."""

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
        self._missed: dict[RowKey, int] = {}  # the reads since that did not show the row
        self._times: dict[RowKey, int] = {}

    def expect(self, places: Iterable[RowKey]) -> None:
        """Rows that an earlier process put there and that nobody has seen yet."""
        self._missed.update(dict.fromkeys(places, 0))

    def done(self, place: RowKey) -> None:
        self._missed[place] = 0
        self._times[place] = self._times.get(place, 0) + 1

    def saw(self, sheets: Iterable[str], views: Mapping[str, SheetView]) -> None:
        """After a read: a row that shows up is settled, one that does not is missed once more."""
        read = set(sheets)
        for place in [place for place in self._missed if place[0] in read]:
            view = views.get(place[0])
            if view is None or place[1] in view.at or place[1] in view.doubles:
                self.forget(place)
            else:
                self._missed[place] += 1

    def forget(self, place: RowKey) -> None:
        self._missed.pop(place, None)
        self._times.pop(place, None)

    def may_be_on_its_way(self, place: RowKey) -> bool:
        return self._missed.get(place, READS_BEFORE_AGAIN) < READS_BEFORE_AGAIN

    def too_often(self, place: RowKey) -> bool:
        return self._times.get(place, 0) >= APPENDS_MAX


def reads_as_an_error(place: RowKey) -> bool:
    """As a key such a text is taken for an error that was pasted as a value: the row would never be recognised."""
    return place[1][0] in ERRORS


def never_written(place: RowKey) -> Problem:
    sheet, (tag, _) = place
    return Problem(sheet, 0, TAG, f"el spool «{tag}» no se escribe aquí: su nombre es el de un error de fórmula.")
