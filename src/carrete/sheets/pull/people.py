"""Imports Trabajadores and Roles of the live sheet, as those of a file are imported: the sheet wins."""

from __future__ import annotations

from collections.abc import Mapping

from carrete.domain.shop import Shop
from carrete.ledger.database import Database
from carrete.sheets.rows.view import is_formula, plain
from carrete.sheets.structure import PEOPLE
from carrete.workbook.cells import Broken, Raw, RawRow
from carrete.workbook.columns import ROLES, TRABAJADORES
from carrete.workbook.keys import optional_sheet
from carrete.workbook.people import import_people
from carrete.workbook.report import Problem
from carrete.workbook.xlsx_in import Book


class PeopleReader:
    """Imports people only when one of the two sheets has changed."""

    def __init__(self, database: Database, shop: Shop) -> None:
        self._database = database
        self._shop = shop
        self._last: dict[str, list[RawRow]] = {}

    def take_in(self, grids: Mapping[str, list[RawRow]]) -> list[Problem] | None:
        """Returns what could not be imported, or None if nothing has changed."""
        read = {plan.name: grids[plan.name] for plan in PEOPLE if plan.name in grids}
        if all(self._last.get(name) == rows for name, rows in read.items()):
            return None
        book = padded_book({**self._last, **read})
        zone = self._shop.zone
        trabajadores, roles = (optional_sheet(book, plan, zone) for plan in (TRABAJADORES, ROLES))
        confirm = self._shop.confirmed_roles_only
        report = import_people(self._database, trabajadores, roles, zone, confirm=confirm)
        self._last.update(read)
        return [*trabajadores.problems, *roles.problems, *report.problems]


def padded_book(grids: Mapping[str, list[RawRow]]) -> Book:
    """As reading a file returns them: every row as wide as its sheet."""
    return {name: _padded(rows) for name, rows in grids.items()}


def _padded(rows: list[RawRow]) -> list[RawRow]:
    """Google leaves empty cells at the end of a row out. Formulas become errors: they are not read."""
    width = max((len(row) for row in rows), default=0)
    return [[_value(each) for each in row] + [""] * (width - len(row)) for row in rows]


def _value(raw: Raw) -> Raw:
    return Broken.FORMULA if is_formula(raw) else plain(raw)
