"""The rules for adding and changing people. Each function runs inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Collection

from carrete.domain.refusals import RoleMissing, WorkerInactive, WorkerUnknown
from carrete.domain.texts import writable
from carrete.domain.workers import Rol, Worker
from carrete.ledger import queries
from carrete.ledger.database import Tx


class WorkerRefused(Exception):
    """A rule forbids the change; the text says which."""


def add(tx: Tx, id_: int, nombre: str, apellido: str, roles: Collection[Rol]) -> Worker:
    if queries.worker(tx, id_) is not None:
        raise WorkerRefused(f"Worker {id_} exists already.")
    person = Worker(id_, nombre.strip(), apellido.strip())
    if not person.nombre or not person.apellido:
        raise WorkerRefused("A worker needs a first name and a surname: the label is made of them.")
    if not writable(person.nombre + person.apellido):
        raise WorkerRefused("A name cannot have control characters.")
    _save(tx, person, active=True)
    for rol in roles:
        tx.run("role_upsert", worker_id=id_, rol=rol.value, activo=1)
    return person


def set_roles(tx: Tx, id_: int, roles: Collection[Rol]) -> Worker:
    """Gives the person exactly these roles."""
    person = _existing(tx, id_)
    for rol in Rol:
        if rol in roles or rol in person.roles:
            tx.run("role_upsert", worker_id=id_, rol=rol.value, activo=int(rol in roles))
    return person


def deactivate(tx: Tx, id_: int) -> Worker:
    person = _existing(tx, id_)
    _save(tx, person, active=False)
    return person


def require_supervisor(tx: Tx, worker_id: int, what: str, confirmed_roles_only: bool = True) -> Worker:
    """Refuses `what`, named in Spanish, to everybody but an active supervisor."""
    worker = queries.worker(tx, worker_id, confirmed_roles_only)
    if worker is None:
        raise WorkerUnknown(worker_id)
    if not worker.activo:
        raise WorkerInactive(worker.label, worker.id)
    if Rol.SUPERVISOR not in worker.roles:
        raise RoleMissing(worker.label, what, [Rol.SUPERVISOR])
    return worker


def _existing(tx: Tx, id_: int) -> Worker:
    person = queries.worker(tx, id_)
    if person is None:
        raise WorkerRefused(f"There is no worker {id_}.")
    return person


def _save(tx: Tx, person: Worker, *, active: bool) -> None:
    tx.run("worker_upsert", id=person.id, nombre=person.nombre, apellido=person.apellido, activo=int(active))
