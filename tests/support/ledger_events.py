"""Events in the trail without the actions that would write them."""

from __future__ import annotations

from uuid import uuid4

from carrete.domain.events import Event
from carrete.ledger.database import Database
from carrete.ledger.rows import StoredEvent, chained_rows
from carrete.ledger.store import Changes, insert_events, update_rows
from tests.support.builders import NOW


def add_events(database: Database, tag: str, *events: Event) -> None:
    with database.writing() as tx:
        nothing = Changes(NOW)
        numbering = update_rows(tx, nothing, len(events))
        assert numbering.head is not None
        stored = [
            StoredEvent(seq, str(uuid4()), tag, event, None, "Disponible", "v", "v4.0")
            for seq, event in zip(numbering.seqs, events, strict=True)
        ]
        insert_events(tx, nothing, chained_rows(numbering.head, stored))
