"""Administrators, PINs, devices, privileges that wait, and the server's key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from carrete.domain.workers import Rol
from carrete.findings import Finding, Words, bad, good, note
from carrete.identity import devices, people
from carrete.identity.people import Person
from carrete.identity.server_keys import FINGERPRINT, ServerKeys, WrongIdentityKey
from carrete.ledger.database import Database
from carrete.settings import Settings

PEOPLE_NAMED_MAX = 10


def people_and_keys(settings: Settings, database: Database) -> Iterator[Finding]:
    with database.reading() as tx:
        found = people.people(tx)
        enrolled = sum(device.revoked_at is None for device in devices.devices(tx))
    if settings.access == "open":
        yield note(
            Words(
                "identity: none with these settings (CARRETE_ACCESS=open), whoever reaches the address can act "
                "as any worker",
                "identidad: ninguna con estos ajustes (CARRETE_ACCESS=open), quien llegue a la dirección puede actuar "
                "como cualquiera",
            ),
            Words("keep it on 127.0.0.1, or use CARRETE_ACCESS=pin", "déjelo en 127.0.0.1, o use CARRETE_ACCESS=pin"),
        )
    else:
        yield from _key(settings, database)
        yield from _people_and_devices(settings, found, enrolled)
    yield from _pending_privileges(found)


def _key(settings: Settings, database: Database) -> Iterator[Finding]:
    """The key is checked only if the ledger has the fingerprint of one: the check must not make a key."""
    with database.reading() as tx:
        if tx.one("setting", name=FINGERPRINT) is None:
            return
    try:
        with database.writing() as tx:
            ServerKeys.load(settings.data, tx)
    except WrongIdentityKey as error:
        yield bad(
            Words(f"identity: {error}", f"identidad: falta identity.key, o no es la de este registro ({error})"),
            Words(
                "without it nobody can sign in", "sin ella nadie puede identificarse: restáurela del respaldo de claves"
            ),
        )


def _people_and_devices(settings: Settings, found: Sequence[Person], enrolled: int) -> Iterator[Finding]:
    active = [person for person in found if person.worker.activo]
    administrators = sum(Rol.ADMINISTRADOR in person.worker.roles for person in active)
    what = Words(
        f"identity ({settings.access} in these settings): {administrators} administrators, {enrolled} enrolled devices",
        f"identidad ({settings.access} en estos ajustes): administradores: {administrators}, "
        f"equipos inscritos: {enrolled}",
    )
    if administrators:
        yield good(what)
    else:
        yield note(
            what,
            Words(
                "`carrete admin code` makes the first administrator",
                "`carrete admin code` crea el primer administrador",
            ),
        )
    if administrators and (without_pin := sum(not person.has_pin for person in active)):
        yield note(
            Words(
                f"identity: {without_pin} active people have no PIN",
                f"identidad: personas activas sin PIN: {without_pin}",
            ),
            Words("see `carrete worker pin --all`", "déles un PIN en Administración, Personas"),
        )


def _pending_privileges(found: Sequence[Person]) -> Iterator[Finding]:
    """Names people in the terminal and on the page: only an administrator sees either."""
    roles = [f"{person.worker.label} {rol}" for person in found for rol in person.pending_roles]
    changes = [person.worker.label for person in found if person.pending_change]
    if not (count := len(roles) + len(changes)):
        return
    plural = "privilege waits" if count == 1 else "privileges wait"
    yield note(
        Words(
            f"identity: {count} {plural} for confirmation: "
            + _named([*roles, *(f"{label} name or return" for label in changes)], "and {} more"),
            f"identidad: por confirmar, {count}: "
            + _named([*roles, *(f"{label} nombre o reingreso" for label in changes)], "y {} más"),
        ),
        Words(
            "an administrator confirms or refuses them in the app",
            "un administrador los confirma o rechaza en Administración, Personas",
        ),
    )


def _named(waiting: Sequence[str], more: str) -> str:
    named = ", ".join(waiting[:PEOPLE_NAMED_MAX])
    return f"{named} {more.format(hidden)}" if (hidden := len(waiting) - PEOPLE_NAMED_MAX) > 0 else named
