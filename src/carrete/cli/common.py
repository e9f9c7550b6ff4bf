"""What the commands share: settings, the ledger, a progress bar, and how results are printed."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar
from zoneinfo import ZoneInfo

import structlog
import typer

from carrete import logs, private_files, settings
from carrete.cli.terminal import Terminal
from carrete.domain.shop_time import wall
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.migrate import migrate
from carrete.settings import Settings, WrongSetting
from carrete.sheets.timings import DEFAULT_TIMINGS, LaneTimings
from carrete.shop_settings import with_shop_settings

if TYPE_CHECKING:
    from carrete.workbook.report import ImportReport

T = TypeVar("T")

log = structlog.get_logger()

out = Terminal()
err = Terminal(is_stderr=True)

FINDINGS_SHOWN_MAX = 50
PATHS_LOGGED_MAX = 10


def load_settings() -> Settings:
    """The first step of every command: reads the settings, sets the log level, closes our files to other users."""
    configured = settings.load()
    logs.set_up(configured.log_level)
    if closed := private_files.tighten(configured.data, configured.ledger_file):
        files = [str(path) for path in closed[:PATHS_LOGGED_MAX]]
        log.warning("other users could read or change these files; they no longer can", count=len(closed), files=files)
    return configured


def lane_timings(context: typer.Context) -> LaneTimings:
    """The timings that `main` was called with; a test that invokes the application without them gets the defaults."""
    return context.obj if isinstance(context.obj, LaneTimings) else DEFAULT_TIMINGS


@contextmanager
def open_ledger(configured: Settings) -> Iterator[Database]:
    """The ledger with its schema up to date."""
    database = open_database(configured.ledger_url)
    try:
        migrate(database)
        yield database
    finally:
        database.close()


@contextmanager
def open_shop(machine: Settings) -> Iterator[tuple[Database, Settings]]:
    """The ledger with its schema up to date, and the settings with the shop's own from the ledger among them."""
    with open_ledger(machine) as database:
        yield database, with_shop_settings(machine, database)


def listen(bind: Callable[[str, int], T], host: str, port: int, options: str = "--host and --port") -> T:
    """Calls `bind`. For an address that cannot be used, the error names the options to change."""
    try:
        return bind(host, port)
    except OSError as error:
        in_use = error.errno == errno.EADDRINUSE
        reason = "is in use by another program" if in_use else f"cannot be used: {error.strerror}"
        raise WrongSetting(f"{host}:{port} {reason}; choose another with {options}.") from None


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """Yields a function to call with the number done and the total. Warnings are printed above the bar."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.text import Text

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())

    def print_above(line: str) -> None:
        err.print(Text.from_ansi(line.rstrip("\n")))

    with Progress(*columns, console=err.console, transient=False) as bar, logs.above(print_above):
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def print_findings(findings: Sequence[object], at_most: int) -> None:
    for finding in findings[:at_most]:
        err.print(str(finding))
    if (hidden := len(findings) - at_most) > 0:
        err.print(f"… and {hidden} more.")


def minute_text(stored: str | None, zone: ZoneInfo) -> str:
    """An instant of the ledger as the shop's clock shows it, for tables."""
    return wall(datetime.fromisoformat(stored), zone).strftime("%d-%m-%Y %H:%M") if stored else ""


def print_report(report: ImportReport) -> None:
    print_findings(report.problems, FINDINGS_SHOWN_MAX)
    print_findings(report.conflicts, FINDINGS_SHOWN_MAX)
    out.print(report.summary())
