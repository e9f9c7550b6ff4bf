"""A spool has at most one holder, however many workers take it at the same moment, in whichever processes."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from functools import partial

from tests.support.answers import refused, replayed
from tests.support.builders import a_spool, events_in, put, spool_in
from tests.support.crowd import at_once
from tests.support.tablet import Tablet
from tests.system.races.conftest import CREW, BusyShop

ROUNDS = 50
HANDS = 16


def test_fifty_workers_take_one_spool_and_one_of_them_has_it(shop: BusyShop) -> None:
    put(shop.database, [a_spool("FIFTY")])
    answers = at_once([partial(shop.tablets[0].tap, "TOMAR", "FIFTY", worker.id) for worker in CREW])
    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: 49}
    holder = spool_in(shop.database, "FIFTY").occupation
    assert holder is not None
    for answer in answers:
        if answer.status_code == 200:
            assert answer.json()["ocupado_por"] == holder.label
        else:
            problem = refused(answer, 409, "SPOOL_OCCUPIED", owner=holder.label, owner_id=holder.worker_id)
            assert holder.label in problem["detail"]
    assert len(events_in(shop.database, "FIFTY")) == 1


def test_thirty_repeats_of_one_key_at_once_are_one_event(shop: BusyShop) -> None:
    put(shop.database, [a_spool("THIRTY")])
    answers = at_once([partial(shop.tablets[0].tap, "TOMAR", "THIRTY", 100, key="one-tap")] * 30)
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert sum(not replayed(answer) for answer in answers) == 1
    assert len(events_in(shop.database, "THIRTY")) == 1


def test_two_bodies_under_one_key_at_once_never_both_happen(shop: BusyShop) -> None:
    put(shop.database, [a_spool("BODY-A"), a_spool("BODY-B")])
    taps = [partial(shop.tablets[0].tap, "TOMAR", tag, 100, key="two bodies") for tag in ("BODY-A", "BODY-B") * 10]
    assert Counter(answer.status_code for answer in at_once(taps)) == {200: 10, 422: 10}
    assert len(events_in(shop.database, "BODY-A") + events_in(shop.database, "BODY-B")) == 1


def test_a_key_sent_to_two_servers_at_once_is_decided_by_one_of_them(shop: BusyShop) -> None:
    """Also for a spool that does not exist: there is no row that could put the two in order."""
    there = [f"KEY-{n}" for n in range(8)]
    put(shop.database, [a_spool(tag) for tag in there])
    for tag in (*there, *(f"NO-HAY-{n}" for n in range(8))):
        answers = at_once([partial(tablet.tap, "TOMAR", tag, 100, key=tag) for tablet in shop.tablets * 4])
        assert len({(answer.status_code, answer.content) for answer in answers}) == 1
        assert answers[0].status_code == (200 if tag in there else 404)
        assert sum(not replayed(answer) for answer in answers) == 1
        assert len(events_in(shop.database, tag)) == (tag in there)


def test_over_fifty_rounds_in_three_processes_each_has_one_winner(shop: BusyShop) -> None:
    put(shop.database, [a_spool("ROUNDS")])
    with ExitStack() as stack:
        clients = [stack.enter_context(shop.servers[n % 2].client()) for n in range(HANDS)]
        tablets = [Tablet(client.request) for client in clients]
        for _ in range(ROUNDS):
            taps = [partial(tablet.tap, "TOMAR", "ROUNDS", CREW[n].id) for n, tablet in enumerate(tablets)]
            answers = at_once(taps)
            assert Counter(answer.status_code for answer in answers) == {200: 1, 409: HANDS - 1}
            (winner,) = [n for n, answer in enumerate(answers) if answer.status_code == 200]
            assert {a.json()["owner_id"] for a in answers if a.status_code == 409} == {CREW[winner].id}
            assert tablets[winner].tap("PAUSAR", "ROUNDS", CREW[winner].id).status_code == 200
    accions = [stored.event.accion for stored in events_in(shop.database, "ROUNDS")]
    assert accions == ["TOMAR", "PAUSAR"] * ROUNDS


def test_batches_in_opposite_order_never_wait_for_each_other(shop: BusyShop) -> None:
    tags = [f"BATCH-{n:02}" for n in range(50)]
    put(shop.database, [a_spool(tag) for tag in tags])
    orders = [tags, tags[::-1]]
    answers = at_once([partial(shop.tablets[n % 2].batch, "TOMAR", orders[n % 2], CREW[n].id) for n in range(8)])
    assert {answer.status_code for answer in answers} == {200}
    won = [detail["tag_spool"] for a in answers for detail in a.json()["details"] if detail["success"]]
    assert sorted(won) == tags
    assert {len(events_in(shop.database, tag)) for tag in tags} == {1}
