"""Writes pages of labels as a PDF in which everything is a vector: sharp on any printer."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from typing import TYPE_CHECKING

from carrete.labels.drawing import DrawnCode, DrawnText, LabelPage
from carrete.labels.fitting import BOLD, REGULAR
from carrete.labels.stock import Box, LabelStock

if TYPE_CHECKING:
    from reportlab.pdfgen.canvas import Canvas

POINTS_PER_MM = 72 / 25.4


def pdf_of(pages: Iterable[LabelPage], stock: LabelStock, title: str) -> bytes:
    from reportlab import rl_config
    from reportlab.pdfgen.canvas import Canvas

    rl_config.useA85 = 0  # streams as bytes: as text, made in Python, they took a tenth longer and a fifth more room
    file = BytesIO()
    size = (stock.page_width * POINTS_PER_MM, stock.page_height * POINTS_PER_MM)
    # invariant: without the date and a random number in it, the same labels are the same file.
    canvas = Canvas(file, pagesize=size, pageCompression=1, invariant=1)
    canvas.setTitle(title)
    canvas.setCreator("Carrete")
    for page in pages:
        for frame in page.frames:
            _cut_line(canvas, frame, stock.page_height)
        for code in page.codes:
            canvas.addLiteral(_code_operators(code, stock.page_height))
        for text in page.texts:
            _write(canvas, text, stock.page_height)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _code_operators(drawn: DrawnCode, page_height: float) -> str:
    """One filled path in the code's own coordinates, whose unit is a module. A path of reportlab takes ten times as
    long."""
    scale = drawn.module * POINTS_PER_MM
    x, y = drawn.x * POINTS_PER_MM, (page_height - drawn.y) * POINTS_PER_MM
    bars = " ".join(f"{x} {y} {width} 1 re" for x, y, width in drawn.code.bars)
    return f"q {scale:.5f} 0 0 {-scale:.5f} {x:.4f} {y:.4f} cm {bars} f Q"


def _cut_line(canvas: Canvas, frame: Box, page_height: float) -> None:
    canvas.setLineWidth(0.5)
    canvas.setDash(2, 3)
    x, y = frame.x * POINTS_PER_MM, (page_height - frame.y - frame.height) * POINTS_PER_MM
    canvas.rect(x, y, frame.width * POINTS_PER_MM, frame.height * POINTS_PER_MM)


def _write(canvas: Canvas, text: DrawnText, page_height: float) -> None:
    canvas.setFont(BOLD if text.bold else REGULAR, text.size * POINTS_PER_MM)
    canvas.drawString(text.x * POINTS_PER_MM, (page_height - text.y) * POINTS_PER_MM, text.text)
