"""`carrete verify`: the trail, recomputed and compared with its witnesses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from carrete import private_files
from carrete.cli.common import err, load_settings, open_ledger, out, progress_bar
from carrete.cli.doctor import MARKS
from carrete.domain.trail.printable import PATH_LENGTH_MAX, printable
from carrete.ledger.errors import LedgerUnavailable, RaceLost, SchemaTooNew
from carrete.settings import Settings, WrongSetting

if TYPE_CHECKING:
    from carrete.verification.ledger import Verified

NOT_WHOLE, NOT_CHECKED, WITNESSES_UNUSABLE = 1, 2, 3
Files = list[Path] | None


def verify(
    receipts: Annotated[
        Files, typer.Option("--receipts", help="A folder of receipts that tablets kept, or one such file.")
    ] = None,
    workbook: Annotated[Files, typer.Option("--workbook", help="A workbook with the sheet Metadata, .xlsx.")] = None,
    backup: Annotated[Files, typer.Option("--backup", help="A copy of the ledger, compared event by event.")] = None,
    export: Annotated[
        Path | None, typer.Option("--export", help="Write the trail to this file instead, for docs/verify.py.")
    ] = None,
    spanish: Annotated[bool, typer.Option("--es", help="En español.")] = False,
) -> None:
    """Checks that nobody changed the trail. Exit 0: it is whole; 1: it is not; 2: it could not be checked; 3: whole,
    but a witness is of no use."""
    with _exit_when_it_cannot_be_checked():
        configured = load_settings()
        if export is not None:
            _export(configured, export)
            return
        verified = _verified(configured, receipts or [], workbook or [], backup or [])
    for finding in verified.findings():
        out.print(f"{MARKS[finding.severity]}  {finding.what.es if spanish else finding.what.en}")
    if not verified.is_whole:
        raise typer.Exit(NOT_WHOLE)
    raise typer.Exit(WITNESSES_UNUSABLE if verified.unusable else 0)


@contextmanager
def _exit_when_it_cannot_be_checked() -> Iterator[None]:
    """A script must not take a database that is down for a trail that somebody changed."""
    try:
        yield
    except LedgerUnavailable as error:
        err.print(f"carrete: the ledger is not available: {printable(error, PATH_LENGTH_MAX)}")
    except (RaceLost, SchemaTooNew, WrongSetting) as error:
        err.print(f"carrete: {error}")
    else:
        return
    raise typer.Exit(NOT_CHECKED)


def _verified(configured: Settings, receipts: list[Path], workbooks: list[Path], backups: list[Path]) -> Verified:
    from carrete.verification.ledger import GivenWitnesses, verify

    _require_files([*receipts, *workbooks, *backups])
    with open_ledger(configured) as database, progress_bar("Verifying") as advance:
        return verify(configured, database, GivenWitnesses(receipts, (), workbooks, backups), advance)


def _export(configured: Settings, file: Path) -> None:
    from carrete.trail.signing_key import SigningKey
    from carrete.verification.export import export_trail

    with open_ledger(configured) as database, progress_bar("Exporting") as advance, private_files.usual_umask():
        key = SigningKey.of_ledger(configured.data, database)
        try:
            events = export_trail(database, file, key, advance)
        except OSError as error:
            raise WrongSetting(f"{file} cannot be written: {error.strerror}.") from None
    out.print(f"{file}: {events} events. To check it: python3 docs/verify.py {file.name}")
    out.print(f"Key {key.fingerprint}: tell it to the auditor by another way than this file.")


def _require_files(paths: list[Path]) -> None:
    for path in paths:
        if not path.exists():
            raise WrongSetting(f"{path} does not exist.")
