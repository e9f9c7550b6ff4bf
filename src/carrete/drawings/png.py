"""Reads and writes PNG without decoding its filters: what makes the picture is copied, everything else is left out."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from carrete.drawings.refusals import DrawingTooLarge, DrawingUnreadable

START = b"\x89PNG\r\n\x1a\n"
CHUNKS_MAX = 20_000
_KEPT = (b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND")
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_INFLATE_STEP_BYTES = 1 << 20
GREY, RGB, PALETTE = 0, 2, 3
_FILTERS_MAX = 4  # the highest of a row's filters
_TRANSPARENT_BYTES = {GREY: 2, RGB: 6}


class Png(NamedTuple):
    content: bytes
    width: int
    height: int


class _Header(NamedTuple):
    width: int
    height: int
    depth: int
    colour: int
    interlaced: int

    @property
    def data_bytes(self) -> int:
        """The length of the picture's data, unpacked: each row has one byte for its filter."""
        row = (self.width * self.depth * _CHANNELS[self.colour] + 7) // 8
        return self.height * (row + 1)


def rewritten(raw: bytes, side_px_max: int) -> Png:
    """The picture without texts, times, profiles and whatever follows its end."""
    header: _Header | None = None
    kept, data, seen = bytearray(START), bytearray(), dict[bytes, int]()
    for kind, payload in _chunks(raw):
        if header is None:
            header = _header(kind, payload, side_px_max)
        elif kind == b"IHDR":
            raise damaged()
        if kind == b"IDAT":
            data += payload
        elif kind in _KEPT:
            if kind == b"IEND":
                break
            if kind in seen or not _fits(kind, payload, header, seen.get(b"PLTE", 0)):
                raise damaged()
            seen[kind] = len(payload)
            kept += _chunk(kind, payload)
    else:
        raise damaged()
    if header.colour == PALETTE and b"PLTE" not in seen:
        raise damaged()
    _require_whole(bytes(data), header)
    kept += _chunk(b"IDAT", bytes(data)) + _chunk(b"IEND", b"")
    return Png(bytes(kept), header.width, header.height)


def _chunks(raw: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(START)
    for _ in range(CHUNKS_MAX):
        if at + 12 > len(raw):
            return
        length, kind = struct.unpack_from(">I4s", raw, at)
        payload = raw[at + 8 : at + 8 + length]
        end = at + 12 + length
        if end > len(raw) or zlib.crc32(kind + payload) != int.from_bytes(raw[end - 4 : end]):
            raise damaged()
        yield kind, payload
        at = end


def _header(kind: bytes, payload: bytes, side_px_max: int) -> _Header:
    if kind != b"IHDR" or len(payload) != 13:
        raise damaged()
    width, height, depth, colour, packing, filtering, interlaced = struct.unpack(">IIBBBBB", payload)
    if depth not in _DEPTHS.get(colour, ()) or packing or filtering or not width or not height:
        raise damaged()
    if interlaced:
        raise DrawingUnreadable("El PNG está entrelazado: guárdelo sin entrelazar.")
    if max(width, height) > side_px_max:
        raise DrawingTooLarge(f"La imagen tiene {width} × {height} puntos; a lo más {side_px_max} por lado.")
    return _Header(width, height, depth, colour, interlaced)


def _fits(kind: bytes, payload: bytes, header: _Header, palette_bytes: int) -> bool:
    """Whether a palette or its transparency belongs to such a picture: the typesetter refuses any other."""
    if kind == b"PLTE":
        colours = 1 << header.depth if header.colour == PALETTE else 256
        return len(payload) % 3 == 0 and 0 < len(payload) <= 3 * colours
    if kind == b"tRNS":
        if header.colour == PALETTE:
            return 0 < 3 * len(payload) <= palette_bytes
        return len(payload) == _TRANSPARENT_BYTES.get(header.colour)
    return True


def _require_whole(data: bytes, header: _Header) -> None:
    """The data must unpack to exactly the picture's size, a known filter at the start of each row: a file of a few kB
    can pack gigabytes."""
    expected, row = header.data_bytes, header.data_bytes // header.height
    unpacker, length, left = zlib.decompressobj(), 0, data
    try:
        while not unpacker.eof and length <= expected:
            piece = unpacker.decompress(left, _INFLATE_STEP_BYTES)
            if any(each > _FILTERS_MAX for each in piece[-length % row :: row]):
                raise damaged()
            length += len(piece)
            left = unpacker.unconsumed_tail
            if not piece and not left:
                break
    except zlib.error:
        raise damaged() from None
    if length != expected or not unpacker.eof or unpacker.unused_data:
        raise damaged()


def made(pixels: bytes, width: int, height: int, colour: int) -> Png:
    """A PNG of 8 bits a channel from rows without gaps between them."""
    row = width * _CHANNELS[colour]
    packer = zlib.compressobj(6)
    data = bytearray()
    for at in range(0, height * row, row):
        data += packer.compress(b"\0" + pixels[at : at + row])
    data += packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    chunks = _chunk(b"IHDR", header) + _chunk(b"IDAT", bytes(data)) + _chunk(b"IEND", b"")
    return Png(START + chunks, width, height)


def _chunk(kind: bytes, payload: bytes) -> bytes:
    return struct.pack(">I", len(payload)) + kind + payload + zlib.crc32(kind + payload).to_bytes(4)


def damaged() -> DrawingUnreadable:
    return DrawingUnreadable("La imagen está incompleta o dañada. Guárdela de nuevo.")
