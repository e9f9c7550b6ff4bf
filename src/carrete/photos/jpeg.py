"""Rewrites a JPEG segment by segment: what makes the picture is copied, everything else is left out.

Cameras write where and when a picture was taken into it, and a file can be a JPEG and something else at once: a page,
a script, an archive. Neither leaves this module: application segments and comments are dropped, so is whatever follows
the end of the picture, and the tables are checked for their exact length. No pixel is decoded."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from carrete.photos.refusals import NotAJpeg, PhotoTooLarge, PhotoUnreadable

SIDE_PX_MAX = 1600
BYTES_MAX = 400_000
SEGMENTS_MAX = 500  # a progressive picture has some thirty

_SOI, _EOI, _SOS, _DQT, _DHT, _DRI = 0xD8, 0xD9, 0xDA, 0xDB, 0xC4, 0xDD
_FRAMES = (0xC0, 0xC1, 0xC2)  # baseline, extended and progressive, with Huffman codes
_OTHER_FRAMES = (0xC3, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF)  # no browser shows these
_RESTARTS = range(0xD0, 0xD8)
_JFIF, _ADOBE, _APPLICATION, _COMMENT = 0xE0, 0xEE, range(0xE0, 0xF0), 0xFE
_JFIF_LENGTH = 14  # without the small picture that may follow
_ADOBE_LENGTH = 12
_COLOURS = (1, 3, 4)

# How other files begin, for a sentence that says what it was.
_OTHERS = (
    (b"\x89PNG", "PNG"),
    (b"GIF8", "GIF"),
    (b"RIFF", "WebP"),
    (b"BM", "BMP"),
    (b"II*\0", "TIFF"),
    (b"MM\0*", "TIFF"),
    (b"%PDF", "PDF"),
    (b"PK", "ZIP"),
    (b"<", "SVG o HTML"),
)


class JpegLimits(NamedTuple):
    bytes_max: int = BYTES_MAX
    side_px_max: int = SIDE_PX_MAX


PHOTO = JpegLimits()


class Picture(NamedTuple):
    content: bytes
    width: int
    height: int


class _Segment(NamedTuple):
    marker: int
    payload: bytes
    end: int  # where the next one begins


def rewritten(raw: bytes, limits: JpegLimits = PHOTO) -> Picture:
    """The picture without anything that does not belong to it. Raises the Refusal for every other file."""
    if len(raw) > limits.bytes_max:
        raise PhotoTooLarge(f"La foto pasa de {limits.bytes_max // 1000} kB.")
    if not raw.startswith(b"\xff\xd8\xff"):
        raise NotAJpeg(_what_it_is(raw))
    kept = bytearray(b"\xff\xd8")
    size: tuple[int, int] | None = None
    at, scans = 2, 0
    for _ in range(SEGMENTS_MAX):
        segment = _segment(raw, at)
        at = segment.end
        if segment.marker == _EOI:
            if not scans or size is None:
                raise _damaged()
            return Picture(bytes(kept) + b"\xff\xd9", *size)
        if segment.marker in _FRAMES:
            if size is not None:
                raise _damaged()
            size = _size(segment.payload, limits.side_px_max)
        if (payload := _kept(segment)) is not None:
            kept += b"\xff" + bytes((segment.marker,)) + (len(payload) + 2).to_bytes(2) + payload
        if segment.marker == _SOS:
            if size is None:
                raise _damaged()
            scans += 1
            end = _end_of_scan(raw, at)
            kept += raw[at:end]
            at = end
    raise _damaged()


def _segment(raw: bytes, at: int) -> _Segment:
    """The marker at this place, after any fill bytes, with its payload."""
    if at >= len(raw) or raw[at] != 0xFF:
        raise _damaged()
    while at < len(raw) and raw[at] == 0xFF:
        at += 1
    if at >= len(raw):
        raise _damaged()
    marker, begins = raw[at], at + 1
    if marker == _EOI:
        return _Segment(marker, b"", begins)
    length = int.from_bytes(raw[begins : begins + 2])
    end = begins + length
    if length < 2 or end > len(raw):
        raise _damaged()
    return _Segment(marker, raw[begins + 2 : end], end)


def _kept(segment: _Segment) -> bytes | None:
    """What is written of a segment; None when it is left out."""
    marker, payload = segment.marker, segment.payload
    if marker in _OTHER_FRAMES:
        raise PhotoUnreadable("Es un JPEG de una clase que los navegadores no muestran. Tome la foto de nuevo.")
    if marker == _JFIF and payload.startswith(b"JFIF\0") and len(payload) >= _JFIF_LENGTH:
        return payload[: _JFIF_LENGTH - 2] + b"\0\0"  # the last two bytes: there is no small picture in it
    if marker == _ADOBE and payload.startswith(b"Adobe") and len(payload) >= _ADOBE_LENGTH:
        return payload[:_ADOBE_LENGTH]  # says how the colours are meant
    if marker in _APPLICATION or marker == _COMMENT:
        return None
    if not _is_exact(marker, payload):
        raise _damaged()
    return payload


def _is_exact(marker: int, payload: bytes) -> bool:
    """Whether the segment is one that a picture needs, of exactly the length that its content says: nothing hides
    behind it."""
    if marker in _FRAMES:
        return len(payload) >= 6 and len(payload) == 6 + 3 * payload[5]
    if marker == _SOS:
        return bool(payload) and len(payload) == 4 + 2 * payload[0]
    if marker == _DRI:
        return len(payload) == 2
    if marker == _DQT:
        return _tables_fit(payload, lambda at: 1 + (128 if payload[at] >> 4 else 64))
    if marker == _DHT:
        return _tables_fit(payload, lambda at: 17 + sum(payload[at + 1 : at + 17]))
    return False


def _tables_fit(payload: bytes, length_at: Callable[[int], int]) -> bool:
    """Whether whole tables, each of the length that its own beginning says, fill the segment."""
    at = 0
    while at < len(payload):
        at += length_at(at)
    return at == len(payload) > 0


def _size(payload: bytes, side_px_max: int) -> tuple[int, int]:
    if len(payload) < 6 or payload[0] != 8 or payload[5] not in _COLOURS:
        raise _damaged()
    height, width = int.from_bytes(payload[1:3]), int.from_bytes(payload[3:5])
    if not height or not width:
        raise _damaged()
    if max(height, width) > side_px_max:
        raise PhotoTooLarge(f"La foto tiene {width} × {height} puntos; a lo más {side_px_max} por lado.")
    return width, height


def _end_of_scan(raw: bytes, at: int) -> int:
    """Where the coded picture ends and a marker begins. Inside it, 0xFF is followed by 0 or by a restart marker."""
    begins = at
    while (at := raw.find(b"\xff", at)) >= 0 and at + 1 < len(raw):
        follows = raw[at + 1]
        if follows != 0 and follows not in _RESTARTS:
            if at == begins:
                break  # a scan without any picture in it
            return at
        at += 2
    raise _damaged()


def _what_it_is(raw: bytes) -> str:
    kind = "HEIC" if raw[4:8] == b"ftyp" else next((name for begins, name in _OTHERS if raw.startswith(begins)), None)
    if not raw:
        return "El archivo está vacío."
    what = f"Es un archivo {kind}" if kind else "El archivo no es una imagen conocida"
    return f"{what}: aquí sólo se guardan fotos JPEG."


def _damaged() -> PhotoUnreadable:
    return PhotoUnreadable("La foto está incompleta o dañada. Tómela de nuevo.")
