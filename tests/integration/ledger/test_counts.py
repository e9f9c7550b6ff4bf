"""The number of spools in a list is always the present one, whichever process committed, on every page."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from random import Random

import pytest

from carrete.domain.spool import Estado, Spool
from carrete.ledger import open_database, queries
from carrete.ledger.counts import COUNTS_MAX, CountCache
from carrete.ledger.database import Database
from carrete.ledger.queries import EVERYTHING, Scope, SpoolPage
from carrete.ledger.store import Changes, SpoolWrite, save
from tests.support.builders import NOW, a_spool

READERS = 3
LIMIT = 4
OPEN = Scope("open_arm", {})


def page(database: Database, scope: Scope, q: str, after: str) -> SpoolPage:
    with database.reading() as tx:
        return queries.spool_page(tx, scope, q, after, LIMIT)


def counted_plainly(spools: dict[str, Spool], scope: Scope, q: str) -> int:
    shown = [s for s in spools.values() if not s.retired and q.upper() in s.tag]
    return sum(scope is EVERYTHING or s.arm is not Estado.COMPLETADO for s in shown)


def change(chance: Random, spools: dict[str, Spool]) -> SpoolWrite:
    tag = f"MK-{chance.randint(0, 15)}"
    before = spools.get(tag)
    arm = chance.choice([Estado.PENDIENTE, Estado.COMPLETADO])
    spools[tag] = a_spool(tag, arm=arm, armador="LP(7)", retired=chance.random() < 0.2)
    return SpoolWrite(spools[tag], before.version if before else None)


def test_every_page_of_every_reader_says_how_many_there_are_now(database: Database, database_url: str) -> None:
    """Changes are made here and by another process's connections; some are rolled back."""
    chance, spools = Random(11), dict[str, Spool]()
    elsewhere = open_database(database_url)
    try:
        with ThreadPoolExecutor(READERS) as readers:
            for _ in range(60):
                for _ in range(chance.choice([0, 0, 1, 2])):
                    commit_or_not(chance.choice([database, elsewhere]), chance, spools)
                scope, q = chance.choice([EVERYTHING, OPEN]), chance.choice(["", "", "mk-1"])
                after = chance.choice(["", "MK-1", "MK-5", "MK-9"])
                pages = readers.map(partial(page, database, scope, q), [after] * READERS)
                assert {each.total for each in pages} == {counted_plainly(spools, scope, q)}
    finally:
        elsewhere.close()


def commit_or_not(database: Database, chance: Random, spools: dict[str, Spool]) -> None:
    before = dict(spools)
    try:
        with database.writing() as tx:
            save(tx, Changes(NOW, [change(chance, spools)]))
            if chance.random() < 0.3:
                raise InterruptedError
    except InterruptedError:
        spools.clear()
        spools.update(before)


def moment(database: Database) -> object:
    with database.reading() as tx:
        return tx.one("moment")


def test_a_moment_ends_with_the_next_commit_and_lasts_without_one(database: Database) -> None:
    """A PostgreSQL server may commit things of its own now and then."""
    assert any(moment(database) == moment(database) for _ in range(100))
    before = moment(database)
    with database.writing() as tx:
        save(tx, Changes(NOW, [change(Random(3), {})]))
    assert moment(database) != before


def test_a_list_is_counted_once_in_a_moment() -> None:
    counts = CountCache()
    assert [counts.get(moment, "all", {}, iter([n]).__next__) for n, moment in enumerate("aabb")] == [0, 0, 2, 2]


@pytest.mark.parametrize("other", [{"q": "x"}, {"workflow": "v4.0"}, {"arm": [1, 2]}])
def test_lists_that_differ_are_counted_apart(other: dict[str, object]) -> None:
    counts = CountCache()
    assert counts.get(1, "all", {}, lambda: 5) == 5
    assert counts.get(1, "all", other, lambda: 6) == 6
    assert counts.get(1, "all", {}, lambda: 7) == 5


def test_only_so_many_are_remembered() -> None:
    counts = CountCache()
    for n in range(COUNTS_MAX + 1):
        counts.get(1, f"list {n}", {}, lambda: 1)
    assert counts.get(1, "list 0", {}, lambda: 2) == 2
