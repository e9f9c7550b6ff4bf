"""Finds the parts of an .xlsx archive that are needed, as a spreadsheet program does, and reads them within limits.

Relations between parts tell which part is which sheet; names of parts do not. The sizes that the archive declares are
not trusted: bytes are counted while they are inflated.
"""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from carrete.workbook.limits import INDEX_BYTES_MAX, INFLATED_BYTES_MAX, SHEETS_MAX
from carrete.workbook.sheet_xml import FileRefused, require_no_declaration

CHUNK_BYTES = 1 << 20
_ENCRYPTED = 0x1
_MACROS = "vbaproject.bin"  # as the names of parts are compared
_RELATION_ID = (
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships id",
    "http://purl.oclc.org/ooxml/officeDocument/relationships id",
)


@dataclass(frozen=True, slots=True)
class Relation:
    kind: str  # the last word of its type: worksheet, styles, sharedStrings
    part: str


@dataclass(slots=True)
class WorkbookIndex:
    """From the main part of the workbook: its sheets in order, and the year from which its days are counted."""

    sheets: list[tuple[str, str]] = field(default_factory=list)  # name, and part
    strings: str = ""
    styles: str = ""
    since_1904: bool = False


class Archive:
    """An open archive. It counts the inflated bytes of all parts together."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file
        self._inflated = 0
        self._parts = {_normal(info.filename): info for info in file.infolist()}

    def has(self, part: str) -> bool:
        return _normal(part) in self._parts

    def chunks(self, part: str) -> Iterator[bytes]:
        info = self._parts[_normal(part)]
        if info.flag_bits & _ENCRYPTED:
            raise FileRefused("está protegido con contraseña: guárdelo sin contraseña como .xlsx.")
        with self._file.open(info) as file:
            while chunk := file.read(CHUNK_BYTES):
                self._inflated += len(chunk)
                if self._inflated > INFLATED_BYTES_MAX:
                    raise FileRefused(f"es demasiado grande: más de {INFLATED_BYTES_MAX >> 20} MB al descomprimirlo.")
                yield chunk

    def index(self) -> WorkbookIndex:
        book = next((r.part for r in self._relations("") if r.kind == "officeDocument"), "xl/workbook.xml")
        if not self.has(book) or book.endswith(".bin"):
            raise FileRefused(self._what_it_is(book))
        if any(posixpath.basename(part) == _MACROS for part in self._parts):
            raise FileRefused("tiene macros: guárdelo como .xlsx, sin macros.")
        relations = self._relations(book)
        found = WorkbookIndex()
        by_id = self._by_id(book)
        for name, relation_id in self._sheets(book, found):
            relation = by_id.get(relation_id)
            if relation is not None and relation.kind == "worksheet" and self.has(relation.part):
                found.sheets.append((name, relation.part))
        found.strings = next((r.part for r in relations if r.kind == "sharedStrings" and self.has(r.part)), "")
        found.styles = next((r.part for r in relations if r.kind == "styles" and self.has(r.part)), "")
        return found

    def _what_it_is(self, book: str) -> str:
        if book.endswith(".bin"):
            return "es un .xlsb: guárdelo como .xlsx."
        if self.has("content.xml"):
            return "es un .ods: guárdelo como .xlsx."
        return "no se puede leer como .xlsx: no tiene un libro dentro."

    def _relations(self, part: str) -> list[Relation]:
        return list(self._by_id(part).values())

    def _by_id(self, part: str) -> dict[str, Relation]:
        folder, name = posixpath.split(part)
        path = posixpath.join(folder, "_rels", f"{name}.rels")
        found: dict[str, Relation] = {}

        def start(tag: str, attributes: dict[str, str]) -> None:
            if tag.rpartition(" ")[2] == "Relationship" and attributes.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, attributes.get("Target", "")))
                kind = attributes.get("Type", "").rpartition("/")[2]
                found.setdefault(attributes.get("Id", ""), Relation(kind, target.lstrip("/")))

        if self.has(path):
            self._parse(path, start)
        return found

    def _sheets(self, book: str, index: WorkbookIndex) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []

        def start(tag: str, attributes: dict[str, str]) -> None:
            kind = tag.rpartition(" ")[2]
            if kind == "workbookPr":
                index.since_1904 = attributes.get("date1904", "") in ("1", "true")
            elif kind == "sheet":
                relation_id = next((attributes[name] for name in _RELATION_ID if name in attributes), "")
                found.append((attributes.get("name", ""), relation_id))
                if len(found) > SHEETS_MAX:
                    raise FileRefused(f"tiene más de {SHEETS_MAX} hojas.")

        self._parse(book, start)
        return found

    def _parse(self, part: str, start: object) -> None:
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler = start  # type: ignore[assignment]
        parser.StartDoctypeDeclHandler = lambda *_: require_no_declaration(b"<!DOCTYPE")
        size = 0
        for chunk in self.chunks(part):
            size += len(chunk)
            if size > INDEX_BYTES_MAX:
                raise FileRefused(f"está dañado: {part} tiene más de {INDEX_BYTES_MAX >> 20} MB.")
            parser.Parse(chunk, False)
        parser.Parse(b"", True)


def _normal(part: str) -> str:
    """Programs differ in case and slashes."""
    return part.replace("\\", "/").lstrip("/").lower()
