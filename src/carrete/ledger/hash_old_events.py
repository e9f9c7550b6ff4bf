"""Migration 23, the part that SQL cannot do: computes the hash of every event that existed before the hash chain."""

from __future__ import annotations

from carrete.domain.trail.canonical import EMPTY, FIELDS, ChainHead, event_hash
from carrete.ledger.append_only import changes_allowed
from carrete.ledger.database import Tx

EVENTS_PER_PAGE = 5_000


def chain_old_events(tx: Tx, engine: str) -> None:
    """On PostgreSQL the migration's lock keeps writers away meanwhile."""
    with changes_allowed(tx, engine):
        head = chain_events_after(tx, EMPTY)
        tx.run("trail_head_first", seq=head.seq, hash=head.hash)


def chain_events_after(tx: Tx, head: ChainHead) -> ChainHead:
    """Writes the hash of every event after the head; returns the new one."""
    while page := tx.all("trail_rows", after=head.seq, limit=EVENTS_PER_PAGE):
        filled = []
        for row in page:
            head = ChainHead(row[0], event_hash(head.hash, row[: len(FIELDS)]))
            filled.append({"seq": head.seq, "hash": head.hash})
        tx.many("event_hash_fill", filled)
    return head
