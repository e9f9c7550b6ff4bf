"""A file → the contract's sheets as raw rows, with the numbers that a spreadsheet program shows for them."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from python_calamine import CalamineError, CalamineWorkbook

from carrete.workbook.cells import Raw, Reader
from carrete.workbook.columns import PLANS, VERSION, Header, SheetPlan, found_header, matching
from carrete.workbook.errors import WorkbookError

UNPACKED_BYTES_MAX = 1 << 30
CELLS_MAX = 10_000_000  # a stray cell in the last corner would make the reader allocate the whole grid
_OLE = bytes.fromhex("D0CF11E0A1B11AE1")
_DIMENSION = re.compile(rb'<dimension ref="[A-Z]+\d+:([A-Z]+)(\d+)"')

RawRow: TypeAlias = list[Raw]
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
    try:
        book = CalamineWorkbook.from_path(path)
        names = {matching(name): name for name in reversed(book.sheet_names)}
        return {
            plan.name: book.get_sheet_by_name(names[matching(plan.name)]).to_python(skip_empty_area=False)  # type: ignore[misc]
            for plan in PLANS
            if matching(plan.name) in names
        }
    except CalamineError as error:
        raise WorkbookError(f"{path.name} no se puede leer como .xlsx: {error}.") from error


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
    _require_reasonable_size(path)


def _require_reasonable_size(path: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(info.file_size for info in archive.infolist()) > UNPACKED_BYTES_MAX:
                raise WorkbookError(f"{path.name} es demasiado grande: más de 1 GB al descomprimirlo.")
            for name in archive.namelist():
                if name.startswith("xl/worksheets/sheet"):
                    with archive.open(name) as sheet:
                        _require_few_cells(path, sheet.read(4096))
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError) as error:
        raise WorkbookError(f"{path.name} no es un archivo .xlsx que se pueda leer: está dañado.") from error


def _require_few_cells(path: Path, start: bytes) -> None:
    found = _DIMENSION.search(start)
    if found and int(found[2]) * _column_number(found[1]) > CELLS_MAX:
        raise WorkbookError(
            f"{path.name} tiene una hoja que llega hasta la celda {found[1].decode()}{found[2].decode()}: "
            "borre las filas y columnas vacías del final y guárdelo de nuevo."
        )


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number
