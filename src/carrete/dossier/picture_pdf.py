"""A stored picture as a PDF of one page that has nothing but that picture, its packed bytes copied as they are.

The typesetter unpacks every PNG and JPEG that it is given and keeps all of them until the end: fifty drawings took
400 MB. A page of a PDF it copies."""

from __future__ import annotations

import struct
from dataclasses import dataclass

_PNG = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1}  # of a PNG's colour type; the types with transparency cannot be copied
_SPACES = {1: b"/DeviceGray", 3: b"/DeviceRGB", 4: b"/DeviceCMYK"}
_FRAMES = (0xC0, 0xC1, 0xC2)


@dataclass(frozen=True, slots=True)
class _PackedImage:
    width: int
    height: int
    entries: bytes  # of the image's dictionary: colours, bits and how it is packed
    data: bytes


def picture_pdf(content: bytes) -> bytes | None:
    """None for a picture with transparency, which has to be unpacked."""
    packed = _of_png(content) if content.startswith(_PNG) else _of_jpeg(content)
    return None if packed is None else _one_page(packed)


def _of_png(content: bytes) -> _PackedImage | None:
    width, height, depth, colour = struct.unpack_from(">IIBB", content, 16)
    chunks = list(_chunks(content))
    if colour not in _CHANNELS or any(kind == b"tRNS" for kind, _ in chunks):
        return None
    channels = _CHANNELS[colour]
    space = _SPACES[channels]
    if colour == 3:
        palette = next((payload for kind, payload in chunks if kind == b"PLTE"), b"\0\0\0")
        space = b"[/Indexed /DeviceRGB %d <%s>]" % (len(palette) // 3 - 1, palette.hex().encode())
    rows = b"<< /Predictor 15 /Colors %d /BitsPerComponent %d /Columns %d >>" % (channels, depth, width)
    entries = b"/ColorSpace %s /BitsPerComponent %d /Filter /FlateDecode /DecodeParms %s" % (space, depth, rows)
    return _PackedImage(width, height, entries, b"".join(payload for kind, payload in chunks if kind == b"IDAT"))


def _chunks(content: bytes) -> list[tuple[bytes, bytes]]:
    """The picture was checked when it was stored."""
    found, at = [], len(_PNG)
    while at + 12 <= len(content):
        length, kind = struct.unpack_from(">I4s", content, at)
        found.append((kind, content[at + 8 : at + 8 + length]))
        at += 12 + length
    return found


def _of_jpeg(content: bytes) -> _PackedImage | None:
    at = 2
    adobe = False
    while at + 9 < len(content):
        marker, length = content[at + 1], int.from_bytes(content[at + 2 : at + 4])
        if marker in _FRAMES:
            height, width, channels = struct.unpack_from(">HHB", content, at + 5)
            if channels not in _SPACES:
                return None
            # Programs of Adobe store the four inks inverted.
            inverted = b" /Decode [1 0 1 0 1 0 1 0]" if channels == 4 and adobe else b""
            entries = b"/ColorSpace %s /BitsPerComponent 8 /Filter /DCTDecode%s" % (_SPACES[channels], inverted)
            return _PackedImage(width, height, entries, content)
        adobe |= marker == 0xEE
        at += 2 + length
    return None


def _one_page(image: _PackedImage) -> bytes:
    drawn = b"q %d 0 0 %d 0 0 cm /I Do Q" % (image.width, image.height)
    size = b"/Width %d /Height %d" % (image.width, image.height)
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d]" % (image.width, image.height)
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        page + b" /Resources << /XObject << /I 5 0 R >> >> /Contents 4 0 R >>",
        _stream(b"", drawn),
        _stream(b"/Type /XObject /Subtype /Image " + size + b" " + image.entries, image.data),
    )
    made, places = bytearray(b"%PDF-1.7\n"), []
    for number, content in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    begins = len(made)
    made += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    made += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, begins)
    return bytes(made)


def _stream(entries: bytes, data: bytes) -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(data), data)
