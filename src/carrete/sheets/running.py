"""Runs the lane: in a thread of its own in `carrete serve`, or as all that `carrete sync` does."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

import structlog

from carrete.domain.shop import Shop
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from carrete.ledger.migrate import known_schema
from carrete.settings import Settings, WrongSetting
from carrete.sheets.clock import Clock, RealClock
from carrete.sheets.google.account import read_key
from carrete.sheets.google.client import SheetsClient
from carrete.sheets.google.errors import Denied
from carrete.sheets.key_file import key_path
from carrete.sheets.lane import Lane
from carrete.sheets.listeners import Listeners
from carrete.sheets.timings import DEFAULT_TIMINGS, LaneTimings
from carrete.trail.signing_key import SigningKey

log = structlog.get_logger()

STOP_S_MAX = 1.0
KEY_LOOK_S = 2.0  # a lane without a usable key, Google's or the signing key, looks this often for another one


def client_for(settings: Settings, clock: Clock, timings: LaneTimings = DEFAULT_TIMINGS) -> SheetsClient:
    """Raises Denied, with a sentence for people, when the key file is not the key of a service account."""
    key = read_key(key_path(settings))
    return SheetsClient(settings.google_sheet_id, key, clock, root=settings.sheets_url, timings=timings)


class LaneThread:
    """Starts and stops with its process. No action of a worker ever waits for it."""

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
        """Does not wait for a request under way: from its guard the next process finds out whether it was applied."""
        self._stopping.set()
        self._thread.join(STOP_S_MAX)

    def _run(self) -> None:
        """Begins again when the key's file is another one: an administrator may replace it while the server runs."""
        clock = RealClock(self._stopping)
        database = open_database(self._settings.ledger_url)
        database.schema = known_schema()  # this process has migrated it
        try:
            while not self._stopping.is_set():
                key = _key_version(self._settings)
                self._run_with_key(database, clock, lambda key=key: _key_version(self._settings) == key)  # type: ignore[misc]
        finally:
            database.close()

    def _run_with_key(self, database: Database, clock: Clock, same_key: Callable[[], bool]) -> None:
        def over() -> bool:
            return self._stopping.is_set() or not same_key()

        try:
            client = client_for(self._settings, clock, self._timings)
        except Denied as error:
            log.error("the sheet lane does not start", reason=str(error))
            while not over():
                clock.sleep(KEY_LOOK_S)
            return
        try:
            self.lane = self._lane(database, client, clock)
            run_until(self.lane, over, clock)
        except (LedgerUnavailable, RaceLost, WrongSetting) as error:
            log.error("the sheet lane does not start", reason=str(error))
            clock.sleep(KEY_LOOK_S)
        finally:
            client.close()

    def _lane(self, database: Database, client: SheetsClient, clock: Clock) -> Lane:
        settings, sign = self._settings, SigningKey.of_ledger(self._settings.data, database).sign
        workbook, listeners = settings.google_sheet_id, self._listeners
        return Lane(database, client, workbook, self._shop, clock, listeners, timings=self._timings, sign=sign)


def _key_version(settings: Settings) -> tuple[str, int, int]:
    """Another value for another file, or another content of it."""
    path = key_path(settings)
    try:
        found = os.stat(path)
    except OSError:
        return path, 0, 0
    return path, found.st_mtime_ns, found.st_ino


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
