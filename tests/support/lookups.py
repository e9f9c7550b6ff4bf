"""One device, session or token, as the ledger has it now."""

from __future__ import annotations

from carrete.identity import lookup_queries
from carrete.identity.records import ApiToken, Device, Session
from carrete.ledger.database import Tx


def device_of_secret(tx: Tx, secret: str) -> Device | None:
    return lookup_queries.devices_of_secrets(tx, [secret]).get(secret)


def session_of_secret(tx: Tx, secret: str) -> Session | None:
    return lookup_queries.sessions_of_secrets(tx, [secret]).get(secret)


def session_of_id(tx: Tx, id_: str) -> Session | None:
    return lookup_queries.sessions_of_ids(tx, [id_]).get(id_)


def token_of_secret(tx: Tx, secret: str) -> ApiToken | None:
    return lookup_queries.tokens_of_secrets(tx, [secret]).get(secret)
