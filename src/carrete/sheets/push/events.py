"""The audit trail in the sheet: which events are certainly there, and the daily count of them by id."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

import structlog

from carrete.ledger.database import Database, Tx
from carrete.ledger.rows import instant_text
from carrete.sheets.clock import Clock
from carrete.sheets.google.client import SheetsClient
from carrete.sheets.google.ranges import Wanted
from carrete.sheets.lease import Lease
from carrete.sheets.rows import storage
from carrete.sheets.structure import Located
from carrete.workbook.columns import Header

log = structlog.get_logger()

RECOUNT_EVERY = timedelta(hours=24)
COUNTED_BACK = timedelta(hours=48)  # older rows may have been moved to an archive by people
SETTLED = timedelta(minutes=2)  # a stale answer is not older than this
TIDY_EVERY_S = 300.0


class EventKeeper:
    def __init__(self, database: Database, lease: Lease, client: SheetsClient, clock: Clock) -> None:
        self._database = database
        self._lease = lease
        self._client = client
        self._clock = clock
        self._tidied = 0.0
        self.doubled = 0
        self.missing = 0

    def counted(self, tx: Tx) -> bool:
        """Before the first count nothing is sent: the sheet may have some of them already."""
        return bool(storage.setting(tx, storage.RECOUNTED_AT))

    def look_after(self, located: Located | None, header: Header | None) -> None:
        with self._database.reading() as tx:
            counted_at = storage.setting(tx, storage.RECOUNTED_AT)
            in_flight = storage.open_flush(tx) is not None
        due = not counted_at or datetime.fromisoformat(counted_at) < self._clock.now() - RECOUNT_EVERY
        if due and located is not None and header is not None and not in_flight:
            self.recount(located, header)
        if self._clock.monotonic() - self._tidied > TIDY_EVERY_S:
            self._tidied = self._clock.monotonic()
            self._lease.commit(self._advance)

    def recount(self, located: Located, header: Header) -> None:
        """Each event once: what is missing waits again, what is there already is not sent."""
        place = header.indexes["ID"]
        (rows,) = self._client.values([Wanted(located.tab_id, columns=(place, place + 1))])
        there = Counter(str(row[0]).strip() for row in rows if row)
        self._lease.commit(lambda tx: self._compare(tx, there))
        if self.doubled or self.missing:
            log.warning("events counted in the sheet", doubled=self.doubled, missing=self.missing)

    def _compare(self, tx: Tx, there: Counter[str]) -> None:
        now = self._clock.now()
        through = storage.events_through(tx)
        since, settled = instant_text(now - COUNTED_BACK), storage.moment(now - SETTLED)
        should = tx.all("events_settled", since=since, through=through, settled=settled)
        missing = [seq for seq, id_ in should if id_ not in there]
        self.missing = len(missing)
        self.doubled = sum(1 for _, id_ in should if there[id_] > 1)
        if missing and missing[0] <= through:
            self._lower(tx, missing[0] - 1, through)
        tx.many("sheet_event_back", [{"seq": seq} for seq in missing])
        last = tx.one("events_last") or (0,)
        later = tx.all("event_ids_between", after=storage.events_through(tx), through=last[0])
        gone = set(missing)
        tx.many("sheet_event_in", [{"seq": seq} for seq, id_ in later if id_ in there and seq not in gone])
        tx.run("setting_put", name=storage.RECOUNTED_AT, value=storage.moment(now))

    def _lower(self, tx: Tx, after: int, through: int) -> None:
        """The line below which all are in goes down; the others between keep their mark one by one."""
        tx.many(
            "sheet_event_in", [{"seq": seq} for seq, _ in tx.all("event_ids_between", after=after, through=through)]
        )
        tx.run("setting_put", name=storage.EVENTS_THROUGH, value=str(after))

    def _advance(self, tx: Tx) -> None:
        """The marks below the line are not needed any more."""
        through = storage.events_through(tx)
        since = storage.moment(self._clock.now() - SETTLED)
        (done,) = tx.one("events_done_through", through=through, since=since) or (through,)
        if done > through:
            tx.run("setting_put", name=storage.EVENTS_THROUGH, value=str(done))
            tx.run("sheet_events_forget", through=done)
