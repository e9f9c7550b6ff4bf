"""Files that are made to crash their reader. Each is a small archive, written byte by byte.

`BOMBS` names each with the words that its refusal must have; those in `HARMLESS` only look dangerous.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
BOOK, BOOK_RELATIONS, ROOT = "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "_rels/.rels"
SHEET, STRINGS, STYLES = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/styles.xml"
CORNER = "XFD1048576"
MB = 1 << 20
DTD = b'<!DOCTYPE x [<!ENTITY a "ja">%b]>' % b"".join(
    b'<!ENTITY %c "%b">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9)
)


# ─── an archive, with whatever it says about itself ───────────────────────────────────────────────────────────


@dataclass
class Entry:
    """One part. Sizes and checksums that are not given are the right ones."""

    name: str
    content: bytes = b""
    packed: bytes | None = None  # as it stands in the archive, deflated
    says_size: int | None = None
    says_packed: int | None = None
    crc: int | None = None
    flags: int = 0
    offset: int | None = None  # where the directory says it is
    extra: bytes = b""
    at: int = field(default=0, init=False)

    @property
    def body(self) -> bytes:
        return deflated([self.content]) if self.packed is None else self.packed

    def head(self) -> tuple[int, int, int]:
        size = len(self.content) if self.says_size is None else self.says_size
        crc = zlib.crc32(self.content) if self.crc is None else self.crc
        return crc, len(self.body) if self.says_packed is None else self.says_packed, size


def deflated(pieces: Iterable[bytes]) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return b"".join(packer.compress(piece) for piece in pieces) + packer.flush()


def repeated(before: bytes, piece: bytes, times: int, after: bytes = b"") -> bytes:
    """Deflated text that repeats. The repeated part is packed once, so that a gigabyte is made in no time."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    start = packer.compress(before) + packer.flush(zlib.Z_FULL_FLUSH)
    middle = packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)
    return start + middle * times + packer.compress(after) + packer.flush()


def write_zip(path: Path, entries: Iterable[Entry]) -> Path:
    out, directory, count = bytearray(), bytearray(), 0
    for entry in entries:
        entry.at = len(out)
        name, (crc, packed, size) = entry.name.encode(), entry.head()
        out += struct.pack("<4s5H3L2H", b"PK\3\4", 20, entry.flags, 8, 0, 0, crc, packed, size, len(name), 0)
        out += name + entry.body
        offset = entry.at if entry.offset is None else entry.offset
        sizes = struct.pack("<3L3H", crc, packed, size, len(name), len(entry.extra), 0)
        directory += struct.pack("<4s6H", b"PK\1\2", 20, 20, entry.flags, 8, 0, 0) + sizes
        directory += struct.pack("<2H2L", 0, 0, 0, offset) + name + entry.extra
        count += 1
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count & 0xFFFF, count & 0xFFFF, len(directory), len(out), 0)
    path.write_bytes(bytes(out + directory) + end)
    return path


# ─── a workbook ───────────────────────────────────────────────────────────────────────────────────────────────


def sheet(cells: bytes, *, row: bytes = b'<row r="1">') -> bytes:
    return b'<worksheet xmlns="%b"><sheetData>%b%b</row></sheetData></worksheet>' % (MAIN.encode(), row, cells)


IN_THE_CORNER = b'<c r="XFD1048576"><v>1</v></c>'
HEADER = b'<c r="A1" t="inlineStr"><is><t>TAG_SPOOL</t></is></c>'


def workbook(
    path: Path,
    *,
    sheet_entry: Entry | None = None,
    more: Iterable[Entry] = (),
    target: str = "worksheets/sheet1.xml",
    names: Iterable[str] = ("Operaciones",),
    book: bytes | None = None,
) -> Path:
    each = "".join(f'<sheet name="{name}" sheetId="{n}" r:id="rId1"/>' for n, name in enumerate(names, 1))
    index = f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{each}</sheets></workbook>'.encode()
    relations = "".join(
        f'<Relationship Id="{id_}" Type="{OFFICE}/{kind}" Target="{where}"/>'
        for id_, kind, where in (
            ("rId1", "worksheet", target),
            ("rId2", "sharedStrings", "sharedStrings.xml"),
            ("rId3", "styles", "styles.xml"),
        )
    )
    root = f'<Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="{BOOK}"/>'
    entries = [
        Entry(ROOT, f'<Relationships xmlns="{PACKAGE}">{root}</Relationships>'.encode()),
        Entry(BOOK_RELATIONS, f'<Relationships xmlns="{PACKAGE}">{relations}</Relationships>'.encode()),
        Entry(BOOK, book or index),
        sheet_entry or Entry(SHEET, sheet(HEADER)),
        *more,
    ]
    return write_zip(path, entries)


