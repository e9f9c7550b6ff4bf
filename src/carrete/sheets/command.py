"""What `carrete sync` does: survey a workbook, connect it, sync it once, or keep it in sync."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from carrete.ledger.database import Database
from carrete.settings import Settings
from carrete.sheets import first_connection
from carrete.sheets.clock import RealClock
from carrete.sheets.google.client import SheetsClient
from carrete.sheets.google.errors import Denied
from carrete.sheets.lane import Lane
from carrete.sheets.listeners import Listeners
from carrete.sheets.running import client_for, run_until
from carrete.sheets.timings import DEFAULT_TIMINGS, LaneTimings
from carrete.shop_settings.watch import ShopSettingsWatch
from carrete.trail.signing_key import SigningKey
from carrete.workbook.report import ImportReport, Progress


@contextmanager
def _client(settings: Settings, clock: RealClock, timings: LaneTimings) -> Iterator[SheetsClient]:
    client = client_for(settings, clock, timings)
    try:
        yield client
    finally:
        client.close()


def look(
    settings: Settings, database: Database, on_progress: Progress, timings: LaneTimings = DEFAULT_TIMINGS
) -> tuple[ImportReport, list[str]]:
    """What connecting would do. Neither the ledger nor the workbook changes."""
    clock = RealClock()
    with _client(settings, clock, timings) as client:
        survey = first_connection.survey_of(database, client, settings.google_sheet_id, clock)
    lines = list(first_connection.summary(survey, settings.google_sheet_id, database))
    if survey.wrong:
        return ImportReport(), lines
    workbook, shop = settings.google_sheet_id, settings.shop
    return first_connection.dry_run(survey, database, workbook, shop, clock, on_progress), lines


def connect(
    settings: Settings, database: Database, on_progress: Progress, timings: LaneTimings = DEFAULT_TIMINGS
) -> tuple[ImportReport, list[str]]:
    """Connects the workbook: `carrete sync --init --apply`."""
    clock = RealClock()
    with _client(settings, clock, timings) as client:
        survey = first_connection.survey_of(database, client, settings.google_sheet_id, clock)
        lines = list(first_connection.summary(survey, settings.google_sheet_id, database))
        workbook = settings.google_sheet_id
        lane = first_connection.connect(survey, database, client, workbook, settings.shop, clock, on_progress, timings)
    return lane.stats.report(), lines


def run_once(
    settings: Settings, database: Database, listeners: Listeners | None = None, timings: LaneTimings = DEFAULT_TIMINGS
) -> ImportReport:
    """Reads every sheet once and writes everything that waits: `carrete sync --once`."""
    clock = RealClock()
    with _client(settings, clock, timings) as client:
        lane = Lane(database, client, settings.google_sheet_id, settings.shop, clock, listeners, timings=timings)
        first_connection.settle(lane, clock)
    return lane.stats.report()


def run(
    machine: Settings,
    database: Database,
    say: Callable[[str], None],
    listeners: Listeners | None = None,
    timings: LaneTimings = DEFAULT_TIMINGS,
) -> None:
    """Runs the lane until SIGTERM or Ctrl-C, or until the workbook is disconnected. A change of the shop's settings
    begins it anew."""
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    clock = RealClock(stopping)
    while not stopping.is_set():
        watch = ShopSettingsWatch(machine, database, clock.monotonic)
        settings = watch.settings
        if not settings.google_sheet_id:
            say("La planilla fue desconectada.")
            return
        with _client(settings, clock, timings) as client:
            book, sign = settings.google_sheet_id, SigningKey.of_ledger(settings.data, database).sign
            lane = Lane(database, client, book, settings.shop, clock, listeners, timings=timings, sign=sign)
            lane.step()
            if isinstance(lane.trouble, Denied):
                raise lane.trouble
            say(f"Sincronizando como {client.email}.")
            run_until(lane, lambda watch=watch: stopping.is_set() or watch.changed(), clock)  # type: ignore[misc]
