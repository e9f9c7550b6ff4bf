"""Enrolled devices: tablets, wall boards and office computers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from carrete.domain.refusals import NotValid
from carrete.domain.tags import first_hidden
from carrete.domain.texts import writable
from carrete.identity.access_events import AccessKind, record
from carrete.identity.records import Device, DeviceKind
from carrete.identity.refusals import RecordUnknown
from carrete.identity.secrets import short_id
from carrete.identity.sessions import EndReason, end_all_on_device
from carrete.ledger.database import Row, Tx
from carrete.ledger.values import instant_text
from carrete.webhooks.kinds import WebhookKind
from carrete.webhooks.message import new_message
from carrete.webhooks.notices import notify

NAME_LENGTH_MAX = 60


@dataclass(frozen=True, slots=True)
class EnrolledDevice:
    """A device in the administrator's list, also one that was revoked. Times are as the ledger stores them."""

    id: str
    name: str
    kind: DeviceKind
    enrolled_at: str
    enrolled_by: int | None
    used_at: str
    revoked_at: str | None
    revoked_by: int | None


def devices(tx: Tx) -> list[EnrolledDevice]:
    """Those in use first, by name; then the revoked ones."""
    return [_device_from(row) for row in tx.all("devices")]


def enrol(
    tx: Tx,
    *,
    secret_hash: str,
    name: str,
    kind: DeviceKind,
    by_id: int | None,
    at: datetime,
    address: str | None = None,
) -> Device:
    """The browser that holds the secret is a device from now on."""
    device = Device(short_id("d"), clean_name(name, "nombre"), kind, at)
    tx.run(
        "device_insert",
        id=device.id,
        secret_hash=secret_hash,
        name=device.name,
        kind=kind.value,
        at=instant_text(at),
        by_id=by_id,
    )
    detail = f"{kind.value}: {device.name}"
    record(tx, AccessKind.INSCRITO, at=at, device_id=device.id, by_id=by_id, address=address, detail=detail)
    text = f"Se inscribió el dispositivo {device.name} ({kind.value})."
    data = {"device_id": device.id, "device": device.name, "kind": kind.value, "by_id": by_id}
    notify(tx, new_message(WebhookKind.DISPOSITIVO_INSCRITO, text, at, data=data))
    return device


def revoke(
    tx: Tx,
    device_id: str,
    *,
    at: datetime,
    by_id: int | None = None,
    token_id: str | None = None,
    address: str | None = None,
) -> EnrolledDevice:
    """Its cookie is worth nothing from this commit on, and its session ends. Revoking it again changes nothing."""
    device = known_device(tx, device_id)
    if tx.run("device_revoke", id=device_id, at=instant_text(at), by_id=by_id):
        end_all_on_device(tx, device_id, now=at, why=EndReason.REVOKED)
        record(
            tx,
            AccessKind.REVOCADO,
            at=at,
            device_id=device_id,
            by_id=by_id,
            token_id=token_id,
            address=address,
            detail=f"dispositivo: {device.name}",
        )
    return device


def rename(tx: Tx, device_id: str, name: str) -> EnrolledDevice:
    known_device(tx, device_id)
    tx.run("device_rename", id=device_id, name=clean_name(name, "nombre"))
    return known_device(tx, device_id)


def known_device(tx: Tx, device_id: str) -> EnrolledDevice:
    row = tx.one("device", id=device_id)
    if row is None:
        raise RecordUnknown("No existe ese dispositivo.")
    return _device_from(row)


def clean_name(name: str, field: str) -> str:
    """On one line, without control characters and without any that nobody sees: two names must not look the same."""
    cleaned = " ".join(name.split())
    if not cleaned or len(cleaned) > NAME_LENGTH_MAX or not writable(cleaned) or first_hidden(cleaned):
        raise NotValid([{"campo": field, "motivo": f"de 1 a {NAME_LENGTH_MAX} caracteres visibles."}])
    return cleaned


def _device_from(row: Row) -> EnrolledDevice:
    id_, name, kind, *others = row
    return EnrolledDevice(id_, name, DeviceKind(kind), *others)