def of_cells(cells: bytes, row: bytes = b'<row r="1">') -> Callable[[Path], Path]:
    return lambda path: workbook(path, sheet_entry=Entry(SHEET, sheet(HEADER + cells, row=row)))


def of_packed(packed: bytes, size: int, name: str = SHEET) -> Callable[[Path], Path]:
    """An archive in which one part is this one, with the right size and a wrong checksum."""
    entry = Entry(name, packed=packed, says_size=size, crc=0)
    return lambda path: workbook(path, sheet_entry=entry) if name == SHEET else workbook(path, more=[entry])


def strings(*texts: str, prefix: str = "") -> bytes:
    items = "".join(f"<{prefix}si><{prefix}t>{text}</{prefix}t></{prefix}si>" for text in texts)
    return f'<{prefix}sst xmlns:x="{MAIN}" xmlns="{MAIN}">{items}</{prefix}sst>'.encode()


# ─── what makes each of them dangerous ────────────────────────────────────────────────────────────────────────


def _referring(cells: int, prefix: str = "") -> bytes:
    """A sheet in which each row has one cell, and each cell refers to the first shared string."""
    row = f'<{prefix}row r="%d"><{prefix}c r="B%d" t="s"><{prefix}v>0</{prefix}v></{prefix}c></{prefix}row>'
    rows = "".join(row % (n, n) for n in range(2, cells + 2))
    names = f'xmlns:x="{MAIN}" xmlns="{MAIN}"'
    header = f'<row r="1">{HEADER.decode()}</row>'
    return f"<worksheet {names}><sheetData>{header}{rows}</sheetData></worksheet>".encode()


def long_string_in_many_cells(prefix: str = "") -> Callable[[Path], Path]:
    def make(path: Path) -> Path:
        text = Entry(STRINGS, strings("x" * 32_767, prefix=prefix))
        return workbook(path, sheet_entry=Entry(SHEET, _referring(50_000, prefix)), more=[text])

    return make


def medium_strings_in_very_many_cells(path: Path) -> Path:
    """Many short shared strings, which are long together."""
    text = Entry(STRINGS, strings("x" * 900))
    return workbook(path, sheet_entry=Entry(SHEET, _referring(120_000)), more=[text])


def lying_size(says: int) -> Callable[[Path], Path]:
    """The directory declares another end of the sheet, with the right checksum for that length."""
    content = sheet(HEADER + IN_THE_CORNER)
    entry = Entry(SHEET, content, says_size=says, crc=zlib.crc32(content[:says]))
    return lambda path: workbook(path, sheet_entry=entry)


def sheet_elsewhere(target: str, name: str) -> Callable[[Path], Path]:
    part = Entry(name, sheet(HEADER + IN_THE_CORNER))
    return lambda path: workbook(path, sheet_entry=part, target=target)


def with_a_prefix(path: Path) -> Path:
    row = '<x:row r="1"><x:c r="XFD1048576"><x:v>1</x:v></x:c></x:row>'
    text = f'<x:worksheet xmlns:x="{MAIN}"><x:sheetData>{row}</x:sheetData></x:worksheet>'
    return workbook(path, sheet_entry=Entry(SHEET, text.encode()))


def overlapping(path: Path) -> Path:
    """The directory names the same stream as the sheet and as the shared strings."""
    body = repeated(sheet(HEADER)[:-20], b" " * MB, 400)
    first = Entry(SHEET, packed=body, says_size=400 * MB, crc=0)
    workbook(path, sheet_entry=first)  # now it is known where the first one stands
    second = Entry(STRINGS, packed=b"", says_packed=len(body), says_size=400 * MB, crc=0, offset=first.at)
    return workbook(path, sheet_entry=first, more=[second])


def zip64_lies(path: Path) -> Path:
    extra = struct.pack("<2H2Q", 1, 16, 1 << 62, 1 << 62)
    part = Entry(SHEET, sheet(HEADER), says_size=0xFFFFFFFF, says_packed=0xFFFFFFFF, extra=extra)
    return workbook(path, sheet_entry=part)


def truncated(path: Path) -> Path:
    whole = workbook(path).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    return path


