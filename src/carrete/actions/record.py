"""Writes changes that need no answer, and numbers events. Each stored event has the spool's state after its change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from carrete.domain import estado_detalle
from carrete.domain.change import Change
from carrete.domain.stage import with_stage
from carrete.domain.version import workflow
from carrete.ledger.database import Tx
from carrete.ledger.rows import StoredEvent, chained_rows
from carrete.ledger.store import Changes, insert_events, update_rows
from carrete.ledger.tokens import fresh_token


def save_changes(tx: Tx, changes: Changes, happened: Sequence[Change], token: Callable[[], str] = fresh_token) -> None:
    """Writes rows and events for callers that store no answer, such as an import. Numbers events in their order."""
    seqs, head = update_rows(tx, changes, sum(len(change.events) for change in happened))
    numbers = iter(seqs)
    events = [stored for change in map(with_stage, happened) for stored in number_events(change, numbers, token)]
    insert_events(tx, changes, chained_rows(head, events) if head else ())


def number_events(
    change: Change,
    seqs: Iterator[int],
    token: Callable[[], str] = fresh_token,
    context: Mapping[str, Any] | None = None,
) -> list[StoredEvent]:
    """The first event of a change says which stage of the spool it ended. `context` is stored with each."""
    spool, ended = change.spool, change.ended
    holder = spool.occupation.label if spool.occupation else None
    after = (holder, estado_detalle.render(spool), spool.version, workflow(spool).value)
    stored: list[StoredEvent] = []
    for event in change.events:
        stored.append(StoredEvent(next(seqs), token(), spool.tag, event, *after, "", ended, context))
        ended = None
    return stored
