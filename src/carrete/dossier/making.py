"""Makes a whole dossier from an open ledger: facts in one read, then the file. Pictures are read one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from carrete.dossier.choice import DossierFormat
from carrete.dossier.facts import DossierFacts, DossierIdentity
from carrete.dossier.typesetting import pdf_of
from carrete.dossier.words import Language
from carrete.ledger.database import Database
from carrete.ledger.drawings import drawing_content
from carrete.ledger.notes import photo_content


@dataclass(frozen=True, slots=True)
class MadeDossier:
    identity: DossierIdentity
    file_name: str
    content: bytes


def made_dossier(
    database: Database, facts: DossierFacts, file_format: DossierFormat, language: Language
) -> MadeDossier:
    """Takes a second or more: never on the event loop."""
    if file_format is DossierFormat.XLSX:
        from carrete.dossier.workbook import workbook_of  # xlsxwriter: only when the file is requested

        content = workbook_of(facts, language)
    else:
        content = pdf_of(facts, language, _picture_of(database))
    identity = facts.identity()
    return MadeDossier(identity, f"dossier-{identity.number}-{language.value}.{file_format.value}", content)


def _picture_of(database: Database) -> Callable[[str], bytes | None]:
    """Pictures are stored under their hash and do not change: a later read finds the ones that the facts name."""

    def picture(id_: str) -> bytes | None:
        with database.reading() as tx:
            drawing = drawing_content(tx, id_)
            return drawing[1] if drawing else photo_content(tx, id_)

    return picture
