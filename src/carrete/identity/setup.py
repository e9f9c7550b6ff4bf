"""The setup code: it makes an administrator without needing one. Only somebody with a shell on the server can get it.

40 bits can be guessed by a machine that may try long enough; so a code lasts 30 minutes and 10 wrong tries, and works
once. The tries are counted in the ledger, which no restart forgets."""

from __future__ import annotations

import os
import secrets
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from carrete.domain.authorship import Proof
from carrete.domain.refusals import NotValid
from carrete.domain.workers import Rol, Worker, folded
from carrete.identity import people, privileges, sessions
from carrete.identity.access_events import AccessKind, record
from carrete.identity.devices import enrol
from carrete.identity.people import ChangeAuthor, clean_person_name
from carrete.identity.records import Device, DeviceKind, Session
from carrete.identity.refusals import CodeRefused
from carrete.identity.secrets import new_secret, secret_hash, short_id
from carrete.ledger import queries
from carrete.ledger.database import Tx
from carrete.ledger.values import instant_text

CODE_FOR = timedelta(minutes=30)
TRIES_MAX = 10
CODE_CHARS = 8
CODE_LENGTH_MAX = 32  # as it may be typed, with blanks and hyphens
PAGE = "/configurar"
CODE_FILE = "setup-code"
_ADMINISTRATOR = "administrator"  # the purpose of the code
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32: no I, L, O, U
_MISREAD = str.maketrans("OIL", "011", " -")


@dataclass(frozen=True, slots=True)
class NewAdministrator:
    """Who becomes administrator, in the browser that has the code. Names may be empty for a worker who exists."""

    worker_id: int
    nombre: str
    apellido: str
    device_name: str


@dataclass(frozen=True, slots=True)
class FirstSession:
    """`device_secret` is None when the browser was an enrolled device before."""

    session: Session
    session_secret: str
    device_secret: str | None


def make_code(tx: Tx, *, at: datetime) -> str:
    """A new code; the one before it ends."""
    code = "".join(secrets.choice(_ALPHABET) for _ in range(CODE_CHARS))
    tx.run("setup_codes_end", purpose=_ADMINISTRATOR, at=instant_text(at))
    tx.run(
        "enrolment_insert",
        id=short_id("c"),
        code_hash=secret_hash(code),
        purpose=_ADMINISTRATOR,
        name="",
        kind=DeviceKind.OFICINA.value,
        at=instant_text(at),
        by_id=None,
        ends_at=instant_text(at + CODE_FOR),
    )
    return code


def ensure_code(tx: Tx, *, at: datetime) -> str | None:
    """A new code for a ledger without administrator, else None."""
    return None if privileges.has_administrator(tx) else make_code(tx, at=at)


def try_code(tx: Tx, code: str, *, at: datetime) -> bool:
    """Whether the code is the live one. A wrong one is counted, so this transaction must be committed in any case."""
    now, hashed = instant_text(at), secret_hash(typed_code(code))
    if not tx.run("setup_code_try", purpose=_ADMINISTRATOR, at=now, tries_max=TRIES_MAX):
        return False
    if tx.one("setup_code_live", code_hash=hashed, purpose=_ADMINISTRATOR, at=now, tries_max=TRIES_MAX) is None:
        return False
    tx.run("setup_code_was_right", code_hash=hashed, purpose=_ADMINISTRATOR)
    return True


def check_person(tx: Tx, wanted: NewAdministrator) -> None:
    """Refuses before the code is used up: a wrong id must not give another person the role."""
    known = queries.worker(tx, wanted.worker_id)
    if known is None:
        clean_person_name(wanted.nombre, "nombre")
        clean_person_name(wanted.apellido, "apellido")
        return
    for field, typed, name in (
        ("nombre", wanted.nombre, known.nombre),
        ("apellido", wanted.apellido, known.apellido),
    ):
        if typed.strip() and folded(typed.strip()) != folded(name):
            reason = f"el trabajador {known.id} es {known.nombre} {known.apellido}."
            raise NotValid([{"campo": field, "motivo": reason}])


def make_administrator(
    tx: Tx,
    code: str,
    wanted: NewAdministrator,
    pin_hash: str,
    device: Device | None,
    *,
    at: datetime,
    address: str | None = None,
) -> FirstSession:
    """Uses the code up, makes the person an administrator with this PIN, enrols the browser and signs it in."""
    check_person(tx, wanted)
    hashed, now = secret_hash(typed_code(code)), instant_text(at)
    if not tx.run("setup_code_use", code_hash=hashed, purpose=_ADMINISTRATOR, at=now, tries_max=TRIES_MAX):
        raise CodeRefused
    author = ChangeAuthor(at, wanted.worker_id, address)
    person = _administrator(tx, wanted)
    people.give_pin(tx, person.id, pin_hash, author)
    device_secret = None
    if device is None or device.kind is DeviceKind.TABLERO:
        device_secret = new_secret()
        device = enrol(
            tx,
            secret_hash=secret_hash(device_secret),
            name=wanted.device_name,
            kind=DeviceKind.OFICINA,
            by_id=person.id,
            at=at,
            address=address,
        )
    record(tx, AccessKind.ADMINISTRADOR_CREADO, at=at, device_id=device.id, worker_id=person.id, address=address)
    session, secret = sessions.begin(
        tx, device_id=device.id, worker_id=person.id, proof=Proof.PIN, now=at, address=address
    )
    return FirstSession(session, secret, device_secret)


def typed_code(text: str) -> str:
    """The code as it was made: case, blanks, hyphens and letters that look like digits do not matter."""
    return text.upper().translate(_MISREAD)


def readable_code(code: str) -> str:
    """`7KQ2-M9XA`: two groups are easier to read aloud and to type."""
    return f"{code[:4]}-{code[4:]}"


def page_address(base: str, code: str) -> str:
    """The code is in the fragment, which browsers send to no server and no log."""
    return f"{base.rstrip('/')}{PAGE}#{code}"


def write_code_file(data: Path, text: str) -> Path:
    """For a server without terminal: only this user can read the file, and no log has its content. Several processes
    may write it at the same time; it is always one of their texts, whole."""
    path = data / CODE_FILE
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    number, draft = tempfile.mkstemp(prefix=f".{CODE_FILE}.", dir=data)
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(draft, path)
    except OSError:
        os.unlink(draft)
        raise
    return path


def remove_code_file(data: Path) -> None:
    with suppress(OSError):
        (data / CODE_FILE).unlink()


def _administrator(tx: Tx, wanted: NewAdministrator) -> Worker:
    """An existing person keeps name and roles, and is active again."""
    known = queries.worker(tx, wanted.worker_id)
    person = known or Worker(
        wanted.worker_id, clean_person_name(wanted.nombre, "nombre"), clean_person_name(wanted.apellido, "apellido")
    )
    people.save(tx, person, active=True)
    tx.run("role_upsert", worker_id=person.id, rol=Rol.ADMINISTRADOR.value, activo=1)
    return privileges.known_worker(tx, person.id)
