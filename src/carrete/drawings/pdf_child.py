"""The child process that draws one page of a PDF: `python -m carrete.drawings.pdf_child FILE PAGE`.

The library that reads PDFs is native code and may crash its process, so it runs in this one, within limits. Standard
output is one line of JSON, and after it the PNG, if there is one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pypdfium2

from carrete.drawings import png
from carrete.drawings.pdf_limits import LIMITS, PAGES_MAX, PICTURE_BYTES_MAX, SIDE_PX, SIDE_PX_SMALL
from carrete.limited_process import limit_this_process

# Sixteen shades of each colour: the grain of a scanned sheet would otherwise make the picture ten times as large.
_SHADES = bytes(min(255, round(shade / 17) * 17) for shade in range(256))


def main() -> None:
    limit_this_process(LIMITS)
    answer, picture = _drawn(Path(sys.argv[1]), int(sys.argv[2]))
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n" + picture)
    sys.stdout.buffer.flush()


def _drawn(path: Path, page: int) -> tuple[dict[str, Any], bytes]:
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        return {"refused": "password" if "assword" in str(error) else "damaged"}, b""
    pages = len(document)
    if pages > PAGES_MAX or not 1 <= page <= pages:
        return {"refused": "pages", "pages": pages}, b""
    try:
        picture = _picture(document[page - 1])
    except pypdfium2.PdfiumError:
        return {"refused": "damaged"}, b""
    if picture is None:
        return {"refused": "large"}, b""
    return {"pages": pages, "width": picture.width, "height": picture.height}, picture.content


def _picture(page: Any) -> png.Png | None:
    """The page as large as it may be, in colour if it has any; smaller or grey where it would take too many bytes."""
    for side, in_colour in ((SIDE_PX, True), (SIDE_PX, False), (SIDE_PX_SMALL, False)):
        made = _png(page, side, in_colour)
        if len(made.content) <= PICTURE_BYTES_MAX:
            return made
    return None


def _png(page: Any, side: int, in_colour: bool) -> png.Png:
    bitmap = page.render(
        scale=side / max(page.get_size()), grayscale=not in_colour, rev_byteorder=True, maybe_alpha=False
    )
    pixels = _rows(bitmap).translate(_SHADES)
    if bitmap.n_channels == 1:
        return png.made(pixels, bitmap.width, bitmap.height, png.GREY)
    assert bitmap.n_channels == 3
    red, green, blue = pixels[0::3], pixels[1::3], pixels[2::3]
    if red == green == blue:
        return png.made(red, bitmap.width, bitmap.height, png.GREY)
    return png.made(pixels, bitmap.width, bitmap.height, png.RGB)


def _rows(bitmap: Any) -> bytes:
    """The pixels without the gap that may follow each row."""
    content, width = bytes(bitmap.buffer), bitmap.width * bitmap.n_channels
    if bitmap.stride == width:
        return content
    return b"".join(content[at : at + width] for at in range(0, bitmap.height * bitmap.stride, bitmap.stride))


if __name__ == "__main__":
    main()
