"""Every event arrives at least once, and those of a spool in their order, whatever the receiver does."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from carrete.webhooks import deliveries, registry
from carrete.webhooks.formats import WebhookFormat
from carrete.webhooks.kinds import WebhookKind
from carrete.webhooks.message import new_message
from carrete.webhooks.registry import RegisteredAddress
from carrete.webhooks.timings import DEFAULT_WEBHOOK_TIMINGS, SEQS_SCANNED_MAX
from tests.support.builders import NOW
from tests.support.tampering import tampering
from tests.support.webhook_receiver import ReceiverAnswer, WebhookReceiver, webhook_receiver
from tests.support.webhook_shop import DeliveringProcess, WebhookShop

MINUTES_OF_AN_HOUR = 60


@pytest.fixture
def address(shop: WebhookShop, receiver: WebhookReceiver) -> RegisteredAddress:
    return shop.register(receiver.url)


def minutes(shop: WebhookShop, process: DeliveringProcess, count: int) -> None:
    """The process reads the ledger twice a minute; the test does not wait for that."""
    for _ in range(2 * count):
        shop.later(seconds=30)
        process.look()


def test_an_event_arrives_once_with_its_seq(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver, address: RegisteredAddress
) -> None:
    seq = shop.reject("A-1")
    process.look()
    process.look()
    (got,) = receiver.received
    assert got.json == {
        "id": got.id,
        "seq": seq,
        "tipo": "rechazado",
        "at": "2026-11-16T10:30:00-03:00",
        "tag_spool": "A-1",
        "texto": "A-1 fue rechazado por MI(12) (rechazo 1 de 3).",
        "datos": got.json["datos"],
    }
    assert got.json["datos"]["evento_tipo"] == "METROLOGIA_RECHAZADO"
    assert shop.waiting(address.id) == 0
    assert shop.address(address.id).event_seq == seq


def test_events_before_an_address_was_registered_are_not_delivered(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver
) -> None:
    shop.reject("A-1")
    shop.register(receiver.url)
    process.look()
    assert receiver.received == []


def test_an_address_gets_only_the_kinds_that_it_wants(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver
) -> None:
    shop.register(receiver.url, [WebhookKind.BLOQUEADO])
    shop.reject("A-1")
    shop.reject("A-1", times=3)
    shop.notify(new_message(WebhookKind.RESPALDO_FALLIDO, "Falló.", NOW))
    process.look()
    assert [each.json["tipo"] for each in receiver.received] == ["bloqueado"]


def test_the_third_rejection_is_one_message_even_for_an_address_that_wants_both_kinds(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver, address: RegisteredAddress
) -> None:
    shop.reject("A-1", times=3)
    process.look()
    assert [each.json["tipo"] for each in receiver.received] == ["bloqueado"]


def test_a_receiver_that_answers_500_and_then_200_gets_the_event_again_under_the_same_id(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver, address: RegisteredAddress
) -> None:
    statuses = iter([500, 200])
    receiver.answers = lambda _: ReceiverAnswer(next(statuses))
    seq = shop.reject("A-1")
    process.look()
    assert shop.waiting(address.id) == 1
    assert shop.address(address.id).failure == "el receptor respondió 500"
    process.look()
    assert len(receiver.received) == 1  # its wait is not over
    shop.later(seconds=6)
    process.look()
    first, second = receiver.received
    assert (first.id, first.body) == (second.id, second.body)
    assert receiver.accepted_seqs == [seq]
    assert (shop.waiting(address.id), shop.address(address.id).failure) == (0, "")


def test_a_receiver_that_is_down_for_an_hour_gets_everything_once_and_each_spool_in_order(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver, address: RegisteredAddress
) -> None:
    receiver.is_down = True
    seqs = []
    for minute in range(MINUTES_OF_AN_HOUR):
        seqs.append(shop.reject(f"A-{minute % 7}"))
        minutes(shop, process, 1)
    assert receiver.accepted == []
    assert shop.waiting(address.id) == MINUTES_OF_AN_HOUR
    assert receiver.attempts < MINUTES_OF_AN_HOUR  # it is not asked without a pause
    receiver.is_down = False
    minutes(shop, process, 15)  # the longest wait is ten minutes
    assert sorted(receiver.accepted_seqs) == seqs
    for spool in range(7):
        of_spool = [each.json["seq"] for each in receiver.accepted if each.json["tag_spool"] == f"A-{spool}"]
        assert of_spool == sorted(of_spool)
    assert (shop.waiting(address.id), shop.parked(address.id)) == (0, [])


def test_one_message_that_is_refused_holds_up_only_later_events_of_its_spool(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver, address: RegisteredAddress
) -> None:
    bad = shop.reject("BAD")
    receiver.answers = lambda message: ReceiverAnswer(500 if message["seq"] == bad else 200)
    later_of_bad = shop.reject("BAD", times=2)
    others = [shop.reject(f"A-{n}") for n in range(3)]
    process.look()
    assert receiver.accepted_seqs == others
    minutes(shop, process, 60)
    assert receiver.accepted_seqs == others
    receiver.answers = lambda _: ReceiverAnswer()
    minutes(shop, process, 11)
    assert receiver.accepted_seqs == [*others, bad, later_of_bad]


def test_after_a_day_a_message_is_parked_and_holds_up_nothing(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver, address: RegisteredAddress
) -> None:
    bad = shop.reject("BAD")
    receiver.answers = lambda message: ReceiverAnswer(500 if message["seq"] == bad else 200)
    process.look()
    for _ in range(24 * 4 + 1):
        shop.later(minutes=15)
        process.look()
    (parked,) = shop.parked(address.id)
    assert (parked.seq, parked.failure, shop.waiting(address.id)) == (bad, "el receptor respondió 500", 0)
    assert 90 < parked.tries < 150
    later = shop.reject("BAD", times=2)
    process.look()
    assert receiver.accepted_seqs == [later]
    receiver.answers = lambda _: ReceiverAnswer()
    with shop.database.writing() as tx:
        assert deliveries.retry_parked(tx, address.id, shop.now, DEFAULT_WEBHOOK_TIMINGS) == 1
    process.look()
    assert receiver.accepted_seqs == [later, bad]


def test_a_receiver_that_is_down_for_days_leaves_everything_parked_and_nothing_lost(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver, address: RegisteredAddress
) -> None:
    receiver.is_down = True
    seqs = [shop.reject(f"A-{n}") for n in range(5)]
    for _ in range(50):
        process.look()
        shop.later(minutes=30)
    assert sorted(each.seq or 0 for each in shop.parked(address.id)) == seqs
    assert all(each.failure or not each.tries for each in shop.parked(address.id))
    receiver.is_down = False
    with shop.database.writing() as tx:
        deliveries.retry_parked(tx, address.id, shop.now, DEFAULT_WEBHOOK_TIMINGS)
    minutes(shop, process, 12)
    assert sorted(receiver.accepted_seqs) == seqs


def test_a_slow_receiver_gets_everything_and_slows_down_nobody_else(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver
) -> None:
    with webhook_receiver() as quick:
        receiver.answers = lambda _: ReceiverAnswer(after_s=0.3)
        shop.register(receiver.url)
        shop.register(quick.url)
        seqs = [shop.reject(f"A-{n}") for n in range(4)]
        process.look()
        assert receiver.accepted_seqs == quick.accepted_seqs == seqs
        assert quick.received[-1].at < receiver.received[1].at


def test_a_message_whose_receiver_answers_too_late_is_sent_again(
    shop: WebhookShop, receiver: WebhookReceiver, address: RegisteredAddress
) -> None:
    impatient = DeliveringProcess(shop.database, shop.clock, post_s_max=2.0)
    waits = iter([4.0, 0.0])
    receiver.answers = lambda _: ReceiverAnswer(after_s=next(waits))
    shop.reject("A-1")
    impatient.look()
    assert shop.address(address.id).failure == "no respondió en 2 segundos"
    shop.later(seconds=6)
    impatient.look()
    impatient.close()
    assert len({each.id for each in receiver.received}) == 1
    assert (len(receiver.received), shop.waiting(address.id)) == (2, 0)


def test_410_disables_the_address_with_a_sentence(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver, address: RegisteredAddress
) -> None:
    receiver.answers = lambda _: ReceiverAnswer(410)
    shop.reject("A-1")
    shop.reject("A-2")
    process.look()
    stopped = shop.address(address.id)
    assert not stopped.enabled
    assert stopped.stopped == "el receptor respondió 410: ya no existe. Carrete desactivó esta integración."
    assert len(receiver.received) == 1
    assert [each.tag for each in shop.parked(address.id)] == ["A-1"]
    minutes(shop, process, 5)
    assert len(receiver.received) == 1
    receiver.answers = lambda _: ReceiverAnswer()
    with shop.database.writing() as tx:
        registry.enable(tx, address.id)
    after = shop.reject("A-3")
    process.look()
    assert receiver.accepted_seqs == [after]
    assert shop.address(address.id).stopped == ""


def test_a_redirect_to_a_private_address_is_not_followed(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver, address: RegisteredAddress
) -> None:
    with webhook_receiver() as inside:
        receiver.answers = lambda _: ReceiverAnswer(302, {"location": inside.url})
        shop.reject("A-1")
        process.look()
        assert shop.address(address.id).failure == "el receptor redirige a otra dirección (302), y no se sigue"
        assert inside.attempts == 0
    assert shop.waiting(address.id) == 1


def test_a_private_address_is_refused_unless_it_is_allowed(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver
) -> None:
    for host in ("127.0.0.1", "localhost", "127.1", "[::ffff:127.0.0.1]"):
        address = shop.register(receiver.url.replace("127.0.0.1", host), private=False)
        seq = shop.reject("A-1")
        process.look()
        assert "es privada y esta integración no la permite" in shop.address(address.id).failure, host
        with shop.database.writing() as tx:
            registry.delete(tx, address.id)
    assert receiver.attempts == 0
    shop.register(receiver.url.replace("127.0.0.1", "localhost"))
    seq = shop.reject("A-1")
    process.look()
    assert receiver.accepted_seqs == [seq]


def test_a_receiver_may_ask_for_a_longer_wait(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver, address: RegisteredAddress
) -> None:
    receiver.answers = lambda _: ReceiverAnswer(429, {"retry-after": "120"})
    shop.reject("A-1")
    process.look()
    shop.later(seconds=100)
    process.look()
    assert len(receiver.received) == 1
    shop.later(seconds=21)
    process.look()
    assert len(receiver.received) == 2


def test_what_is_no_event_arrives_too_without_a_seq(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver, address: RegisteredAddress
) -> None:
    message = new_message(WebhookKind.ATRASADO, "A-1 espera hace 3 días.", NOW, "A-1", {"minutos": 4_320})
    shop.notify(message)
    process.look()
    (got,) = receiver.received
    assert (got.id, got.json["seq"], got.json["tipo"]) == (message.id, None, "atrasado")
    assert (got.json["tag_spool"], got.json["datos"]) == ("A-1", {"minutos": 4_320})
    assert shop.waiting(address.id) == 0


def test_a_conflict_is_written_a_moment_later_and_arrives(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver
) -> None:
    message = new_message(WebhookKind.OCUPADO, "A-1 lo tiene MR(93).", NOW, "A-1")
    process.delivery.notify_soon(message)
    process.run(process.delivery.flush())
    shop.register(receiver.url)
    process.look()
    assert receiver.received == []  # no address asked for this kind when it happened
    process.delivery.notify_soon(message)
    process.run(process.delivery.flush())
    process.look()
    assert [each.id for each in receiver.received] == [message.id]


def test_slack_teams_and_telegram_get_text(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver
) -> None:
    shop.register(f"{receiver.url}/slack", form=WebhookFormat.SLACK)
    shop.register(f"{receiver.url}/teams", form=WebhookFormat.TEAMS)
    shop.register(f"{receiver.url}/telegram?chat_id=-100", form=WebhookFormat.TELEGRAM)
    shop.reject("A<1>&B")
    process.look()
    bodies = {each.path.partition("?")[0].rpartition("/")[2]: each.json for each in receiver.received}
    text = "A<1>&B fue rechazado por MI(12) (rechazo 1 de 3)."
    assert bodies["slack"] == {"text": "A&lt;1&gt;&amp;B fue rechazado por MI(12) (rechazo 1 de 3)."}
    (block,) = bodies["teams"]["attachments"][0]["content"]["body"]
    assert block == {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": text}]}
    assert bodies["telegram"] == {"chat_id": "-100", "text": text}


def test_a_long_trail_that_nobody_wants_is_passed_without_a_commit_for_each_read(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver, address: RegisteredAddress
) -> None:
    process.look()
    with shop.database.writing() as tx:
        row = dict.fromkeys(("worker_id", "worker", "operacion", "fecha_operacion", "n_union", "metadata"))
        state = {"ocupado_por": None, "estado_detalle": "", "version": "", "workflow": "v3.0", "accion": "TOMAR"}
        state |= {"stage_ended": None, "stage_s": None, "hash": ""}
        event = {**row, **state, "at": NOW.isoformat(timespec="seconds"), "evento_tipo": "TOMAR_SPOOL", "tag": "A-1"}
        seqs = [1, SEQS_SCANNED_MAX // 2, SEQS_SCANNED_MAX * 2]
        tx.many("event_insert", [{**event, "seq": seq, "id": f"e{seq}"} for seq in seqs])
        rejected = {**event, "evento_tipo": "METROLOGIA_RECHAZADO", "metadata": json.dumps({"ciclo": 1})}
        tx.many("event_insert", [{**rejected, "seq": SEQS_SCANNED_MAX * 2 + 1, "id": "wanted"}])
    commits = process.commits
    process.look()
    assert receiver.accepted_seqs == [SEQS_SCANNED_MAX * 2 + 1]
    assert process.commits - commits == 1


def test_an_edited_address_gets_what_waits(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver
) -> None:
    with webhook_receiver() as gone:
        url = gone.url
    address = shop.register(url)
    seq = shop.reject("A-1")
    process.look()
    assert shop.address(address.id).failure == "no se pudo conectar con esa dirección"
    fields = registry.AddressFields("Otro", receiver.url, WebhookFormat.JSON, address.kinds, allow_private=True)
    with shop.database.writing() as tx:
        registry.edit(tx, address.id, fields)
    shop.later(seconds=10)
    process.look()
    assert receiver.accepted_seqs == [seq]


def test_a_ledger_that_was_put_back_from_a_copy_is_followed_from_its_own_cursor(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver, address: RegisteredAddress
) -> None:
    shop.reject("A-1")
    shop.reject("A-2")
    process.look()
    with tampering(shop.database) as tx:
        tx.execute("DELETE FROM event")
        tx.execute("UPDATE trail_head SET seq = 0")
        tx.execute("UPDATE webhook SET event_seq = 0")
    seq = shop.reject("A-3")
    process.look()
    assert [each.json["tag_spool"] for each in receiver.accepted] == ["A-1", "A-2", "A-3"]
    assert receiver.accepted[-1].json["seq"] == seq == 1


def test_waits_double_up_to_ten_minutes_and_differ() -> None:
    timings = DEFAULT_WEBHOOK_TIMINGS
    assert all(2.5 <= timings.wait_s(1) <= 5.0 for _ in range(100))
    assert all(300 <= timings.wait_s(50) <= 600 for _ in range(100))
    assert len({timings.wait_s(9) for _ in range(10)}) > 1
    assert timings.give_up() == timedelta(days=1)
