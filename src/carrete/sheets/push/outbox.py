"""The outbox as the lane uses it: it sees entries before it reads the ledger's rows, and closes what the sheet shows.

A row that changes leaves an entry that was not seen yet as it is, and renews any other with another token.
"""

from __future__ import annotations

from collections.abc import Iterable

from carrete.ledger.database import Database, Tx
from carrete.sheets.lease import Lease
from carrete.sheets.push.plan import OutboxEntry
from carrete.sheets.rows import storage


def see(database: Database, lease: Lease) -> None:
    """In a commit of its own, before a plan reads the rows: only then does a later change renew what the plan uses."""
    with database.reading() as tx:
        unseen = tx.one("outbox_unseen")
    if unseen:
        lease.commit(lambda tx: tx.run("outbox_see"))


def close(lease: Lease, entries: Iterable[OutboxEntry]) -> None:
    """Not those that were renewed since they were planned."""
    closed = sorted(entries)
    rows = [{**storage.row_params(row_key), "change": change} for row_key, change in closed]

    def work(tx: Tx) -> None:
        tx.many("outbox_close", rows)
        tx.many("parked_forget", [storage.row_params(row_key) for row_key, _ in closed])

    lease.commit(work)
