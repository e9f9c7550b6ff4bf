"""`carrete sync`: the Google Sheets lane in a process of its own, and the first connection of a workbook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from carrete.cli.common import lane_timings, load_settings, open_shop, out, print_report, progress_bar
from carrete.ledger.database import Database
from carrete.settings import Settings, WrongSetting

if TYPE_CHECKING:
    from carrete.sheets.listeners import Listeners
    from carrete.sheets.timings import LaneTimings
    from carrete.workbook.report import ImportReport

EXIT_WITH_PROBLEMS = 3


def sync(
    context: typer.Context,
    once: Annotated[bool, typer.Option("--once", help="Read, write what waits, and end.")] = False,
    init: Annotated[bool, typer.Option("--init", help="Look at the workbook; say what connecting would do.")] = False,
    apply: Annotated[bool, typer.Option("--apply", help="With --init: connect.")] = False,
) -> None:
    """The Google Sheets lane in a process of its own; `serve` runs it too, and only one of them at a time."""
    from carrete.sheets.command import run, run_once

    machine, timings = load_settings(), lane_timings(context)
    with open_shop(machine) as (database, configured):
        if not configured.google_sheet_id:
            raise WrongSetting("GOOGLE_SHEET_ID is not set: docs/google-sheets.md tells how to connect a workbook.")
        if init:
            report = _connect(configured, database, timings, apply=apply)
        elif once:
            report = run_once(configured, database, _listeners(configured, database), timings)
            print_report(report)
        else:
            run(machine, database, out.print, _listeners(configured, database), timings)
            return
    raise typer.Exit(EXIT_WITH_PROBLEMS if report.problems else 0)


def _connect(configured: Settings, database: Database, timings: LaneTimings, *, apply: bool) -> ImportReport:
    from carrete.sheets.command import connect, look

    with progress_bar("Reading") as advance:
        report, lines = (connect if apply else look)(configured, database, advance, timings)
    for line in lines:
        out.print(line)
    print_report(report)
    out.print("Conectada." if apply else "Nada cambió. Para conectarla: carrete sync --init --apply")
    return report


def _listeners(configured: Settings, database: Database) -> Listeners:
    """This process has no gate: after an edit in the sheet it repairs the locks by itself."""
    from carrete.lock_repair import heal_locks, reconcile_locks
    from carrete.sheets.listeners import Listeners

    return Listeners(
        lambda tags, held_anew: heal_locks(configured, database, held_anew or tags[:1]),
        lambda: reconcile_locks(configured, database),
    )