def twice(path: Path) -> Path:
    """Two sheets under one name in the archive; one of them is harmless."""
    bad = Entry(SHEET, sheet(HEADER + IN_THE_CORNER))
    return workbook(path, sheet_entry=Entry(SHEET, sheet(HEADER)), more=[bad])


def binary_workbook(path: Path) -> Path:
    root = f'<Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="xl/workbook.bin"/>'
    relations = f'<Relationships xmlns="{PACKAGE}">{root}</Relationships>'.encode()
    return write_zip(path, [Entry(ROOT, relations), Entry("xl/workbook.bin", b"\x83\x01\x00")])


def open_document(path: Path) -> Path:
    mimetype = Entry("mimetype", b"application/vnd.oasis.opendocument.spreadsheet")
    return write_zip(path, [mimetype, Entry("content.xml", b"<office:document-content/>")])


def old_format(path: Path) -> Path:
    path.write_bytes(bytes.fromhex("D0CF11E0A1B11AE1") + bytes(4_096))
    return path


def many_entries(path: Path) -> Path:
    return workbook(path, more=[Entry(f"x/{n}") for n in range(60_000)])


def half_a_million_parts(path: Path) -> Path:
    """The directory names the same part over and over."""
    whole = workbook(path).read_bytes()
    *_, count, _, offset, _ = struct.unpack("<4s4H2LH", whole[-22:])
    directory = whole[offset:-22]
    many = directory * (500_000 // count)
    path.write_bytes(whole[:offset] + many + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(many), offset, 0))
    return path


def utf_16(path: Path) -> Path:
    text = sheet(HEADER + IN_THE_CORNER).decode()
    return workbook(path, sheet_entry=Entry(SHEET, ('<?xml version="1.0" encoding="UTF-16"?>' + text).encode("utf-16")))


def with_dtd(name: str) -> Callable[[Path], Path]:
    def make(path: Path) -> Path:
        if name == BOOK:
            return workbook(path, book=DTD + b'<workbook xmlns="%b">&j;</workbook>' % MAIN.encode())
        if name == SHEET:
            text = HEADER.replace(b"TAG_SPOOL", b"&j;")
            return workbook(path, sheet_entry=Entry(SHEET, DTD + sheet(text)))
        return workbook(path, sheet_entry=Entry(SHEET, _referring(10)), more=[Entry(STRINGS, DTD + strings("&j;"))])

    return make


def rows_without_end(path: Path) -> Path:
    rows = b"".join(b'<row r="%d"><c r="A%d"><v>1</v></c></row>' % (n, n) for n in range(2, 250_000))
    content = b'<worksheet xmlns="%b"><sheetData><row r="1">%b</row>%b</sheetData></worksheet>' % (
        MAIN.encode(),
        HEADER,
        rows,
    )
    return workbook(path, sheet_entry=Entry(SHEET, content))


_INFLATED = "más de 100 MB al descomprimirlo"
_CORNER = f"llega hasta la celda {CORNER}"
_DAMAGED = "está dañado"
_TEXT = "demasiado texto"
_DTD = "DTD"
_MANY_CELLS = b"<row r='1'>" + b'<c r="A1"/>' * 100_000 + b"</row>"
_START = b'<worksheet xmlns="%b"><sheetData>' % MAIN.encode()

