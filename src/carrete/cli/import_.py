"""`carrete import`: reads a workbook into the ledger, or shows what reading it would do."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from carrete.cli.common import FINDINGS_SHOWN_MAX, load_settings, open_shop, out, print_findings, progress_bar

if TYPE_CHECKING:
    from carrete.workbook.effects import RowChange

EXIT_WITH_REFUSALS = 3


def import_(
    file: Annotated[Path, typer.Argument(help="The workbook, .xlsx")],
    preview: Annotated[bool, typer.Option("--preview", help="Show what it would do, and change nothing.")] = False,
) -> None:
    """A workbook in: what people changed there wins, what the floor did meanwhile stays."""
    if preview:
        _preview(file)
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


def _preview(file: Path) -> None:
    from carrete.workbook.importing import read_sheets
    from carrete.workbook.preview import PreviewCounts, preview_steps

    counts = PreviewCounts()
    refused: list[str] = []
    others: list[str] = []
    with open_shop(load_settings()) as (database, configured), progress_bar("Reading") as advance:
        sheets = read_sheets(file, configured.shop)
        for step in preview_steps(database, sheets, configured.shop, datetime.now(UTC)):
            counts.add(step.rows)
            for row in step.rows:
                (others if row.has_effect else refused).extend(_lines(row))
            advance(step.done, step.total)
    print_findings(refused, len(refused))
    print_findings(others, FINDINGS_SHOWN_MAX)
    out.print(
        f"Serían {counts.new} filas nuevas, {counts.changed} cambiadas, {counts.retired} retiradas, "
        f"{counts.refused} rechazadas, {counts.unchanged(sheets)} iguales. Nada cambió."
    )
    raise typer.Exit(EXIT_WITH_REFUSALS if counts.refused else 0)


def _lines(row: RowChange) -> Iterator[str]:
    where = f"{row.sheet}, {f'fila {row.row}, ' if row.row else ''}{row.key}"
    for cell in row.cells:
        column = f", {cell.column}" if cell.column else ""
        what = cell.reason or f"«{cell.before}» → «{cell.after}»"
        yield f"{row.kind.value}: {where}{column}: {what}"
