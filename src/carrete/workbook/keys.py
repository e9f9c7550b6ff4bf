"""Which row of a sheet is about what: rows by key, without blank, unreadable and repeated ones, which are reported."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias
from zoneinfo import ZoneInfo

from carrete.workbook.cells import RawRow, Unreadable
from carrete.workbook.columns import UNIONES, VERSION, SheetPlan
from carrete.workbook.errors import WorkbookError
from carrete.workbook.incoming import RowValues
from carrete.workbook.report import Problem, listed
from carrete.workbook.rows import Cells
from carrete.workbook.xlsx_in import Book, Sheet, sheet_of

Key: TypeAlias = tuple[str, ...]


@dataclass(slots=True)
class IndexedSheet:
    """The rows of one sheet that can be told apart."""

    sheet: Sheet | None
    rows: dict[Key, tuple[int, RawRow]]
    problems: list[Problem]
    notices: list[Problem] = field(default_factory=list)

    def values(self, key: Key, zone: ZoneInfo, problems: list[Problem]) -> RowValues:
        """Read only when its turn comes, so that no transaction waits for it."""
        assert self.sheet is not None
        number, raw = self.rows[key]
        cells: Cells = {}
        for name, place, read in self.sheet.readers:
            try:
                cells[name] = read(raw[place], zone) if raw[place] != "" else ""
            except Unreadable as error:
                problems.append(Problem(self.sheet.plan.name, number, name, str(error)))
        place = self.sheet.header.places.get(VERSION, -1)
        token = raw[place] if place >= 0 else ""
        return RowValues(number, token.strip() if isinstance(token, str) else "", cells)


def required(book: Book, plan: SheetPlan, zone: ZoneInfo) -> IndexedSheet:
    """Without this sheet and its key nothing is done at all."""
    sheet = sheet_of(book, plan)
    if sheet is None:
        raise WorkbookError(f"Falta la hoja {plan.name}; no se hizo nada.")
    if lost := _lost_keys(sheet):
        raise WorkbookError(f"En la hoja {plan.name} {lost}; no se hizo nada.")
    return _keyed(sheet, zone)


def optional(book: Book, plan: SheetPlan, zone: ZoneInfo) -> IndexedSheet:
    sheet = sheet_of(book, plan)
    if sheet is None:
        return IndexedSheet(None, {}, [], _sheet_missing(plan))
    if not any(cell != "" for row in book[plan.name] for cell in row):
        return IndexedSheet(None, {}, [])
    if lost := _lost_keys(sheet):
        problem = Problem(plan.name, sheet.header.row + 1, "", f"{lost}; la hoja quedó fuera.")
        return IndexedSheet(None, {}, [problem])
    return _keyed(sheet, zone)


def _lost_keys(sheet: Sheet) -> str:
    if missing := sheet.header.missing:
        return f"falta la columna {' y '.join(missing)}"
    twice = [name for name in sheet.header.twice if name in sheet.plan.key]
    return f"la columna {' y '.join(twice)} está repetida" if twice else ""


def _keyed(sheet: Sheet, zone: ZoneInfo) -> IndexedSheet:
    plan, problems = sheet.plan, _twice(sheet)
    rows: dict[Key, list[tuple[int, RawRow]]] = {}
    for number, raw in enumerate(sheet.rows, sheet.first):
        key = _key(sheet, number, raw, zone, problems)
        if key:
            rows.setdefault(key, []).append((number, raw))
    for key, same in rows.items():
        if len(same) > 1:
            reason = f"{' '.join(key)} está repetido en las filas {listed([n for n, _ in same])}; ninguna entró."
            problems += [Problem(plan.name, number, plan.key[0], reason) for number, _ in same]
    unique = {key: same[0] for key, same in rows.items() if len(same) == 1}
    return IndexedSheet(sheet, unique, problems, _columns_missing(sheet))


def _sheet_missing(plan: SheetPlan) -> list[Problem]:
    """People may be kept elsewhere, with `carrete worker`; joints come by workbook alone."""
    reason = "falta la hoja; las uniones quedan como están."
    return [Problem(plan.name, 0, "", reason)] if plan is UNIONES else []


def _columns_missing(sheet: Sheet) -> list[Problem]:
    """Somebody may have renamed one without meaning to. The token is missing in every file made by hand."""
    there = {*sheet.header.places, *sheet.header.twice, VERSION}
    missing = [column.name for column in sheet.plan.columns if column.name not in there]
    if not missing:
        return []
    reason = f"faltan columnas: {', '.join(missing)}; lo que dirían queda como está."
    return [Problem(sheet.plan.name, sheet.header.row + 1, "", reason)]


def _twice(sheet: Sheet) -> list[Problem]:
    reason = "la columna está repetida; no se leyó ninguna de las dos."
    return [Problem(sheet.plan.name, sheet.header.row + 1, name, reason) for name in sheet.header.twice]


def _key(sheet: Sheet, number: int, raw: RawRow, zone: ZoneInfo, problems: list[Problem]) -> Key | None:
    """None for a row without a usable key; a row that is empty altogether is nothing to report."""
    key = []
    for name, place, read in sheet.key_readers:
        try:
            part = read(raw[place], zone)
        except Unreadable as error:
            problems.append(Problem(sheet.plan.name, number, name, str(error)))
            return None
        if not part:
            if any(cell != "" and str(cell).strip() for cell in raw):
                problems.append(Problem(sheet.plan.name, number, name, "falta; la fila quedó fuera."))
            return None
        key.append(part)
    return tuple(key)
