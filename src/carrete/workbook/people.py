"""Imports Trabajadores and Roles: the file wins; people who are not in it stay as they are. Of the live sheet only the
cells count that changed since the last read (`people_bases`).

Privileges do not come from a workbook alone. A privileged role waits until an administrator confirms it; so does, with
`confirm`, the new name or the reactivation of somebody who has one. Taking away acts at once, but never removes the
last administrator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from carrete.domain.workers import PRIVILEGED, Rol, folded
from carrete.identity import privileges, sessions
from carrete.identity.access_events import AccessKind, record
from carrete.ledger.database import Tx
from carrete.ledger.values import instant_text
from carrete.workbook.columns import ROLES, TRABAJADORES
from carrete.workbook.effects import RowChange, RowKind, changed_cells
from carrete.workbook.keys import IndexedSheet
from carrete.workbook.people_bases import PeopleBases, PeopleRow
from carrete.workbook.report import Count, ImportReport, Problem
from carrete.workbook.rows import Cells

_ROL = {folded(rol.value): rol for rol in Rol}
_WAITS = "espera que un administrador lo confirme en Carrete."
_LAST = "es el último administrador activo; nombre a otro primero. Quedó como estaba."


@dataclass(frozen=True, slots=True)
class _Person:
    id: int
    nombre: str
    apellido: str
    activo: int

    @property
    def values(self) -> dict[str, Any]:
        return {"nombre": self.nombre, "apellido": self.apellido, "activo": self.activo}

    @property
    def cells(self) -> Cells:
        return {"Nombre": self.nombre, "Apellido": self.apellido, "Activo": _yes_or_no(self.activo)}


@dataclass(slots=True)
class _Import:
    """One import of people. `administrators` shrinks as they are removed; `protected` have confirmed privileges, and
    `requested` is what waits for an administrator."""

    tx: Tx
    zone: ZoneInfo
    report: ImportReport
    now: datetime
    confirm: bool
    administrators: set[int]
    protected: set[int]
    requested: Mapping[int, _Person]
    bases: PeopleBases

    def removes_last_administrator(self, worker_id: int) -> bool:
        """Otherwise the person is no administrator from now on."""
        if self.administrators == {worker_id}:
            return True
        self.administrators.discard(worker_id)
        return False


def take_people(
    tx: Tx,
    trabajadores: IndexedSheet,
    roles: IndexedSheet,
    zone: ZoneInfo,
    *,
    confirm: bool = True,
    bases: PeopleBases | None = None,
) -> ImportReport:
    """`confirm` is False without identity (mode `open`): then names and reactivations act at once, and the roles that
    are written as waiting count meanwhile."""
    administrators = privileges.administrators(tx)
    protected = privileges.people_with_privileges(tx) if confirm else set()
    requested = {row[0]: _Person(*row) for row in tx.all("worker_changes") if row[0] in protected}
    now, bases = datetime.now(UTC), bases or PeopleBases()
    importing = _Import(tx, zone, ImportReport(), now, confirm, administrators, protected, requested, bases)
    _import_workers(importing, trabajadores)
    _import_roles(importing, roles)
    return importing.report


def _import_workers(importing: _Import, sheet: IndexedSheet) -> None:
    tx, report = importing.tx, importing.report
    known = {row[0]: _Person(*row) for row in tx.all("workers")}
    changed: list[_Person] = []
    for key in sheet.rows:
        values = sheet.values(key, importing.zone, report.problems)
        worker_id, row = int(key[0]), (TRABAJADORES.name, key[0])
        before = known.get(worker_id)
        cells = importing.bases.edited(row, values.cells) if before else values.cells
        if before is not None and not cells:
            report.workers.unchanged += 1
            continue
        person = _person(worker_id, cells, importing.requested.get(worker_id, before))
        if not person.nombre:
            report.problems.append(Problem("Trabajadores", values.number, "Nombre", "falta; la fila quedó fuera."))
            continue
        importing.bases.remember(row, values.cells)
        if before is not None:
            person = _allowed(importing, before, person, values.number, row)
        if person == before:
            report.workers.unchanged += 1
        else:
            changed.append(person)
            report.people_changes.append(_worker_change(before, person, values.number))
            _tally(report.workers, known=before is not None)
            _end_sessions(importing, person)
    tx.many("worker_upsert", [{"id": person.id, **person.values} for person in changed])


def _allowed(importing: _Import, before: _Person, requested: _Person, number: int, row: PeopleRow) -> _Person:
    """The part of the change that acts at once. The rest waits for an administrator, or is reported."""
    report = importing.report
    if before.activo and not requested.activo and importing.removes_last_administrator(requested.id):
        report.problems.append(Problem("Trabajadores", number, "Activo", _LAST))
        importing.bases.leave_open(row, "Activo")
        requested = replace(requested, activo=before.activo)
    if requested.id not in importing.protected:
        return requested
    acting = replace(before, activo=min(before.activo, requested.activo))
    if acting == requested:
        importing.tx.run("worker_change_drop", worker_id=requested.id)
    else:
        importing.tx.run(
            "worker_change_ask", worker_id=requested.id, **requested.values, at=instant_text(importing.now)
        )
        report.notices.append(Problem("Trabajadores", number, "", f"tiene privilegios: el cambio {_WAITS}"))
    return acting


def _end_sessions(importing: _Import, person: _Person) -> None:
    if not person.activo:
        why = sessions.EndReason.DEACTIVATED
        sessions.end_all_of_worker(importing.tx, person.id, now=importing.now, why=why)


def _person(worker_id: int, cells: Mapping[str, str], before: _Person | None) -> _Person:
    """A cell that the file does not have keeps its value; a new person is active unless the file has `Activo` off."""
    nombre, apellido, activo = (before.nombre, before.apellido, before.activo) if before else ("", "", 1)
    return _Person(
        worker_id,
        cells.get("Nombre", nombre),
        cells.get("Apellido", apellido),
        int(cells.get("Activo") or activo),
    )


def _import_roles(importing: _Import, sheet: IndexedSheet) -> None:
    tx, report = importing.tx, importing.report
    people = {row[0] for row in tx.all("workers")}
    known = {(row[0], row[1]): row[2] for row in tx.all("roles")}
    rows: dict[tuple[int, Rol], int] = {}
    changes: dict[tuple[int, Rol], RowChange] = {}
    for key in sheet.rows:
        values = sheet.values(key, importing.zone, report.problems)
        worker_id, rol = int(key[0]), _ROL.get(folded(key[1]))
        if rol is None:
            names = ", ".join(Rol)
            report.problems.append(Problem("Roles", values.number, "Rol", f"«{key[1]}» no es un rol; hay: {names}."))
        elif worker_id not in people:
            reason = f"no hay un trabajador {worker_id} en Trabajadores."
            report.problems.append(Problem("Roles", values.number, "Id", reason))
        else:
            before, row = known.get((worker_id, rol.value)), (ROLES.name, " ".join(key))
            cells = values.cells if before is None else importing.bases.edited(row, values.cells)
            activo = int(cells.get("Activo") or (1 if before is None else before))
            importing.bases.remember(row, values.cells)
            if activo == before:
                report.roles.unchanged += 1
            elif not _role_may_change(importing, worker_id, rol, activo, values.number):
                importing.bases.leave_open(row, "Activo")
            else:
                rows[worker_id, rol] = activo
                changes[worker_id, rol] = _role_change(worker_id, rol, before, activo, values.number)
                _tally(report.roles, known=before is not None)
    report.people_changes += changes.values()
    _save_roles(importing, rows, known)


def _role_may_change(importing: _Import, worker_id: int, rol: Rol, activo: int, row: int) -> bool:
    if rol is Rol.ADMINISTRADOR and not activo and importing.removes_last_administrator(worker_id):
        importing.report.problems.append(Problem("Roles", row, "Activo", _LAST))
        return False
    if rol in PRIVILEGED and activo and importing.confirm:
        importing.report.notices.append(Problem("Roles", row, "Rol", f"{rol.value} {_WAITS}"))
    return True


def _save_roles(importing: _Import, rows: Mapping[tuple[int, Rol], int], known: Mapping[tuple[int, str], int]) -> None:
    """Privileged roles are written as waiting, whatever the mode; a floor role acts at once. A role that nobody had is
    not taken away from anybody. `known` are the roles before."""
    by_statement: dict[str, list[dict[str, Any]]] = {"role_ask": [], "role_upsert": []}
    for (worker_id, rol), activo in rows.items():
        statement = "role_ask" if rol in PRIVILEGED else "role_upsert"
        by_statement[statement].append({"worker_id": worker_id, "rol": rol.value, "activo": activo})
        if activo or known.get((worker_id, rol.value)):
            given = "pedido" if rol in PRIVILEGED else "dado"
            detail = f"planilla: {rol.value} {given if activo else 'retirado'}"
            record(importing.tx, AccessKind.ROL_CAMBIADO, at=importing.now, worker_id=worker_id, detail=detail)
    for statement, changed in by_statement.items():
        importing.tx.many(statement, changed)


def _worker_change(before: _Person | None, after: _Person, row: int) -> RowChange:
    cells = changed_cells(before.cells if before else {}, after.cells)
    retired = before is not None and before.activo and not after.activo
    kind = RowKind.NEW if before is None else RowKind.RETIRED if retired else RowKind.CHANGED
    return RowChange(TRABAJADORES.name, row, str(after.id), kind, cells)


def _role_change(worker_id: int, rol: Rol, before: int | None, activo: int, row: int) -> RowChange:
    cells = changed_cells({} if before is None else {"Activo": _yes_or_no(before)}, {"Activo": _yes_or_no(activo)})
    kind = RowKind.NEW if before is None else RowKind.CHANGED if activo else RowKind.RETIRED
    return RowChange(ROLES.name, row, f"{worker_id} {rol.value}", kind, cells)


def _yes_or_no(on: int) -> str:
    return "TRUE" if on else "FALSE"


def _tally(count: Count, *, known: bool) -> None:
    if known:
        count.changed += 1
    else:
        count.new += 1
