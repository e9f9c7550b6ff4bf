"""Changes of the trail that the product never makes, for tests that need another trail than the written one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from carrete.ledger.append_only import changes_allowed
from carrete.ledger.database import Database, Tx


@contextmanager
def tampering(database: Database) -> Iterator[Tx]:
    """A transaction in which events may be changed and deleted, as by the database's owner."""
    with database.writing() as tx, changes_allowed(tx, database.engine):
        yield tx
