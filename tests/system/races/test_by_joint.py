"""Each joint is done once, however many workers finish at the same moment, in whichever processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from carrete.domain.joints import Joint
from carrete.domain.spool import Estado
from carrete.ledger.queries import joints_of
from carrete.workbook.importing import import_workbook
from tests.integration.workbook.files import write_file
from tests.support.answers import done, refused, replayed
from tests.support.builders import NOW, SHOP, a_joint, a_spool, events_in, put, spool_in
from tests.support.by_joint import begin, finish
from tests.support.crowd import at_once
from tests.support.tablet import Tablet
from tests.system.races.conftest import CREW, BusyShop

CLIENTS = 12
TURNS_MAX = 2_000


def joints_in(shop: BusyShop, tag: str) -> list[Joint]:
    with shop.database.reading() as tx:
        return joints_of(tx, tag)


def registered(shop: BusyShop, tag: str) -> Counter[int]:
    """How often each joint was written down as armed."""
    trail = [stored.event for stored in events_in(shop.database, tag)]
    return Counter(e.n_union for e in trail if e.tipo == "UNION_ARM_REGISTRADA" and e.n_union)


def tablets(shop: BusyShop, stack: ExitStack) -> list[Tablet]:
    clients = [stack.enter_context(shop.servers[n % 2].client()) for n in range(CLIENTS)]
    return [Tablet(client.request) for client in clients]


def test_twelve_tablets_finish_the_same_ten_joints_and_each_is_done_once(shop: BusyShop) -> None:
    with ExitStack() as stack:
        hands = tablets(shop, stack)
        for turn in range(5):
            tag = f"TWELVE-{turn}"
            put(shop.database, [a_spool(tag, total_uniones=10)], joints=[a_joint(n, tag) for n in range(1, 11)])
            done(begin(hands[0], tag, 100))
            answers = at_once([partial(finish, tablet, range(1, 11), tag, 100) for tablet in hands])
            (won,) = [done(answer) for answer in answers if answer.status_code == 200]
            assert (won["action_taken"], won["unions_processed"], won["pulgadas"]) == ("COMPLETAR", 10, 40)
            for answer in answers:
                if answer.status_code != 200:
                    refused(answer, 400, "OPERACION_NO_INICIADA")
            assert registered(shop, tag) == dict.fromkeys(range(1, 11), 1)
            spool = spool_in(shop.database, tag)
            assert (spool.counts.armed, spool.counts.milli_armed) == (10, 40_000)
            assert len({joint.version for joint in joints_in(shop, tag)}) == 10


def test_twelve_tablets_each_with_another_joint_and_one_of_them_counts(shop: BusyShop) -> None:
    tag = "EACH-ANOTHER"
    put(shop.database, [a_spool(tag, total_uniones=CLIENTS)], joints=[a_joint(n + 1, tag) for n in range(CLIENTS)])
    with ExitStack() as stack:
        hands = tablets(shop, stack)
        done(begin(hands[0], tag, 100))
        answers = at_once([partial(finish, tablet, [n + 1], tag, 100) for n, tablet in enumerate(hands)])
    assert Counter(answer.status_code for answer in answers) == {200: 1, 400: CLIENTS - 1}
    (winner,) = [n + 1 for n, answer in enumerate(answers) if answer.status_code == 200]
    assert [joint.n_union for joint in joints_in(shop, tag) if joint.armed] == [winner]


def test_twelve_repeats_of_one_key_finish_once(shop: BusyShop) -> None:
    tag = "ONE-KEY"
    put(shop.database, [a_spool(tag, total_uniones=2)], joints=[a_joint(1, tag), a_joint(2, tag)])
    with ExitStack() as stack:
        hands = tablets(shop, stack)
        done(begin(hands[0], tag, 100))
        answers = at_once([partial(finish, tablet, [1], tag, 100, key="one finish") for tablet in hands])
    assert len({(answer.status_code, answer.content) for answer in answers}) == 1
    assert (answers[0].status_code, sum(not replayed(answer) for answer in answers)) == (200, 1)
    assert registered(shop, tag) == {1: 1}


def test_workers_who_arm_joint_after_joint_against_each_other_never_do_one_twice(shop: BusyShop) -> None:
    """Each takes the spool when it is free, ticks the next joint that is open, and lets go."""
    tag, total = "IN-TURN", 30
    put(shop.database, [a_spool(tag, total_uniones=total)], joints=[a_joint(n, tag) for n in range(1, total + 1)])

    def work(tablet: Tablet, worker_id: int) -> int:
        armed = 0
        for _ in range(TURNS_MAX):
            if begin(tablet, tag, worker_id).json().get("code") == "OPERACION_YA_COMPLETADA":
                return armed
            left = [joint.n_union for joint in joints_in(shop, tag) if not joint.armed]
            answer = finish(tablet, left[:1], tag, worker_id)
            armed += answer.json().get("unions_processed", 0)
        raise AssertionError(f"{tag} is not complete after {TURNS_MAX} turns")

    with ExitStack() as stack:
        hands = tablets(shop, stack)[:4]
        shares = at_once([partial(work, tablet, CREW[n].id) for n, tablet in enumerate(hands)])
    assert sum(shares) == total
    assert registered(shop, tag) == dict.fromkeys(range(1, total + 1), 1)
    assert spool_in(shop.database, tag).arm is Estado.COMPLETADO


def test_engineering_changes_the_total_while_joints_are_finished_and_both_count(shop: BusyShop, tmp_path: Path) -> None:
    """In any order of commits the spool ends as its joints compare with its last total."""
    tags = [f"EDITED-{n:02}" for n in range(20)]
    joints = [a_joint(n, tag) for tag in tags for n in (1, 2)]
    put(shop.database, [a_spool(tag, total_uniones=2) for tag in tags], joints=joints)

    def tap(tablet: Tablet, tag: str) -> int:
        return finish(tablet, [1, 2], tag, 100).status_code

    path = write_file(tmp_path / "totals.xlsx", Operaciones=[{"TAG_SPOOL": tag, "Total_Uniones": 3} for tag in tags])
    for tag in tags:
        done(begin(shop.tablets[0], tag, 100))

    def edit() -> int:
        return import_workbook(shop.database, path, SHOP, NOW).exit_code

    taps: list[Callable[[], int]] = [partial(tap, shop.tablets[n % 2], tag) for n, tag in enumerate(tags)]
    assert at_once([*taps, edit]) == [200] * len(tags) + [0]
    for tag in tags:
        spool = spool_in(shop.database, tag)
        assert (spool.total_uniones, spool.counts.armed, spool.arm) == (3, 2, Estado.PAUSADO), tag
        assert registered(shop, tag) == {1: 1, 2: 1}
