"""`carrete doctor`: checks the installation."""

from __future__ import annotations

import typer

from carrete.cli.common import load_settings, out

MARKS = {True: "ok  ", False: "BAD ", None: "note"}


def doctor() -> None:
    """Checks settings, ledger, Redis and workbook; says what is wrong and what to do."""
    from carrete.doctor import examine

    wrong = False
    for finding in examine(load_settings()):
        advice = f"\n      → {finding.advice}" if finding.advice else ""
        out.print(f"{MARKS[finding.ok]}  {finding.what}{advice}")
        wrong = wrong or finding.ok is False
    raise typer.Exit(1 if wrong else 0)
