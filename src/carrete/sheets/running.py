"""The lane beside everything else: a thread of its own in `serve`, or all there is in `carrete sync`."""

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

log = structlog.get_logger()

STOP_S_MAX = 1.0
AFTER_A_MISTAKE_S = 30.0


def client_for(settings: Settings, clock: Clock) -> SheetsClient:
    """Raises Denied with a sentence when the key is no key."""
    return SheetsClient(
        settings.google_sheet_id, read_key(settings.google_credentials), clock, root=settings.sheets_url
    )


class LaneThread:
    """Starts and stops with its process. Whatever happens in it, nobody on the floor waits for it."""

    def __init__(self, settings: Settings, shop: Shop, listeners: Listeners) -> None:
        self._stopping = threading.Event()
        self._settings = settings
        self._shop = shop
        self._listeners = listeners
        self._thread = threading.Thread(target=self._run, name="sheet-lane", daemon=True)
        self.lane: Lane | None = None

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """A request under way is left to its guard."""
        self._stopping.set()
        self._thread.join(STOP_S_MAX)

    def _run(self) -> None:
        clock = RealClock(self._stopping)
        database = open_database(self._settings.ledger_url)
        database.schema = known_schema()  # this process has brought it there
        try:
            client = client_for(self._settings, clock)
        except Denied as error:
            log.error("the sheet lane does not start", reason=str(error))
            database.close()
            return
        try:
            self.lane = Lane(database, client, self._settings.google_sheet_id, self._shop, clock, self._listeners)
            run_until(self.lane, self._stopping.is_set, clock)
        finally:
            database.close()


def run_until(lane: Lane, stopped: Callable[[], bool], clock: Clock) -> None:
    """A mistake of ours in one cycle is logged with its cause, and the next cycle begins from the ledger."""
    while not stopped():
        try:
            wait = lane.step()
        except Exception as error:
            log.error("a cycle of the sheet lane failed", exc_info=error)
            lane.begin_anew(type(error).__name__)  # its text may name a file or an address: that is for the log
            wait = AFTER_A_MISTAKE_S
        clock.sleep(wait)
    try:
        lane.stop()
    except Exception as error:  # noqa: BLE001 - the lease runs out by itself
        log.warning("the lease was not given back", reason=str(error))
