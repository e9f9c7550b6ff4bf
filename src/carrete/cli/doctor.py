"""`carrete doctor`: checks the installation."""

from __future__ import annotations

import typer

from carrete.cli.common import load_settings, out
from carrete.findings import Severity

MARKS = {Severity.GOOD: "ok  ", Severity.BAD: "BAD ", Severity.NOTE: "note"}


def doctor() -> None:
    """Checks settings, disk, clock, ledger, Redis and workbook; says what is wrong and what to do."""
    from carrete.doctor import examine

    wrong = False
    for finding in examine(load_settings()):
        advice = f"\n      → {finding.to_do.en}" if finding.to_do.en else ""
        out.print(f"{MARKS[finding.severity]}  {finding.what.en}{advice}")
        wrong = wrong or finding.severity is Severity.BAD
    raise typer.Exit(1 if wrong else 0)
