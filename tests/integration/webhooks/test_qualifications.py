"""An address that asks for it is told of a qualification that ends within 30 days, once for each last day."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from carrete.domain.qualification import Qualification, WeldScope
from carrete.domain.shop_time import today
from carrete.ledger.welding import save_qualifications
from carrete.webhooks.kinds import WebhookKind
from tests.support.builders import SHOP, put
from tests.support.people import MR
from tests.support.webhook_receiver import WebhookReceiver
from tests.support.webhook_shop import DeliveringProcess, WebhookShop

WANTED = (WebhookKind.CALIFICACION_POR_VENCER,)


def save(shop: WebhookShop, *qualifications: Qualification) -> None:
    with shop.database.writing() as tx:
        save_qualifications(tx, qualifications)


def look_often(shop: WebhookShop, process: DeliveringProcess) -> None:
    for _ in range(3):
        shop.later(minutes=11)
        process.look()


def test_a_qualification_that_ends_is_reported_once_and_again_after_a_renewal(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver
) -> None:
    day = today(shop.now, SHOP.zone)
    last = day + timedelta(days=31)
    one = Qualification(MR.id, "GTAW", "WPQ-7", WeldScope(), day, last)
    put(shop.database, [], [MR])
    save(shop, one)
    shop.register(receiver.url, WANTED)
    look_often(shop, process)
    assert receiver.received == []
    shop.later(days=1)
    look_often(shop, process)
    (got,) = receiver.received
    assert got.json["tipo"] == "calificacion_por_vencer"
    assert got.json["texto"] == f"La calificación WPQ-7 (GTAW) de MR(93) vence el {last:%d-%m-%Y}."
    assert (got.json["datos"]["causa"], got.json["datos"]["ultimo_dia"]) == ("vencimiento", last.isoformat())
    later = last + timedelta(days=20)
    save(shop, replace(one, expires=later))
    look_often(shop, process)
    assert len(receiver.received) == 1
    shop.later(days=20)
    look_often(shop, process)
    assert [got.json["datos"]["ultimo_dia"] for got in receiver.received[1:]] == [later.isoformat()]


def test_an_unused_process_is_reported_and_a_withdrawn_qualification_is_not(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver
) -> None:
    day = today(shop.now, SHOP.zone)
    unused = Qualification(MR.id, "SMAW", "WPQ-8", WeldScope(), day - timedelta(days=170))
    put(shop.database, [], [MR])
    save(shop, unused, replace(unused, document="WPQ-9", active=False))
    shop.register(receiver.url, WANTED)
    look_often(shop, process)
    (got,) = receiver.received
    assert (got.json["datos"]["documento"], got.json["datos"]["causa"]) == ("WPQ-8", "continuidad")
    assert "caduca por falta de uso de SMAW" in got.json["texto"]
