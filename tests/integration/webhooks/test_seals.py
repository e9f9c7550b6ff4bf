"""An address that asks for it gets each hourly seal of the trail: a record out of reach of a person who controls the
database."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from carrete.domain.trail.canonical import ChainHead
from carrete.domain.trail.witness import SignedHead
from carrete.trail.seals import SEAL_EVERY, seal_if_due
from carrete.verification.sources import signed_by
from carrete.webhooks.kinds import WebhookKind
from tests.support.sealed_shop import SealedShop
from tests.support.webhook_receiver import WebhookReceiver
from tests.support.webhook_shop import DeliveringProcess, WebhookShop


def test_an_address_gets_the_signed_head_of_each_hour_with_new_events(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver, database_url: str, tmp_path: Path
) -> None:
    shop.register(receiver.url, (WebhookKind.SELLO,))
    sealed = SealedShop(shop.database, database_url, tmp_path).staffed()
    for events in (8, 16):
        sealed.work(1)
        for later in (timedelta(), timedelta(minutes=1)):
            with shop.database.writing() as tx:
                seal_if_due(tx, sealed.key, shop.now + later)
        process.look()
        shop.later(seconds=SEAL_EVERY.total_seconds())
        got = receiver.received[-1].json
        head = ChainHead(events, sealed.rows()[-1][16])
        assert (got["tipo"], got["datos"]["seq"], got["datos"]["hash"]) == ("sello", *head)
        assert got["texto"] == f"Sello del registro: {events} eventos hasta aquí, hash {head.hash[:16]}…"
        seal = SignedHead(head, got["datos"]["firma"], got["datos"]["en"])
        assert signed_by(seal, [sealed.key.public_key]) == got["datos"]["clave"]
    assert len(receiver.received) == 2
