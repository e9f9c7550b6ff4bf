"""Old guards are taken out of the workbook in time: there is room for some two thousand of them."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

from carrete.ledger.database import Database, Tx
from carrete.sheets import memory
from carrete.sheets.client import SheetsClient
from carrete.sheets.clock import Clock
from carrete.sheets.errors import BadBatch
from carrete.sheets.lease import Lease

GUARDS_MAX = 600
KEPT = timedelta(minutes=30)  # ten times what Google allows a request: no late twin comes after that
JOURNAL_KEPT = timedelta(days=7)


def forget_old_guards(lease: Lease, database: Database, client: SheetsClient, clock: Clock) -> None:
    now = clock.now()
    with database.reading() as tx:
        (count,) = tx.one("flush_guards_count") or (0,)
        old = tx.all("flush_guards_old", before=memory.moment(now - KEPT)) if count > GUARDS_MAX else []
    if not old:
        return
    filters = [{"developerMetadataLookup": {"metadataId": guard}} for _, guard in old]
    with suppress(BadBatch):  # some are gone already, for instance with an old version that was restored
        client.write([{"deleteDeveloperMetadata": {"dataFilter": one}} for one in filters])

    def work(tx: Tx) -> None:
        tx.many("flush_guard_gone", [{"id": id_} for id_, _ in old])
        before = memory.moment(now - JOURNAL_KEPT)
        (first,) = tx.one("flush_first_since", since=before) or (None,)
        if first is not None:
            tx.run("writes_forget", flush_id=first)
        tx.run("flushes_forget", before=before)

    lease.commit(work)
