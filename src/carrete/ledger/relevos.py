"""Offers to hand a spool over, in the ledger: rows to dataclasses and back, and what a commit writes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from carrete.domain.relevo import OfferEnd, RelevoOffer
from carrete.domain.spool import Operacion
from carrete.ledger.database import Row, Tx
from carrete.ledger.errors import RaceLost
from carrete.ledger.values import instant_text


def open_offers(tx: Tx, tags: Iterable[str]) -> dict[str, RelevoOffer]:
    """By tag, the offers that are neither accepted, withdrawn nor declined; their spools may have changed since. In an
    action the rows of the spools are locked already, so that nobody writes another offer meanwhile."""
    found = map(_offer_from, tx.all("relevos_open", tags=sorted(set(tags))))
    return {offer.tag: offer for offer in found}


def offers_in_force(tx: Tx, worker_id: int, limit: int) -> list[RelevoOffer]:
    """Those that this person made, those that name this person and those for everybody, oldest first."""
    return [_offer_from(row) for row in tx.all("relevos_in_force", worker_id=worker_id, limit=limit)]


def save_offers(tx: Tx, new: Sequence[RelevoOffer], ended: Sequence[RelevoOffer]) -> None:
    """Ends come first: a spool has one open offer. Raises RaceLost if another process ended one of them."""
    updated, _ = tx.many_of(
        ("relevo_end", [{"id": offer.id, **_end_of(offer)} for offer in ended]),
        ("relevo_insert", [_new_row(offer) for offer in new]),
    )
    if updated != len(ended):
        raise RaceLost("another process ended the offer")


def _offer_from(row: Row) -> RelevoOffer:
    id_, tag, lock, version, giver_id, giver, receiver_id, receiver, operacion, offered_at, ended_at, how = row
    return RelevoOffer(
        id_,
        tag,
        lock,
        version,
        giver_id,
        giver,
        receiver_id,
        receiver,
        Operacion(operacion),
        datetime.fromisoformat(offered_at),
        datetime.fromisoformat(ended_at) if ended_at else None,
        OfferEnd(how) if how else None,
    )


def _new_row(offer: RelevoOffer) -> dict[str, Any]:
    return {
        "id": offer.id,
        "tag": offer.tag,
        "lock_value": offer.lock,
        "version": offer.version,
        "giver_id": offer.giver_id,
        "giver": offer.giver,
        "receiver_id": offer.receiver_id,
        "receiver": offer.receiver,
        "operacion": offer.operacion.value,
        "offered_at": instant_text(offer.offered_at),
        **_end_of(offer),
    }


def _end_of(offer: RelevoOffer) -> dict[str, str | None]:
    return {
        "ended_at": instant_text(offer.ended_at) if offer.ended_at else None,
        "ended_how": offer.end.value if offer.end else None,
    }
