"""A file → the contract's sheets as raw rows, with the numbers that a spreadsheet program shows for them."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias
from xml.etree.ElementTree import ParseError
from xml.parsers.expat import ExpatError

from python_calamine import CalamineError, CalamineWorkbook

from carrete.workbook.cells import Broken, RawRow, Reader
from carrete.workbook.columns import PLANS, VERSION, Header, SheetPlan, found_header, matching
from carrete.workbook.errors import WorkbookError
from carrete.workbook.sheet_xml import Extent, error_cells, extent, parts_by_sheet, sheet_parts

UNPACKED_BYTES_MAX = 1 << 30
CELLS_MAX = 10_000_000  # a stray cell in the last corner would make the reader allocate the whole grid
_OLE = bytes.fromhex("D0CF11E0A1B11AE1")
_DAMAGED = (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError, KeyError, ParseError, ExpatError)

Book: TypeAlias = Mapping[str, list[RawRow]]


@dataclass(frozen=True)
class Sheet:
    plan: SheetPlan
    header: Header
    rows: list[RawRow]

    @property
    def first(self) -> int:
        """The number that a spreadsheet program shows for the first of the rows."""
        return self.header.row + 2

    @cached_property
    def key_readers(self) -> list[tuple[str, int, Reader]]:
        return [(name, self.header.places[name], self.plan.column(name).read) for name in self.plan.key]

    @cached_property
    def readers(self) -> list[tuple[str, int, Reader]]:
        """Of the cells that say something; key and token only say which row it is."""
        names = self.header.places.items()
        silent = {*self.plan.key, VERSION}
        return [(name, place, self.plan.column(name).read) for name, place in names if name not in silent]


def read_book(path: Path) -> Book:
    """The sheets we know, by our name for them. Raises WorkbookError with one sentence when it is no workbook."""
    _require_xlsx(path)
    with_errors = _require_reasonable_size(path)
    try:
        book = CalamineWorkbook.from_path(path)
        names = {matching(name): name for name in reversed(book.sheet_names)}
        ours = {plan.name: names[matching(plan.name)] for plan in PLANS if matching(plan.name) in names}
        rows: Book = {
            name: book.get_sheet_by_name(theirs).to_python(skip_empty_area=False)  # type: ignore[misc]
            for name, theirs in ours.items()
        }
    except CalamineError as error:
        raise WorkbookError(f"{path.name} no se puede leer como .xlsx: {error}.") from error
    if with_errors:
        _mark_errors(path, rows, ours, with_errors)
    return rows


def _mark_errors(path: Path, book: Book, theirs: Mapping[str, str], with_errors: set[str]) -> None:
    """The library shows an error as an empty cell; it must not look as if somebody had emptied it."""
    try:
        with zipfile.ZipFile(path) as archive:
            parts = parts_by_sheet(archive)
            for name, rows in book.items():
                if (part := parts.get(theirs[name])) in with_errors:
                    _mark(rows, error_cells(archive, part))
    except _DAMAGED as error:
        raise _damaged(path) from error


def _mark(rows: list[RawRow], places: list[tuple[int, int]]) -> None:
    for row, column in places:
        if row < len(rows) and column < len(rows[row]):
            rows[row][column] = Broken.FORMULA


def sheet_of(book: Book, plan: SheetPlan) -> Sheet | None:
    if plan.name not in book:
        return None
    rows = book[plan.name]
    header = found_header(plan, rows)
    return Sheet(plan, header, rows[header.row + 1 :])


def _require_xlsx(path: Path) -> None:
    try:
        with path.open("rb") as file:
            start = file.read(8)
    except OSError as error:
        raise WorkbookError(f"{path} no se puede abrir: {error.strerror}.") from error
    if not start:
        raise WorkbookError(f"{path.name} está vacío.")
    if start == _OLE:
        raise WorkbookError(
            f"{path.name} está protegido con contraseña o es un .xls antiguo: guárdelo sin contraseña como .xlsx."
        )
    if not start.startswith(b"PK"):
        raise WorkbookError(f"{path.name} no es un archivo .xlsx.")


def _require_reasonable_size(path: Path) -> set[str]:
    """The sheets' parts in which a cell may be an error."""
    with_errors = set()
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(info.file_size for info in archive.infolist()) > UNPACKED_BYTES_MAX:
                raise WorkbookError(f"{path.name} es demasiado grande: más de 1 GB al descomprimirlo.")
            for part in sheet_parts(archive):
                found = extent(archive, part)
                _require_few_cells(path, found)
                if found.errors:
                    with_errors.add(part)
    except _DAMAGED as error:
        raise _damaged(path) from error
    return with_errors


def _require_few_cells(path: Path, found: Extent) -> None:
    if found.rows * found.columns > CELLS_MAX:
        raise WorkbookError(
            f"{path.name} tiene una hoja que llega hasta la celda {found.corner}: "
            "borre las filas y columnas vacías del final y guárdelo de nuevo."
        )


def _damaged(path: Path) -> WorkbookError:
    return WorkbookError(f"{path.name} no es un archivo .xlsx que se pueda leer: está dañado.")
