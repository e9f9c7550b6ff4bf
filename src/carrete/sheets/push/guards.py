"""Removes old guards and marks from the workbook in time: Google keeps some two thousand guards and no more."""

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
GUARD_NEEDED = timedelta(minutes=30)  # ten times what Google allows a request: no late attempt arrives after that
JOURNAL_NEEDED = timedelta(days=7)
_CALLED_OFF = "anulado"


def guard_value(flush_id: int) -> str:
    """The value of the guard that a batch creates."""
    return str(flush_id)


def called_off_value(flush_id: int) -> str:
    """The value of a guard that was sent alone. It differs, so that a process that does not get the answer can still
    find out that nothing else was written."""
    return f"{flush_id} {_CALLED_OFF}"


def _is_value(text: str) -> bool:
    return text.removesuffix(_CALLED_OFF).rstrip().isdigit()


def forget_guards(
    lease: Lease, database: Database, client: SheetsClient, clock: Clock, *, most: int = GUARDS_MAX
) -> None:
    """When there are more than `most` guards, removes those that no late attempt can meet any more."""
    now = clock.now()
    with database.reading() as tx:
        guards: dict[int, int] = dict(tx.all("flush_guards"))
        old: dict[int, int] = dict(tx.all("flush_guards_old", before=storage.moment(now - GUARD_NEEDED)))
    if len(guards) > most and (old or not most):
        _remove(client, guards.keys() - old.keys())
        lease.commit(lambda tx: _forget(tx, list(old.values()), storage.moment(now - JOURNAL_NEEDED)))


def _remove(client: SheetsClient, needed: set[int]) -> None:
    """Removes only guards that are in the workbook now: one that is not, for instance after an old version was
    restored, would make Google refuse the whole batch."""
    unneeded = [guard for guard, value in client.guards().items() if _is_value(value) and guard not in needed]
    if unneeded:
        client.write(delete_requests(unneeded))


def delete_requests(metadata_ids: list[int]) -> list[dict[str, object]]:
    filters = [{"developerMetadataLookup": {"metadataId": id_}} for id_ in metadata_ids]
    return [{"deleteDeveloperMetadata": {"dataFilter": one}} for one in filters]


def _forget(tx: Tx, flushes: list[int], before: str) -> None:
    tx.many("flush_guard_gone", [{"id": flush_id} for flush_id in flushes])
    (first,) = tx.one("flush_first_since", since=before) or (None,)
    if first is not None:
        tx.run("writes_forget", flush_id=first)
    tx.run("flushes_forget", before=before)


class MarkBudget:
    """Decides whether columns can be marked, and removes old marks before a sheet has no room for more."""

    def __init__(self, client: SheetsClient) -> None:
        self._client = client
        self._sent = 0  # flushes since old marks were last removed
        self._last_flush = 0
        self._full = False
        self.wanted = True

    def sent(self, flush_id: int) -> None:
        self._sent += 1
        self._last_flush = flush_id

    def refused(self, flush_id: int) -> None:
        """Most likely the sheet has no room: no marks until there is some, or for as many flushes as would fill it."""
        self.wanted = False
        self._full, self._last_flush = True, flush_id
        self._sent = FLUSHES_MARKED_MAX + 1

    def forget_old(self) -> None:
        """A mark that was deleted with its column meanwhile makes Google refuse the batch: then it is tried again
        later."""
        if self._sent <= FLUSHES_MARKED_MAX:
            return
        self._sent = 0
        old = [id_ for id_, value in self._client.marks(MARK_KEY).items() if self._is_old(value)]
        try:
            if old:
                self._client.write(delete_requests(old))
            self.wanted = bool(old) or not self._full
            self._full = False
        except (BadBatch, GuardTaken):
            self._sent = FLUSHES_MARKED_MAX // 2

    def _is_old(self, value: str) -> bool:
        flush = flush_of(value)
        return flush is not None and flush <= self._last_flush - FLUSHES_KEPT
