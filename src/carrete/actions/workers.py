"""Adding and changing people by command, and who counts as a supervisor. Each function runs inside the caller's
transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from carrete.domain.refusals import Refusal, RoleMissing, WorkerInactive, WorkerUnknown
from carrete.domain.texts import writable
from carrete.domain.workers import Rol, Worker
from carrete.identity import people
from carrete.identity.people import ChangeAuthor
from carrete.identity.refusals import LastAdministrator
from carrete.ledger import queries
from carrete.ledger.database import Tx


class WorkerRefused(Exception):
    """A rule forbids the change; the text says which."""


def add(tx: Tx, id_: int, nombre: str, apellido: str, roles: Collection[Rol]) -> Worker:
    if queries.worker(tx, id_) is not None:
        raise WorkerRefused(f"Worker {id_} exists already.")
    if not nombre.strip() or not apellido.strip():
        raise WorkerRefused("A worker needs a first name and a surname: the label is made of them.")
    if not writable(nombre.strip() + apellido.strip()):
        raise WorkerRefused("A name cannot have control characters.")
    with _refusals_of_commands():
        return people.add(tx, id_, nombre, apellido, roles, _by_command())


def set_roles(tx: Tx, id_: int, roles: Collection[Rol]) -> Worker:
    """Gives the person exactly these roles; what a workbook asked for besides no longer waits."""
    _require_existing(tx, id_)
    with _refusals_of_commands():
        return people.set_roles(tx, id_, roles, _by_command(), also_waiting=True)


def deactivate(tx: Tx, id_: int) -> Worker:
    _require_existing(tx, id_)
    with _refusals_of_commands():
        return people.deactivate(tx, id_, _by_command())


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


def _require_existing(tx: Tx, id_: int) -> None:
    if queries.worker(tx, id_) is None:
        raise WorkerRefused(f"There is no worker {id_}.")


def _by_command() -> ChangeAuthor:
    """The person with a shell on the server, who is not known: the access events name no one."""
    return ChangeAuthor(datetime.now(UTC))


@contextmanager
def _refusals_of_commands() -> Iterator[None]:
    try:
        yield
    except LastAdministrator as error:
        raise WorkerRefused(f"{error.label} is the last active administrator: make another one first.") from None
    except Refusal as error:
        raise WorkerRefused(error.detail) from None
