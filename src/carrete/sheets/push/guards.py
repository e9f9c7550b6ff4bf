"""Old guards and marks are taken out of the workbook in time: there is room for some two thousand guards."""

from __future__ import annotations

from datetime import timedelta

from carrete.ledger.database import Database, Tx
from carrete.sheets.clock import Clock
from carrete.sheets.google.client import SheetsClient
from carrete.sheets.google.errors import BadBatch, GuardTaken
from carrete.sheets.lease import Lease
from carrete.sheets.rows import storage
from carrete.sheets.rows.column_marks import FLUSHES_KEPT, FLUSHES_MARKED_MAX, MARK_KEY, flush_of

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
        old: dict[int, int] = dict(tx.all("flush_guards_old", before=storage.moment(now - KEPT)))
    if len(kept) > most and (old or not most):
        _take_out(client, kept.keys() - old.keys())
        lease.commit(lambda tx: _forget(tx, list(old.values()), storage.moment(now - JOURNAL_KEPT)))


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


class MarkKeeper:
    """Knows whether columns can be marked, and takes old marks away before the workbook is full of them."""

    def __init__(self, client: SheetsClient) -> None:
        self._client = client
        self._sent = 0  # flushes since the last clearing
        self._last = 0
        self._full = False
        self.wanted = True

    def sent(self, flush_id: int) -> None:
        self._sent += 1
        self._last = flush_id

    def refused(self, flush_id: int) -> None:
        """Most likely there is no room. Without marks until there is some, or for as many flushes as would fill it."""
        self.wanted = False
        self._full, self._last = True, flush_id
        self._sent = FLUSHES_MARKED_MAX + 1

    def forget_old(self) -> None:
        """One that went with its column makes Google refuse the rest: then it is tried again later."""
        if self._sent <= FLUSHES_MARKED_MAX:
            return
        self._sent = 0
        old = [id_ for id_, value in self._client.marks(MARK_KEY).items() if self._is_old(value)]
        try:
            if old:
                filters = [{"developerMetadataLookup": {"metadataId": id_}} for id_ in old]
                self._client.write([{"deleteDeveloperMetadata": {"dataFilter": one}} for one in filters])
            self.wanted = bool(old) or not self._full
            self._full = False
        except (BadBatch, GuardTaken):
            self._sent = FLUSHES_MARKED_MAX // 2

    def _is_old(self, value: str) -> bool:
        flush = flush_of(value)
        return flush is not None and flush <= self._last - FLUSHES_KEPT
