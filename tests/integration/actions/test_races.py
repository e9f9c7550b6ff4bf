"""Several workers take one spool at once, from one process, many threads or many processes: exactly one gets it, and
the others are told who has it.
"""

from __future__ import annotations

import threading
from collections import Counter

from carrete.actions.answer import Answer
from carrete.domain.commands import Pausar, Tomar
from carrete.domain.spool import Operacion
from carrete.ledger import open_database
from carrete.ledger.database import Database
from tests.integration.actions.conftest import SPOOLS
from tests.support.acting import a_floor, a_request, bodies
from tests.support.builders import events_in, spool_in
from tests.support.processes import at_once

ARM = Operacion.ARM
IN_A_PROCESS = """
from carrete.domain.commands import Pausar, Tomar
from carrete.domain.spool import Operacion
from carrete.ledger import open_database
from tests.support.acting import Floor, bodies, code
number, url = int(sys.argv[1]), sys.argv[2]
floor = Floor(open_database(url))
floor.do(Tomar("GONE", 1, Operacion.ARM))

def take_all(worker):
    return [tag for tag in SPOOLS if code(floor.do(Tomar(tag, worker, Operacion.ARM))) == "OK"]

def take_and_pause(worker, times):
    done = refused = 0
    while done < times and refused < 20_000:
        if code(floor.do(Tomar("MK-1", worker, Operacion.ARM))) == "OK":
            done += 1
            assert code(floor.do(Pausar("MK-1", worker, Operacion.ARM))) == "OK"
        else:
            refused += 1
    return done

def same_key():
    return [floor.do(Tomar(tag, 7, Operacion.ARM), key=f"key of {tag}").body for tag in SPOOLS]
""".replace("SPOOLS", repr(SPOOLS))


def winners(answers: list[Answer | BaseException]) -> list[str]:
    results = [bodies(answer)[0] for answer in answers if isinstance(answer, Answer)]
    assert len(results) == len(answers), "everybody is answered"
    return [body["ocupado_por"] for body in results if "code" not in body]


def test_of_fifty_workers_who_take_one_spool_one_gets_it_and_the_others_are_told_who(shop: Database) -> None:
    with a_floor(shop) as floor:
        answers = floor.do_all(a_request(Tomar("MK-1", worker, ARM)) for worker in range(1, 51))
    (winner,) = winners(answers)
    losers = [bodies(answer)[0] for answer in answers if isinstance(answer, Answer)]
    assert Counter(body.get("code") for body in losers) == {None: 1, "SPOOL_OCCUPIED": 49}
    assert {body["owner"] for body in losers if "code" in body} == {winner}
    assert len(events_in(shop)) == 1


def test_threads_with_a_ledger_of_their_own_never_share_a_spool(shop: Database, database_url: str) -> None:
    taken: list[str] = []
    gun = threading.Barrier(6)

    def one_process(worker: int) -> None:
        database = open_database(database_url)
        with a_floor(database) as floor:
            gun.wait(20)
            for tag in SPOOLS:
                taken.extend(tag for _ in winners([floor.do(Tomar(tag, worker, ARM))]))
        database.close()

    threads = [threading.Thread(target=one_process, args=(worker,)) for worker in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert Counter(taken) == dict.fromkeys(SPOOLS, 1)
    assert Counter(stored.tag for stored in events_in(shop)) == dict.fromkeys(SPOOLS, 1)


def test_processes_never_share_a_spool(shop: Database, database_url: str) -> None:
    taken = at_once(4, IN_A_PROCESS, "take_all(number + 1)", database_url)
    assert Counter(tag for tags in taken for tag in tags) == dict.fromkeys(SPOOLS, 1)
    for worker, tags in enumerate(taken, start=1):
        held = [spool_in(shop, tag).occupation for tag in tags]
        assert {occupation.worker_id for occupation in held if occupation} <= {worker}
    assert len(events_in(shop)) == len(SPOOLS)


def test_processes_that_take_and_pause_one_spool_never_overlap(shop: Database, database_url: str) -> None:
    done = at_once(3, IN_A_PROCESS, "take_and_pause(number + 1, 15)", database_url)
    events = events_in(shop, "MK-1")
    assert done == [15, 15, 15], "everybody gets their turn in the end"
    assert len(events) == 2 * sum(done), "every acknowledged action is there, once"
    assert [stored.event.accion for stored in events] == ["TOMAR", "PAUSAR"] * sum(done)
    for taken, paused in zip(events[::2], events[1::2], strict=True):
        assert taken.event.worker_id == paused.event.worker_id


def test_one_key_from_several_processes_is_one_event(shop: Database, database_url: str) -> None:
    answers = at_once(4, IN_A_PROCESS, "same_key()", database_url)
    assert all(answer == answers[0] for answer in answers), "each process got the same answer"
    assert Counter(stored.tag for stored in events_in(shop)) == dict.fromkeys(SPOOLS, 1)


def test_batches_of_several_ledgers_over_the_same_spools_end(shop: Database, database_url: str) -> None:
    """Rows are always locked in tag order, so that two batches cannot deadlock."""
    failures: list[str] = []

    def storm(worker: int, tags: list[str]) -> None:
        database = open_database(database_url)
        with a_floor(database) as floor:
            for _ in range(10):
                answers = [floor.do(*(kind(tag, worker, ARM) for tag in tags)) for kind in (Tomar, Pausar)]
                failures.extend(body["code"] for body in bodies(answers[0]) if body.get("code") not in OCCUPIED)
        database.close()

    orders = [SPOOLS, SPOOLS[::-1], SPOOLS[5:] + SPOOLS[:5]]
    threads = [threading.Thread(target=storm, args=(n, tags)) for n, tags in enumerate(orders, start=1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    for tag in SPOOLS:
        acciones = [stored.event.accion for stored in events_in(shop, tag)]
        assert acciones == ["TOMAR", "PAUSAR"] * (len(acciones) // 2)


OCCUPIED = (None, "SPOOL_OCCUPIED")
