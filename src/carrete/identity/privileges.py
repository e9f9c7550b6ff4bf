"""Privileged roles (`domain.workers.PRIVILEGED`): what a workbook asked for waits here until an administrator decides,
and one active administrator always stays."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from carrete.domain.refusals import WorkerUnknown
from carrete.domain.workers import PRIVILEGED, Rol, Worker
from carrete.identity import sessions
from carrete.identity.access_events import AccessKind, record
from carrete.identity.refusals import LastAdministrator, PendingChanged, RecordUnknown
from carrete.ledger import queries
from carrete.ledger.database import Tx

WAITING, CONFIRMED, REFUSED = 0, 1, 2  # worker_role.confirmed; a refused role waits again once the workbook changes it


@dataclass(frozen=True, slots=True)
class AskedChange:
    """A name or a reactivation that a workbook asks for, of somebody who has privileges."""

    nombre: str
    apellido: str
    activo: bool


@dataclass(frozen=True, slots=True)
class PendingPrivileges:
    """What waits for one person."""

    worker_id: int
    roles: tuple[Rol, ...]
    change: AskedChange | None


def pending(tx: Tx) -> list[PendingPrivileges]:
    roles: dict[int, list[Rol]] = {}
    for worker_id, rol, activo, confirmed in tx.all("roles"):
        if activo and confirmed == WAITING:
            roles.setdefault(worker_id, []).append(Rol(rol))
    changes = {
        worker_id: AskedChange(nombre, apellido, bool(activo))
        for worker_id, nombre, apellido, activo in tx.all("worker_changes")
    }
    return [
        PendingPrivileges(worker_id, tuple(roles.get(worker_id, ())), changes.get(worker_id))
        for worker_id in sorted({*roles, *changes})
    ]


def confirm(
    tx: Tx,
    worker_id: int,
    *,
    by_id: int | None,
    at: datetime,
    address: str | None = None,
    seen: PendingPrivileges | None = None,
) -> Worker:
    """What waits for this person acts from now on; only if it is what the administrator saw, when that is given."""
    waiting = _waiting(tx, worker_id, seen)
    if waiting.change:
        _apply(tx, worker_id, waiting.change, at)
    _decide(tx, waiting, CONFIRMED)
    kind = AccessKind.PRIVILEGIO_CONFIRMADO
    record(tx, kind, at=at, worker_id=worker_id, by_id=by_id, address=address, detail=_summary(waiting))
    return known_worker(tx, worker_id)


def refuse(
    tx: Tx,
    worker_id: int,
    *,
    by_id: int | None,
    at: datetime,
    address: str | None = None,
    seen: PendingPrivileges | None = None,
) -> Worker:
    """Nothing of it acts. A refused role waits again only after the workbook took it away and gave it anew."""
    waiting = _waiting(tx, worker_id, seen)
    _decide(tx, waiting, REFUSED)
    kind = AccessKind.PRIVILEGIO_RECHAZADO
    record(tx, kind, at=at, worker_id=worker_id, by_id=by_id, address=address, detail=_summary(waiting))
    return known_worker(tx, worker_id)


def privileges_of(tx: Tx, worker_id: int, *, also_waiting: bool = False) -> set[Rol]:
    counted = (CONFIRMED, WAITING) if also_waiting else (CONFIRMED,)
    rows = tx.all("roles_of", worker_id=worker_id)
    return {Rol(rol) for rol, activo, confirmed in rows if activo and confirmed in counted} & PRIVILEGED


def people_with_privileges(tx: Tx) -> set[int]:
    rows = tx.all("roles")
    return {id_ for id_, rol, activo, confirmed in rows if activo and confirmed == CONFIRMED and rol in PRIVILEGED}


def administrators(tx: Tx) -> set[int]:
    """The active people whose role Administrador is confirmed; in a writing transaction they stay so until it ends."""
    return {worker_id for (worker_id,) in tx.all("administrators")}


def has_administrator(tx: Tx) -> bool:
    return tx.one("administrator_exists") is not None


def require_another_administrator(tx: Tx, person: Worker) -> None:
    """Before a person loses the role or is deactivated."""
    if administrators(tx) == {person.id}:
        raise LastAdministrator(person.label)


def known_worker(tx: Tx, worker_id: int) -> Worker:
    person = queries.worker(tx, worker_id)
    if person is None:
        raise WorkerUnknown(worker_id)
    return person


def _waiting(tx: Tx, worker_id: int, seen: PendingPrivileges | None) -> PendingPrivileges:
    known_worker(tx, worker_id)
    found = next((each for each in pending(tx) if each.worker_id == worker_id), None)
    if found is None:
        raise RecordUnknown("No hay nada que confirmar de esa persona.")
    if seen is not None and (set(seen.roles), seen.change) != (set(found.roles), found.change):
        raise PendingChanged
    return found


def _apply(tx: Tx, worker_id: int, change: AskedChange, at: datetime) -> None:
    """The workbook may have asked for the change before the person was made the last administrator here."""
    if not change.activo:
        require_another_administrator(tx, known_worker(tx, worker_id))
        sessions.end_all_of_worker(tx, worker_id, now=at, why=sessions.EndReason.DEACTIVATED)
    activo = int(change.activo)
    tx.run("worker_upsert", id=worker_id, nombre=change.nombre, apellido=change.apellido, activo=activo)


def _decide(tx: Tx, waiting: PendingPrivileges, confirmed: int) -> None:
    for rol in waiting.roles:
        tx.run("role_decide", worker_id=waiting.worker_id, rol=rol.value, confirmed=confirmed)
    tx.run("worker_change_drop", worker_id=waiting.worker_id)


def _summary(waiting: PendingPrivileges) -> str:
    parts = [rol.value for rol in waiting.roles]
    if change := waiting.change:
        parts.append(f"{change.nombre} {change.apellido}, {'activo' if change.activo else 'inactivo'}")
    return "; ".join(parts)
