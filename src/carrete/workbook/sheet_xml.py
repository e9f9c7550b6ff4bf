"""Measures the XML of a workbook before the library reads it: cells, rows, columns, text and formula errors.

Nearly every program writes its cells the same way, `<c r="A1"`: those are counted by a regular expression. A sheet
that is written in another way is read cell by cell with an XML parser.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from xml.parsers import expat

from carrete.workbook.limits import CELLS_MAX, STRINGS_MAX, TEXT_CHARS_MAX

TAG_BYTES_MAX = 64 * 1024
_CELL = re.compile(rb'<c r="([A-Z]{1,3})([0-9]{1,7})"')
_ROW = re.compile(rb'<row r="([0-9]{1,7})"')
# Cells and rows that are written in another way, or with a prefix. Each pattern begins with letters: that is fast.
_UNUSUAL = [re.compile(each) for each in (rb"<c[\t\n\r/>]", rb":c[\s/>]", rb"<row[\t\n\r/>]", rb":row[\s/>]")]
_STRING = re.compile(rb"<(?:[^\s<>/!?:]+:)?si[\s/>]")
_STRING_WITH_PREFIX = re.compile(rb":si[\s/>]")
_DECLARATION = re.compile(rb"<!(?!--|\[CDATA\[)")
_REFERENCE = re.compile(r"([A-Z]+)([0-9]+)")
_ERROR = (b't="e"', b"t='e'")
_STRING_MARKUP_BYTES = len("<si><t></t></si>")


class FileRefused(Exception):
    """The message is the end of a sentence that begins with the name of the file."""


class TagBuffer:
    """Cuts the text of a part into blocks that never end within a tag."""

    def __init__(self) -> None:
        self._rest = b""

    def whole(self, chunk: bytes) -> bytes:
        text = self._rest + chunk
        cut = text.rfind(b"<")
        if cut < 0 or len(text) - cut > TAG_BYTES_MAX:  # a long text, not a tag
            cut = len(text)
        self._rest = text[cut:]
        return text[:cut]

    def last(self) -> bytes:
        return self._rest


def require_no_declaration(text: bytes) -> None:
    if _DECLARATION.search(text):
        raise FileRefused("declara entidades o un tipo de documento (DTD), que un .xlsx no lleva.")


@dataclass(slots=True)
class SheetExtent:
    """Counts the rows, columns and cells of a sheet. `usual`: all cells are written in the usual way, so the counts are
    complete."""

    rows: int = 0
    columns: int = 0
    cells: int = 0
    usual: bool = True
    errors: bool = False
    _buffer: TagBuffer = field(default_factory=TagBuffer)

    def feed(self, chunk: bytes) -> None:
        self._count(self._buffer.whole(chunk))

    def close(self) -> None:
        self._count(self._buffer.last())

    def _count(self, text: bytes) -> None:
        require_no_declaration(text)
        self.errors = self.errors or any(mark in text for mark in _ERROR)
        cells, rows = _CELL.findall(text), _ROW.findall(text)
        numbers = {*rows, *(number for _, number in cells)}
        letters = {letters for letters, _ in cells}
        self.rows = max(self.rows, *map(int, numbers), 0)
        self.columns = max(self.columns, *(column_number(each.decode()) for each in letters), 0)
        self.cells += len(cells)
        self.usual = self.usual and _all_usual(text, len(cells), len(rows))
        require_few_cells(self.rows, self.columns, self.cells)


def _all_usual(text: bytes, cells: int, rows: int) -> bool:
    """Whether the regular expressions have found every cell and row of this text."""
    counted = (text.count(b"<c "), text.count(b"<row ")) == (cells, rows)
    return counted and not any(each.search(text) for each in _UNUSUAL)


def require_few_cells(rows: int, columns: int, cells: int) -> None:
    if rows * columns > CELLS_MAX:
        raise FileRefused(
            f"tiene una hoja que llega hasta la celda {column_letters(columns)}{rows}: "
            "borre las filas y columnas vacías del final y guárdelo de nuevo."
        )
    if cells > CELLS_MAX:
        raise FileRefused(f"tiene una hoja con más de {CELLS_MAX} celdas: divídala en varios archivos.")


@dataclass(slots=True)
class StringCounter:
    """Counts the shared strings, and measures the longest one with its markup."""

    count: int = 0
    longest: int = 0
    usual: bool = True  # no tag has a prefix; otherwise both counts are wrong
    _open: int = 0  # bytes since the start of the last string
    _buffer: TagBuffer = field(default_factory=TagBuffer)

    def feed(self, chunk: bytes) -> None:
        self._count(self._buffer.whole(chunk))

    def close(self) -> None:
        self._count(self._buffer.last())

    def _count(self, text: bytes) -> None:
        require_no_declaration(text)
        lengths = [len(part) for part in text.split(b"<si")]
        lengths[0] += self._open
        if not self.count:
            lengths[0] = 0  # the text before the first string
        self._open = lengths[-1]
        self.count += len(lengths) - 1
        self.longest = max(self.longest, *lengths, 0)
        self.usual = self.usual and not _STRING_WITH_PREFIX.search(text)
        if self.count > STRINGS_MAX:
            raise FileRefused(f"tiene más de {STRINGS_MAX} textos.")


def string_lengths(chunks: Iterable[bytes]) -> array[int]:
    """The length of each shared string in bytes."""
    buffer, starts, at = TagBuffer(), array("L"), 0

    def note(text: bytes) -> None:
        nonlocal at
        starts.extend(at + found.start() for found in _STRING.finditer(text))
        at += len(text)
        if len(starts) > STRINGS_MAX:
            raise FileRefused(f"tiene más de {STRINGS_MAX} textos.")

    for chunk in chunks:
        note(buffer.whole(chunk))
    note(buffer.last())
    starts.append(at)
    return array("L", (max(0, end - start - _STRING_MARKUP_BYTES) for start, end in pairwise(starts)))


class CellWalker:
    """Goes through a sheet cell by cell. A row or a cell without a reference follows the one before it; a reference
    holds for its own cell only. Counts the text of the cells, and finds those that show #REF!, #N/A and the like."""

    def __init__(self, lengths: Sequence[int]) -> None:
        self._lengths = lengths
        self._row = 0
        self._column = 0
        self._index: list[str] | None = None  # the text of a `<v>` that holds the number of a shared string
        self._is_shared = False
        self.rows = self.columns = self.cells = self.text = 0
        self.errors: list[tuple[int, int]] = []

    def through(self, chunks: Iterable[bytes]) -> CellWalker:
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = _no_document_type
        for chunk in chunks:
            parser.Parse(chunk, False)
        parser.Parse(b"", True)
        return self

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        kind = tag.rpartition(":")[2]
        if kind == "row":
            number = attributes.get("r", "").strip()
            self._row = int(number) if number.isdecimal() and len(number) < 10 else self._row + 1
            self._column = 0
        elif kind == "c":
            self._cell(attributes)
        elif kind == "v" and self._is_shared:
            self._index = []

    def _cell(self, attributes: dict[str, str]) -> None:
        row = self._row
        if reference := _REFERENCE.fullmatch(attributes.get("r", "").strip().upper()):
            row, self._column = int(reference[2][:9]), column_number(reference[1][:9])
        else:
            self._column += 1
        self.cells += 1
        self.rows, self.columns = max(self.rows, row), max(self.columns, self._column)
        require_few_cells(self.rows, self.columns, self.cells)
        kind = attributes.get("t", "").strip()
        self._is_shared = kind == "s"
        if kind == "e":
            self.errors.append((row - 1, self._column - 1))

    def _text(self, text: str) -> None:
        if self._index is not None:
            self._index.append(text)

    def _end(self, _tag: str) -> None:
        if self._index is None:
            return
        text, self._index = "".join(self._index).strip(), None
        number = int(text) if text.isdecimal() and len(text) < 10 else len(self._lengths)
        self.text += self._lengths[number] if number < len(self._lengths) else 0
        require_little_text(self.text)


def require_little_text(characters: int) -> None:
    if characters > TEXT_CHARS_MAX:
        raise FileRefused(f"tiene demasiado texto: más de {TEXT_CHARS_MAX} caracteres en sus celdas.")


def _no_document_type(*_: object) -> None:
    require_no_declaration(b"<!DOCTYPE")


def column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


def column_letters(number: int) -> str:
    letters = ""
    while number:
        number, letter = divmod(number - 1, 26)
        letters = chr(65 + letter) + letters
    return letters
