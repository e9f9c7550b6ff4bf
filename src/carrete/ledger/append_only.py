"""Keeps SQLite from changing, replacing or deleting events. On PostgreSQL the rights of the server's role do that
(docs/operations.md).

It is against accidents: a person who has the file can drop the triggers. A migration that fills a new column of `event`
does so inside `changes_allowed`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from carrete.ledger.database import Tx

_REFUSES = "an event is never changed or deleted: a correction is a new event"


# INSERT OR REPLACE deletes the row that was there without calling the trigger of DELETE.
_TRIGGERS = {
    "event_no_update": "BEFORE UPDATE ON event",
    "event_no_delete": "BEFORE DELETE ON event",
    "event_no_replace": "BEFORE INSERT ON event WHEN EXISTS (SELECT 1 FROM event WHERE seq = NEW.seq)",
}


def refuse_changes(tx: Tx, engine: str) -> None:
    if engine == "sqlite":
        for name, when in _TRIGGERS.items():
            tx.execute(f"CREATE TRIGGER IF NOT EXISTS {name} {when} BEGIN SELECT RAISE(ABORT, '{_REFUSES}'); END")


def allow_changes(tx: Tx, engine: str) -> None:
    if engine == "sqlite":
        for name in _TRIGGERS:
            tx.execute(f"DROP TRIGGER IF EXISTS {name}")


@contextmanager
def changes_allowed(tx: Tx, engine: str) -> Iterator[None]:
    allow_changes(tx, engine)
    yield
    refuse_changes(tx, engine)
