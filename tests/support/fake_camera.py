"""The input of a tablet's camera: a picture as a video that Chromium takes for its camera."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import zxingcpp
from PIL import Image, ImageFilter
from playwright.sync_api import Playwright

from carrete.labels.drawing import SpoolLabel, label_pages
from carrete.labels.pdf import pdf_of
from carrete.labels.stock import STOCKS, LabelFormat
from tests.support.browser import Tablets, launch
from tests.support.labels import MM_PER_INCH, pictures

VIEW = (1280, 720)
FRAMES = 8
DOTS_PER_INCH = 200
OUT_OF_FOCUS_PX = 0.7


def video(picture: Image.Image, path: Path) -> Path:
    """A still life as YUV4MPEG: the picture in the middle of what the camera sees, grey around it."""
    seen = Image.new("L", VIEW, 170)
    seen.paste(picture, ((VIEW[0] - picture.width) // 2, (VIEW[1] - picture.height) // 2))
    colours = bytes([128]) * (VIEW[0] * VIEW[1] // 2)
    head = f"YUV4MPEG2 W{VIEW[0]} H{VIEW[1]} F10:1 Ip A1:1 C420jpeg\n".encode()
    path.write_bytes(head + FRAMES * (b"FRAME\n" + seen.tobytes() + colours))
    return path


def printed_label(label: SpoolLabel, *, address: str = "", px_per_mm: float = 4.0) -> Image.Image:
    """A label of the A4 sheet as it is printed, a little out of focus, so far away that a millimetre is so many pixels.
    An ordinary camera sees four of them about 30 cm away."""
    stock = STOCKS[LabelFormat.A4_3X8]
    (page,) = pictures(pdf_of(label_pages([label], stock, address=address), stock, "test"), DOTS_PER_INCH)
    box = next(stock.boxes()).inset(-stock.padding)
    dot = DOTS_PER_INCH / MM_PER_INCH
    left, top, right, bottom = (round(side * dot) for side in (box.x, box.y, box.x + box.width, box.y + box.height))
    cut = page.crop((left, top, right, bottom))
    scale = px_per_mm / dot
    small = cut.resize((round(cut.width * scale), round(cut.height * scale)), Image.Resampling.BILINEAR)
    return small.filter(ImageFilter.GaussianBlur(OUT_OF_FOCUS_PX))


def bar_code(text: str, kind: str, scale: int = 4) -> Image.Image:
    """`kind`: `DataMatrix`, `Code128`, `QRCode`."""
    made = zxingcpp.create_barcode(text, zxingcpp.barcode_format_from_str(kind))
    picture = Image.fromarray(made.to_image(scale=scale, add_quiet_zones=True)).convert("L")
    return picture if picture.height >= 80 else picture.resize((picture.width, 120), Image.Resampling.NEAREST)


def side_by_side(*labels: Image.Image) -> Image.Image:
    seen = Image.new("L", (sum(label.width for label in labels), max(label.height for label in labels)), 255)
    for n, label in enumerate(labels):
        seen.paste(label, (sum(before.width for before in labels[:n]), 0))
    return seen


@contextmanager
def tablets_that_see(playwright: Playwright, picture: Image.Image, folder: Path) -> Iterator[Tablets]:
    seen = video(picture, folder / "camera.y4m")
    camera = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
    browser = launch(playwright, *camera, f"--use-file-for-fake-video-capture={seen}")
    try:
        yield Tablets(browser, playwright)
    finally:
        browser.close()
