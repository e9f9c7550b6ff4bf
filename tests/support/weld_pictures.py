"""Pictures around a weld: the isometric drawing of a spool, a radiograph with pores, and the pages of a PDF."""

from __future__ import annotations

import io
import math
from itertools import pairwise
from pathlib import Path

import pypdfium2
from PIL import Image, ImageDraw, ImageFilter
from reportlab.pdfgen import canvas

A3_PT = (1190, 842)
PIPE_PT = 15  # as thick as a pipe is drawn
PAGE_WIDTH_PX = {False: 850, True: 1200}  # by whether the page is landscape
# Where each joint is, in thousandths of the drawing's width and height; the last one is welded on site.
JOINTS = ((185, 720), (330, 602), (420, 528), (420, 340), (610, 638), (760, 724))
_CORNERS = ((160, 740), (420, 528), (420, 215), (420, 528), (800, 747))


def an_isometric(tag: str) -> bytes:
    """One page in A3 as engineering sends it: pipe in isometric view, dimensions, a north arrow and a title block."""
    held = io.BytesIO()
    sheet = canvas.Canvas(held, pagesize=A3_PT, invariant=1)
    sheet.rect(24, 24, A3_PT[0] - 48, A3_PT[1] - 48)
    _pipe(sheet)
    _dimensions(sheet)
    _north(sheet, 100, 720)
    _title_block(sheet, tag)
    sheet.showPage()
    sheet.save()
    return held.getvalue()


def a_radiograph() -> bytes:
    """A film of a weld, with a cluster of pores: what an examiner adds to a rejection."""
    film = Image.new("L", (900, 600), 70)
    brush = ImageDraw.Draw(film)
    brush.rectangle((0, 235, 900, 365), fill=150)
    for at in range(0, 900, 28):
        brush.arc((at - 40, 225, at + 40, 375), 290, 70, fill=128, width=4)
    for x, y, size in ((470, 290, 9), (495, 305, 6), (458, 318, 5), (512, 281, 4), (483, 333, 7), (529, 312, 4)):
        brush.ellipse((x - size, y - size, x + size, y + size), fill=40)
    film = film.filter(ImageFilter.GaussianBlur(1.6))
    ImageDraw.Draw(film).text((24, 24), "RT  U2  0-1", fill=235, font_size=40)
    held = io.BytesIO()
    film.convert("RGB").save(held, "JPEG", quality=85)
    return held.getvalue()


def save_page(pdf: bytes, number: int, file: Path) -> None:
    """The page of this number, from 1, as a small PNG."""
    page = pypdfium2.PdfDocument(pdf)[number - 1]
    wide, high = page.get_size()
    picture: Image.Image = page.render(scale=PAGE_WIDTH_PX[wide > high] / wide).to_pil()
    picture.convert("RGB").save(file, "PNG", optimize=True)


def _at(place: tuple[float, float]) -> tuple[float, float]:
    """Thousandths from the upper left corner, as points from the lower left one."""
    return place[0] / 1000 * A3_PT[0], (1 - place[1] / 1000) * A3_PT[1]


def _pipe(sheet: canvas.Canvas) -> None:
    sheet.setLineCap(1)
    for grey, width in ((0, PIPE_PT), (1, PIPE_PT - 3)):
        sheet.setStrokeGray(grey)
        sheet.setLineWidth(width)
        for begin, end in pairwise(_CORNERS):
            sheet.line(*_at(begin), *_at(end))
    sheet.setStrokeGray(0)
    sheet.setLineWidth(1)


def _dimensions(sheet: canvas.Canvas) -> None:
    sheet.setFont("Helvetica", 13)
    for text, place in (("1200", (268, 585)), ("1850", (372, 370)), ("2140", (640, 590)), ('4" SCH 40', (455, 450))):
        sheet.drawCentredString(*_at(place), text)


def _north(sheet: canvas.Canvas, x: float, y: float) -> None:
    slope = math.radians(30)
    end = (x + 60 * math.cos(slope), y + 60 * math.sin(slope))
    sheet.line(x, y, *end)
    sheet.circle(x, y, 5, fill=1)
    sheet.setFont("Helvetica-Bold", 16)
    sheet.drawString(end[0] + 6, end[1], "N")


def _title_block(sheet: canvas.Canvas, tag: str) -> None:
    sheet.rect(770, 24, 396, 124)
    for row, (size, text) in enumerate(
        (
            (17, "ISOMETRICO DE FABRICACION"),
            (13, f"SPOOL {tag}"),
            (13, 'LINEA 4"-CW-25238-A1A'),
            (13, "HOJA 1 DE 1   REV. B"),
        )
    ):
        sheet.setFont("Helvetica-Bold" if row == 0 else "Helvetica", size)
        sheet.drawString(786, 120 - 27 * row, text)
