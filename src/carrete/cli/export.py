"""`carrete export`: writes the ledger's state into a workbook."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from carrete import private_files
from carrete.cli.common import load_settings, open_shop, out, progress_bar


def export(file: Annotated[Path, typer.Argument(help="The workbook to write, .xlsx")]) -> None:
    """The workbook out, as the ledger has it now."""
    from carrete.workbook.exporting import export_workbook

    # Other people may read the workbook. The ledger stays private: it was opened under the strict umask.
    with (
        open_shop(load_settings()) as (database, configured),
        progress_bar("Exporting") as advance,
        private_files.usual_umask(),
    ):
        rows = export_workbook(database, file, configured.shop, datetime.now(UTC), advance)
    out.print(f"{file}: {rows} rows.")
