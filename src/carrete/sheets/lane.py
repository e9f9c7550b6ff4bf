"""The cycle: settle, read, map, merge, journal, send; the next cycle's read verifies. One step is a plain function.

Everything that must survive a crash is in the ledger before Google hears of it. Of a batch whose answer was lost nobody
knows: it is asked for by its guard, and sent again with the same guard until one of its twins is known to be in.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import structlog

from carrete.domain.shop import Shop
from carrete.ledger.database import Database
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from carrete.sheets.clock import Clock
from carrete.sheets.connect import Connector
from carrete.sheets.freeze import limits
from carrete.sheets.google.client import SheetsClient
from carrete.sheets.google.errors import Denied, GuardRefused, LeaseLost, SheetsError, TabGone, TooFast
from carrete.sheets.google.ranges import Wanted
from carrete.sheets.lease import Lease
from carrete.sheets.listeners import Listeners
from carrete.sheets.pull.people import PeopleReader
from carrete.sheets.pull.puller import Puller, PullResult
from carrete.sheets.push.events import EventKeeper
from carrete.sheets.push.flush import Flusher, Sheets
from carrete.sheets.push.guards import forget_guards
from carrete.sheets.rows import storage
from carrete.sheets.status import SyncStats, sync_status
from carrete.sheets.structure import (
    EVENTS,
    JOINTS,
    PEOPLE,
    SEARCHED_ROWS,
    SPOOLS,
    STAMPED,
    Located,
    header_of,
    wrong_columns,
)
from carrete.workbook.cells import RawRow
from carrete.workbook.columns import Header
from carrete.workbook.report import Progress, no_progress

log = structlog.get_logger()

LOOK_S = 1.0  # how often the ledger is asked whether there is anything to write
COALESCE_S = 2.0  # a change waits this long for others to share its batch
FLUSH_EVERY_S = 2.5
SPOOLS_EVERY_S = 12.0
JOINTS_EVERY_S = 45.0
LEASE_RETRY_S = 5.0
TOO_FAST_S, BACKOFF_S, BACKOFF_S_MAX, PROBE_S = 6.0, 4.0, 64.0, 60.0


@dataclass(slots=True)
class _Due:
    """When what is to be done next; all on the monotonic clock."""

    flush: float = 0.0
    back_off: float = 0.0
    failures: int = 0
    sheets: dict[str, float] = field(default_factory=dict)
    work_since: float | None = None
    tabs: float = 0.0


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
    ) -> None:
        self._database = database
        self.client = client
        self._workbook = workbook
        self._shop = shop
        self._clock = clock
        self._listeners = listeners or Listeners()
        self._on_progress = on_progress
        self.lease = Lease(database, workbook, clock)
        self.notes = SyncStats()
        self.puller = Puller(database, self.lease, shop, clock, on_progress, self._look_closer)
        self.flusher = self._new_flusher()
        self._people = PeopleReader(database, shop)
        self._events = EventKeeper(database, self.lease, client, clock)
        self._located: dict[str, Located] = {}
        self._events_header: Header | None = None
        self._due = _Due()
        self._told_first_read = False
        self.leading = False
        self.trouble: SheetsError | None = None
        self._tabs_missing: set[str] = set()

    # ─── when ─────────────────────────────────────────────────────────────────────────────────────────────────

    def step(self) -> float:
        """Does what is due now; the seconds after which it wants to be called again."""
        try:
            if not self._leads():
                return LEASE_RETRY_S
            wait = self._due.back_off - self._clock.monotonic()
            if wait > 0:
                return min(wait, LEASE_RETRY_S)
            self._cycle_if_due()
        except LeaseLost:
            self.leading = False
            log.warning("another process runs the sheet lane now")
            return LEASE_RETRY_S
        except (LedgerUnavailable, RaceLost) as error:
            log.warning("the sheet lane waits for the ledger", reason=str(error))
            return LEASE_RETRY_S
        except SheetsError as error:
            self._failed(error)
        return LOOK_S

    def stop(self) -> None:
        """Whoever comes next need not wait for the lease to run out."""
        if self.leading:
            self.lease.free()

    def begin_anew(self, reason: str) -> None:
        """After a mistake of ours: nothing in memory is trusted any more."""
        self.leading = False
        self.notes.reason = f"error interno: {reason}"

    def _leads(self) -> bool:
        was = self.leading
        self.leading = self.lease.take()
        if self.leading and not was:
            self._begin()
        return self.leading

    def _begin(self) -> None:
        """Nothing that this process remembers from before is trusted: somebody else may have run the lane since."""
        self.puller = Puller(self._database, self.lease, self._shop, self._clock, self._on_progress, self._look_closer)
        self.flusher = self._new_flusher()
        self._located, self._due = {}, _Due()
        self.flusher.begin()

    def _new_flusher(self) -> Flusher:
        zone = self._shop.zone
        return Flusher(self._database, self.lease, self.client, self._clock, self.notes, self.puller, zone)

    def _cycle_if_due(self) -> None:
        now = self._clock.monotonic()
        if (not self._located or self._tabs_missing) and now >= self._due.tabs:
            self._due.tabs = now + PROBE_S
            self._connect()
        work = self._work()
        self._due.work_since = (self._due.work_since or now) if work else None
        flush = work and now >= self._due.flush and now - (self._due.work_since or now) >= self._patience()
        reads = {name for name in self._located if now >= self._due.sheets.get(name, 0.0)} | self._decided()
        if flush:
            reads |= work
        if reads:
            self.cycle(reads, flush=bool(flush))

    def _decided(self) -> set[str]:
        """Sheets about which a supervisor has decided: read at once, while what they saw is still so."""
        with self._database.reading() as tx:
            decided = {freeze.sheet for freeze in storage.freezes(tx).values() if freeze.decision}
        return decided & self._located.keys()

    def _patience(self) -> float:
        """A batch in flight, or a queue that did not fit, waits for nobody."""
        with self._database.reading() as tx:
            return 0.0 if storage.open_flush(tx) or self.notes.more else COALESCE_S

    def _work(self) -> set[str]:
        """The sheets that a flush would have to read, empty when there is nothing to write."""
        with self._database.reading() as tx:
            frozen = storage.freezes(tx)
            parked = storage.parked_rows(tx)
            sheets = {
                s
                for s, tag, n, change in tx.all("outbox_all")
                if s in self._located
                and s not in frozen
                and ((s, (tag, n)), change) not in self.flusher.idle
                and not ((s, (tag, n)) in parked and parked[s, (tag, n)].change == change)
            }
            sheets |= (self.flusher.to_clear() | self.flusher.to_repair(parked)) - frozen.keys()
            through = storage.events_through(tx)
            if EVENTS.name not in frozen and tx.all("events_to_send", through=through, limit=1):
                sheets.add(EVENTS.name)
            if storage.open_flush(tx):
                sheets |= {s for s in (SPOOLS.name, JOINTS.name, EVENTS.name) if s in self._located}
        return sheets & self._located.keys()

    def at_rest(self) -> bool:
        """Every sheet was read by this process, and nothing is left to write or to look at again."""
        if not self.leading or not self._located or self._due.back_off > self._clock.monotonic():
            return False
        all_read = all(name in self._due.sheets for name in self._located)
        with self._database.reading() as tx:
            counted = EVENTS.name not in self._located or self._events.counted(tx)
        return all_read and counted and not self._work() and not self.puller.doubted

    # ─── one cycle ────────────────────────────────────────────────────────────────────────────────────────────

    def cycle(self, reads: set[str], *, flush: bool) -> None:
        """Reads these sheets whole, takes people's edits in and, if asked, writes what waits."""
        in_flight = self.flusher.settle() if flush else None
        grids = self._read(reads)
        pulled = self._pull(grids)
        read = [name for name in reads if name in self.puller.views and name not in self.puller.repairer.stale]
        if flush:
            self.flusher.flush(in_flight, self._writable(read))
        else:
            self.flusher.close_verified(read)
        self._after(reads, pulled, flush=flush)

    def _read(self, reads: set[str]) -> dict[str, list[RawRow]]:
        names = [plan.name for plan in (*STAMPED, *PEOPLE, EVENTS) if plan.name in reads and plan.name in self._located]
        wanted = [Wanted(self._located[name].tab_id, SEARCHED_ROWS if name == EVENTS.name else None) for name in names]
        grids = dict(zip(names, self.client.values(wanted), strict=True))
        self.notes.read_at = self._clock.now()
        return grids

    def _look_closer(self, sheet: str, marks: Mapping[str, str]) -> tuple[list[RawRow], dict[str, int]]:
        return self.client.marked(Wanted(self._located[sheet].tab_id), marks)

    def _pull(self, grids: dict[str, list[RawRow]]) -> PullResult:
        if EVENTS.name in grids:
            self._look_at_events(grids[EVENTS.name])
        problems = self._people.take_in(grids)
        if problems is not None:
            self.notes.people_problems = problems
        pulled = self.puller.pull(grids, self._located)
        self.flusher.saw([name for name in grids if name in self.puller.views])
        self.notes.saw(pulled, self._clock.now())
        if pulled.edited:
            self._listeners.edited(pulled.edited, pulled.report.held_anew)
        if not self._told_first_read:
            self._told_first_read = True
            self._listeners.first_read()
        return pulled

    def _writable(self, read: Sequence[str]) -> Sheets:
        with self._database.reading() as tx:
            frozen = storage.freezes(tx)
            trail = self._events_header if EVENTS.name not in frozen and self._events.counted(tx) else None
        return Sheets(self._located, [name for name in read if name not in frozen], trail)

    def _look_at_events(self, rows: list[RawRow]) -> None:
        located = self._located[EVENTS.name]
        header = header_of(EVENTS, rows)
        wrong = wrong_columns(EVENTS, header, located.columns)
        self._events_header = None if wrong else header
        with self._database.reading() as tx:
            frozen = storage.freezes(tx).get(EVENTS.name)
        now = self._clock.now()
        if wrong:
            self.lease.commit(lambda tx: storage.freeze(tx, EVENTS.name, limits.COLUMNS, wrong, now))
        elif frozen is not None:
            self.lease.commit(lambda tx: tx.run("freeze_end", sheet=EVENTS.name))

    # ─── afterwards ───────────────────────────────────────────────────────────────────────────────────────────

    def _after(self, reads: set[str], pulled: PullResult, *, flush: bool) -> None:
        now = self._clock.monotonic()
        soon = now + FLUSH_EVERY_S
        for name in reads:
            every = JOINTS_EVERY_S if name != SPOOLS.name else SPOOLS_EVERY_S
            self._due.sheets[name] = now + every
        for name in self.flusher.to_verify | (set(reads & {SPOOLS.name, JOINTS.name}) if pulled.again else set()):
            self._due.sheets[name] = min(soon, self._due.sheets.get(name, soon))
        if pulled.report.spools.new and JOINTS.name in self._located:
            self._due.sheets[JOINTS.name] = min(
                soon, self._due.sheets.get(JOINTS.name, soon)
            )  # its joints came with it
        self.flusher.to_verify = set()
        if flush:
            self._due.flush = soon
            self._due.work_since = None if not self.notes.more else now
        self.notes.problems = [*self.puller.problems(), *self.flusher.problems()]
        self.notes.notices = self.flusher.notices()
        self.notes.reason = ""
        self.trouble = None
        self._due.failures = 0  # a read that succeeds before a write that fails is no success
        forget_guards(self.lease, self._database, self.client, self._clock)
        self.flusher.forget_marks()
        self._events.look_after(self._located.get(EVENTS.name), self._events_header)
        self._tell()

    def _failed(self, error: SheetsError) -> None:
        """Google is let alone for a while; the queue grows in the ledger, and nobody on the floor notices."""
        self._due.failures += 1
        grown = 2 ** min(self._due.failures - 1, 5) * random.uniform(1.0, 1.3)
        match error:
            case TooFast():
                self._due.tabs, pause = 0.0, min(TOO_FAST_S * grown, BACKOFF_S_MAX)
            case Denied() | GuardRefused():
                self._due.tabs, pause = 0.0, PROBE_S
            case TabGone():
                self._located, self._due.tabs, pause = {}, 0.0, BACKOFF_S
            case _:
                self._due.tabs, pause = 0.0, min(BACKOFF_S * grown, PROBE_S)
        self._due.back_off = self._clock.monotonic() + pause
        self.trouble = error
        self.notes.reason = str(error)
        self.notes.failures += 1
        log.warning("the sheet lane waits", reason=str(error), seconds=round(pause))
        self._tell()

    def _tell(self) -> None:
        now = self._clock.now()
        with self._database.reading() as tx:
            self.notes.looked_at(sync_status(tx, self._workbook, now))
        status = self.notes.as_json(self.client, now)
        self.lease.commit(lambda tx: self.lease.tell(tx, status))

    def _connect(self) -> None:
        connector = Connector(self._database, self.lease, self.client, self._workbook, self._clock)
        self._located = connector.located()
        with self._database.reading() as tx:
            self._tabs_missing = storage.located_sheets(tx).keys() - self._located.keys()
