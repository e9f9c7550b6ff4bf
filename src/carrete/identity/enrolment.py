"""Enrolling a device: an administrator shows a code, the new device uses it and shows a number, the administrator
confirms that number. The code works once; its number shows that the browser in sight used it, and no other."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from carrete.domain.refusals import NotValid
from carrete.identity.devices import clean_name, enrol
from carrete.identity.records import Device, DeviceKind
from carrete.identity.refusals import CodeRefused, RecordUnknown
from carrete.identity.secrets import new_secret, secret_hash, short_id
from carrete.ledger.database import Tx
from carrete.ledger.values import instant_text

CODE_BYTES = 16  # 128 bits
CODE_FOR = timedelta(minutes=10)
CONFIRM_FOR = timedelta(minutes=10)  # after its use
CODES_KEPT_FOR = timedelta(days=1)
CODE_LENGTH_MAX = 64
_NUMBERS = 10_000
DEVICE = "device"  # the purpose of a code that enrols a device


@dataclass(frozen=True, slots=True)
class EnrolmentCode:
    """A new code. `code` is in no other place than this: the ledger has its hash."""

    id: str
    code: str
    ends_at: datetime


@dataclass(frozen=True, slots=True)
class Claim:
    """What the new device gets for the code: a number to show, and the secret that becomes its cookie's."""

    number: str
    secret: str


@dataclass(frozen=True, slots=True)
class PendingEnrolment:
    """A code that was not used yet (`number` is None), or whose number waits for the administrator."""

    id: str
    name: str
    kind: DeviceKind
    number: str | None
    ends_at: str


def make_code(tx: Tx, name: str, kind: DeviceKind, *, by_id: int | None, at: datetime) -> EnrolmentCode:
    made = EnrolmentCode(short_id("i"), secrets.token_urlsafe(CODE_BYTES), at + CODE_FOR)
    tx.run(
        "enrolment_insert",
        id=made.id,
        code_hash=secret_hash(made.code),
        purpose=DEVICE,
        name=clean_name(name, "nombre"),
        kind=kind.value,
        at=instant_text(at),
        by_id=by_id,
        ends_at=instant_text(made.ends_at),
    )
    return made


def use_code(tx: Tx, code: str, *, at: datetime) -> Claim:
    claim = Claim(f"{secrets.randbelow(_NUMBERS):04d}", new_secret())
    used = tx.run(
        "enrolment_use",
        code_hash=secret_hash(code),
        purpose=DEVICE,
        claim_hash=secret_hash(claim.secret),
        number=claim.number,
        at=instant_text(at),
        ends_at=instant_text(at + CONFIRM_FOR),
    )
    if not used:
        raise CodeRefused
    return claim


def confirm(
    tx: Tx, enrolment_id: str, number: str, *, by_id: int | None, at: datetime, address: str | None = None
) -> Device:
    """The device is enrolled with the secret that it already holds."""
    row = tx.one("enrolment_claim", id=enrolment_id, purpose=DEVICE, at=instant_text(at))
    if row is None:
        raise RecordUnknown("Esa inscripción no existe, ya terminó o venció. Muestre un código nuevo.")
    name, kind, expected, claim_hash = row
    if not secrets.compare_digest(expected.encode(), number.encode()):
        raise NotValid([{"campo": "numero", "motivo": "no es el número que muestra el dispositivo."}])
    if not tx.run("enrolment_confirm", id=enrolment_id, at=instant_text(at)):
        raise RecordUnknown("Esa inscripción ya terminó.")
    return enrol(tx, secret_hash=claim_hash, name=name, kind=DeviceKind(kind), by_id=by_id, at=at, address=address)


def cancel(tx: Tx, enrolment_id: str, *, at: datetime) -> None:
    if not tx.run("enrolment_cancel", id=enrolment_id, purpose=DEVICE, at=instant_text(at)):
        raise RecordUnknown("Esa inscripción no existe o ya terminó.")


def pending(tx: Tx, at: datetime) -> list[PendingEnrolment]:
    rows = tx.all("enrolments_pending", purpose=DEVICE, at=instant_text(at))
    return [PendingEnrolment(id_, name, DeviceKind(kind), *others) for id_, name, kind, *others in rows]


def forget_old_codes(tx: Tx, now: datetime) -> int:
    return tx.run("enrolments_forget", before=instant_text(now - CODES_KEPT_FOR))
