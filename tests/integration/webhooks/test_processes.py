"""Crashes and several processes: what was not saved is delivered again under the same id, and one process delivers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.webhooks.signature import signed_headers
from tests.support.builders import put
from tests.support.gated import eventually
from tests.support.people import CREW
from tests.support.server import running_server, start_server, stop
from tests.support.signed_in import put_server_key
from tests.support.signing_in import KEYS
from tests.support.webhook_receiver import ReceiverAnswer, WebhookReceiver
from tests.support.webhook_shop import DeliveringProcess, WebhookShop

ARRIVES_S_MAX = 30.0
PIN_MODE = {"CARRETE_ACCESS": "pin"}


class Died(BaseException):
    """The process is gone: nothing after this line happens."""


@pytest.fixture
def second(shop: WebhookShop, database_url: str) -> Iterator[DeliveringProcess]:
    """Another process, with connections of its own."""
    with closing(open_database(database_url)) as database:
        opened = DeliveringProcess(database, shop.clock)
        yield opened
        opened.close()


def test_a_process_that_dies_between_delivery_and_cursor_delivers_again_under_the_same_id(
    shop: WebhookShop, process: DeliveringProcess, second: DeliveringProcess, receiver: WebhookReceiver
) -> None:
    address = shop.register(receiver.url)
    seqs = [shop.reject("A-1"), shop.reject("A-2")]
    process.look()
    receiver.received.clear()
    seqs = [shop.reject("A-1", times=2), shop.reject("A-2", times=2)]

    def dies() -> None:
        raise Died

    process.before_commit = dies
    with pytest.raises(Died):
        process.look()
    process.before_commit = lambda: None
    assert receiver.accepted_seqs == seqs
    second.look()
    assert receiver.accepted_seqs == seqs  # the lease of the dead one is not over
    shop.later(seconds=16)
    second.look()
    assert receiver.accepted_seqs == [*seqs, *seqs]
    first, again = receiver.accepted[:2], receiver.accepted[2:]
    assert [(each.id, each.body) for each in first] == [(each.id, each.body) for each in again]
    assert shop.address(address.id).event_seq == seqs[-1]


def test_one_of_several_processes_delivers_and_another_takes_over(
    shop: WebhookShop, process: DeliveringProcess, second: DeliveringProcess, receiver: WebhookReceiver
) -> None:
    shop.register(receiver.url)
    expected = []
    for n in range(10):
        expected.append(shop.reject(f"A-{n}"))
        process.look()
        second.look()
        shop.later(seconds=4)
    assert (process.delivery.is_leading, second.delivery.is_leading) == (True, False)
    assert (second.commits, receiver.accepted_seqs) == (0, expected)
    process.run(process.delivery.stop())
    expected.append(shop.reject("B-1"))
    second.look()
    assert second.delivery.is_leading
    assert receiver.accepted_seqs == expected


def test_a_process_that_froze_and_lost_its_lease_saves_nothing(
    shop: WebhookShop, process: DeliveringProcess, second: DeliveringProcess, receiver: WebhookReceiver
) -> None:
    address = shop.register(receiver.url)
    process.look()
    shop.reject("A-1")

    def freezes() -> None:
        process.before_commit = lambda: None
        shop.later(seconds=60)
        receiver.answers = lambda _: ReceiverAnswer(500)
        with ThreadPoolExecutor(1) as elsewhere:  # it takes the lease, fails to deliver, and leaves a row that waits
            elsewhere.submit(second.look).result()

    receiver.answers = lambda _: ReceiverAnswer()
    process.before_commit = freezes
    process.look()
    assert [each.status for each in receiver.received] == [200, 500]
    assert not process.delivery.is_leading
    assert shop.waiting(address.id) == 1  # of the second process: the first has not touched it


def test_nothing_is_written_for_a_shop_without_addresses(shop: WebhookShop, process: DeliveringProcess) -> None:
    shop.reject("A-1")
    for _ in range(5):
        process.look()
        shop.later(seconds=30)
    assert process.commits == 0


def test_kill_9_while_a_message_is_delivered_and_the_next_server_delivers_it_under_the_same_id(
    database: Database, database_url: str, tmp_path: Path, receiver: WebhookReceiver
) -> None:
    shop = real_shop(database, tmp_path)
    shop.register(receiver.url)
    server = start_server(database_url, tmp_path, settings=PIN_MODE)
    try:
        time.sleep(0.1)

        def kill(_: object) -> ReceiverAnswer:
            server.kill()
            return ReceiverAnswer()

        receiver.answers = kill
        seq = shop.reject("A-1")
        eventually(lambda: server.exit_code is not None, ARRIVES_S_MAX)
        receiver.answers = lambda _: ReceiverAnswer()
        with running_server(database_url, tmp_path, settings=PIN_MODE):
            eventually(lambda: len(receiver.received) == 2, ARRIVES_S_MAX)
            later = shop.reject("A-1", times=2)
            eventually(lambda: len(receiver.received) == 3, ARRIVES_S_MAX)
    finally:
        stop(server)
    assert [each.json["seq"] for each in receiver.received] == [seq, seq, later]
    first, again, _ = receiver.received
    assert (first.id, first.body) == (again.id, again.body)


def test_a_server_of_three_processes_delivers_each_event_once(
    database: Database, database_url: str, tmp_path: Path, receiver: WebhookReceiver
) -> None:
    shop = real_shop(database, tmp_path)
    address = shop.register(receiver.url)
    with running_server(database_url, tmp_path, "--workers", "3", settings=PIN_MODE):
        seqs = []
        for n in range(20):
            seqs.append(shop.reject(f"A-{n % 4}"))
            time.sleep(0.1)
        eventually(lambda: len(receiver.received) >= len(seqs), ARRIVES_S_MAX)
        time.sleep(2.0)  # a second process would have looked by now
    assert receiver.accepted_seqs == seqs
    for got in receiver.received:
        timestamp_s = int(got.headers["webhook-timestamp"])
        signed = signed_headers(KEYS.webhook_key(address.id), got.id, timestamp_s, got.body)
        assert got.headers["webhook-signature"] == signed["webhook-signature"]


def real_shop(database: Database, folder: Path) -> WebhookShop:
    put(database, workers=CREW)
    put_server_key(folder)
    return WebhookShop(database)
