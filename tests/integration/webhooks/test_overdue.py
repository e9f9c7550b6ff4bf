"""An address that asks for it is told of a spool that becomes overdue, once for each stay in a stage."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from carrete.domain.overdue_limits import OperationHours, OverdueLimits
from carrete.webhooks.kinds import WebhookKind
from carrete.webhooks.overdue_notices import notify_overdue
from carrete.webhooks.timings import DEFAULT_WEBHOOK_TIMINGS
from tests.support.builders import SHOP, a_spool, held, put
from tests.support.people import MR
from tests.support.webhook_receiver import WebhookReceiver
from tests.support.webhook_shop import DeliveringProcess, WebhookShop

WANTED = (WebhookKind.ATRASADO,)


def test_a_spool_held_for_longer_than_its_limit_is_reported_once(
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


def test_a_notice_that_still_waits_is_not_written_twice_and_holds_up_no_other(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver
) -> None:
    """The limit is raised while the notice waits: the same stay becomes overdue once more."""
    address = shop.register(receiver.url, WANTED)
    put(shop.database, [held(a_spool("A-1"), MR, since=shop.now)], [MR])
    process.look()
    raised = replace(SHOP, overdue=OverdueLimits(held=OperationHours(14, 14, 14)))
    with shop.database.writing() as tx:
        for rules, hours in ((SHOP, 12.5), (raised, 14.5)):
            assert notify_overdue(tx, rules, shop.now + timedelta(hours=hours), DEFAULT_WEBHOOK_TIMINGS) == 1
    assert shop.waiting(address.id) == 1


def test_spools_overdue_before_an_address_asked_for_them_are_not_reported(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver
) -> None:
    put(shop.database, [held(a_spool("A-1"), MR, since=shop.now)], [MR])
    shop.later(hours=20)
    shop.register(receiver.url, WANTED)
    for _ in range(3):
        process.look()
        shop.later(minutes=2)
    assert receiver.received == []
