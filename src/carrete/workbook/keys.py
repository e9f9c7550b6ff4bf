"""The rows of a sheet by key. Rows with a blank, unreadable or repeated key are left out and reported."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias
from zoneinfo import ZoneInfo

from carrete.workbook.cells import RawRow, Unreadable
from carrete.workbook.columns import UNIONES, VERSION, WELDING, SheetPlan
from carrete.workbook.errors import WorkbookError
from carrete.workbook.incoming import RowValues
from carrete.workbook.report import Problem, row_numbers_text
from carrete.workbook.rows import Cells
from carrete.workbook.xlsx_in import Book, ParsedSheet, sheet_of

Key: TypeAlias = tuple[str, ...]


@dataclass(slots=True)
class IndexedSheet:
    """One sheet and those of its rows that have a key of their own."""

    sheet: ParsedSheet | None
    rows: dict[Key, tuple[int, RawRow]]
    problems: list[Problem]
    notices: list[Problem] = field(default_factory=list)

    def values(self, key: Key, zone: ZoneInfo, problems: list[Problem]) -> RowValues:
        """Reads the cells of one row; unreadable ones are added to `problems`."""
        assert self.sheet is not None
        number, raw = self.rows[key]
        cells: Cells = {}
        for name, at, read in self.sheet.readers:
            try:
                cells[name] = read(raw[at], zone) if raw[at] != "" else ""
            except Unreadable as error:
                problems.append(Problem(self.sheet.plan.name, number, name, str(error)))
        column_index = self.sheet.header.indexes.get(VERSION, -1)
        token = raw[column_index] if column_index >= 0 else ""
        return RowValues(number, token.strip() if isinstance(token, str) else "", cells)

    def columns_not_read(self, key: Key) -> list[Problem]:
        """The cells of one row that are not read because their column is missing, perhaps renamed, or there twice."""
        assert self.sheet is not None
        number, _ = self.rows[key]
        reasons = dict.fromkeys(self.sheet.header.twice, "la columna está repetida.")
        reasons |= dict.fromkeys(_missing_columns(self.sheet), "falta la columna.")
        return [Problem(self.sheet.plan.name, number, name, reason) for name, reason in reasons.items()]


def required_sheet(book: Book, plan: SheetPlan, zone: ZoneInfo) -> IndexedSheet:
    """Raises WorkbookError when the sheet or a column of its key is missing."""
    sheet = sheet_of(book, plan)
    if sheet is None:
        raise WorkbookError(f"Falta la hoja {plan.name}; no se hizo nada.")
    if lost := _lost_keys(sheet):
        raise WorkbookError(f"En la hoja {plan.name} {lost}; no se hizo nada.")
    return _indexed(sheet, zone)


def optional_sheet(book: Book, plan: SheetPlan, zone: ZoneInfo) -> IndexedSheet:
    sheet = sheet_of(book, plan)
    if sheet is None:
        return IndexedSheet(None, {}, [], _sheet_missing(plan))
    if not any(cell != "" for row in book[plan.name] for cell in row):
        return IndexedSheet(None, {}, [])
    if lost := _lost_keys(sheet):
        problem = Problem(plan.name, sheet.header.row + 1, "", f"{lost}; la hoja quedó fuera.")
        if plan in WELDING:  # perhaps a sheet of the shop's own, which only has this name
            return IndexedSheet(None, {}, [], [problem])
        return IndexedSheet(None, {}, [problem])
    return _indexed(sheet, zone)


def _lost_keys(sheet: ParsedSheet) -> str:
    if missing := sheet.header.missing:
        return f"falta la columna {' y '.join(missing)}"
    twice = [name for name in sheet.header.twice if name in sheet.plan.key]
    return f"la columna {' y '.join(twice)} está repetida" if twice else ""


def _indexed(sheet: ParsedSheet, zone: ZoneInfo) -> IndexedSheet:
    plan, problems = sheet.plan, _twice(sheet)
    rows: dict[Key, list[tuple[int, RawRow]]] = {}
    for number, raw in enumerate(sheet.rows, sheet.first):
        key = _key(sheet, number, raw, zone, problems)
        if key:
            rows.setdefault(key, []).append((number, raw))
    for key, same in rows.items():
        if len(same) > 1:
            reason = (
                f"{' '.join(key)} está repetido en las filas {row_numbers_text([n for n, _ in same])}; ninguna entró."
            )
            problems += [Problem(plan.name, number, plan.key[0], reason) for number, _ in same]
    unique = {key: same[0] for key, same in rows.items() if len(same) == 1}
    return IndexedSheet(sheet, unique, problems, _columns_missing(sheet))


def _sheet_missing(plan: SheetPlan) -> list[Problem]:
    """Only joints need their sheet: workers may be managed with `carrete worker` instead."""
    reason = "falta la hoja; las uniones quedan como están."
    return [Problem(plan.name, 0, "", reason)] if plan is UNIONES else []


def _columns_missing(sheet: ParsedSheet) -> list[Problem]:
    """Reports missing columns, which a person may have renamed by mistake."""
    missing = _missing_columns(sheet)
    if not missing:
        return []
    reason = f"faltan columnas: {', '.join(missing)}; lo que dirían queda como está."
    return [Problem(sheet.plan.name, sheet.header.row + 1, "", reason)]


def _missing_columns(sheet: ParsedSheet) -> list[str]:
    """Without the optional ones. A file made by hand has no token column."""
    there = {*sheet.header.indexes, *sheet.header.twice, VERSION}
    return [column.name for column in sheet.plan.columns if column.name not in there and not column.optional]


def _twice(sheet: ParsedSheet) -> list[Problem]:
    reason = "la columna está repetida; no se leyó ninguna de las dos."
    return [Problem(sheet.plan.name, sheet.header.row + 1, name, reason) for name in sheet.header.twice]


def _key(sheet: ParsedSheet, number: int, raw: RawRow, zone: ZoneInfo, problems: list[Problem]) -> Key | None:
    """None for a row without a usable key, which is reported unless the whole row is empty."""
    key = []
    for name, at, read in sheet.key_readers:
        try:
            part = read(raw[at], zone)
        except Unreadable as error:
            problems.append(Problem(sheet.plan.name, number, name, str(error)))
            return None
        if not part:
            if any(cell != "" and str(cell).strip() for cell in raw):
                problems.append(Problem(sheet.plan.name, number, name, "falta; la fila quedó fuera."))
            return None
        key.append(part)
    return tuple(key)
