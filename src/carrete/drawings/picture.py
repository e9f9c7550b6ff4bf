"""The kind of an uploaded file, by its first bytes and not by its name, and the one plain picture that is stored."""

from __future__ import annotations

from dataclasses import dataclass

from carrete.drawings import png
from carrete.drawings.pdf_page import page_picture
from carrete.drawings.refusals import DrawingTooLarge, NotADrawing
from carrete.photos import jpeg
from carrete.photos.refusals import NotAJpeg, PhotoTooLarge, PhotoUnreadable

JPEG, PNG, PDF = "image/jpeg", "image/png", "application/pdf"
UPLOAD_BYTES_MAX = 20 * 1024 * 1024
IMAGE_BYTES_MAX = 4_000_000
SIDE_PX_MAX = 4_000
_JPEG_LIMITS = jpeg.JpegLimits(IMAGE_BYTES_MAX, SIDE_PX_MAX)
_PDF_WITHIN_BYTES = 1024  # readers accept some bytes in front of a PDF


@dataclass(frozen=True, slots=True)
class DrawingPicture:
    media_type: str  # JPEG or PNG
    content: bytes
    width: int
    height: int
    pages: int = 1  # of the PDF that it comes from


def picture_of(raw: bytes, page: int = 1) -> DrawingPicture:
    """Raises a Refusal for every file that is no drawing. `page` counts from 1, and only a PDF has several."""
    if raw.startswith(b"\xff\xd8\xff"):
        return _of_jpeg(raw)
    if raw.startswith(png.START):
        _require_small(raw)
        return DrawingPicture(PNG, *png.rewritten(raw, SIDE_PX_MAX))
    if b"%PDF-" in raw[:_PDF_WITHIN_BYTES]:
        drawn = page_picture(raw, page)
        return DrawingPicture(PNG, *drawn.picture, drawn.pages)
    raise NotADrawing("El archivo está vacío." if not raw else "El archivo no es un PDF ni una imagen PNG o JPEG.")


def _of_jpeg(raw: bytes) -> DrawingPicture:
    _require_small(raw)
    try:
        return DrawingPicture(JPEG, *jpeg.rewritten(raw, _JPEG_LIMITS))
    except PhotoTooLarge:
        raise DrawingTooLarge(f"La imagen pasa de {SIDE_PX_MAX} puntos por lado.") from None
    except (NotAJpeg, PhotoUnreadable):
        raise png.damaged() from None


def _require_small(raw: bytes) -> None:
    if len(raw) > IMAGE_BYTES_MAX:
        raise DrawingTooLarge(f"La imagen pasa de {IMAGE_BYTES_MAX // 1_000_000} MB.")
