"""People as administrators and supervisors manage them: who works here, with which roles, PIN and badge.

Each function runs inside the caller's transaction. PINs arrive as hashes: hashing takes too long for a transaction."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from carrete.domain.refusals import NotValid, WorkerInactive
from carrete.domain.tags import first_hidden
from carrete.domain.texts import writable
from carrete.domain.workers import PRIVILEGED, Rol, Worker
from carrete.identity import privileges, sessions, throttle
from carrete.identity.access_events import AccessKind, record
from carrete.identity.privileges import AskedChange, known_worker
from carrete.identity.refusals import NotPermitted
from carrete.ledger import queries
from carrete.ledger.database import Tx
from carrete.ledger.values import instant_text

NAME_LENGTH_MAX = 100
BADGE_LENGTH_MAX = 64
NEW_BADGE_LENGTH = 10  # 50 random bits
_BADGE_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # none that looks like another


@dataclass(frozen=True, slots=True)
class ChangeAuthor:
    """Who makes a change, when and from where: a person, an API token, or neither of them for a command."""

    at: datetime
    by_id: int | None = None
    address: str | None = None
    token_id: str | None = None
    floor_only: bool = False  # with a token, or for a supervisor: people with privileges are out of reach


@dataclass(frozen=True, slots=True)
class PinLockShown:
    """`device` is None for a lock on every device."""

    device: str | None
    since: str


@dataclass(frozen=True, slots=True)
class Person:
    worker: Worker
    pending_roles: tuple[Rol, ...]
    pending_change: AskedChange | None
    has_pin: bool
    badge: str | None
    locks: tuple[PinLockShown, ...]


@dataclass(frozen=True, slots=True)
class PinCard:
    """What a person gets on paper, once."""

    worker: Worker
    pin: str
    badge: str | None


def people(tx: Tx) -> list[Person]:
    """Everybody, also those who left, by id."""
    pins = {worker_id for (worker_id,) in tx.all("pin_owners")}
    badges = {worker_id: str(code) for worker_id, code in tx.all("badges")}
    waiting = {each.worker_id: each for each in privileges.pending(tx)}
    locks = _locks(tx)
    roles = _confirmed_roles(tx)
    found = []
    for id_, nombre, apellido, activo in tx.all("workers"):
        worker = Worker(id_, nombre, apellido, bool(activo), frozenset(roles.get(id_, ())))
        requested = waiting.get(id_)
        found.append(
            Person(
                worker,
                requested.roles if requested else (),
                requested.change if requested else None,
                id_ in pins,
                badges.get(id_),
                tuple(locks.get(id_, ())),
            )
        )
    return found


def add(tx: Tx, id_: int, nombre: str, apellido: str, roles: Collection[Rol], author: ChangeAuthor) -> Worker:
    if queries.worker(tx, id_) is not None:
        raise NotValid([{"campo": "id", "motivo": f"el trabajador {id_} ya existe."}])
    person = Worker(id_, clean_person_name(nombre, "nombre"), clean_person_name(apellido, "apellido"))
    _require_reach(set(roles) & PRIVILEGED, author)
    save(tx, person, active=True)
    _put_roles(tx, id_, roles, given=True)
    _record_roles(tx, id_, f"nuevo: {_names(roles)}", author)
    return known_worker(tx, id_)


def rename(tx: Tx, id_: int, nombre: str, apellido: str, author: ChangeAuthor) -> Worker:
    """Their label follows from the name. A workbook that has another name brings that one back when it is read."""
    before = known_worker(tx, id_)
    _require_reach(privileges.privileges_of(tx, id_, also_waiting=True), author)
    person = replace(
        before, nombre=clean_person_name(nombre, "nombre"), apellido=clean_person_name(apellido, "apellido")
    )
    save(tx, person, active=before.activo)
    _drop_fulfilled_change(tx, person)
    _record_roles(tx, id_, f"nombre: {before.nombre} {before.apellido} → {person.nombre} {person.apellido}", author)
    return known_worker(tx, id_)


def set_roles(tx: Tx, id_: int, roles: Collection[Rol], author: ChangeAuthor, *, also_waiting: bool = False) -> Worker:
    """Gives the person exactly these roles. What a workbook asked for and is not among them goes on waiting, unless
    `also_waiting`."""
    person = known_worker(tx, id_)
    lost = (person.roles | (privileges.privileges_of(tx, id_, also_waiting=True) if also_waiting else set())) - {*roles}
    _require_reach((set(roles) | lost) & PRIVILEGED, author)
    if Rol.ADMINISTRADOR in lost:
        privileges.require_another_administrator(tx, person)
    _put_roles(tx, id_, roles, given=True)
    _put_roles(tx, id_, lost, given=False)
    _record_roles(tx, id_, f"{_names(person.roles)} → {_names(roles)}", author)
    return known_worker(tx, id_)


def deactivate(tx: Tx, id_: int, author: ChangeAuthor) -> Worker:
    """May do nothing any more, and their sessions and PIN end: a workbook that still has them active brings them back
    without a PIN. What they hold stays theirs until a supervisor frees it."""
    person = known_worker(tx, id_)
    _require_reach(privileges.privileges_of(tx, id_, also_waiting=True), author)
    privileges.require_another_administrator(tx, person)
    save(tx, person, active=False)
    tx.run("pin_remove", worker_id=id_)
    sessions.end_all_of_worker(tx, id_, now=author.at, why=sessions.EndReason.DEACTIVATED)
    _record_roles(tx, id_, "desactivado", author)
    return known_worker(tx, id_)


def activate(tx: Tx, id_: int, author: ChangeAuthor) -> Worker:
    person = replace(known_worker(tx, id_), activo=True)
    save(tx, person, active=True)
    _drop_fulfilled_change(tx, person)
    _record_roles(tx, id_, "activado", author)
    return known_worker(tx, id_)


def _drop_fulfilled_change(tx: Tx, person: Worker) -> None:
    """What a workbook asked for and a person did here no longer waits."""
    if tx.one("worker_change", worker_id=person.id) == (person.nombre, person.apellido, int(person.activo)):
        tx.run("worker_change_drop", worker_id=person.id)


def save(tx: Tx, person: Worker, *, active: bool) -> None:
    tx.run("worker_upsert", id=person.id, nombre=person.nombre, apellido=person.apellido, activo=int(active))


def require_may_reset_pin(tx: Tx, id_: int, author: ChangeAuthor) -> Worker:
    """A supervisor must not get the PIN of somebody with privileges, nor of somebody who may soon have one: with it
    one could inspect or administer in that person's name."""
    person = known_worker(tx, id_)
    if author.floor_only and privileges.privileges_of(tx, id_, also_waiting=True):
        raise NotPermitted("El PIN de quien tiene privilegios lo ve sólo un administrador.")
    return person


