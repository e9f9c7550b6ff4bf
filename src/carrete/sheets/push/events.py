"""The sheet of events (Metadata): where its columns are, which events are certainly in it, and a daily count by id."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

import structlog

from carrete.ledger.database import Database, Tx
from carrete.ledger.values import instant_text
from carrete.sheets.clock import Clock
from carrete.sheets.freeze import limits
from carrete.sheets.google.client import SheetsClient
from carrete.sheets.google.ranges import TabRange
from carrete.sheets.lease import Lease
from carrete.sheets.rows import storage
from carrete.sheets.structure import EVENTS, Located, header_of, wrong_columns
from carrete.workbook.cells import RawRow
from carrete.workbook.columns import Header

log = structlog.get_logger()

RECOUNT_EVERY = timedelta(hours=24)
COUNTED_BACK = timedelta(hours=48)  # people may have moved older rows to an archive
SETTLED = timedelta(minutes=2)  # no answer of Google is staler than this
TIDY_EVERY_S = 300.0


class EventSheet:
    """An event up to the seq `EVENTS_THROUGH` is in the sheet; a later one only if it is marked in the ledger."""

    def __init__(self, database: Database, lease: Lease, client: SheetsClient, clock: Clock) -> None:
        self._database = database
        self._lease = lease
        self._client = client
        self._clock = clock
        self._header: Header | None = None
        self._tidied_at = 0.0
        self._doubled = 0
        self._missing = 0

    def read_header(self, located: Located, rows: list[RawRow]) -> None:
        """Finds the columns in a read of the first rows. Wrong columns freeze the sheet until they are right again."""
        header = header_of(EVENTS, rows)
        wrong = wrong_columns(EVENTS, header, located.columns)
        self._header = None if wrong else header
        with self._database.reading() as tx:
            frozen = storage.freezes(tx).get(EVENTS.name)
        now = self._clock.now()
        if wrong:
            self._lease.commit(lambda tx: storage.freeze(tx, EVENTS.name, limits.COLUMNS, wrong, now))
        elif frozen is not None:
            self._lease.commit(lambda tx: tx.run("freeze_end", sheet=EVENTS.name))

    def writable_header(self, tx: Tx) -> Header | None:
        """None while no event may be written."""
        return self._header if EVENTS.name not in storage.freezes(tx) and self.counted(tx) else None

    def counted(self, tx: Tx) -> bool:
        """Before the first count no event is sent, because the sheet may have some of them already."""
        return bool(storage.setting(tx, storage.RECOUNTED_AT))

    def maintain(self, located: Located | None) -> None:
        """Recounts once a day, and every few minutes forgets marks that are not needed any more."""
        with self._database.reading() as tx:
            counted_at = storage.setting(tx, storage.RECOUNTED_AT)
            in_flight = storage.open_flush(tx) is not None
        due = not counted_at or datetime.fromisoformat(counted_at) < self._clock.now() - RECOUNT_EVERY
        if due and located is not None and self._header is not None and not in_flight:
            self._recount(located, self._header)
        if self._clock.monotonic() - self._tidied_at > TIDY_EVERY_S:
            self._tidied_at = self._clock.monotonic()
            self._lease.commit(self._advance)

    def _recount(self, located: Located, header: Header) -> None:
        """Each event must be there once: a missing one is sent again, one that is there already is not sent."""
        id_column = header.indexes["ID"]
        (rows,) = self._client.values([TabRange(located.tab_id, columns=(id_column, id_column + 1))])
        there = Counter(str(row[0]).strip() for row in rows if row)
        self._lease.commit(lambda tx: self._compare(tx, there))
        if self._doubled or self._missing:
            log.warning("events counted in the sheet", doubled=self._doubled, missing=self._missing)

    def _compare(self, tx: Tx, there: Counter[str]) -> None:
        now = self._clock.now()
        through = storage.events_through(tx)
        since, settled = instant_text(now - COUNTED_BACK), storage.moment(now - SETTLED)
        expected = tx.all("events_settled", since=since, through=through, settled=settled)
        missing = [seq for seq, id_ in expected if id_ not in there]
        self._missing = len(missing)
        self._doubled = sum(1 for _, id_ in expected if there[id_] > 1)
        if missing and missing[0] <= through:
            self._lower(tx, missing[0] - 1, through)
        tx.many("sheet_event_back", [{"seq": seq} for seq in missing])
        last = tx.one("events_last") or (0,)
        later = tx.all("event_ids_between", after=storage.events_through(tx), through=last[0])
        gone = set(missing)
        tx.many("sheet_event_in", [{"seq": seq} for seq, id_ in later if id_ in there and seq not in gone])
        tx.run("setting_put", name=storage.RECOUNTED_AT, value=storage.moment(now))

    def _lower(self, tx: Tx, after: int, through: int) -> None:
        """Lowers `EVENTS_THROUGH` to `after`; the events up to `through` are marked one by one."""
        seqs = [{"seq": seq} for seq, _ in tx.all("event_ids_between", after=after, through=through)]
        tx.many("sheet_event_in", seqs)
        tx.run("setting_put", name=storage.EVENTS_THROUGH, value=str(after))

    def _advance(self, tx: Tx) -> None:
        """Raises `EVENTS_THROUGH` to the last seq up to which all events are in the sheet, and forgets the marks up to
        it."""
        through = storage.events_through(tx)
        since = storage.moment(self._clock.now() - SETTLED)
        (done,) = tx.one("events_done_through", through=through, since=since) or (through,)
        if done > through:
            tx.run("setting_put", name=storage.EVENTS_THROUGH, value=str(done))
            tx.run("sheet_events_forget", through=done)
