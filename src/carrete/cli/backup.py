"""`carrete backup`: a copy of the ledger, or of the server's keys."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from carrete.cli.common import err, load_settings, out
from carrete.settings import Settings


def backup(
    file: Annotated[
        Path | None,
        typer.Argument(help="Where the copy goes; without it, into the folder of the nightly copies."),
    ] = None,
    keys: Annotated[
        bool, typer.Option("--keys", help="Copy the server's keys instead, encrypted with a passphrase.")
    ] = False,
) -> None:
    """A consistent copy of the ledger while the shop works, checked by opening it."""
    configured = load_settings()
    if keys:
        _back_up_keys(configured, file)
        return
    from carrete.backups.copying import back_up_to, make_backup
    from carrete.backups.signature import key_for_copy

    key, trouble = key_for_copy(configured.data, configured.ledger_url)
    sign = key.sign if key else None
    if file is None:
        made = make_backup(configured.ledger_url, configured.backup_folder, _now(), sign)
        message = f"{made.file}: {made.bytes // 1024} kB, {made.events} events. To use it: carrete restore FILE."
    else:
        size = back_up_to(configured.ledger_url, file, _now(), sign)
        message = f"{file}: {size // 1024} kB. To use it: stop Carrete, then carrete restore {file}."
    if trouble:
        err.print(f"carrete: the copy has no signed head: {trouble}")
    out.print(message)


def _back_up_keys(configured: Settings, file: Path | None) -> None:
    from carrete.backups.keys import write_keys_file, write_keys_to
    from carrete.cli.passphrase import new_passphrase

    passphrase = new_passphrase()
    if file is None:
        file = write_keys_file(configured.data, configured.backup_folder, passphrase, _now())
    else:
        write_keys_to(configured.data, file, passphrase, _now())
    out.print(f"{file}: the server's keys. Without the passphrase nobody can open it, you neither.")


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)
