"""The child process that reads one .xlsx: `python -m carrete.workbook.xlsx_child FILE FOLDER [SHEET…]`.

The library that reads workbooks is native code and may crash its process. So it runs in this one, with limits on memory
and time, and never opens FILE itself: it opens a copy in FOLDER with only the parts that are needed and were checked.
Rows go to standard output as they are read.
"""

from __future__ import annotations

import resource
import sys
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast
from xml.parsers.expat import ExpatError

from python_calamine import CalamineError, CalamineWorkbook

from carrete.workbook.cells import Broken, RawRow
from carrete.workbook.columns import OPERACIONES, ROLES, TRABAJADORES, UNIONES, WELDING, comparable_name
from carrete.workbook.limits import CPU_S_MAX, MEMORY_BYTES_MAX, ROWS_MAX, TEXT_CHARS_MAX, VALUES_MAX
from carrete.workbook.sheet_xml import (
    CellWalker,
    FileRefused,
    SheetExtent,
    StringCounter,
    require_few_cells,
    require_little_text,
    string_lengths,
)
from carrete.workbook.xlsx_messages import DAMAGED, TOO_MUCH_MEMORY, Message, send
from carrete.workbook.xlsx_parts import Archive, WorkbookIndex

CellPositions = list[tuple[int, int]]  # row and column, from 0
PLANS = (OPERACIONES, UNIONES, TRABAJADORES, ROLES, *WELDING)
REASON_LENGTH_MAX = 200
QUICK_TEXT_BYTES_MAX = 3 * TEXT_CHARS_MAX  # if every cell had the longest text; above this the text is counted exactly
STRINGS = "xl/sharedStrings.xml"  # its path in the copy
STYLES = "xl/styles.xml"
_BLOCK_CELLS_MAX = 4_000
_BLOCK_CHARS_MAX = 256 * 1024
_DAMAGE = (zipfile.BadZipFile, zlib.error, ExpatError, EOFError, OSError, NotImplementedError, RuntimeError, KeyError)
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def main() -> None:
    _set_limits()
    out = sys.stdout.buffer
    sheets = tuple(sys.argv[3:]) or tuple(plan.name for plan in PLANS)
    for message in _messages(Path(sys.argv[1]), Path(sys.argv[2]), sheets):
        send(message, out)
    out.flush()


