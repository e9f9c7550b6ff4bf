"""`carrete backup`: a copy of the ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from carrete.cli.common import load_settings, out


def backup(file: Annotated[Path, typer.Argument(help="Where the copy goes")]) -> None:
    """A consistent copy of the ledger while the shop works."""
    from carrete.backup import back_up

    size = back_up(load_settings(), file)
    out.print(f"{file}: {size // 1024} kB. To use it: stop Carrete and put it where the ledger was.")
