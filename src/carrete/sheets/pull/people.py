"""Imports Trabajadores, Roles, WPS and Calificaciones of the live sheet: what a person changed there since the last
read wins.

What the last read showed is stored in the ledger with the rows of the other sheets: a restart obeys no cell anew."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TypeAlias

from carrete.domain.shop import Shop
from carrete.ledger.database import Database, Tx
from carrete.sheets.rows import storage
from carrete.sheets.rows.view import is_formula, plain
from carrete.sheets.structure import PEOPLE
from carrete.workbook.cells import Broken, Raw, RawRow
from carrete.workbook.columns import ROLES, TRABAJADORES, WELDING
from carrete.workbook.commits import commit_with_retries
from carrete.workbook.keys import IndexedSheet, optional_sheet
from carrete.workbook.people import take_people
from carrete.workbook.people_bases import PeopleBases
from carrete.workbook.report import ImportReport, Problem
from carrete.workbook.welding import take_welding
from carrete.workbook.xlsx_in import Book


class PeopleReader:
    """Imports people, procedures and qualifications only when one of their sheets has changed."""

    def __init__(self, database: Database, shop: Shop) -> None:
        self._database = database
        self._shop = shop
        self._last: dict[str, list[RawRow]] = {}

    def take_in(self, grids: Mapping[str, list[RawRow]]) -> list[Problem] | None:
        """Returns what could not be imported, or None if nothing has changed."""
        read = {plan.name: grids[plan.name] for plan in (*PEOPLE, *WELDING) if plan.name in grids}
        if all(self._last.get(name) == rows for name, rows in read.items()):
            return None
        book = padded_book({**self._last, **read})
        sheets = people_sheets(book, self._shop)
        report = ImportReport()
        if any(sheet.rows for sheet in sheets):
            report = commit_with_retries(self._database, lambda tx: take_edited_people(tx, sheets, self._shop))
        self._last.update(read)
        return [*(problem for sheet in sheets for problem in sheet.problems), *report.problems]


PeopleSheets: TypeAlias = tuple[IndexedSheet, IndexedSheet, IndexedSheet, IndexedSheet]


def people_sheets(book: Book, shop: Shop) -> PeopleSheets:
    """Trabajadores, Roles, WPS and Calificaciones."""
    trabajadores, roles, wps, calificaciones = (
        optional_sheet(book, plan, shop.zone) for plan in (TRABAJADORES, ROLES, *WELDING)
    )
    return trabajadores, roles, wps, calificaciones


def take_edited_people(tx: Tx, sheets: PeopleSheets, shop: Shop) -> ImportReport:
    """Imports the cells that differ from what was stored at the last read, and stores what this read showed."""
    bases, now = _stored_bases(tx), datetime.now(UTC)
    confirm = shop.confirmed_roles_only
    trabajadores, roles, wps, calificaciones = sheets
    report = take_people(tx, trabajadores, roles, shop.zone, confirm=confirm, bases=bases)
    if wps.rows or calificaciones.rows:
        report += take_welding(tx, wps, calificaciones, shop.zone, now, bases)
    rows = {(sheet, (key, 0)): (cells, "") for (sheet, key), cells in bases.read.items()}
    storage.save_rows(tx, rows, storage.moment(now))
    return report


def _stored_bases(tx: Tx) -> PeopleBases:
    return PeopleBases(
        {
            (plan.name, row[0]): json.loads(row[2])
            for plan in (*PEOPLE, *WELDING)
            for row in tx.all("sheet_rows_all", sheet=plan.name)
        }
    )


def padded_book(grids: Mapping[str, list[RawRow]]) -> Book:
    """As reading a file returns them: every row as wide as its sheet."""
    return {name: _padded(rows) for name, rows in grids.items()}


def _padded(rows: list[RawRow]) -> list[RawRow]:
    """Google leaves empty cells at the end of a row out. Formulas become errors: they are not read."""
    width = max((len(row) for row in rows), default=0)
    return [[_value(each) for each in row] + [""] * (width - len(row)) for row in rows]


def _value(raw: Raw) -> Raw:
    return Broken.FORMULA if is_formula(raw) else plain(raw)
