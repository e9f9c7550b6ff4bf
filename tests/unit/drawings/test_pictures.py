"""What becomes of an uploaded drawing: one plain picture, or a sentence that says why not."""

from __future__ import annotations

import io
import zlib

import pytest
from PIL import Image, PngImagePlugin

from carrete.domain.refusals import Refusal
from carrete.drawings import pdf_page
from carrete.drawings.picture import IMAGE_BYTES_MAX, SIDE_PX_MAX, picture_of
from carrete.limited_process import ProcessLimits
from tests.support.drawings import a_pdf, a_png, png_of
from tests.support.photos import GPS, SVG, a_photo, a_zip, with_location

SMALL_LIMITS = ProcessLimits(memory_bytes_max=1 << 30, cpu_s_max=20, wall_s_max=0.001, output_bytes_max=1_000)


def refusal_of(raw: bytes, page: int = 1) -> Refusal:
    with pytest.raises(Refusal) as refused:
        picture_of(raw, page)
    return refused.value


def test_a_page_of_a_pdf_becomes_a_picture_of_3000_points() -> None:
    drawn = picture_of(a_pdf(pages=3), page=2)
    assert (drawn.media_type, drawn.width, drawn.height, drawn.pages) == ("image/png", 3000, 2123, 3)
    picture = Image.open(io.BytesIO(drawn.content))
    picture.load()
    assert picture.mode == "L"
    assert picture.getextrema()[0] == 0, "something is drawn"


def test_each_page_is_another_picture_and_the_same_page_always_the_same() -> None:
    two_pages = a_pdf(pages=2)
    assert picture_of(two_pages, 1).content != picture_of(two_pages, 2).content
    assert picture_of(two_pages, 2) == picture_of(two_pages, 2)


def test_a_drawing_in_colour_stays_in_colour() -> None:
    picture = Image.open(io.BytesIO(picture_of(a_pdf(colour=True)).content))
    assert picture.mode == "RGB"
    red, _, blue = picture.split()
    assert red.tobytes() != blue.tobytes()


def test_a_page_that_the_pdf_does_not_have_is_refused_with_the_number_of_pages() -> None:
    refused = refusal_of(a_pdf(pages=2), page=3)
    assert (refused.code, refused.detail) == ("PAGINA_NO_EXISTE", "El PDF tiene 2 páginas: no hay página 3.")
    assert refused.context["paginas"] == 2


def test_a_pdf_of_300_pages_is_refused_with_what_to_do() -> None:
    refused = refusal_of(a_pdf(pages=300))
    assert refused.code == "PLANO_DEMASIADO_GRANDE"
    assert "300 páginas; a lo más 200. Guarde aparte" in refused.detail


def test_a_pdf_with_a_password_is_refused() -> None:
    refused = refusal_of(a_pdf(password="secreto"))
    assert (refused.code, "contraseña" in refused.detail) == ("PLANO_ILEGIBLE", True)


@pytest.mark.parametrize("broken", [a_pdf()[:400], b"%PDF-1.7\nno es nada", b"%PDF-1.7" + bytes(5_000)])
def test_a_damaged_pdf_is_refused(broken: bytes) -> None:
    refused = refusal_of(broken)
    assert (refused.code, "dañado" in refused.detail) == ("PLANO_ILEGIBLE", True)


def test_a_page_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_page, "LIMITS", SMALL_LIMITS)
    refused = refusal_of(a_pdf())
    assert (refused.code, "demasiado compleja" in refused.detail) == ("PLANO_ILEGIBLE", True)


def test_a_photo_of_a_drawing_loses_where_it_was_taken() -> None:
    drawn = picture_of(with_location())
    assert (drawn.media_type, drawn.pages) == ("image/jpeg", 1)
    assert not dict(Image.open(io.BytesIO(drawn.content)).getexif())
    assert GPS


def test_a_png_keeps_its_picture_and_nothing_else() -> None:
    words = PngImagePlugin.PngInfo()
    words.add_text("Author", "Ana de la oficina")
    raw = a_png(pnginfo=words) + a_zip()
    drawn = picture_of(raw)
    assert b"Ana de la oficina" not in drawn.content
    assert b"evil.js" not in drawn.content
    assert list(Image.open(io.BytesIO(drawn.content)).tobytes()) == list(Image.open(io.BytesIO(raw)).tobytes())


@pytest.mark.parametrize(
    ("what", "raw"),
    [
        ("cut off", a_png()[:-20]),
        ("another byte", a_png()[:50] + b"\x00" + a_png()[51:]),
        ("less than its size", png_of(100, 100, zlib.compress(bytes(50)))),
        ("more than its size", png_of(10, 10, zlib.compress(bytes(50_000_000)))),
        ("no picture", png_of(10, 10, b"")),
        ("something behind the data", png_of(2, 2, zlib.compress(bytes(6)) + b"<script>")),
        ("no size", png_of(0, 0, zlib.compress(b""))),
        ("only the beginning", a_png()[:8]),
        ("a cut JPEG", a_photo()[:-40]),
    ],
)
def test_a_damaged_picture_is_refused(what: str, raw: bytes) -> None:
    assert refusal_of(raw).code == "PLANO_ILEGIBLE", what


def test_an_interlaced_png_is_refused_with_what_to_do() -> None:
    raw = bytearray(a_png())
    raw[28] = 1
    raw[29:33] = zlib.crc32(bytes(raw[12:29])).to_bytes(4)
    assert refusal_of(bytes(raw)).detail == "El PNG está entrelazado: guárdelo sin entrelazar."


@pytest.mark.parametrize(
    "raw", [a_png(SIDE_PX_MAX + 1, 1), a_photo(SIDE_PX_MAX + 1, 8), a_png() + bytes(IMAGE_BYTES_MAX)]
)
def test_a_picture_that_is_too_large_is_refused(raw: bytes) -> None:
    assert refusal_of(raw).code == "PLANO_DEMASIADO_GRANDE"


@pytest.mark.parametrize("raw", [b"", b"GIF89a", SVG, a_zip(), b"\0" * 100])
def test_other_files_are_no_drawing(raw: bytes) -> None:
    assert refusal_of(raw).code == "NO_ES_PLANO"
