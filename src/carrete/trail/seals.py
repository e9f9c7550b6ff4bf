"""Seals: signed heads with their time. The server makes one an hour while there are new events, and tells addresses."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import structlog

from carrete.domain.shop_time import whole_second
from carrete.domain.trail.canonical import ChainHead
from carrete.domain.trail.files import utc_text
from carrete.ledger.database import Tx
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from carrete.ledger.trail import Seal, has_head, last_seal, stored_head
from carrete.ledger.values import instant_text
from carrete.trail.signing_key import SigningKey
from carrete.trail.timestamps import NoTimeStamp, ask, store
from carrete.webhooks.kinds import WebhookKind
from carrete.webhooks.message import new_message
from carrete.webhooks.notices import notify

SEAL_EVERY = timedelta(hours=1)
LOOK_EVERY_S = 60.0

log = structlog.get_logger()


class HeadWithoutEvent(Exception):
    """The stored head is not that of an event: rows were deleted or changed. A seal would confirm the changed trail."""


def current_seal(tx: Tx, key: SigningKey, now: datetime) -> Seal:
    """The head of the trail as this transaction sees it, signed with the time: to be printed or sent, not stored."""
    return _sealed(stored_head(tx), key, now)


def _sealed(head: ChainHead, key: SigningKey, now: datetime) -> Seal:
    at = instant_text(now)
    return Seal(head.seq, head.hash, at, key.fingerprint, key.sign(head, at))


def seal_if_due(tx: Tx, key: SigningKey, now: datetime) -> Seal | None:
    """Stores a seal and tells the addresses that want it, once an hour. Two processes at once may make two: no harm."""
    last, head = last_seal(tx), stored_head(tx)
    if not _is_due(last, head, now):
        return None
    if not has_head(tx, head):
        raise HeadWithoutEvent(f"event {head.seq} does not have the hash of the head: `carrete verify` tells more")
    seal = _sealed(head, key, now)  # that head: another commit may have moved it on
    tx.run("trail_seal_put", seq=seal.seq, hash=seal.hash, at=seal.at, key=seal.key, signature=seal.signature)
    text = f"Sello del registro: {seal.seq} eventos hasta aquí, hash {seal.hash[:16]}…"
    data = {"seq": seal.seq, "hash": seal.hash, "en": seal.at, "firma": seal.signature, "clave": seal.key}
    notify(tx, new_message(WebhookKind.SELLO, text, whole_second(now), data=data))
    return seal


def _is_due(last: Seal | None, head: ChainHead, now: datetime) -> bool:
    if last is None:
        return head.seq > 0
    at = utc_text(last.at)  # "" when something else was written there: then one is due
    return head.seq > last.seq and (not at or datetime.fromisoformat(at) <= now - SEAL_EVERY)


async def _stamp_newest(
    read: Callable[[Callable[[Tx], Any]], Awaitable[Any]],
    write: Callable[[Callable[[Tx], Any]], Awaitable[Any]],
    url: str,
) -> None:
    """The newest seal, if it has no time stamp yet: it stands for the older ones. A failure is tried again later."""
    row = await read(lambda tx: tx.one("trail_seal_to_stamp"))
    if row is not None:
        seal = Seal(*row)
        stamped = await ask(url, seal)
        await write(lambda tx: store(tx, seal, url, stamped))


async def seal_regularly(
    read: Callable[[Callable[[Tx], Any]], Awaitable[Any]],
    write: Callable[[Callable[[Tx], Any]], Awaitable[Any]],
    key: SigningKey,
    timestamp_url: str = "",
    look_every_s: float = LOOK_EVERY_S,
) -> None:
    """The writer is used only when a seal is due. `timestamp_url` is a time-stamp service that confirms each seal."""
    while True:
        try:
            now = datetime.now(UTC)
            if await read(lambda tx, now=now: _is_due(last_seal(tx), stored_head(tx), now)):  # type: ignore[misc]
                await write(partial(seal_if_due, key=key, now=now))
            if timestamp_url:
                await _stamp_newest(read, write, timestamp_url)
        except (LedgerUnavailable, RaceLost, NoTimeStamp, HeadWithoutEvent) as error:
            log.warning("the trail was not sealed", reason=str(error))
        except Exception as error:  # else a single surprise would end the seals until the next start
            log.error("the trail was not sealed", exc_info=error)
        await asyncio.sleep(look_every_s)