def give_pin(tx: Tx, id_: int, pin_hash: str, author: ChangeAuthor) -> Worker:
    """The PIN before ends, with the person's sessions, locks and failures. The caller also calls
    `require_may_reset_pin` in the same transaction."""
    person = known_worker(tx, id_)
    if not person.activo:
        raise WorkerInactive(person.label, id_)
    tx.run("pin_put", worker_id=id_, hash=pin_hash, at=instant_text(author.at))
    throttle.reset(tx, id_)
    sessions.end_all_of_worker(tx, id_, now=author.at, why=sessions.EndReason.NEW_PIN)
    record(tx, AccessKind.PIN_NUEVO, at=author.at, worker_id=id_, by_id=author.by_id, address=author.address)
    return person


def unlock_pin(tx: Tx, id_: int, author: ChangeAuthor) -> Worker:
    person = require_may_reset_pin(tx, id_, author)
    throttle.reset(tx, id_)
    record(tx, AccessKind.PIN_DESBLOQUEADO, at=author.at, worker_id=id_, by_id=author.by_id, address=author.address)
    return person


def set_badge(tx: Tx, id_: int, code: str | None, author: ChangeAuthor) -> Worker:
    """None takes the badge away. A badge belongs to one person at a time."""
    person = known_worker(tx, id_)
    cleaned = _clean_badge(code) if code is not None else None
    owner = tx.one("badge_owner", code=cleaned) if cleaned is not None else None
    if owner and owner[0] != id_:
        raise NotValid([{"campo": "badge", "motivo": f"ya es del trabajador {owner[0]}."}])
    tx.run("badge_remove", worker_id=id_)
    if cleaned is not None:
        tx.run("badge_insert", code=cleaned, worker_id=id_, at=instant_text(author.at))
    _record_roles(tx, id_, "credencial nueva" if cleaned else "credencial retirada", author)
    return person


