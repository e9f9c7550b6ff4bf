"""The import: a workbook as engineering would hand it over, into an empty ledger."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import xlsxwriter

from carrete.domain.shop import Shop
from carrete.ledger import open_database
from carrete.ledger.migrate import migrate
from carrete.workbook.importing import import_workbook
from carrete_bench.errors import BenchFailed
from carrete_bench.figures import Import
from carrete_bench.shop import WORKERS, tag

_OPERACIONES = ("TAG_SPOOL", "OT", "NV", "Fecha_Materiales", "Total_Uniones")
_UNIONES = ("ID", "OT", "N_UNION", "TAG_SPOOL", "DN_UNION", "TIPO_UNION")
_TRABAJADORES = ("Id", "Nombre", "Apellido", "Activo")
_ROLES = ("Id", "Rol", "Activo")
_TIPOS = ("BW", "BW", "BR", "SO", "FW")


def measure(ledger_url: str, folder: Path, spools: int, joints_each: int) -> Import:
    path = folder / "bench.xlsx"
    write(path, spools, joints_each)
    database = open_database(ledger_url)
    try:
        migrate(database)
        start = time.perf_counter()
        report = import_workbook(database, path, Shop(), datetime.now(UTC))
        seconds = time.perf_counter() - start
    finally:
        database.close()
    if report.problems:
        raise BenchFailed(f"the import left rows out: {report.problems[0]}")
    return Import(spools, spools * joints_each, seconds)


def write(path: Path, spools: int, joints_each: int) -> None:
    with xlsxwriter.Workbook(str(path), {"constant_memory": True}) as book:
        day = book.add_format({"num_format": "dd-mm-yyyy"})
        materiales = date(2026, 11, 2)
        numbers = range(spools)
        rows = [[tag(n), f"OT-{25_000 + n // 20}", f"NV-{1335 + n // 500}", materiales, joints_each] for n in numbers]
        _sheet(book, "Operaciones", _OPERACIONES, rows, day)
        _sheet(book, "Uniones", _UNIONES, [_joint(n, k) for n in numbers for k in range(joints_each)], day)
        people = range(1, WORKERS + 1)
        _sheet(book, "Trabajadores", _TRABAJADORES, [[i, "Mauricio", "Rodríguez", "TRUE"] for i in people], day)
        _sheet(book, "Roles", _ROLES, [[i, "Armador", "TRUE"] for i in people], day)


def _joint(number: int, k: int) -> list[Any]:
    ot = f"OT-{25_000 + number // 20}"
    return [f"{ot}+{number}+{k + 1}", ot, k + 1, tag(number), 2 + k % 10, _TIPOS[k % len(_TIPOS)]]


def _sheet(book: Any, name: str, headers: tuple[str, ...], rows: list[list[Any]], day: Any) -> None:
    sheet = book.add_worksheet(name)
    sheet.write_row(0, 0, headers)
    for index, row in enumerate(rows, 1):
        for column, value in enumerate(row):
            if isinstance(value, date):
                sheet.write_datetime(index, column, datetime(value.year, value.month, value.day), day)  # noqa: DTZ001
            else:
                sheet.write(index, column, value)
