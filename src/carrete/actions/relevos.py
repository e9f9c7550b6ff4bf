"""Offers to hand a spool over, in a group commit: which is open, what a command makes of it, and what is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from carrete.domain.commands import Command, Ofrecer, RelevoCommand
from carrete.domain.relevo import OfferEnd, RelevoCase, RelevoOffer, end_of
from carrete.domain.spool import Spool
from carrete.domain.workers import Worker
from carrete.ledger.database import Tx
from carrete.ledger.relevos import open_offers, save_offers
from carrete.ledger.tokens import fresh_token


class GroupRelevos:
    """The offers that the requests of one transaction make and end. Each decision sees what the earlier ones left."""

    def __init__(self, tx: Tx, commands: Sequence[Command]) -> None:
        self._tx = tx
        self._open = open_offers(tx, (command.tag for command in commands if isinstance(command, RelevoCommand)))
        self._stored = {offer.id for offer in self._open.values()}
        self._ended: list[RelevoOffer] = []
        self._new: dict[str, RelevoOffer] = {}

    def case_of(self, command: RelevoCommand, people: Mapping[int, Worker]) -> RelevoCase:
        receiver_id = command.receiver_id if isinstance(command, Ofrecer) else None
        return RelevoCase(self._open.get(command.tag), None if receiver_id is None else people.get(receiver_id))

    def after(
        self, command: RelevoCommand, before: Spool, after: Spool, relevo: RelevoCase, now: datetime
    ) -> RelevoOffer | None:
        """Notes what the command, which succeeded, makes of the offer. Returns the one that it made or ended."""
        if isinstance(command, Ofrecer):
            self._end(before, OfferEnd.REEMPLAZADA, now)
            return self._make(after, relevo.receiver, now)
        end = end_of(command)
        if end is None or (end is OfferEnd.ACEPTADA and after.version == before.version):
            return None  # accepted by its holder, again: an offer of theirs stays open
        return self._end(before, end, now)

    def _make(self, spool: Spool, receiver: Worker | None, now: datetime) -> RelevoOffer:
        held = spool.occupation
        assert held is not None
        made = RelevoOffer(
            fresh_token(),
            spool.tag,
            held.lock,
            spool.version,
            held.worker_id,
            held.label,
            receiver.id if receiver else None,
            receiver.label if receiver else None,
            held.operacion,
            now,
        )
        self._new[made.id] = self._open[spool.tag] = made
        return made

    def _end(self, spool: Spool, end: OfferEnd, now: datetime) -> RelevoOffer | None:
        offer = self._open.pop(spool.tag, None)
        if offer is None:
            return None
        ended = offer.ended(end if offer.in_force(spool) else OfferEnd.ANULADA, now)
        if offer.id in self._stored:
            self._ended.append(ended)
        else:
            self._new[offer.id] = ended
        return ended

    def save(self) -> None:
        if self._new or self._ended:
            save_offers(self._tx, list(self._new.values()), self._ended)
