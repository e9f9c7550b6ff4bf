"""One cycle of the lane: settle the flush in flight, read, import people's edits, write; the next read verifies.

Everything that must survive a crash is in the ledger before Google gets it. A step is a plain function: a thread, a
command or a test calls it, and it returns when it wants to be called again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import structlog

from carrete.domain.shop import Shop
from carrete.domain.trail.witness import Sign
from carrete.ledger.database import Database
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from carrete.sheets.clock import Clock
from carrete.sheets.connect import Connector
from carrete.sheets.google.client import SheetsClient
from carrete.sheets.google.errors import LeaseLost, SheetsError, TabGone
from carrete.sheets.google.ranges import TabRange
from carrete.sheets.lease import Lease
from carrete.sheets.listeners import Listeners
from carrete.sheets.pull.people import PeopleReader
from carrete.sheets.pull.puller import Puller, PullResult
from carrete.sheets.push.events import EventSheet
from carrete.sheets.push.flush import Flusher, WritableSheets
from carrete.sheets.push.guards import forget_guards
from carrete.sheets.rows import storage
from carrete.sheets.schedule import LaneSchedule
from carrete.sheets.status import SyncStats, sync_status
from carrete.sheets.structure import EVENTS, JOINTS, PEOPLE, SEARCHED_ROWS, SPOOLS, STAMPED, Located
from carrete.sheets.timings import DEFAULT_TIMINGS, LaneTimings
from carrete.workbook.cells import RawRow
from carrete.workbook.columns import WELDING
from carrete.workbook.report import Progress, no_progress

log = structlog.get_logger()


class Lane:
    def __init__(
        self,
        database: Database,
        client: SheetsClient,
        workbook: str,
        shop: Shop,
        clock: Clock,
        listeners: Listeners | None = None,
        on_progress: Progress = no_progress,
        timings: LaneTimings = DEFAULT_TIMINGS,
        sign: Sign | None = None,
    ) -> None:
        self._database = database
        self.client = client
        self._workbook = workbook
        self._shop = shop
        self._clock = clock
        self._listeners = listeners or Listeners()
        self._on_progress = on_progress
        self.timings = timings
        self._sign = sign
        self.lease = Lease(database, workbook, clock, timings.lease_s)
        self.stats = SyncStats()
        self.puller = self._new_puller()
        self.flusher = self._new_flusher()
        self._people = PeopleReader(database, shop)
        self._events = EventSheet(database, self.lease, client, clock)
        self._schedule = LaneSchedule(clock, timings)
        self._located: dict[str, Located] = {}
        self._tabs_missing: set[str] = set()
        self._first_read_announced = False
        self.leading = False
        self._fits_ledger = True  # what this process remembers of the last read is in the ledger
        self.trouble: SheetsError | None = None

    # ─── one step ─────────────────────────────────────────────────────────────────────────────────────────────

    def step(self) -> float:
        """Does what is due now, and returns the seconds after which it wants to be called again."""
        try:
            return self._step()
        except LeaseLost:
            self.leading = False
            log.warning("another process runs the sheet lane now")
        except (LedgerUnavailable, RaceLost) as error:
            log.warning("the sheet lane waits for the ledger", reason=str(error))
        return self.timings.lease_retry_s

    def _step(self) -> float:
        if not self._take_lead():
            return self.timings.lease_retry_s
        pause_s = self._schedule.pause_left_s()
        if pause_s > 0:
            return min(pause_s, self.timings.lease_retry_s)
        try:
            self._cycle_if_due()
        except SheetsError as error:
            self._on_failure(error)
        return self.timings.look_s

    def stop(self) -> None:
        """Gives the lease back, so that the next process need not wait until it ends."""
        if self.leading:
            self.lease.free()

    def begin_anew(self, reason: str) -> None:
        """After an unexpected exception: the next step starts from the ledger, with nothing remembered."""
        self.leading = False
        self.stats.reason = f"error interno: {reason}"

    def at_rest(self) -> bool:
        """Whether this process has read every sheet, and nothing is left to write or to read once more."""
        if not self.leading or not self._fits_ledger or not self._located or self._schedule.pause_left_s() > 0:
            return False
        with self._database.reading() as tx:
            counted = EVENTS.name not in self._located or self._events.counted(tx)
        return self._schedule.all_read(self._located) and counted and not self._waiting() and not self.puller.doubted

    def _take_lead(self) -> bool:
        leads = self.lease.take()
        if leads and not (self.leading and self._fits_ledger):
            self._begin()
        # Not before: if the ledger could not be read just now, the next step begins again.
        self.leading, self._fits_ledger = leads, True
        return leads

    def _begin(self) -> None:
        """Another process may have run the lane since: nothing that this one remembers is used."""
        self.puller = self._new_puller()
        self.flusher = self._new_flusher()
        self._people = PeopleReader(self._database, self._shop)
        self._located, self._schedule = {}, LaneSchedule(self._clock, self.timings)
        self.flusher.begin()

    def _new_puller(self) -> Puller:
        return Puller(
            self._database,
            self.lease,
            self._shop,
            self._clock,
            self._on_progress,
            self._look_closer,
            self.timings.reversal_s,
        )

    def _new_flusher(self) -> Flusher:
        zone = self._shop.zone
        return Flusher(self._database, self.lease, self.client, self._clock, self.stats, self.puller, zone, self._sign)

    def _cycle_if_due(self) -> None:
        now = self._clock.monotonic()
        if (not self._located or self._tabs_missing) and self._schedule.start_tab_search(now):
            self._connect()
        waiting = self._waiting()
        self._schedule.note_work(now, waiting=bool(waiting))
        flush = self._schedule.flush_is_due(now) and self._schedule.work_age_s(now) >= self._coalesce_s()
        reads = self._schedule.sheets_due(self._located, now) | self._decided()
        if flush:
            reads |= waiting
        if reads:
            self.cycle(reads, flush=flush)

    def _waiting(self) -> set[str]:
        return self.flusher.sheets_waiting(self._located)

    def _coalesce_s(self) -> float:
        """How long a change waits for others. A batch in flight, or one that had no room for everything, goes at
        once."""
        with self._database.reading() as tx:
            return 0.0 if storage.open_flush(tx) or self.stats.more else self.timings.coalesce_s

    def _decided(self) -> set[str]:
        """Frozen sheets about which a supervisor has decided: read at once, while they show what the supervisor saw."""
        with self._database.reading() as tx:
            decided = {freeze.sheet for freeze in storage.freezes(tx).values() if freeze.decision}
        return decided & self._located.keys()

    def _connect(self) -> None:
        connector = Connector(self._database, self.lease, self.client, self._workbook, self._clock)
        self._located = connector.located()
        with self._database.reading() as tx:
            self._tabs_missing = storage.located_sheets(tx).keys() - self._located.keys()

    # ─── one cycle ────────────────────────────────────────────────────────────────────────────────────────────

    def cycle(self, reads: set[str], *, flush: bool) -> None:
        """Reads these sheets whole, imports people's edits and, if `flush`, writes what waits."""
        in_flight = self.flusher.settle() if flush else None
        grids = self._read(reads)
        pulled = self._pull(grids)
        read = [name for name in reads if name in self.puller.views and name not in self.puller.repairer.stale]
        if flush:
            self.flusher.flush(in_flight, self._writable(read))
        else:
            self.flusher.close_verified(read)
        self._plan_next(reads, pulled, flushed=flush)
        self._clean_up()
        self._publish_stats()

    def _read(self, reads: set[str]) -> dict[str, list[RawRow]]:
        names = [
            plan.name
            for plan in (*STAMPED, *PEOPLE, *WELDING, EVENTS)
            if plan.name in reads and plan.name in self._located
        ]
        rows_end = {EVENTS.name: SEARCHED_ROWS}  # of the sheet of events only the header is needed
        ranges = [TabRange(self._located[name].tab_id, rows_end.get(name)) for name in names]
        grids = dict(zip(names, self.client.values(ranges, keep=True), strict=True))
        self.stats.read_at = self._clock.now()
        return grids

    def _look_closer(self, sheet: str, marks: Mapping[str, str]) -> tuple[list[RawRow], dict[str, int]]:
        return self.client.marked(TabRange(self._located[sheet].tab_id), marks)

    def _pull(self, grids: dict[str, list[RawRow]]) -> PullResult:
        if EVENTS.name in grids:
            self._events.read_header(self._located[EVENTS.name], grids[EVENTS.name])
        problems = self._people.take_in(grids)
        if problems is not None:
            self.stats.people_problems = problems
        pulled = self._take_in(grids)
        self.flusher.note_reads([name for name in grids if name in self.puller.views])
        self.stats.add(pulled, self._clock.now())
        if pulled.edited:
            self._listeners.edited(pulled.edited, pulled.report.held_anew)
        if not self._first_read_announced:
            self._first_read_announced = True
            self._listeners.first_read()
        return pulled

    def _take_in(self, grids: dict[str, list[RawRow]]) -> PullResult:
        try:
            return self.puller.pull(grids, self._located)
        except (LedgerUnavailable, RaceLost):
            self._fits_ledger = False  # only a part of the read may be saved: the next step begins anew
            raise

    def _writable(self, read: Sequence[str]) -> WritableSheets:
        with self._database.reading() as tx:
            frozen, header = storage.freezes(tx), self._events.writable_header(tx)
        return WritableSheets(self._located, [name for name in read if name not in frozen], header)

    # ─── after a cycle ────────────────────────────────────────────────────────────────────────────────────────

    def _plan_next(self, reads: set[str], pulled: PullResult, *, flushed: bool) -> None:
        again = self.flusher.to_verify | (reads & {SPOOLS.name, JOINTS.name} if pulled.again else set())
        if pulled.report.spools.new and JOINTS.name in self._located:
            again.add(JOINTS.name)  # the joints of a new spool came with it
        self._schedule.cycle_done(reads, again, flushed=flushed, more=self.stats.more)
        self.flusher.to_verify = set()
        self.stats.problems = [*self.puller.problems(), *self.flusher.problems()]
        self.stats.notices = self.flusher.notices()
        self.stats.reason = ""
        self.trouble = None

    def _clean_up(self) -> None:
        forget_guards(self.lease, self._database, self.client, self._clock)
        self.flusher.forget_marks()
        self._events.maintain(self._located.get(EVENTS.name))

    def _on_failure(self, error: SheetsError) -> None:
        """Pauses. Meanwhile the outbox grows in the ledger, without any effect on the floor."""
        if isinstance(error, TabGone):
            self._located = {}
        pause_s = self._schedule.pause_after(error)
        self.trouble = error
        self.stats.reason = str(error)
        self.stats.failures += 1
        log.warning("the sheet lane waits", reason=str(error), seconds=round(pause_s))
        self._publish_stats()

    def _publish_stats(self) -> None:
        """Writes the statistics into the lease, where every process can read them."""
        now = self._clock.now()
        with self._database.reading() as tx:
            self.stats.note_status(sync_status(tx, self._workbook, now))
        stats = self.stats.as_json(self.client, now)
        self.lease.commit(lambda tx: self.lease.publish(tx, stats))
