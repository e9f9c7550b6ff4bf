"""Runs the lane: in a thread of its own in `carrete serve`, or as all that `carrete sync` does."""

from __future__ import annotations

import threading
from collections.abc import Callable

import structlog

from carrete.domain.shop import Shop
from carrete.ledger import open_database
from carrete.ledger.migrate import known_schema
from carrete.settings import Settings
from carrete.sheets.clock import Clock, RealClock
from carrete.sheets.google.account import read_key
from carrete.sheets.google.client import SheetsClient
from carrete.sheets.google.errors import Denied
from carrete.sheets.lane import Lane
from carrete.sheets.listeners import Listeners
from carrete.sheets.timings import DEFAULT_TIMINGS, LaneTimings

log = structlog.get_logger()

STOP_S_MAX = 1.0


def client_for(settings: Settings, clock: Clock, timings: LaneTimings = DEFAULT_TIMINGS) -> SheetsClient:
    """Raises Denied, with a sentence for people, when the key file is not the key of a service account."""
    key = read_key(settings.google_credentials)
    return SheetsClient(settings.google_sheet_id, key, clock, root=settings.sheets_url, timings=timings)


class LaneThread:
    """Starts and stops with its process. Nobody on the floor ever waits for it."""

    def __init__(
        self, settings: Settings, shop: Shop, listeners: Listeners, timings: LaneTimings = DEFAULT_TIMINGS
    ) -> None:
        self._stopping = threading.Event()
        self._settings = settings
        self._shop = shop
        self._listeners = listeners
        self._timings = timings
        self._thread = threading.Thread(target=self._run, name="sheet-lane", daemon=True)
        self.lane: Lane | None = None

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Does not wait for a request under way: its guard tells the next process what became of it."""
        self._stopping.set()
        self._thread.join(STOP_S_MAX)

    def _run(self) -> None:
        clock = RealClock(self._stopping)
        database = open_database(self._settings.ledger_url)
        database.schema = known_schema()  # this process has migrated it
        try:
            client = client_for(self._settings, clock, self._timings)
        except Denied as error:
            log.error("the sheet lane does not start", reason=str(error))
            database.close()
            return
        try:
            workbook = self._settings.google_sheet_id
            self.lane = Lane(database, client, workbook, self._shop, clock, self._listeners, timings=self._timings)
            run_until(self.lane, self._stopping.is_set, clock)
        finally:
            database.close()


def run_until(lane: Lane, stopped: Callable[[], bool], clock: Clock) -> None:
    """An unexpected exception in a cycle is logged with its cause, and the next cycle starts from the ledger."""
    while not stopped():
        try:
            wait = lane.step()
        except Exception as error:
            log.error("a cycle of the sheet lane failed", exc_info=error)
            lane.begin_anew(type(error).__name__)  # only its type: its text may name a file or an address
            wait = lane.timings.after_a_mistake_s
        clock.sleep(wait)
    try:
        lane.stop()
    except Exception as error:  # noqa: BLE001 - the lease ends by itself
        log.warning("the lease was not given back", reason=str(error))
