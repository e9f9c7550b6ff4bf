"""Reads printed labels back: a PDF as pictures, as a camera or a scanner would see it, and the codes in them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import pypdfium2
import zxingcpp
from PIL import Image

MM_PER_INCH = 25.4


@dataclass(frozen=True, slots=True)
class ReadCode:
    """A code that was found in a picture, with the side of its square in millimetres."""

    text: str
    kind: str
    error_correction: str
    side_mm: float


def pictures(pdf: bytes, dots_per_inch: int = 200) -> list[Image.Image]:
    with pypdfium2.PdfDocument(pdf) as document:
        return [page.render(scale=dots_per_inch / 72).to_pil().convert("L") for page in document]


def codes_in(picture: Image.Image, dots_per_inch: int = 200) -> list[ReadCode]:
    """From the upper left to the lower right."""
    found = zxingcpp.read_barcodes(picture)
    found = sorted(found, key=lambda code: (round(code.position.top_left.y / 20), code.position.top_left.x))
    return [
        ReadCode(
            text=code.text,
            kind=code.format.name,
            error_correction=code.ec_level,
            side_mm=_side(code.position) / dots_per_inch * MM_PER_INCH,
        )
        for code in found
    ]


def codes_of(pdf: bytes, dots_per_inch: int = 200) -> list[ReadCode]:
    return [code for picture in pictures(pdf, dots_per_inch) for code in codes_in(picture, dots_per_inch)]


def words_of(pdf: bytes) -> list[str]:
    """The text of each page, as a person could mark it in a viewer: it is text, not a picture of it. PDFium joins lines
    that end with a dash, and puts U+FFFE in its place."""
    with pypdfium2.PdfDocument(pdf) as document:
        return [page.get_textpage().get_text_range().replace("\ufffe", "-") for page in document]


def pictures_inside(pdf: bytes) -> int:
    """How many pixel images the PDF has."""
    with pypdfium2.PdfDocument(pdf) as document:
        return sum(1 for page in document for _ in page.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE]))


def page_sizes_mm(pdf: bytes) -> list[tuple[int, int]]:
    with pypdfium2.PdfDocument(pdf) as document:
        sizes = [page.get_size() for page in document]
    return [(round(width / 72 * MM_PER_INCH), round(height / 72 * MM_PER_INCH)) for width, height in sizes]


def _side(position: zxingcpp.Position) -> float:
    corners = [position.top_left, position.top_right, position.bottom_right, position.bottom_left]
    edges = [((a.x - b.x) ** 2 + (a.y - b.y) ** 2) ** 0.5 for a, b in pairwise([*corners, corners[0]])]
    return float(sum(edges) / len(edges))