def _set_limits() -> None:
    for kind, wanted in ((resource.RLIMIT_AS, MEMORY_BYTES_MAX), (resource.RLIMIT_CPU, CPU_S_MAX)):
        _, most = resource.getrlimit(kind)
        limit = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        resource.setrlimit(kind, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _messages(path: Path, folder: Path, sheets: Sequence[str]) -> Iterator[Message]:
    """The sheets and their rows. If something is wrong with the file, the last message says what."""
    try:
        yield from _read(path, folder / "libro.xlsx", sheets)
        yield "end", None
    except FileRefused as refused:
        yield "refused", str(refused)
    except MemoryError:
        yield "refused", TOO_MUCH_MEMORY
    except CalamineError as error:
        yield "refused", f"no se puede leer como .xlsx: {str(error)[:REASON_LENGTH_MAX]}."
    except _DAMAGE:
        yield "refused", DAMAGED
    except (KeyboardInterrupt, GeneratorExit, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - a panic of the native code is no Exception
        yield "refused", f"{DAMAGED.removesuffix('.')} ({str(error)[:REASON_LENGTH_MAX]})."


def _read(path: Path, copy: Path, wanted: Sequence[str]) -> Iterator[Message]:
    with zipfile.ZipFile(path) as file:
        errors = _checked_copy(Archive(file), copy, wanted)
    book = CalamineWorkbook.from_path(copy)
    copy.unlink()  # it is open: if this process is killed now, no file is left behind
    totals = _Totals()
    for name, broken in errors.items():
        yield "sheet", name
        sheet = book.get_sheet_by_name(name)
        rows = cast(Iterator[RawRow], sheet.iter_rows())
        if sheet.start and sheet.start[1]:
            before: RawRow = [""] * sheet.start[1]
            rows = ([*before, *row] for row in rows)
        yield from _blocks(_marked(rows, broken) if broken else rows, totals)


def _marked(rows: Iterator[RawRow], broken: CellPositions) -> Iterator[RawRow]:
    """The library returns formula errors as empty cells; marked as errors, they do not look like cells that a person
    has emptied."""
    columns: dict[int, list[int]] = {}
    for at, column in broken:
        columns.setdefault(at, []).append(column)
    for number, row in enumerate(rows):
        for column in columns.get(number, ()):
            if column < len(row):
                row[column] = Broken.FORMULA
        yield row


class _Totals:
    """Rows, values and characters read so far, of all sheets."""

    def __init__(self) -> None:
        self.rows = self.values = self.text = 0

    def add(self, row: RawRow) -> int:
        """Returns the number of characters of the row."""
        values = len(row) - row.count("")
        text = sum([len(cell) for cell in row if type(cell) is str])
        self.rows += values > 0
        self.values += values
        self.text += text
        if self.rows > ROWS_MAX:
            raise FileRefused(f"tiene más de {ROWS_MAX} filas con datos: divídalo en varios archivos.")
        if self.values > VALUES_MAX:
            raise FileRefused(f"tiene más de {VALUES_MAX} celdas con datos: divídalo en varios archivos.")
        require_little_text(self.text)
        return text


def _blocks(rows: Iterator[RawRow], totals: _Totals) -> Iterator[Message]:
    block: list[RawRow] = []
    cells = text = 0
    for row in rows:
        text += totals.add(row)
        cells += len(row)
        block.append(row)
        if cells > _BLOCK_CELLS_MAX or text > _BLOCK_CHARS_MAX:
            yield "rows", block
            block, cells, text = [], 0, 0
    if block:
        yield "rows", block


# ─── the copy that the library sees ───────────────────────────────────────────────────────────────────────────


def _checked_copy(archive: Archive, copy: Path, wanted: Sequence[str]) -> dict[str, CellPositions]:
    """Writes an archive with the parts that are needed. Returns the positions of formula errors by sheet."""
    index = archive.index()
    chosen = _chosen(index, wanted)
    with zipfile.ZipFile(copy, "w", zipfile.ZIP_STORED) as target:
        target.writestr("_rels/.rels", _related({"officeDocument": "xl/workbook.xml"}))
        target.writestr("xl/workbook.xml", _workbook(list(chosen), index.since_1904))
        target.writestr("xl/_rels/workbook.xml.rels", _related(_targets(index, len(chosen))))
        strings = StringCounter()
        if index.strings:
            _copy(archive, index.strings, target, STRINGS, strings)
        if index.styles:
            _copy(archive, index.styles, target, STYLES, StringCounter())
        extents = {name: SheetExtent() for name in chosen}
        for number, (name, part) in enumerate(chosen.items(), 1):
            _copy(archive, part, target, _sheet(number), extents[name])
            require_few_cells(
                1, sum(e.rows * e.columns for e in extents.values()), sum(e.cells for e in extents.values())
            )
    return _error_positions(copy, extents, strings)


def _chosen(index: WorkbookIndex, wanted: Sequence[str]) -> dict[str, str]:
    """The part of each wanted sheet, by its name; the first one if two sheets have the same name."""
    parts = {comparable_name(name): part for name, part in reversed(index.sheets)}
    return {name: parts[comparable_name(name)] for name in wanted if comparable_name(name) in parts}


def _copy(archive: Archive, part: str, target: zipfile.ZipFile, name: str, checks: SheetExtent | StringCounter) -> None:
    with target.open(name, "w") as file:
        for chunk in archive.chunks(part):
            checks.feed(chunk)
            file.write(chunk)
    checks.close()


def _error_positions(copy: Path, extents: dict[str, SheetExtent], strings: StringCounter) -> dict[str, CellPositions]:
    """Goes cell by cell through those sheets for which the quick count is not enough."""
    text_max = sum(extent.cells for extent in extents.values()) * strings.longest
    unclear = {name for name, extent in extents.items() if not extent.usual or extent.errors}
    if text_max > QUICK_TEXT_BYTES_MAX or not strings.usual:
        unclear = set(extents)
    found: dict[str, CellPositions] = {name: [] for name in extents}
    cells = sum(extent.rows * extent.columns for name, extent in extents.items() if name not in unclear)
    with zipfile.ZipFile(copy) as file:
        again = Archive(file)
        lengths = string_lengths(again.chunks(STRINGS)) if unclear and again.has(STRINGS) else ()
        for number, name in enumerate(extents, 1):
            if name in unclear:
                walker = CellWalker(lengths).through(again.chunks(_sheet(number)))
                found[name] = walker.errors
                cells += walker.rows * walker.columns
                require_few_cells(1, cells, 0)
    return found


def _sheet(number: int) -> str:
    return f"xl/worksheets/sheet{number}.xml"


def _targets(index: WorkbookIndex, sheets: int) -> dict[str, str]:
    found = {f"worksheet{number}": f"/{_sheet(number)}" for number in range(1, sheets + 1)}
    if index.strings:
        found["sharedStrings"] = f"/{STRINGS}"
    if index.styles:
        found["styles"] = f"/{STYLES}"
    return found


def _workbook(names: list[str], since_1904: bool) -> str:
    each = (f'<sheet name="{name}" sheetId="{n}" r:id="worksheet{n}"/>' for n, name in enumerate(names, 1))
    properties = f'<workbookPr date1904="{int(since_1904)}"/>'
    return f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}">{properties}<sheets>{"".join(each)}</sheets></workbook>'


def _related(targets: dict[str, str]) -> str:
    """`targets` is by kind of relation, with a number behind it where there are several."""
    each = "".join(
        f'<Relationship Id="{kind}" Type="{_RELATIONS}/{kind.rstrip("0123456789")}" Target="{target}"/>'
        for kind, target in targets.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}">{each}</Relationships>'


if __name__ == "__main__":
    main()
