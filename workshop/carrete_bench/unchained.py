"""The measured application without the chain: no hash, no head, no receipt. It exists for the comparison alone.

The product has no switch for it. A ledger that this has written to does not verify.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI

from carrete import services
from carrete.actions import Performer, group
from carrete.ledger import store
from carrete.ledger.database import Tx
from carrete.ledger.rows import event_row
from carrete_bench.empty_post import app_with_an_empty_post


def app_without_chain() -> FastAPI:
    vars(group).update(chained_rows=_rows_without_hash, insert_events=_insert_events)
    vars(services).update(Performer=_performer_without_receipts)
    return app_with_an_empty_post()


def _rows_without_hash(_: object, events: Sequence[Any]) -> list[dict[str, Any]]:
    return [{**event_row(event), "hash": ""} for event in events]


def _insert_events(tx: Tx, changes: store.Changes, events: Sequence[Any]) -> None:
    """As `store.insert_events`, and the head stays as it is."""
    tx.begin_writing(("event_insert", events), ("outbox_put", store._outbox_rows(changes)))


def _performer_without_receipts(*arguments: Any, sign: object, **options: Any) -> Performer:
    del sign
    return Performer(*arguments, **options)
