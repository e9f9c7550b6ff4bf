"""The demo shop as it stands in a ledger, read once for all the tests that only look at it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from carrete.demo import fill
from carrete.domain.joints import Joint
from carrete.domain.spool import Spool
from carrete.domain.workers import Worker
from carrete.ledger.database import Database
from carrete.ledger.migrate import migrate
from carrete.ledger.rows import StoredEvent, event_from, joint_from, spool_from
from carrete.ledger.sqlite import SqliteDatabase
from carrete.ledger.store import workers_known
from tests.support.builders import NOW, SHOP


@dataclass(frozen=True, slots=True)
class Seen:
    """Everything that a ledger says."""

    workers: dict[int, Worker]
    spools: dict[str, Spool]
    joints: list[Joint]
    events: list[StoredEvent]

    def joints_of(self, tag: str) -> list[Joint]:
        return [joint for joint in self.joints if joint.tag == tag]

    def events_of(self, tag: str) -> list[StoredEvent]:
        return [stored for stored in self.events if stored.tag == tag]


def seen(database: Database) -> Seen:
    with database.reading() as tx:
        return Seen(
            workers_known(tx, [row[0] for row in tx.all("workers")]),
            {row[0]: spool_from(row) for row in tx.all("spools_all")},
            [joint_from(row) for row in tx.all("joints_all")],
            [event_from(row) for row in tx.all("events_page", after=0, limit=1_000_000)],
        )


@pytest.fixture(scope="session")
def shop_floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    path: Path = tmp_path_factory.mktemp("demo") / "carrete.db"
    database = SqliteDatabase(path)
    try:
        migrate(database)
        assert fill(database, SHOP, NOW)
        yield seen(database)
    finally:
        database.close()
