"""The demo is written into an empty ledger, as a whole and once, and is the same every time."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

from carrete.demo import fill
from carrete.demo.people import demo_workers
from carrete.domain.estado_detalle import render
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.migrate import migrate
from carrete.ledger.sqlite import SqliteDatabase
from carrete.ledger.store import Changes, SpoolWrite, last_seqs, save
from tests.integration.demo.conftest import Seen, seen
from tests.support.builders import NOW, SHOP, a_spool

SECONDS_MAX = 1.0


def test_the_demo_is_the_same_in_both_engines_and_every_time(database: Database, shop_floor: Seen) -> None:
    assert fill(database, SHOP, NOW)
    assert seen(database) == shop_floor


def test_a_second_fill_touches_nothing(database: Database) -> None:
    fill(database, SHOP, NOW)
    before = seen(database)
    assert not fill(database, SHOP, NOW + timedelta(days=1))
    assert seen(database) == before


def test_two_processes_that_fill_at_once_fill_once(database_url: str, shop_floor: Seen) -> None:
    databases = [open_database(database_url) for _ in range(2)]
    with ThreadPoolExecutor(len(databases)) as pool:
        filled = list(pool.map(lambda database: fill(database, SHOP, NOW), databases))
    assert sorted(filled) == [False, True]
    assert len(seen(databases[0]).events) == len(shop_floor.events)
    for database in databases:
        database.close()


def test_a_shop_that_has_a_worker_is_left_alone(database: Database) -> None:
    with database.writing() as tx:
        tx.run("worker_upsert", id=7, nombre="Luis", apellido="Pino", activo=1)
    assert not fill(database, SHOP, NOW)
    assert list(seen(database).workers) == [7]


def test_a_shop_that_has_a_spool_is_left_alone(database: Database) -> None:
    with database.writing() as tx:
        save(tx, Changes(NOW, [SpoolWrite(a_spool("SOLO-1"))]))
    assert not fill(database, SHOP, NOW)
    assert list(seen(database).spools) == ["SOLO-1"]


def test_every_spool_and_joint_waits_for_the_workbook(database: Database, shop_floor: Seen) -> None:
    fill(database, SHOP, NOW)
    with database.reading() as tx:
        queued = tx.one("outbox_length")
    assert queued is not None
    assert queued[0] == len(shop_floor.spools) + len(shop_floor.joints)


def test_the_last_event_of_each_spool_is_the_one_it_points_to(database: Database, shop_floor: Seen) -> None:
    fill(database, SHOP, NOW)
    last = {stored.tag: stored.seq for stored in shop_floor.events}
    with database.reading() as tx:
        assert last_seqs(tx, shop_floor.spools) == {tag: last.get(tag, 0) for tag in shop_floor.spools}


def test_another_hour_of_the_same_day_shows_the_same_shop(tmp_path: Path, shop_floor: Seen) -> None:
    """Only the times change; holders and stages do not depend on the hour."""
    database = SqliteDatabase(tmp_path / "later.db")
    migrate(database)
    fill(database, SHOP, NOW + timedelta(hours=5))
    later = seen(database).spools
    database.close()
    assert {tag: (s.version, render(s)) for tag, s in later.items()} == {
        tag: (s.version, render(s)) for tag, s in shop_floor.spools.items()
    }


def test_the_people_are_kept_with_their_roles(shop_floor: Seen) -> None:
    assert shop_floor.workers == {worker.id: worker for worker in demo_workers()}


def test_filling_takes_less_than_a_second(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "fast.db")
    migrate(database)
    begun = time.process_time()
    fill(database, SHOP, NOW)
    assert time.process_time() - begun < SECONDS_MAX
    database.close()
