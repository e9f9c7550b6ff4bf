"""An address that wants it hears of a spool that becomes overdue, once for each stay in a stage."""

from __future__ import annotations

from carrete.webhooks.kinds import WebhookKind
from tests.support.builders import a_spool, held, put
from tests.support.people import MR
from tests.support.webhook_receiver import WebhookReceiver
from tests.support.webhook_shop import DeliveringProcess, WebhookShop

WANTED = (WebhookKind.ATRASADO,)


def test_a_spool_held_for_longer_than_its_limit_is_told_once(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver
) -> None:
    shop.register(receiver.url, WANTED)
    put(shop.database, [held(a_spool("A-1"), MR, since=shop.now)], [MR])
    process.look()
    shop.later(hours=11, minutes=59)
    process.look()
    assert receiver.received == []
    for _ in range(3):
        shop.later(minutes=2)
        process.look()
    (got,) = receiver.received
    assert got.json["tipo"] == "atrasado"
    assert got.json["tag_spool"] == "A-1"
    assert got.json["texto"] == "A-1 está atrasado: ARM ocupado por MR(93) desde hace 12.0 h (límite 12 h)."
    assert (got.json["datos"]["tipo"], got.json["datos"]["limite"]) == ("OCUPADO", 12)


def test_another_process_goes_on_where_the_one_before_stopped(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver
) -> None:
    shop.register(receiver.url, WANTED)
    put(shop.database, [held(a_spool(tag), MR, since=shop.now) for tag in ("A-1", "B-2")], [MR])
    process.look()
    shop.later(hours=12, minutes=1)
    process.look()
    process.look()
    assert sorted(got.json["tag_spool"] for got in receiver.received) == ["A-1", "B-2"]
    shop.later(minutes=30)
    heir = DeliveringProcess(shop.database, shop.clock)
    heir.look()
    heir.close()
    assert len(receiver.received) == 2


def test_what_was_overdue_before_anybody_wanted_to_hear_of_it_is_not_told(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver
) -> None:
    put(shop.database, [held(a_spool("A-1"), MR, since=shop.now)], [MR])
    shop.later(hours=20)
    shop.register(receiver.url, WANTED)
    for _ in range(3):
        process.look()
        shop.later(minutes=2)
    assert receiver.received == []
