"""`carrete import`: reads a workbook into the ledger."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from carrete.cli.common import FINDINGS_SHOWN_MAX, load_settings, open_shop, out, print_findings, progress_bar


def import_(file: Annotated[Path, typer.Argument(help="The workbook, .xlsx")]) -> None:
    """A workbook in: what people changed there wins, what the floor did meanwhile stays."""
    from carrete.actions.recount import recount_after_import
    from carrete.lock_repair import heal_locks
    from carrete.workbook.importing import import_workbook

    machine = load_settings()
    with open_shop(machine) as (database, configured), progress_bar("Importing") as advance:
        report = import_workbook(database, file, configured.shop, datetime.now(UTC), advance)
        recount_after_import(database, machine, configured.shop, datetime.now(UTC))
        heal_locks(configured, database, report.held_anew)
    print_findings(report.problems, len(report.problems))  # every row that was left out is named
    print_findings(report.conflicts, FINDINGS_SHOWN_MAX)
    print_findings(report.notices, FINDINGS_SHOWN_MAX)
    out.print(report.summary())
    raise typer.Exit(report.exit_code)
