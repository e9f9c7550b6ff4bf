"""The text of a PDF, page by page, as a reader would copy it."""

from __future__ import annotations

import pypdfium2


def pages_of(pdf: bytes) -> list[str]:
    document = pypdfium2.PdfDocument(pdf)
    return [page.get_textpage().get_text_range().replace("\u200b", "").replace("\r\n", "\n") for page in document]


def sizes_of(pdf: bytes) -> list[tuple[int, int]]:
    """Of each page, in millimetres."""
    document = pypdfium2.PdfDocument(pdf)
    return [(round(wide / 72 * 25.4), round(high / 72 * 25.4)) for wide, high in (page.get_size() for page in document)]
