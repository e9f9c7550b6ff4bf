"""`carrete labels`: labels of spools, or cards with people's badges, as a PDF."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from carrete import private_files
from carrete.cli.common import load_settings, open_ledger, out
from carrete.settings import WrongSetting

if TYPE_CHECKING:
    from carrete.labels.drawing import SpoolLabel
    from carrete.labels.stock import LabelFormat, LabelStock
    from carrete.ledger.database import Database, Tx

FORMATS = "a4-3x8, a4-libre (with --grid), rollo-62 or rollo-100x50"
LIST_BYTES_MAX = 1 << 20
_GRID = re.compile(r"(\d{1,2})x(\d{1,2})")


def labels(
    file: Annotated[Path, typer.Argument(help="The PDF to write.")],
    ot: Annotated[str, typer.Option("--ot", help="Only the spools of this work order.")] = "",
    listed_in: Annotated[
        Path | None, typer.Option("--list", help="A text file with one tag in each line: these, in this order.")
    ] = None,
    not_printed: Annotated[
        bool, typer.Option("--not-printed", help="Only labels that nobody has marked as printed.")
    ] = False,
    paper: Annotated[str, typer.Option("--format", help=f"The paper: {FORMATS}.")] = "a4-3x8",
    grid: Annotated[str, typer.Option(help="Columns and rows of an A4 sheet, such as 2x6.")] = "",
    skip: Annotated[int, typer.Option(min=0, max=99, help="Labels of the first sheet that are used already.")] = 0,
    mark: Annotated[
        bool, typer.Option("--mark-printed", help="Remember them as printed; do so when you trust the printer.")
    ] = False,
    badges: Annotated[
        bool, typer.Option("--badges", help="Cards with the badges of active people instead, without PINs.")
    ] = False,
) -> None:
    """Labels with QR code, tag, work order and joints, as a PDF to print; or cards with badges."""
    if badges and (ot or listed_in or not_printed or mark):
        raise WrongSetting("--badges prints people, not spools: leave out --ot, --list, --not-printed, --mark-printed.")
    if listed_in and (ot or not_printed):
        raise WrongSetting("--list says which labels: leave out --ot and --not-printed.")
    configured = load_settings()
    stock = _stock(paper, grid)
    if skip >= max(stock.labels_per_page, 2):
        raise WrongSetting(f"--skip {skip}: a sheet has {stock.labels_per_page} labels.")
    skip = stock.used_labels(skip)
    with open_ledger(configured) as database:
        if badges:
            _print_badges(database, file)
        else:
            _print_labels(database, file, stock, skip, mark, ot=ot, listed_in=listed_in, not_printed=not_printed)


def _stock(paper: str, grid: str) -> LabelStock:
    from carrete.domain.refusals import NotValid
    from carrete.labels.stock import STOCKS, LabelFormat, free_grid

    format_ = _format(paper)
    if (format_ is LabelFormat.A4_GRID) != bool(grid):
        raise WrongSetting("--format a4-libre and --grid belong together.")
    if format_ is not LabelFormat.A4_GRID:
        return STOCKS[format_]
    sized = _GRID.fullmatch(grid)
    if sized is None or "0" in (sized[1].lstrip("0") or "0", sized[2].lstrip("0") or "0"):
        raise WrongSetting(f"--grid {grid}: columns and rows, such as 2x6.")
    try:
        return free_grid(int(sized[1]), int(sized[2]))
    except NotValid:
        raise WrongSetting(f"--grid {grid}: the labels would be too small for a code that can be read.") from None


def _format(paper: str) -> LabelFormat:
    from carrete.labels.stock import LabelFormat

    try:
        return LabelFormat(paper)
    except ValueError:
        raise WrongSetting(f"--format {paper}: choose {FORMATS}.") from None


def _print_labels(
    database: Database,
    file: Path,
    stock: LabelStock,
    skip: int,
    mark: bool,
    *,
    ot: str,
    listed_in: Path | None,
    not_printed: bool,
) -> None:
    """The PDF is written before anything is marked: labels that exist nowhere must not count as printed."""
    from carrete.labels.drawing import label_pages
    from carrete.labels.pdf import pdf_of
    from carrete.labels.printed import LabelChoice, chosen_labels, mark_printed

    with database.reading() as tx:
        if listed_in:
            wanted = _listed(tx, listed_in)
            left_out = 0
        else:
            wanted, total = chosen_labels(tx, LabelChoice(ot=ot, not_printed=not_printed))
            left_out = total - len(wanted)
    if not wanted:
        raise WrongSetting("There is no such spool: nothing to print.")
    _write(file, pdf_of(label_pages(wanted, stock, skip=skip), stock, "Etiquetas"))
    if mark:
        with database.writing() as tx:
            mark_printed(tx, [label.tag for label in wanted], datetime.now(UTC).replace(microsecond=0), None)
    out.print(f"{file}: {len(wanted)} labels on {stock.pages_for(len(wanted), skip)} pages.")
    if left_out:
        out.print(f"{left_out} more are left out; print these with --mark-printed, then the rest with --not-printed.")


def _listed(tx: Tx, path: Path) -> list[SpoolLabel]:
    from carrete.labels.drawing import LABELS_MAX
    from carrete.labels.printed import known_labels

    try:
        with path.open("rb") as file:
            lines = file.read(LIST_BYTES_MAX).decode("utf-8-sig").splitlines()
    except OSError as error:
        raise WrongSetting(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise WrongSetting(f"{path} is not a text file in UTF-8.") from None
    tags = [line.strip() for line in lines if line.strip()]
    if len(tags) > LABELS_MAX:
        raise WrongSetting(f"{path} has {len(tags)} tags; at most {LABELS_MAX} in one document.")
    found, unknown = known_labels(tx, tags)
    if unknown:
        raise WrongSetting(f"{path}: there is no spool {unknown[0]}.")
    return found


def _print_badges(database: Database, file: Path) -> None:
    from carrete.identity.people import people_for_cards
    from carrete.labels.badges import badge_pages, cards_of
    from carrete.labels.pdf import pdf_of
    from carrete.labels.stock import BADGE_STOCK

    with database.reading() as tx:
        people = people_for_cards(tx, everybody=True)
    cards = cards_of(people)
    if not cards:
        raise WrongSetting("Nobody has a badge; an administrator gives them under Personas.")
    _write(file, pdf_of(badge_pages(cards), BADGE_STOCK, "Credenciales"), private=True)
    out.print(f"{file}: {len(cards)} cards. {len(people) - len(cards)} people have no badge.")


def _write(file: Path, content: bytes, *, private: bool = False) -> None:
    """Labels are for everybody. Badges are not: in the mode `device` one of them signs a floor worker in."""
    try:
        if private:
            private_files.write_private(file, content)
            return
        with private_files.usual_umask():
            file.write_bytes(content)
    except OSError as error:
        raise WrongSetting(f"{file} cannot be written: {error.strerror}.") from None
