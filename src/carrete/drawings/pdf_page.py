"""One page of a PDF as a picture. A child process reads the file: nothing in it can crash this process."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from carrete.drawings.pdf_limits import LIMITS, PAGES_MAX
from carrete.drawings.png import Png
from carrete.drawings.refusals import DrawingTooLarge, DrawingUnreadable, PageMissing
from carrete.limited_process import ChildFailed, run_limited

_CHILD = "carrete.drawings.pdf_child"
_DAMAGED = "El PDF está dañado y no se puede leer. Guárdelo de nuevo desde el programa que lo hizo."
_TOO_COMPLEX = "Esa página es demasiado compleja para dibujarla. Guárdela como imagen PNG o JPEG y suba la imagen."


@dataclass(frozen=True, slots=True)
class PdfPage:
    picture: Png
    pages: int  # of the whole document


def page_picture(content: bytes, page: int) -> PdfPage:
    with tempfile.TemporaryDirectory(prefix="carrete-plano-") as folder:
        file = Path(folder) / "plano.pdf"
        file.write_bytes(content)
        try:
            output = run_limited(_CHILD, [file, str(page)], LIMITS)
        except ChildFailed as failed:
            raise DrawingUnreadable(_TOO_COMPLEX if failed.too_slow or failed.no_memory else _DAMAGED) from failed
    line, _, picture = output.partition(b"\n")
    answer = json.loads(line)
    if reason := answer.get("refused"):
        _refuse(reason, page, answer.get("pages", 0))
    return PdfPage(Png(picture, answer["width"], answer["height"]), answer["pages"])


def _refuse(reason: str, page: int, pages: int) -> NoReturn:
    match reason:
        case "password":
            raise DrawingUnreadable("El PDF está protegido con contraseña: guárdelo sin contraseña.")
        case "pages" if pages > PAGES_MAX:
            raise DrawingTooLarge(
                f"El PDF tiene {pages} páginas; a lo más {PAGES_MAX}. Guarde aparte la página del plano.", paginas=pages
            )
        case "pages" if pages:
            raise PageMissing(page, pages)
        case "large":
            raise DrawingTooLarge("Esa página ocupa demasiado como imagen. Guárdela con menos resolución.")
    raise DrawingUnreadable(_DAMAGED)
