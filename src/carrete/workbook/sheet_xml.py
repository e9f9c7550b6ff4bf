"""What the reading library does not tell about a sheet: how far it reaches, and which cells are formula errors."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree
from xml.parsers import expat

CHUNK_BYTES = 1 << 20
TAG_BYTES_MAX = 512  # a cell's tag that is cut by the end of a chunk is found with the next one
_PARTS = "xl/worksheets/"
_CELL = re.compile(rb"""<(?:\w+:)?c (?:[^<>]* )?r=["']([A-Z]{1,3})([0-9]{1,7})["']""")
_PLACE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_ERROR = (b't="e"', b"t='e'")
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_STRICT_RELATION = "{http://purl.oclc.org/ooxml/officeDocument/relationships}id"


@dataclass(frozen=True, slots=True)
class Extent:
    """The last row and column of a sheet, and whether any of its cells may be an error."""

    rows: int = 0
    columns: int = 0
    errors: bool = False

    @property
    def corner(self) -> str:
        return f"{column_letters(self.columns)}{self.rows}"


def sheet_parts(archive: zipfile.ZipFile) -> list[str]:
    return [name for name in archive.namelist() if name.startswith(_PARTS) and name.endswith(".xml")]


def extent(archive: zipfile.ZipFile, part: str) -> Extent:
    """By its cells: a `<dimension>` is optional, and nothing makes it true."""
    rows, columns, errors = 0, 0, False
    for chunk in _overlapping(archive, part):
        errors = errors or any(mark in chunk for mark in _ERROR)
        places = _CELL.findall(chunk)
        rows = max(rows, *map(int, {number for _, number in places}), 0)
        columns = max(columns, *(column_number(letters.decode()) for letters in {letters for letters, _ in places}), 0)
    return Extent(rows, columns, errors)


def _overlapping(archive: zipfile.ZipFile, part: str) -> Iterator[bytes]:
    tail = b""
    with archive.open(part) as file:
        while chunk := file.read(CHUNK_BYTES):
            yield tail + chunk
            tail = chunk[-TAG_BYTES_MAX:]


def parts_by_sheet(archive: zipfile.ZipFile) -> dict[str, str]:
    """Where in the file each sheet is, by the name that people see."""
    relations = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    targets = {each.get("Id"): each.get("Target", "") for each in relations}
    found = {}
    for each in ElementTree.fromstring(archive.read("xl/workbook.xml")).iter():
        relation = each.get(_RELATION) or each.get(_STRICT_RELATION)
        if relation in targets and (name := each.get("name")):
            target = targets[relation]
            found[name] = target[1:] if target.startswith("/") else f"xl/{target}"
    return found


def error_cells(archive: zipfile.ZipFile, part: str) -> list[tuple[int, int]]:
    """Row and column, from 0, of every cell that shows #REF!, #N/A and the like."""
    walk = _Walk()
    parser = expat.ParserCreate()
    parser.StartElementHandler = walk.start
    with archive.open(part) as file:
        parser.ParseFile(file)
    return walk.errors


class _Walk:
    """Rows and cells may leave out where they are: then they follow the one before."""

    def __init__(self) -> None:
        self.row = 0
        self.column = 0
        self.errors: list[tuple[int, int]] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        kind = tag.rpartition(":")[2]
        if kind == "row":
            self.row = int(attributes.get("r") or self.row + 1)
            self.column = 0
        elif kind == "c":
            self._cell(attributes)

    def _cell(self, attributes: dict[str, str]) -> None:
        if place := _PLACE.fullmatch(attributes.get("r", "")):
            self.row, self.column = int(place[2]), column_number(place[1])
        else:
            self.column += 1
        if attributes.get("t") == "e":
            self.errors.append((self.row - 1, self.column - 1))


def column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


def column_letters(number: int) -> str:
    letters = ""
    while number:
        number, place = divmod(number - 1, 26)
        letters = chr(65 + place) + letters
    return letters
