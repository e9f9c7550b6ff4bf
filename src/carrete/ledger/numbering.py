"""The seqs of new events: they go on from the head of the chain, without gaps."""

from __future__ import annotations

from carrete.domain.trail.canonical import ChainHead
from carrete.ledger.database import Numbering, Row
from carrete.ledger.errors import LedgerUnavailable


def numbering(row: Row | None, n: int) -> Numbering:
    """`row` is the answer to `trail_head`. A row of `event` above the head was not written by Carrete: the next seq is
    above that one too, and `carrete verify` reports it."""
    if row is None:
        raise LedgerUnavailable("the head of the trail is gone: its table trail_head is empty")
    seq, hash_, highest = row
    first = max(seq, highest) + 1
    return Numbering(range(first, first + n), ChainHead(seq, hash_))