def give_badges(tx: Tx, author: ChangeAuthor) -> int:
    """A random badge for every active person who has none, to be printed on a card. It cannot be guessed: in the mode
    `device` a badge is all that a floor worker needs. Returns how many were given."""
    without = [each.worker.id for each in people_for_cards(tx, everybody=True) if each.badge is None]
    for id_ in without:
        set_badge(tx, id_, "".join(secrets.choice(_BADGE_LETTERS) for _ in range(NEW_BADGE_LENGTH)), author)
    return len(without)


def people_for_cards(tx: Tx, *, everybody: bool) -> list[Person]:
    """The active people who have no PIN, or all active people."""
    return [each for each in people(tx) if each.worker.activo and (everybody or not each.has_pin)]


def clean_person_name(text: str, field: str) -> str:
    """One line of characters that everybody sees, with plain blanks: two people's names must not look the same in a
    list."""
    is_plain = writable(text) and len(text.strip().splitlines()) == 1 and not first_hidden(text)
    cleaned = " ".join(text.split())
    if not is_plain or len(cleaned) > NAME_LENGTH_MAX:
        raise NotValid([{"campo": field, "motivo": f"de 1 a {NAME_LENGTH_MAX} caracteres visibles, en una línea."}])
    return cleaned


def _clean_badge(code: str) -> str:
    """As a reader types it: blanks at its ends do not matter."""
    cleaned = code.strip()
    if not cleaned or len(cleaned) > BADGE_LENGTH_MAX or not cleaned.isprintable():
        raise NotValid([{"campo": "badge", "motivo": f"de 1 a {BADGE_LENGTH_MAX} caracteres visibles."}])
    return cleaned


def _require_reach(touched: Collection[Rol], author: ChangeAuthor) -> None:
    if author.floor_only and touched:
        raise NotPermitted("Con un token sólo se administran personas sin privilegios.")


def _put_roles(tx: Tx, id_: int, roles: Collection[Rol], *, given: bool) -> None:
    tx.many("role_upsert", [{"worker_id": id_, "rol": rol.value, "activo": int(given)} for rol in sorted(roles)])


def _confirmed_roles(tx: Tx) -> dict[int, set[Rol]]:
    roles: dict[int, set[Rol]] = {}
    for worker_id, rol, activo, confirmed in tx.all("roles"):
        if activo and confirmed == privileges.CONFIRMED:
            roles.setdefault(worker_id, set()).add(Rol(rol))
    return roles


def _locks(tx: Tx) -> dict[int, list[PinLockShown]]:
    locks: dict[int, list[PinLockShown]] = {}
    for who, device_id, name, at in tx.all("pin_locks"):
        kind, _, id_ = who.partition(":")
        if kind == "w":
            device = (name or device_id) if device_id else None
            locks.setdefault(int(id_), []).append(PinLockShown(device, at))
    return locks


def _record_roles(tx: Tx, id_: int, detail: str, author: ChangeAuthor) -> None:
    record(
        tx,
        AccessKind.ROL_CAMBIADO,
        at=author.at,
        worker_id=id_,
        by_id=author.by_id,
        token_id=author.token_id,
        address=author.address,
        detail=detail,
    )


def _names(roles: Collection[Rol]) -> str:
    return ", ".join(sorted(roles)) or "sin roles"
