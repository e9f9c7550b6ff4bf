"""The registered addresses. The URL of one may be a secret itself: it is shown to nobody after it was saved."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from carrete.address_checks import require_web
from carrete.domain.refusals import NotValid
from carrete.domain.tags import first_hidden
from carrete.domain.texts import writable
from carrete.ledger.columns import WEBHOOK
from carrete.ledger.database import Row, Tx
from carrete.ledger.values import instant_text
from carrete.webhooks.formats import WebhookFormat, chat_of
from carrete.webhooks.kinds import WebhookKind
from carrete.webhooks.timings import ADDRESSES_MAX

NAME_LENGTH_MAX = 60
URL_LENGTH_MAX = 1_000
DISABLED_BY_PERSON = "la integración se desactivó"


@dataclass(frozen=True, slots=True)
class RegisteredAddress:
    id: str
    name: str
    url: str
    format: WebhookFormat
    kinds: frozenset[WebhookKind]
    allow_private: bool
    enabled: bool
    stopped: str
    made_at: str
    made_by: int | None
    event_seq: int
    succeeded_at: str | None
    failed_at: str | None
    failure: str

    def __repr__(self) -> str:
        return f"RegisteredAddress({self.id}, {self.name!r})"  # without the URL


@dataclass(frozen=True, slots=True)
class AddressFields:
    """What a person says about an address. `checked` makes it fit to be saved."""

    name: str
    url: str
    format: WebhookFormat
    kinds: frozenset[WebhookKind]
    allow_private: bool = False

    def __repr__(self) -> str:
        return f"AddressFields({self.name!r})"  # without the URL


def checked(fields: AddressFields) -> AddressFields:
    """Raises NotValid, which names every wrong field."""
    name, url = " ".join(fields.name.split()), fields.url.strip()
    wrong: list[dict[str, str]] = []
    if not name or len(name) > NAME_LENGTH_MAX or not writable(name) or first_hidden(name):
        wrong.append({"campo": "nombre", "motivo": f"de 1 a {NAME_LENGTH_MAX} caracteres visibles."})
    if not _is_web_address(url):
        wrong.append({"campo": "url", "motivo": "debe ser una dirección como https://servidor/camino."})
    elif fields.format is WebhookFormat.TELEGRAM and not chat_of(url):
        wrong.append({"campo": "url", "motivo": "para Telegram la dirección termina en ?chat_id= y el chat."})
    if not fields.kinds:
        wrong.append({"campo": "tipos", "motivo": "al menos uno."})
    if wrong:
        raise NotValid(wrong)
    return AddressFields(name, url, fields.format, fields.kinds, fields.allow_private)


def _is_web_address(url: str) -> bool:
    try:
        require_web(url)
    except ValueError:
        return False
    return len(url) <= URL_LENGTH_MAX


def add(tx: Tx, fields: AddressFields, at: datetime, by_id: int | None) -> RegisteredAddress:
    """It is told what happens from now on. Raises NotValid."""
    sound = checked(fields)
    if tx.count("webhooks_count") >= ADDRESSES_MAX:
        raise NotValid([{"campo": "nombre", "motivo": f"ya hay {ADDRESSES_MAX} integraciones: borre una antes."}])
    id_ = f"w-{secrets.token_hex(8)}"
    tx.run(
        "webhook_insert",
        **_stored(sound),
        id=id_,
        enabled=1,
        stopped="",
        made_at=instant_text(at),
        made_by=by_id,
        event_seq=newest_seq(tx),
        succeeded_at=None,
        failed_at=None,
        failure="",
    )
    added = find(tx, id_)
    assert added is not None
    return added


def edit(tx: Tx, id_: str, fields: AddressFields) -> None:
    """Messages that wait go to the new URL. Raises NotValid."""
    tx.run("webhook_edit", id=id_, **_stored(checked(fields)))


def enable(tx: Tx, id_: str) -> None:
    """It is told what happens from now on."""
    tx.run("webhook_enable", id=id_, event_seq=newest_seq(tx))


def disable(tx: Tx, id_: str, at: datetime, *, stopped: str = "") -> None:
    """What waits is parked, so that a person can see it and send it later. `stopped` is why Carrete does so itself."""
    if tx.run("webhook_disable", id=id_, stopped=stopped):
        tx.run("webhook_park_all", webhook_id=id_, now=instant_text(at), failure=stopped or DISABLED_BY_PERSON)


def delete(tx: Tx, id_: str) -> None:
    """With all that waits or is parked."""
    tx.run("webhook_deliveries_delete", webhook_id=id_)
    tx.run("webhook_delete", id=id_)


def find(tx: Tx, id_: str) -> RegisteredAddress | None:
    row = tx.one("webhook", id=id_)
    return _address_from(row) if row else None


def addresses(tx: Tx) -> list[RegisteredAddress]:
    """The oldest first."""
    return [_address_from(row) for row in tx.all("webhooks")]


def enabled(tx: Tx) -> list[RegisteredAddress]:
    return [_address_from(row) for row in tx.all("webhooks_enabled")]


def wanted_kinds(found: Collection[RegisteredAddress]) -> frozenset[WebhookKind]:
    return frozenset[WebhookKind]().union(*(address.kinds for address in found))


def newest_seq(tx: Tx) -> int:
    row = tx.one("event_last")
    return int(row[0]) if row else 0


def _stored(fields: AddressFields) -> dict[str, str | int]:
    ordered = [kind.value for kind in WebhookKind if kind in fields.kinds]
    return {
        "name": fields.name,
        "url": fields.url,
        "format": fields.format.value,
        "kinds": f" {' '.join(ordered)} ",
        "allow_private": int(fields.allow_private),
    }


def _address_from(row: Row) -> RegisteredAddress:
    values = dict(zip(WEBHOOK, row, strict=True))
    values["format"] = WebhookFormat(values["format"])
    values["kinds"] = frozenset(map(WebhookKind, values["kinds"].split()))
    values["allow_private"], values["enabled"] = bool(values["allow_private"]), bool(values["enabled"])
    return RegisteredAddress(**values)