BOMBS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "small letters": (of_cells(b'<c r="xfd1048576"><v>1</v></c>'), _CORNER),
    "after a tab": (of_cells(b'<c\tr="XFD1048576"><v>1</v></c>'), _CORNER),
    "after a line end": (of_cells(b'<c\nr="XFD1048576"><v>1</v></c>'), _CORNER),
    "in single quotes": (of_cells(b"<c r='XFD1048576'><v>1</v></c>"), _CORNER),
    "after blanks": (of_cells(b'<c  s = "0"   r = "XFD1048576"><v>1</v></c>'), _CORNER),
    "after a bracket in another attribute": (of_cells(b'<c x=">" r="XFD1048576"><v>1</v></c>'), _CORNER),
    "behind a false reference": (of_cells(b"""<c x=' r="A1"' r="XFD1048576"><v>1</v></c>"""), _CORNER),
    "with a prefix": (with_a_prefix, _CORNER),
    "cells that do not say where": (
        of_cells(b"</row><row r='1048576'>" + b"<c><v>1</v></c>" * 16_384),
        "llega hasta la celda C1048576",
    ),
    "cells that follow one that says where": (
        of_cells(b'<c r="XFC2"><v>1</v></c><c><v>1</v></c>', b'<row r="1048576">'),
        "llega hasta la celda",
    ),
    "letters without end": (of_cells(b'<c r="ZZZZZZZZZZZZ1"><v>1</v></c>'), "llega hasta la celda"),
    "a row without end": (of_cells(b'<c r="A99999999999999"><v>1</v></c>'), "llega hasta la celda"),
    "sheet in another folder": (sheet_elsewhere("../otra/hoja.xml", "otra/hoja.xml"), _CORNER),
    "sheet by an absolute path": (sheet_elsewhere("/hoja.bin", "hoja.bin"), _CORNER),
    "sheet in capitals": (sheet_elsewhere("WORKSHEETS/SHEET1.XML", SHEET), _CORNER),
    "a size that is too small": (lying_size(120), "no se puede leer como .xlsx"),
    "a size that is too large": (lying_size(10_000), _CORNER),
    "a sheet of a gigabyte": (of_packed(repeated(_START, b" " * MB, 1024), 1024 * MB), _INFLATED),
    "a gigabyte that says it is a kilobyte": (of_packed(repeated(_START, b" " * MB, 1024), 1024), _DAMAGED),
    "texts of a gigabyte": (of_packed(repeated(b"<sst>", b"x" * MB, 1024), 1024 * MB, STRINGS), _INFLATED),
    "styles of a gigabyte": (
        of_packed(repeated(b"<styleSheet>", b"<xf/>" * 200_000, 1024), 1024 * MB, STYLES),
        _INFLATED,
    ),
    "millions of empty texts": (
        of_packed(repeated(b"<sst>", b"<si/>" * 200_000, 60, b"</sst>"), 60 * MB, STRINGS),
        "más de 2000000 textos",
    ),
    "millions of cells in one place": (
        of_packed(repeated(_START, _MANY_CELLS, 50, b"</sheetData></worksheet>"), 90 * MB),
        "más de 3000000 celdas",
    ),
    "one long text in thousands of cells": (long_string_in_many_cells(), _TEXT),
    "one long text in thousands of cells, with a prefix": (long_string_in_many_cells("x:"), _TEXT),
    "many texts of middle length": (medium_strings_in_very_many_cells, _TEXT),
    "texts in the cells themselves": (
        of_packed(
            repeated(_START + b"<row>", b"<c t='inlineStr'><is><t>%b</t></is></c>" % (b"x" * 32_767), 4_000), 130 * MB
        ),
        _INFLATED,
    ),
    "a quarter of a million rows": (rows_without_end, "más de 200000 filas"),
    "entities in the workbook": (with_dtd(BOOK), _DTD),
    "entities in the sheet": (with_dtd(SHEET), _DTD),
    "entities in the texts": (with_dtd(STRINGS), _DTD),
    "thousands of sheets": (
        lambda path: workbook(path, names=[f"Hoja {n}" for n in range(20_000)]),
        "más de 1000 hojas",
    ),
    "a hundred megabytes of index": (
        of_packed(repeated(b"<Relationships>", b"<a/>" * 250_000, 100), 100 * MB, ROOT),
        "más de 4 MB",
    ),
    "one name twice": (twice, _CORNER),
    "two parts in one place": (overlapping, _DAMAGED),
    "cut in half": (truncated, _DAMAGED),
    "locked with a password": (
        lambda path: workbook(path, sheet_entry=Entry(SHEET, sheet(HEADER), flags=1)),
        "protegido con contraseña",
    ),
    "an .xlsb": (binary_workbook, "es un .xlsb"),
    "an .ods": (open_document, "es un .ods"),
    "an old .xls": (old_format, ".xls antiguo"),
    "half a million parts": (half_a_million_parts, "demasiada memoria"),
    "a text that is not there": (of_cells(b'<c r="B1" t="s"><v>99999999</v></c>'), ""),
    "a text below zero": (of_cells(b'<c r="B1" t="s"><v>-1</v></c>'), ""),
    "in another alphabet": (utf_16, ""),
    "without an end": (
        lambda path: workbook(path, sheet_entry=Entry(SHEET, sheet(HEADER + b"<c x='1'/>")[:-30])),
        "",
    ),
}

# Odd, and yet there is nothing in them that could not be read.
HARMLESS: dict[str, Callable[[Path], Path]] = {
    "sixty thousand parts": many_entries,
    "sizes of exabytes": zip64_lies,
    "a size that is too large": lambda path: workbook(path, sheet_entry=Entry(SHEET, sheet(HEADER), says_size=10_000)),
}
