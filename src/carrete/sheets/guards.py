"""Old guards are taken out of the workbook in time: there is room for some two thousand of them."""

from __future__ import annotations

from datetime import timedelta

from carrete.ledger.database import Database, Tx
from carrete.sheets import memory
from carrete.sheets.client import SheetsClient
from carrete.sheets.clock import Clock
from carrete.sheets.lease import Lease

GUARDS_MAX = 600
KEPT = timedelta(minutes=30)  # ten times what Google allows a request: no late twin comes after that
JOURNAL_KEPT = timedelta(days=7)


def forget_guards(
    lease: Lease, database: Database, client: SheetsClient, clock: Clock, *, most: int = GUARDS_MAX
) -> None:
    """Those that no late twin needs any more, when there are more than `most`."""
    now = clock.now()
    with database.reading() as tx:
        kept: dict[int, int] = dict(tx.all("flush_guards"))
        old: dict[int, int] = dict(tx.all("flush_guards_old", before=memory.moment(now - KEPT)))
    if len(kept) > most and (old or not most):
        _take_out(client, kept.keys() - old.keys())
        lease.commit(lambda tx: _forget(tx, list(old.values()), memory.moment(now - JOURNAL_KEPT)))


def _take_out(client: SheetsClient, needed: set[int]) -> None:
    """Only those that are there: of one that is not, for instance after an old version was restored, the whole batch
    would be refused."""
    unneeded = [guard for guard, value in client.guards().items() if value.isdigit() and guard not in needed]
    if unneeded:
        filters = [{"developerMetadataLookup": {"metadataId": guard}} for guard in unneeded]
        client.write([{"deleteDeveloperMetadata": {"dataFilter": one}} for one in filters])


def _forget(tx: Tx, flushes: list[int], before: str) -> None:
    tx.many("flush_guard_gone", [{"id": flush_id} for flush_id in flushes])
    (first,) = tx.one("flush_first_since", since=before) or (None,)
    if first is not None:
        tx.run("writes_forget", flush_id=first)
    tx.run("flushes_forget", before=before)
