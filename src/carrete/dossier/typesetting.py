"""The PDF of a dossier, set by typst in a child process. The same facts and pictures give the same bytes."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from datetime import datetime
from importlib.resources import as_file, files
from pathlib import Path

from carrete.dossier.document import document_of
from carrete.dossier.facts import DossierFacts
from carrete.dossier.picture_pdf import picture_pdf
from carrete.dossier.refusals import DossierTooComplex
from carrete.dossier.typst_limits import DOCUMENT, LIMITS, TEMPLATE
from carrete.dossier.words import Language
from carrete.limited_process import ChildFailed, run_limited

PictureOf = Callable[[str], bytes | None]
_CHILD = "carrete.dossier.typst_child"


def pdf_of(facts: DossierFacts, language: Language, picture_of: PictureOf) -> bytes:
    """`picture_of` gives the bytes of a drawing or photo by its id, one at a time, so that they are never all in
    memory; None for one that is lost."""
    with tempfile.TemporaryDirectory(prefix="carrete-dossier-") as name:
        folder = Path(name)
        with as_file(files("carrete.dossier").joinpath(TEMPLATE)) as template:
            shutil.copyfile(template, folder / TEMPLATE)
        document = document_of(facts, language).with_files(_write_pictures(facts, folder, picture_of))
        (folder / DOCUMENT).write_text(json.dumps(document.as_json(), ensure_ascii=False), "utf-8")
        try:
            return run_limited(_CHILD, [folder, str(_made_at(facts))], LIMITS)
        except ChildFailed as failed:
            if failed.too_slow or failed.no_memory:
                raise DossierTooComplex from failed
            raise


def _write_pictures(facts: DossierFacts, folder: Path, picture_of: PictureOf) -> dict[str, str]:
    """Returns the file of each picture by its id; one that the ledger no longer has is missing."""
    written: dict[str, str] = {}
    for id_ in pictures_of(facts):
        content = picture_of(id_)
        if content is None:
            continue
        page = picture_pdf(content)
        kind = "pdf" if page else "png" if content.startswith(b"\x89PNG") else "jpg"
        written[id_] = f"{id_}.{kind}"
        (folder / written[id_]).write_bytes(page or content)
    return written


def pictures_of(facts: DossierFacts) -> list[str]:
    """The ids of the drawings and photos, each once."""
    drawings = [spool.drawing.id for spool in facts.spools if spool.drawing]
    return list(dict.fromkeys([*drawings, *(photo.id for spool in facts.spools for photo in spool.photos)]))


def _made_at(facts: DossierFacts) -> int:
    return int(datetime.fromisoformat(facts.last_event.at).timestamp()) if facts.last_event.at else 0
