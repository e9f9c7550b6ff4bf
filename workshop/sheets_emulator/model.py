"""The workbook: books, sheets and rows as states that are never changed once published.

A change works on a draft that copies only what it touches (the list of rows of a sheet, the rows written); a failed one
is dropped. So a read needs no lock, a request is all or nothing, and any remembered revision can come back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from sheets_emulator.errors import Json, invalid

CELLS_MAX = 10_000_000
COLUMNS_MAX = 18_278
TEXT_LENGTH_MAX = 50_000
NEW_SHEET_ROWS = 1000
NEW_SHEET_COLUMNS = 26


@dataclass(frozen=True, slots=True)
class EnteredFormula:
    text: str  # with its equals sign
    pinned: Scalar = None  # a value set by hand for what cannot be computed


@dataclass(frozen=True, slots=True)
class ErrorValue:
    text: str  # "#REF!"


Scalar = bool | int | float | str | EnteredFormula | ErrorValue | None
Format = Json  # a userEnteredFormat; never changed in place


class Mark(NamedTuple):
    """Who wrote a cell last, and in which request or act; each row written in it gets a mark of its own."""

    person: bool
    revision: int
    act: int  # number of the request, or of the person's act
    row: int  # counts the rows of one act


class Row:
    """Identity and cells. Inserting, deleting and moving rows carry the identity along: metadata belongs to it."""

    __slots__ = ("formats", "id", "notes", "owner", "rendered", "values", "writers")

    def __init__(self, id_: int, values: list[Scalar] | None = None, owner: object = None) -> None:
        self.id = id_
        self.values: list[Scalar] = values if values is not None else []
        self.formats: dict[int, Format] = {}
        self.notes: dict[int, str] = {}
        self.writers: dict[int, Mark] = {}
        self.rendered: dict[object, list[Any]] = {}
        self.owner = owner

    def copy(self, owner: object, id_: int | None = None) -> Row:
        twin = Row(self.id if id_ is None else id_, self.values.copy(), owner)
        twin.formats = self.formats.copy()
        twin.notes = self.notes.copy()
        twin.writers = self.writers.copy()
        return twin

    def get(self, column: int) -> Scalar:
        return self.values[column] if column < len(self.values) else None

    def put(self, column: int, value: Scalar) -> None:
        values = self.values
        if column >= len(values):
            if value is None:
                return
            values.extend([None] * (column + 1 - len(values)))
        values[column] = value

    def reshape(self, columns: list[int | None]) -> None:
        """New column i gets the cells of the old column columns[i]; None makes an empty one."""
        self.values = [None if c is None else self.get(c) for c in columns]
        places = {was: now for now, was in enumerate(columns) if was is not None}
        self.formats = {places[c]: kept for c, kept in self.formats.items() if c in places}
        self.notes = {places[c]: kept for c, kept in self.notes.items() if c in places}
        self.writers = {places[c]: kept for c, kept in self.writers.items() if c in places}

    @property
    def width(self) -> int:
        """Columns up to the last cell that has a value."""
        values = self.values
        width = len(values)
        while width and values[width - 1] is None:
            width -= 1
        return width


@dataclass(frozen=True, slots=True)
class Table:
    """Everything below one header row, down to the last row with data. Row and columns by identity."""

    id: str
    name: str
    header_row: int
    typed: tuple[tuple[int, str], ...]  # column and type


@dataclass(slots=True)
class Sheet:
    sheet_id: int
    title: str
    rows: list[Row]
    columns: list[int]  # their identities
    frozen_rows: int = 0
    frozen_columns: int = 0
    hidden: bool = False
    basic_filter: Json | None = None
    protected: tuple[Json, ...] = ()
    tables: tuple[Table, ...] = ()
    looks: Json = field(default_factory=dict)  # tab colours and the like: stored, without effect
    dimensions: dict[int, Json] = field(default_factory=dict)  # widths and the like by identity: without effect
    owner: object = None

    @property
    def row_count(self) -> int:
        return len(self.rows)

    @property
    def column_count(self) -> int:
        return len(self.columns)

    @property
    def last_row(self) -> int:
        """Rows up to the last one with data."""
        rows = self.rows
        count = len(rows)
        while count and not rows[count - 1].width:
            count -= 1
        return count

    def value(self, row: int, column: int) -> Scalar:
        return self.rows[row].get(column) if row < len(self.rows) else None


@dataclass(frozen=True, slots=True)
class Place:
    """What a piece of metadata is attached to: the spreadsheet, a sheet, or the row or column with that identity."""

    sheet_id: int | None = None
    dimension: str | None = None  # ROWS or COLUMNS
    identity: int | None = None


@dataclass(frozen=True, slots=True)
class Metadatum:
    id: int
    key: str
    value: str | None
    visibility: str
    place: Place

    @property
    def size(self) -> int:
        return len(self.key) + len(self.value or "")


@dataclass(slots=True)
class Book:
    """One revision of a workbook."""

    id: str
    title: str
    locale: str = "es_CL"
    time_zone: str = "America/Santiago"
    sheets: list[Sheet] = field(default_factory=list)
    metadata: dict[int, Metadatum] = field(default_factory=dict)
    named_ranges: dict[str, Json] = field(default_factory=dict)
    revision: int = 0
    next_identity: int = 1
    has_formulas: bool = False

    def sheet(self, sheet_id: int) -> Sheet:
        for sheet in self.sheets:
            if sheet.sheet_id == sheet_id:
                return sheet
        raise invalid(f"No grid with id: {sheet_id}")

    def titled(self, title: str) -> Sheet | None:
        """Titles are unique without regard to case."""
        folded = title.casefold()
        return next((sheet for sheet in self.sheets if sheet.title.casefold() == folded), None)

    @property
    def cell_count(self) -> int:
        return sum(sheet.row_count * sheet.column_count for sheet in self.sheets)


class Draft:
    """A change being made by one author: what it touches is copied, the published state is never written."""

    def __init__(self, book: Book, person: bool, act: int) -> None:
        self.token = object()  # owns the copies; they must not keep the draft, and so every older state, alive
        self.before = book
        self.book = replace(book, sheets=list(book.sheets), revision=book.revision + 1)
        self.person = person
        self.act = act
        self.written: list[CellWrite] = []
        self.metadata_sizes: dict[int | None, int] = {}  # characters by sheet, counted once for a batch of guards
        self._rows_marked = 0

    # ─── copies ───────────────────────────────────────────────────────────────────────────────────────────

    def own(self, sheet_id: int) -> Sheet:
        """The sheet as this draft may change it."""
        for place, sheet in enumerate(self.book.sheets):
            if sheet.sheet_id == sheet_id:
                if sheet.owner is not self.token:
                    sheet = replace(sheet, rows=list(sheet.rows), columns=list(sheet.columns), owner=self.token)
                    sheet.looks, sheet.dimensions = dict(sheet.looks), dict(sheet.dimensions)
                    self.book.sheets[place] = sheet
                return sheet
        raise invalid(f"No grid with id: {sheet_id}")

    def own_row(self, sheet: Sheet, index: int) -> Row:
        row = sheet.rows[index]
        if row.owner is not self.token:
            row = row.copy(self.token)
            sheet.rows[index] = row
        return row

    def own_metadata(self) -> dict[int, Metadatum]:
        """The caller may change it, so the sizes that were counted are no longer valid."""
        if self.book.metadata is self.before.metadata:
            self.book.metadata = dict(self.before.metadata)
        self.metadata_sizes.clear()
        return self.book.metadata

    def own_named_ranges(self) -> dict[str, Json]:
        if self.book.named_ranges is self.before.named_ranges:
            self.book.named_ranges = dict(self.before.named_ranges)
        return self.book.named_ranges

    def identities(self, count: int) -> range:
        first = self.book.next_identity
        self.book.next_identity += count
        return range(first, first + count)

    def blank_rows(self, count: int) -> list[Row]:
        return [Row(identity, owner=self.token) for identity in self.identities(count)]

    # ─── cells ────────────────────────────────────────────────────────────────────────────────────────────

    def write(self, sheet: Sheet, index: int, cells: Iterable[tuple[int, Scalar]], *, appended: bool = False) -> int:
        """Writes values into one row of a sheet that this draft owns; returns how many cells. Records the old values
        for the journal."""
        row = self.own_row(sheet, index)
        self._rows_marked += 1
        mark = Mark(self.person, self.book.revision, self.act, self._rows_marked)
        was: list[tuple[int, Scalar, Mark | None]] = []
        for column, value in cells:
            was.append((column, row.get(column), row.writers.get(column)))
            row.put(column, self._checked(value))
            row.writers[column] = mark
        self.written.append(CellWrite(sheet.sheet_id, index, row, mark, was, appended))
        return len(was)

    def _checked(self, value: Scalar) -> Scalar:
        if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
            return int(value)
        if isinstance(value, str):
            if len(value) > TEXT_LENGTH_MAX:
                raise invalid(
                    f"Your input contains more than the maximum of {TEXT_LENGTH_MAX} characters in a single cell."
                )
            return value or None
        if isinstance(value, EnteredFormula):
            self.book.has_formulas = True
        return value

    def require_room(self) -> None:
        if self.book.cell_count > CELLS_MAX:
            raise invalid(
                f"This action would increase the number of cells in the workbook above the limit of {CELLS_MAX} cells."
            )


class CellWrite(NamedTuple):
    """The cells of one row that one write replaced."""

    sheet_id: int
    at: int
    row: Row
    mark: Mark
    was: list[tuple[int, Scalar, Mark | None]]
    appended: bool  # after the last row: it was not meant for a row that already existed


def new_sheet(draft: Draft, sheet_id: int, title: str, rows: int, columns: int) -> Sheet:
    return Sheet(sheet_id, title, draft.blank_rows(rows), list(draft.identities(columns)), owner=draft.token)


def filled_rows(sheet: Sheet) -> Iterator[tuple[int, Row]]:
    for index, row in enumerate(sheet.rows):
        if row.width:
            yield index, row
