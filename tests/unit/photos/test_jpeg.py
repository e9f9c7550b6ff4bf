"""A photo is taken apart and put together again: only what makes the picture stays."""

from __future__ import annotations

import io
import random
from contextlib import suppress

import pytest
from PIL import Image

from carrete.domain.refusals import Refusal
from carrete.photos.jpeg import BYTES_MAX, SEGMENTS_MAX, SIDE_PX_MAX, rewritten
from carrete.photos.refusals import NotAJpeg, PhotoTooLarge, PhotoUnreadable
from tests.support.photos import (
    HEIC,
    SCRIPT,
    SVG,
    a_photo,
    a_picture,
    a_png_of_100_megapixels,
    a_zip,
    after_start,
    segment,
    with_location,
)


def pixels(photo: bytes) -> bytes:
    return Image.open(io.BytesIO(photo)).convert("RGB").tobytes()


@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"optimize": True}, {"restart_marker_blocks": 2}])
def test_a_photo_keeps_its_picture_and_its_size(options: dict[str, bool]) -> None:
    noise = Image.frombytes("RGB", (97, 61), random.Random(7).randbytes(97 * 61 * 3))
    held = io.BytesIO()
    noise.save(held, "JPEG", **options)
    picture = rewritten(held.getvalue())
    assert (picture.width, picture.height) == (97, 61)
    assert pixels(picture.content) == pixels(held.getvalue())


@pytest.mark.parametrize("mode", ["L", "CMYK"])
def test_other_colours_are_shown_as_they_were(mode: str) -> None:
    held = io.BytesIO()
    Image.new(mode, (20, 20), 90 if mode == "L" else (10, 200, 30, 5)).save(held, "JPEG")
    assert pixels(rewritten(held.getvalue()).content) == pixels(held.getvalue())


def test_place_camera_comment_and_small_picture_are_gone() -> None:
    raw = with_location()
    assert b"CamaraSecreta" in raw
    content = rewritten(raw).content
    assert b"CamaraSecreta" not in content
    assert b"casa de Ana" not in content
    assert not dict(Image.open(io.BytesIO(content)).getexif())
    assert set(Image.open(io.BytesIO(content)).info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}


def test_a_photo_that_was_rewritten_stays_as_it_is() -> None:
    once = rewritten(with_location()).content
    assert rewritten(once).content == once


def test_the_same_picture_from_two_cameras_has_the_same_bytes() -> None:
    assert rewritten(with_location()).content == rewritten(a_photo()).content


POLYGLOTS = {
    "a page after the end": a_photo() + b"<html>" + SCRIPT,
    "an archive after the end": a_photo() + a_zip(),
    "a second picture after the end": a_photo() + with_location(),
    "a page in a comment": after_start(a_photo(), segment(0xFE, SCRIPT)),
    "a script in an application's segment": after_start(a_photo(), segment(0xE5, b"*/=alert(1);/*" + SCRIPT)),
    "a script in the segment of colour profiles": after_start(a_photo(), segment(0xE2, b"ICC_PROFILE\0" + SCRIPT)),
    "a page behind the first segment's own content": after_start(
        a_photo()[:2] + a_photo()[20:], segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\xff\xff" + SCRIPT)
    ),
    "a page behind Adobe's segment": after_start(a_photo(), segment(0xEE, b"Adobe\0\x64\0\0\0\0\0" + SCRIPT)),
}


@pytest.mark.parametrize("raw", POLYGLOTS.values(), ids=POLYGLOTS)
def test_what_is_a_photo_and_something_else_becomes_only_a_photo(raw: bytes) -> None:
    content = rewritten(raw).content
    assert pixels(content) == pixels(a_photo())
    for trace in (b"<script", b"<html", b"PK\x03\x04", b"alert"):
        assert trace not in content


@pytest.mark.parametrize(
    "hidden",
    [
        segment(0xDB, b"\0" + b"\1" * 64 + SCRIPT),
        segment(0xC4, b"\0" + b"\0" * 16 + SCRIPT),
        segment(0xDD, b"\0\0" + SCRIPT),
        segment(0xDC, SCRIPT),
        segment(0x02, SCRIPT),
        segment(0xF0, SCRIPT),
    ],
    ids=["quantisation", "Huffman", "restart interval", "number of lines", "reserved", "JPEG extension"],
)
def test_a_table_with_more_in_it_than_a_table_is_refused(hidden: bytes) -> None:
    with pytest.raises(PhotoUnreadable):
        rewritten(after_start(a_photo(), hidden))


@pytest.mark.parametrize(
    ("raw", "named"),
    [
        (SVG, "SVG"),
        (a_picture("PNG"), "PNG"),
        (a_png_of_100_megapixels(), "PNG"),
        (a_picture("GIF"), "GIF"),
        (a_picture("WEBP"), "WebP"),
        (a_picture("TIFF"), "TIFF"),
        (HEIC, "HEIC"),
        (a_zip(), "ZIP"),
        (b"%PDF-1.7", "PDF"),
        (b"hola", "no es una imagen"),
        (b"", "vacío"),
        (b"\xff\xd8", "no es una imagen"),
    ],
)
def test_another_file_is_refused_with_its_name(raw: bytes, named: str) -> None:
    with pytest.raises(NotAJpeg, match=named):
        rewritten(raw)


def test_a_photo_that_was_cut_off_anywhere_is_refused() -> None:
    raw = a_photo()
    for length in range(3, len(raw)):
        with pytest.raises(PhotoUnreadable):
            rewritten(raw[:length])


def test_a_photo_with_any_byte_changed_is_a_photo_or_refused() -> None:
    raw, dice = with_location(), random.Random(1)
    for _ in range(3_000):
        broken = bytearray(raw)
        broken[dice.randrange(len(raw))] = dice.randrange(256)
        with suppress(Refusal):
            assert b"CamaraSecreta" not in rewritten(bytes(broken)).content


def test_a_photo_of_many_segments_is_refused_in_time() -> None:
    with pytest.raises(PhotoUnreadable):
        rewritten(after_start(a_photo(), segment(0xFE, b"") * SEGMENTS_MAX))


def test_a_photo_may_have_so_many_bytes_and_points_and_no_more() -> None:
    wide = rewritten(a_photo(SIDE_PX_MAX, 10))
    assert (wide.width, wide.height) == (SIDE_PX_MAX, 10)
    for size in ((SIDE_PX_MAX + 1, 10), (10, SIDE_PX_MAX + 1), (65_000, 65_000)):
        header = bytearray(a_photo())
        at = header.index(b"\xff\xc0") + 5
        header[at : at + 4] = size[1].to_bytes(2) + size[0].to_bytes(2)
        with pytest.raises(PhotoTooLarge, match="1600"):
            rewritten(bytes(header))
    rewritten(a_photo() + b"\0" * (BYTES_MAX - len(a_photo())))
    with pytest.raises(PhotoTooLarge, match="400 kB"):
        rewritten(a_photo() + b"\0" * (BYTES_MAX + 1 - len(a_photo())))


@pytest.mark.parametrize("marker", [0xC3, 0xC9, 0xCA])
def test_kinds_that_no_browser_shows_are_refused(marker: int) -> None:
    with pytest.raises(PhotoUnreadable, match="navegadores"):
        rewritten(a_photo().replace(b"\xff\xc0", bytes((0xFF, marker))))
