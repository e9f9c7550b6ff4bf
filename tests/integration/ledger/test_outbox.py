"""The outbox: which rows of the workbook wait, and which of them a lane may close."""

from __future__ import annotations

from typing import Any

from carrete.domain.commands import Pausar, Tomar
from carrete.domain.spool import Operacion
from carrete.ledger.database import Database
from carrete.ledger.migrate import migrate
from carrete.ledger.postgres import PostgresDatabase
from tests.conftest import TEMPLATE
from tests.support.acting import a_floor
from tests.support.builders import a_spool, a_worker, put
from tests.support.postgres import PostgresServer

ROW: dict[str, Any] = {"sheet": "Operaciones", "tag": "MK-1", "n_union": 0}
TAKE, PAUSE = Tomar("MK-1", 7, Operacion.ARM), Pausar("MK-1", 7, Operacion.ARM)


def waiting(database: Database) -> list[str]:
    """The token of the spool's entry, if it has one."""
    with database.reading() as tx:
        return [change for _, tag, _, change in tx.all("outbox_all") if tag == "MK-1"]


def see(database: Database) -> None:
    with database.writing() as tx:
        tx.run("outbox_see")


def close(database: Database, change: str) -> None:
    with database.writing() as tx:
        tx.run("outbox_close", **ROW, change=change)


def test_a_row_that_changes_after_the_lane_saw_it_is_not_closed_by_what_was_planned_before(database: Database) -> None:
    put(database, [a_spool("MK-1")], [a_worker(7)])
    see(database)
    (planned,) = waiting(database)
    with a_floor(database) as floor:
        floor.do(TAKE)
    close(database, planned)
    (renewed,) = waiting(database)
    assert renewed != planned
    see(database)
    close(database, renewed)
    assert waiting(database) == []


def test_a_row_that_the_lane_has_not_seen_keeps_its_entry_however_often_it_changes(database: Database) -> None:
    put(database, [a_spool("MK-1")], [a_worker(7)])
    (queued,) = waiting(database)
    with a_floor(database) as floor:
        floor.do(TAKE)
        floor.do(PAUSE)
    assert waiting(database) == [queued]


def test_a_plan_uses_only_what_the_lane_has_seen(database: Database) -> None:
    """A later change of a row whose entry was not seen would leave no trace."""
    put(database, [a_spool("MK-1")], [a_worker(7)])
    see(database)
    put(database, [a_spool("MK-2")])
    with database.reading() as tx:
        assert [tag for _, tag, _, _ in tx.all("outbox_seen")] == ["MK-1"]
        assert [tag for _, tag, _, _ in tx.all("outbox_all")] == ["MK-1", "MK-2"]
        assert tx.one("outbox_unseen")


def test_seeing_entries_waits_for_no_action_that_has_locked_some(postgres: PostgresServer) -> None:
    """Actions lock several entries in order. If a lane waited for one while it held another, both could deadlock."""
    name = postgres.create(TEMPLATE)
    shop, lane = PostgresDatabase(postgres.url(name)), PostgresDatabase(postgres.url(name))
    migrate(shop)
    put(shop, [a_spool("MK-1"), a_spool("MK-2")])
    with shop.writing() as tx:
        tx.many("outbox_put", [{**ROW, "change": "later", "queued_at": "2026-11-17T12:00:00+00:00"}])
        see(lane)
        with lane.reading() as reading:
            assert [tag for _, tag, _, _ in reading.all("outbox_seen")] == ["MK-2"]
    see(lane)
    with lane.reading() as reading:
        assert [tag for _, tag, _, _ in reading.all("outbox_seen")] == ["MK-1", "MK-2"]
    for database in (shop, lane):
        database.close()
    postgres.drop(name)
