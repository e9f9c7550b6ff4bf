"""A hand-over raced by takers, by a supervisor, by the holder and by other receivers: one holder at every instant, and
one RELEVO or none."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import httpx
import pytest

from tests.support.answers import done, refused
from tests.support.builders import a_joint, a_spool, put, spool_in
from tests.support.by_joint import begin, finish
from tests.support.crowd import at_once
from tests.support.quality import supervise
from tests.system.races.conftest import CREW, SupervisedShop, statuses

ROUNDS = 6
TAKERS = 20
GIVER, RECEIVER = CREW[0].id, CREW[1].id
Tap = Callable[[], httpx.Response]


@pytest.fixture(scope="module")
def shop(gated_shop: SupervisedShop) -> SupervisedShop:
    return gated_shop


def offered(shop: SupervisedShop, tag: str, **more: object) -> None:
    put(shop.database, [a_spool(tag)])
    done(shop.tablets[0].tap("TOMAR", tag, GIVER))
    done(shop.tablets[1].tap("relevo/ofrecer", tag, GIVER, **more))  # type: ignore[arg-type]


def accept(shop: SupervisedShop, tag: str, who: int = RECEIVER, tablet: int = 2) -> Tap:
    return partial(shop.tablets[tablet].tap, "relevo/aceptar", tag, who)


@contextmanager
def locks_of(shop: SupervisedShop, tag: str) -> Iterator[set[str | None]]:
    """Every value that the lock had meanwhile; None is no lock."""
    seen: set[str | None] = set()
    over = threading.Event()

    def look() -> None:
        while not over.is_set():
            seen.add(shop.redis.value(tag))

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield seen
    finally:
        over.set()
        looking.join()


def test_twenty_who_take_during_a_hand_over_find_it_occupied_and_the_lock_is_never_away(shop: SupervisedShop) -> None:
    for turn in range(ROUNDS):
        tag = f"RELEVO-TAKERS-{turn}"
        offered(shop, tag, receptor_id=RECEIVER)
        giver = shop.redis.value(tag)
        takes: list[Tap] = [
            partial(shop.tablets[n % len(shop.tablets)].tap, "TOMAR", tag, CREW[2 + n].id) for n in range(TAKERS)
        ]
        with locks_of(shop, tag) as seen:
            accepted, *refusals = at_once([accept(shop, tag), *takes])
        done(accepted)
        assert statuses(refusals) == {"SPOOL_OCCUPIED": TAKERS}
        assert shop.events(tag) == ["TOMAR_SPOOL", "RELEVO"]
        held = spool_in(shop.database, tag).occupation
        assert held is not None
        assert held.worker_id == RECEIVER
        assert seen <= {giver, held.lock}, "the lock was away, or somebody else's, for a moment"
    shop.rests()


def test_of_ten_workers_who_accept_an_offer_for_everybody_one_gets_the_spool(shop: SupervisedShop) -> None:
    for turn in range(ROUNDS):
        tag = f"RELEVO-OPEN-{turn}"
        offered(shop, tag)
        receivers = [CREW[10 + n].id for n in range(10)]
        answers = at_once([accept(shop, tag, who, n) for n, who in enumerate(receivers)])
        assert statuses(answers) == {"OK": 1, "SPOOL_OCCUPIED": 9}
        (winner,) = [who for who, answer in zip(receivers, answers, strict=True) if answer.status_code == 200]
        held = spool_in(shop.database, tag).occupation
        assert held is not None
        assert (held.worker_id, shop.events(tag)) == (winner, ["TOMAR_SPOOL", "RELEVO"])
    shop.rests()


def test_a_supervisor_frees_during_a_hand_over_and_the_trail_has_an_order(shop: SupervisedShop) -> None:
    for turn in range(ROUNDS):
        tag = f"RELEVO-FREED-{turn}"
        offered(shop, tag)
        both: list[Tap] = [partial(supervise, shop.tablets[3], "liberar", tag), accept(shop, tag)]
        freed, accepted = at_once(both)
        done(freed)
        if accepted.status_code == 200:
            assert shop.events(tag) == ["TOMAR_SPOOL", "RELEVO", "LIBERAR_SPOOL"]
        else:
            refused(accepted, 400, "OPERACION_NO_INICIADA")
            assert shop.events(tag) == ["TOMAR_SPOOL", "LIBERAR_SPOOL"]
        assert spool_in(shop.database, tag).occupation is None
    shop.rests()


@pytest.mark.parametrize("ending", ["PAUSAR", "COMPLETAR", "CANCELAR"])
def test_when_the_holder_ends_during_a_hand_over_one_of_the_two_succeeds(shop: SupervisedShop, ending: str) -> None:
    for turn in range(ROUNDS):
        tag = f"RELEVO-{ending}-{turn}"
        offered(shop, tag)
        both: list[Tap] = [partial(shop.tablets[4].tap, ending, tag, GIVER), accept(shop, tag)]
        ended, accepted = at_once(both)
        held = spool_in(shop.database, tag).occupation
        if accepted.status_code == 200:
            refused(ended, 403, "NO_AUTORIZADO")
            assert held is not None
            assert (held.worker_id, shop.events(tag)) == (RECEIVER, ["TOMAR_SPOOL", "RELEVO"])
        else:
            done(ended)
            refused(accepted, 400, "OPERACION_NO_INICIADA")
            assert (held, len(shop.events(tag)), "RELEVO" in shop.events(tag)) == (None, 2, False)
    shop.rests()


def test_the_holder_finishes_joints_during_a_hand_over_and_they_are_done_or_not_at_all(shop: SupervisedShop) -> None:
    for turn in range(ROUNDS):
        tag = f"RELEVO-JOINTS-{turn}"
        put(shop.database, [a_spool(tag, total_uniones=3)], joints=[a_joint(n, tag) for n in (1, 2, 3)])
        done(begin(shop.tablets[0], tag, GIVER))
        done(shop.tablets[1].tap("relevo/ofrecer", tag, GIVER, selected_unions=[1]))
        both: list[Tap] = [partial(finish, shop.tablets[5], [2, 3], tag, GIVER), accept(shop, tag)]
        finished, accepted = at_once(both)
        assert sorted(answer.status_code == 200 for answer in (finished, accepted)) == [False, True]
        spool = spool_in(shop.database, tag)
        assert spool.counts.armed == (3 if finished.status_code == 200 else 1)
        assert shop.events(tag).count("RELEVO") == (accepted.status_code == 200)
    shop.rests()


def test_withdrawn_declined_replaced_and_accepted_at_once_leaves_one_relevo_or_none(shop: SupervisedShop) -> None:
    for turn in range(ROUNDS):
        tag = f"RELEVO-ALL-{turn}"
        offered(shop, tag, receptor_id=RECEIVER)
        taps: list[Tap] = [
            accept(shop, tag),
            partial(shop.tablets[3].tap, "relevo/retirar", tag, GIVER),
            partial(shop.tablets[4].tap, "relevo/rechazar", tag, RECEIVER),
            partial(shop.tablets[5].tap, "relevo/ofrecer", tag, GIVER, receptor_id=CREW[2].id),
        ]
        accepted, *_ = at_once(taps)
        held = spool_in(shop.database, tag).occupation
        assert held is not None
        if accepted.status_code == 200:
            assert (held.worker_id, shop.events(tag)) == (RECEIVER, ["TOMAR_SPOOL", "RELEVO"])
        else:
            assert (held.worker_id, shop.events(tag)) == (GIVER, ["TOMAR_SPOOL"])
    shop.rests()


def test_the_same_acceptance_sent_to_two_servers_at_once_is_one_event(shop: SupervisedShop) -> None:
    offered(shop, "RELEVO-KEY")
    taps: list[Tap] = [
        partial(tablet.tap, "relevo/aceptar", "RELEVO-KEY", RECEIVER, key="acepta") for tablet in shop.tablets
    ]
    answers = at_once(taps)
    assert len({(answer.status_code, answer.content) for answer in answers}) == 1
    assert shop.events("RELEVO-KEY") == ["TOMAR_SPOOL", "RELEVO"]
