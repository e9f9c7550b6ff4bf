"""Measures the import of a generated workbook into an empty ledger."""

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
from carrete_bench.results import ImportTime
from carrete_bench.shop import WORKERS, tag

_OPERACIONES = ("TAG_SPOOL", "OT", "NV", "Fecha_Materiales", "Total_Uniones")
_UNIONES = ("ID", "OT", "N_UNION", "TAG_SPOOL", "DN_UNION", "TIPO_UNION")
_TRABAJADORES = ("Id", "Nombre", "Apellido", "Activo")
_ROLES = ("Id", "Rol", "Activo")
_TIPOS = ("BW", "BW", "BR", "SO", "FW")


def measure(ledger_url: str, folder: Path, spools: int, joints_each: int) -> ImportTime:
    path = folder / "bench.xlsx"
    write_workbook(path, spools, joints_each)
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
    return ImportTime(spools, spools * joints_each, seconds)


def write_workbook(path: Path, spools: int, joints_each: int) -> None:
    with xlsxwriter.Workbook(str(path), {"constant_memory": True}) as book:
        date_format = book.add_format({"num_format": "dd-mm-yyyy"})
        materiales = date(2026, 11, 2)
        spool_rows = [
            [tag(n), f"OT-{25_000 + n // 20}", f"NV-{1335 + n // 500}", materiales, joints_each] for n in range(spools)
        ]
        joint_rows = [_joint_row(n, joint) for n in range(spools) for joint in range(joints_each)]
        _add_sheet(book, "Operaciones", _OPERACIONES, spool_rows, date_format)
        _add_sheet(book, "Uniones", _UNIONES, joint_rows, date_format)
        people = range(1, WORKERS + 1)
        _add_sheet(
            book, "Trabajadores", _TRABAJADORES, [[i, "Mauricio", "Rodríguez", "TRUE"] for i in people], date_format
        )
        _add_sheet(book, "Roles", _ROLES, [[i, "Armador", "TRUE"] for i in people], date_format)


def _joint_row(spool: int, joint: int) -> list[Any]:
    ot = f"OT-{25_000 + spool // 20}"
    return [f"{ot}+{spool}+{joint + 1}", ot, joint + 1, tag(spool), 2 + joint % 10, _TIPOS[joint % len(_TIPOS)]]


def _add_sheet(book: Any, name: str, headers: tuple[str, ...], rows: list[list[Any]], date_format: Any) -> None:
    sheet = book.add_worksheet(name)
    sheet.write_row(0, 0, headers)
    for row_number, row in enumerate(rows, 1):
        for column, value in enumerate(row):
            if isinstance(value, date):
                midnight = datetime(value.year, value.month, value.day)  # noqa: DTZ001
                sheet.write_datetime(row_number, column, midnight, date_format)
            else:
                sheet.write(row_number, column, value)
