"""Imports Trabajadores and Roles: the file wins; people who are not in it stay as they are."""

from __future__ import annotations

from dataclasses import dataclass
from zoneinfo import ZoneInfo

from carrete.domain.workers import Rol, folded
from carrete.ledger.database import Database, Tx
from carrete.workbook.commits import commit_with_retries
from carrete.workbook.keys import IndexedSheet
from carrete.workbook.report import Count, ImportReport, Problem

_ROL = {folded(rol.value): rol for rol in Rol}


@dataclass(frozen=True, slots=True)
class _Person:
    id: int
    nombre: str
    apellido: str
    activo: int


def import_people(database: Database, trabajadores: IndexedSheet, roles: IndexedSheet, zone: ZoneInfo) -> ImportReport:
    if not trabajadores.rows and not roles.rows:
        return ImportReport()
    return commit_with_retries(database, lambda tx: take_people(tx, trabajadores, roles, zone))


def take_people(tx: Tx, trabajadores: IndexedSheet, roles: IndexedSheet, zone: ZoneInfo) -> ImportReport:
    report = ImportReport()
    _import_workers(tx, trabajadores, zone, report)
    _import_roles(tx, roles, zone, report)
    return report


def _import_workers(tx: Tx, sheet: IndexedSheet, zone: ZoneInfo, report: ImportReport) -> None:
    known = {row[0]: _Person(*row) for row in tx.all("workers")}
    changed: list[_Person] = []
    for key in sheet.rows:
        values = sheet.values(key, zone, report.problems)
        before = known.get(int(key[0]))
        person = _person(int(key[0]), values.cells, before)
        if not person.nombre:
            report.problems.append(Problem("Trabajadores", values.number, "Nombre", "falta; la fila quedó fuera."))
        elif person == before:
            report.workers.unchanged += 1
        else:
            changed.append(person)
            _tally(report.workers, known=before is not None)
    rows = [{"id": p.id, "nombre": p.nombre, "apellido": p.apellido, "activo": p.activo} for p in changed]
    tx.many("worker_upsert", rows)


def _person(worker_id: int, cells: dict[str, str], before: _Person | None) -> _Person:
    """A cell that the file does not have keeps its value; a new person is active unless the file has `Activo` off."""
    nombre, apellido, activo = (before.nombre, before.apellido, before.activo) if before else ("", "", 1)
    return _Person(
        worker_id,
        cells.get("Nombre", nombre),
        cells.get("Apellido", apellido),
        int(cells.get("Activo") or activo),
    )


def _import_roles(tx: Tx, sheet: IndexedSheet, zone: ZoneInfo, report: ImportReport) -> None:
    people = {row[0] for row in tx.all("workers")}
    known = {(row[0], row[1]): row[2] for row in tx.all("roles")}
    rows = {}
    for key in sheet.rows:
        values = sheet.values(key, zone, report.problems)
        worker_id, rol = int(key[0]), _ROL.get(folded(key[1]))
        if rol is None:
            names = ", ".join(Rol)
            report.problems.append(Problem("Roles", values.number, "Rol", f"«{key[1]}» no es un rol; hay: {names}."))
        elif worker_id not in people:
            reason = f"no hay un trabajador {worker_id} en Trabajadores."
            report.problems.append(Problem("Roles", values.number, "Id", reason))
        else:
            before = known.get((worker_id, rol.value))
            activo = int(values.cells.get("Activo") or (1 if before is None else before))
            if activo == before:
                report.roles.unchanged += 1
            else:
                rows[worker_id, rol.value] = activo
                _tally(report.roles, known=before is not None)
    tx.many("role_upsert", [{"worker_id": w, "rol": r, "activo": a} for (w, r), a in rows.items()])


def _tally(count: Count, *, known: bool) -> None:
    if known:
        count.changed += 1
    else:
        count.new += 1
