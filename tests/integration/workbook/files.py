"""Workbooks as people send them, and workers' actions between two of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import xlsxwriter
from python_calamine import CalamineWorkbook

from carrete.actions.record import save_changes
from carrete.domain.commands import Command
from carrete.domain.decide import Case, decide
from carrete.domain.joints import Joint
from carrete.domain.spool import Spool
from carrete.ledger.database import Database
from carrete.ledger.lock_value import lock_value
from carrete.ledger.rows import joint_from
from carrete.ledger.store import (
    Changes,
    JointWrite,
    SpoolWrite,
    joints_of_many,
    spools_to_change,
    workers_known,
)
from carrete.workbook.exporting import export_workbook
from carrete.workbook.importing import import_workbook
from carrete.workbook.report import ImportReport
from tests.support.builders import SHOP as SHOP_WITH_IDENTITY

MONDAY = datetime(2026, 11, 16, 13, 0, tzinfo=UTC)  # 10:00 in Santiago
SHOP = replace(SHOP_WITH_IDENTITY, confirmed_roles_only=False)  # a role in a file counts at once
Rows = Sequence[Mapping[str, Any]]

PEOPLE: Rows = (
    {"Id": 93, "Nombre": "Mauricio", "Apellido": "Rodríguez", "Activo": True},
    {"Id": 12, "Nombre": "Juana", "Apellido": "Pérez", "Activo": True},
    {"Id": 30, "Nombre": "Marta", "Apellido": "Ibarra", "Activo": True},
    {"Id": 21, "Nombre": "Sergio", "Apellido": "Vidal", "Activo": True},
)
ROLES: Rows = (
    *({"Id": i, "Rol": rol, "Activo": True} for i in (93, 12) for rol in ("Armador", "Soldador")),
    {"Id": 30, "Rol": "Metrologia", "Activo": True},
    {"Id": 21, "Rol": "Supervisor", "Activo": True},
)


@dataclass(frozen=True)
class Shows:
    """A formula, and the value that its cell shows."""

    result: str


class Clock:
    """A clock by which every import, export and tap happens a minute after the one before."""

    def __init__(self) -> None:
        self.now = MONDAY

    def tick(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now


def write_file(path: Path, **sheets: Rows) -> Path:
    """The columns of a sheet are those of its rows, in the order of their first use."""
    book = xlsxwriter.Workbook(
        str(path), {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    )
    day = book.add_format({"num_format": "dd-mm-yyyy"})
    moment = book.add_format({"num_format": "dd-mm-yyyy hh:mm:ss"})
    for name, rows in sheets.items():
        sheet = book.add_worksheet(name)
        headers = list(dict.fromkeys(header for row in rows for header in row))
        for place, header in enumerate(headers):
            sheet.write_string(0, place, header)
        for number, row in enumerate(rows, 1):
            for header, value in row.items():
                _write_cell(sheet, number, headers.index(header), value, day, moment)
    book.close()
    return path


def _write_cell(sheet: Any, row: int, place: int, value: Any, day: Any, moment: Any) -> None:
    if isinstance(value, datetime):
        sheet.write_datetime(row, place, value, moment)
    elif isinstance(value, date):
        sheet.write_datetime(row, place, value, day)
    elif isinstance(value, Shows):
        sheet.write_formula(row, place, "=Z!A1", None, value.result)
    elif isinstance(value, str):
        sheet.write_string(row, place, value)
    elif value is not None:
        sheet.write(row, place, value)


def read_sheet(path: Path, name: str) -> list[dict[str, Any]]:
    header, *rows = CalamineWorkbook.from_path(path).get_sheet_by_name(name).to_python()
    return [dict(zip(map(str, header), row, strict=True)) for row in rows]


class RowEditor:
    """A person with a ledger, a folder and a clock."""

    def __init__(self, database: Database, folder: Path) -> None:
        self.database = database
        self.folder = folder
        self.clock = Clock()

    def bring(self, operaciones: Rows, uniones: Rows = (), *, people: bool = True, **sheets: Rows) -> ImportReport:
        """Imports a file that was made by hand."""
        if people:
            sheets = {"Trabajadores": PEOPLE, "Roles": ROLES, **sheets}
        path = write_file(self.folder / f"{uuid4()}.xlsx", Operaciones=operaciones, Uniones=uniones, **sheets)
        return self.import_(path)

    def import_(self, path: Path) -> ImportReport:
        return import_workbook(self.database, path, SHOP, self.clock.tick())

    def export(self) -> Path:
        path = self.folder / f"{uuid4()}.xlsx"
        export_workbook(self.database, path, SHOP, self.clock.tick())
        return path

    def exported(self) -> dict[str, list[dict[str, Any]]]:
        path = self.export()
        return {name: read_sheet(path, name) for name in ("Operaciones", "Uniones")}

    def edit(
        self, exported: dict[str, list[dict[str, Any]]], tag: str, n_union: int | None = None, **cells: Any
    ) -> None:
        """Changes cells in the row of this spool, or of this joint, in the file itself."""
        for row in exported["Operaciones" if n_union is None else "Uniones"]:
            if row["TAG_SPOOL"] == tag and (n_union is None or row["N_UNION"] == n_union):
                row.update(cells)

    def save(self, exported: dict[str, list[dict[str, Any]]]) -> Path:
        return write_file(self.folder / f"{uuid4()}.xlsx", **exported)

    def act(self, command: Command) -> Spool:
        """A worker's tap, committed."""
        now = self.clock.tick()
        with self.database.writing() as tx:
            spool = spools_to_change(tx, [command.tag])[command.tag]
            worker = workers_known(tx, [command.worker_id], SHOP.confirmed_roles_only)[command.worker_id]
            lock = lock_value(worker.id, now, SHOP.zone)
            joints = {joint.n_union: joint for joint in joints_of_many(tx, [command.tag]).get(command.tag, [])}
            change = decide(command, Case(spool, worker, now, SHOP, lock, list(joints.values())))
            change = change.with_spool(change.spool.but(version=str(uuid4())))
            done = [JointWrite(replace(j, version=str(uuid4())), joints[j.n_union].version) for j in change.joints]
            save_changes(tx, Changes(now, [SpoolWrite(change.spool, spool.version)], changed_joints=done), [change])
        return change.spool

    def joints(self, tag: str) -> list[Joint]:
        with self.database.reading() as tx:
            return [joint_from(row) for row in tx.all("joints_of", tag=tag)]
