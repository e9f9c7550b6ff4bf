"""Two processes on one ledger at the same moment: codes work once, guesses are all counted, an administrator stays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from threading import Barrier

from carrete.domain.refusals import Refusal
from carrete.domain.workers import Rol
from carrete.identity import enrolment, people, privileges, setup
from carrete.identity.people import ChangeAuthor
from carrete.identity.records import DeviceKind
from carrete.ledger import open_database
from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from tests.support.builders import a_worker, put

NOW = datetime.now(UTC).replace(microsecond=0)
AUTHOR = ChangeAuthor(NOW)
ROUNDS = 8
TRIES_MAX = 20


def at_once(url: str, works: Sequence[Callable[[Tx], object]]) -> list[object]:
    """The result of each function, or its refusal; each runs in a process's own connection, and again after a lost
    race."""
    together = Barrier(len(works))

    def run(work: Callable[[Tx], object]) -> object:
        database = open_database(url)
        try:
            together.wait(10)
            for _ in range(TRIES_MAX):
                try:
                    with database.writing() as tx:
                        return work(tx)
                except (RaceLost, LedgerUnavailable):
                    continue
                except Refusal as refusal:
                    return refusal.code
            raise AssertionError("lost every race")
        finally:
            database.close()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))


def test_of_two_administrators_who_remove_each_other_one_stays(database: Database, database_url: str) -> None:
    for number in range(ROUNDS):
        pair = [a_worker(id_, "Ada", "Díaz", roles=(Rol.ADMINISTRADOR,)) for id_ in (1, 2)]
        put(database, workers=pair)
        removals: list[Callable[[Tx], object]] = [
            lambda tx: people.deactivate(tx, 1, AUTHOR).id,
            (lambda tx: people.deactivate(tx, 2, AUTHOR).id)
            if number % 2
            else (lambda tx: people.set_roles(tx, 2, [], AUTHOR).id),
        ]
        outcomes = at_once(database_url, removals)
        assert outcomes.count("ULTIMO_ADMINISTRADOR") == 1
        with database.writing() as tx:
            assert len(privileges.administrators(tx)) == 1


def test_a_code_that_two_browsers_use_enrols_one(database: Database, database_url: str) -> None:
    for _ in range(ROUNDS):
        with database.writing() as tx:
            made = enrolment.make_code(tx, "T", DeviceKind.TABLET, by_id=None, at=NOW)
        use = partial(enrolment.use_code, code=made.code, at=NOW)
        outcomes = at_once(database_url, [use, use])
        assert outcomes.count("CODIGO_NO_VALIDO") == 1


def test_parallel_guesses_are_all_counted(database: Database, database_url: str) -> None:
    with database.writing() as tx:
        code = setup.make_code(tx, at=NOW)
    wrong = "00000000" if code != "00000000" else "00000001"
    guesses: list[Callable[[Tx], object]] = [lambda tx: setup.try_code(tx, wrong, at=NOW)] * 4
    for _ in range(3):
        assert at_once(database_url, guesses) == [False] * 4
    with database.writing() as tx:
        assert not setup.try_code(tx, code, at=NOW)
