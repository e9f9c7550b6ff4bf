"""`carrete restore`: puts a copy of the ledger, or of the server's keys, in the place of what is there."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from carrete.cli.common import load_settings, out
from carrete.settings import Settings

if TYPE_CHECKING:
    from carrete.backups.contents import LedgerContents, Restored


def restore(
    file: Annotated[Path, typer.Argument(help="A copy of the ledger, or a file of keys (carrete-keys-….enc).")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Puts a copy in the place of what is there, and keeps what was there. Stop Carrete first."""
    from carrete.backups.restoring import is_keys_file, restore_ledger

    configured = load_settings()
    at = datetime.now(UTC).replace(microsecond=0)
    if is_keys_file(file):
        _restore_keys(configured, file, at, yes=yes)
        return

    def agree(held: LedgerContents) -> None:
        out.print(f"{file}: {held.events} events, {held.rows.get('spool', 0)} spools, schema {held.schema}.")
        if not yes:
            typer.confirm("What happened after this copy will not be in the ledger. Restore it?", abort=True)

    restored = restore_ledger(configured, file, at, agree)
    out.print("The ledger is restored.")
    if restored.kept:
        out.print(f"The ledger of before is kept: {restored.kept}.")
    _report_photos(restored)
    _report_keys(configured)
    out.print("Start Carrete again. Redis needs nothing: its locks are rebuilt from the ledger.")


def _report_photos(restored: Restored) -> None:
    if restored.photos:
        out.print(f"Photos put back: {restored.photos}.")
    if restored.photos_missing:
        out.print(
            f"{restored.photos_missing} photos of notes are missing: they are neither in the copy nor in its folder"
        )
        out.print("  `fotos`. Put that folder beside the copy and restore again to have them.")


def _restore_keys(configured: Settings, file: Path, at: datetime, *, yes: bool) -> None:
    from carrete.backups.keys import FILE_BYTES_MAX, decrypted, restore_keys
    from carrete.backups.restoring import require_nobody_runs
    from carrete.cli.passphrase import known_passphrase

    with file.open("rb") as content:
        keys = decrypted(content.read(FILE_BYTES_MAX), known_passphrase())
    out.print(f"{file}: {', '.join(sorted(keys))}.")
    if not yes:
        typer.confirm(f"Put these keys into {configured.data}?", abort=True)
    require_nobody_runs(configured)
    changed = restore_keys(configured.data, keys, at)
    out.print(f"Restored: {', '.join(changed)}." if changed else "These keys are there already.")
    out.print("Start Carrete again.")


def _report_keys(configured: Settings) -> None:
    """What does not work without the keys of this ledger, and how to go on."""
    from carrete.backups.restoring import key_problem

    problem = key_problem(configured, _known_fingerprint(configured))
    if problem is None:
        return
    out.print(f"{problem}: nobody can sign in with a PIN yet, and Carrete does not start.")
    out.print("  With the file of keys: carrete restore carrete-keys-….enc, and its passphrase.")
    out.print(
        "  Without it: carrete admin new-key. All PINs end, and taps that tablets have not sent yet wait for their"
    )
    out.print(
        "  author's new PIN. Then carrete admin code for an administrator, and carrete worker pin --all for everybody."
    )
    out.print("  Without the certificate authority's key, tablets must trust a new one: docs/the-pc-died.md.")


def _known_fingerprint(configured: Settings) -> str | None:
    """Of the key that the ledger belongs to. The oldest ledgers know none."""
    from carrete.identity.server_keys import FINGERPRINT
    from carrete.ledger import open_database
    from carrete.ledger.errors import LedgerUnavailable

    with closing(open_database(configured.ledger_url)) as database:
        try:
            with database.reading() as tx:
                row = tx.one("setting", name=FINGERPRINT)
        except LedgerUnavailable:
            return None
    return str(row[0]) if row else None
