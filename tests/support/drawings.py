"""Drawings for tests: PDFs and pictures as engineering sends them, and files that pretend to be one."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

from PIL import Image
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen import canvas

PLANOS = "/api/planos"
PDF, PNG, JPEG = "application/pdf", "image/png", "image/jpeg"
A3 = (1190, 842)


def a_pdf(pages: int = 1, password: str = "", colour: bool = False) -> bytes:
    """An isometric drawing of sorts; each page has its own number on it."""
    held = io.BytesIO()
    locked = StandardEncryption(password) if password else None
    sheet = canvas.Canvas(held, pagesize=A3, encrypt=locked, invariant=1)
    for page in range(1, pages + 1):
        if colour:
            sheet.setStrokeColorRGB(0.8, 0, 0)
        sheet.drawString(80, 60, f"MK-1335-CW-25238-011  HOJA {page} DE {pages}")
        sheet.lines([(200, 200, 600, 430), (600, 430, 600, 700), (600, 430, 1000, 200)])
        sheet.showPage()
    sheet.save()
    return held.getvalue()


def a_png(width: int = 80, height: int = 60, **options: Any) -> bytes:
    held = io.BytesIO()
    Image.new("RGB", (width, height), (255, 255, 255)).save(held, "PNG", **options)
    return held.getvalue()


def png_of(width: int, height: int, data: bytes) -> bytes:
    """A grey PNG whose header says this size, whatever its data unpack to."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, payload) for kind, payload in parts)


def _chunk(kind: bytes, payload: bytes) -> bytes:
    return struct.pack(">I", len(payload)) + kind + payload + struct.pack(">I", zlib.crc32(kind + payload))
