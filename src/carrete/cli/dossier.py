"""`carrete dossier`: the weld dossier of spools or of a work order, as a PDF or an .xlsx."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from carrete import private_files
from carrete.cli.common import load_settings, open_ledger, out
from carrete.settings import WrongSetting

if TYPE_CHECKING:
    from carrete.dossier.choice import DossierChoice
    from carrete.dossier.facts import DossierFacts
    from carrete.dossier.words import Language
    from carrete.ledger.database import Database
    from carrete.settings import Settings


def dossier(
    tags: Annotated[list[str] | None, typer.Argument(help="The spools, in this order.", show_default=False)] = None,
    ot: Annotated[str, typer.Option("--ot", help="All spools of this work order instead.")] = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write; by default dossier-NUMBER-LANGUAGE.pdf.")
    ] = None,
    xlsx: Annotated[bool, typer.Option("--xlsx", help="A workbook instead of a PDF.")] = False,
    lang: Annotated[str, typer.Option(help="es or en.")] = "es",
    photos: Annotated[bool, typer.Option("--photos", help="With the photos of notes and examinations.")] = False,
) -> None:
    """The weld dossier of spools or of a work order. The same data give the same file, byte for byte."""
    from carrete.dossier.choice import DossierChoice, DossierFormat
    from carrete.dossier.making import made_dossier

    if bool(tags) == bool(ot.strip()):
        raise WrongSetting("Say which: tags of spools, or --ot WORK-ORDER; one or the other.")
    language, configured = _language(lang), load_settings()
    choice = DossierChoice(tuple(map(_clean, tags or ())), ot.strip(), photos)
    with open_ledger(configured) as database:
        facts = _facts(database, configured, choice)
        made = made_dossier(database, facts, DossierFormat.XLSX if xlsx else DossierFormat.PDF, language)
    file = output or Path(made.file_name)
    try:
        private_files.write_private(file, made.content)  # it names people
    except OSError as error:
        raise WrongSetting(f"{file} cannot be written: {error.strerror}.") from None
    out.print(f"{file}: {made.identity.number}, SHA-256 of its facts {made.identity.hash}.")


def _facts(database: Database, configured: Settings, choice: DossierChoice) -> DossierFacts:
    from carrete.dossier.gather import gather
    from carrete.shop_settings import read
    from carrete.shop_settings.in_force import in_force, shop_of

    with database.reading() as tx:
        current = in_force(configured, read(tx))
        return gather(tx, choice, current.name, shop_of(configured, current))


def _clean(tag: str) -> str:
    from carrete.domain.tags import clean_tag

    try:
        return clean_tag(tag)
    except ValueError as error:
        raise WrongSetting(f"{tag}: {error}") from None


def _language(lang: str) -> Language:
    from carrete.dossier.words import Language

    try:
        return Language(lang)
    except ValueError:
        raise WrongSetting(f"--lang {lang}: es or en.") from None
