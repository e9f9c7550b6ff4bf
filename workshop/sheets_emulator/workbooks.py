"""Workbooks made from plain rows, and kept in a snapshot file between two runs."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sheets_emulator.emulator import Emulator
from sheets_emulator.errors import Json
from sheets_emulator.model import (
    Book,
    Draft,
    EnteredFormula,
    ErrorValue,
    Metadatum,
    Place,
    Row,
    Scalar,
    Sheet,
    Table,
    new_sheet,
)

SPARE_ROWS = 100  # empty ones below the data, as people leave them


@dataclass(frozen=True, slots=True)
class Tab:
    """rows: as typed values, the header first. formats: a number format by column."""

    title: str
    rows: Sequence[Sequence[Any]]
    formats: Mapping[int, Json] = field(default_factory=dict)
    row_count: int | None = None
    column_count: int | None = None
    frozen_rows: int = 1
    sheet_id: int | None = None


def make_book(
    emulator: Emulator, title: str, tabs: Sequence[Tab], *, id_: str | None = None, locale: str = "es_CL"
) -> Book:
    """Adds a workbook at its first revision; its cells have no author."""
    with emulator.lock:
        empty = emulator.create(title, id_=id_, locale=locale)
        draft = Draft(empty, person=True, act=0)
        draft.book.sheets = [_sheet(emulator, draft, place, tab) for place, tab in enumerate(tabs)]
        draft.require_room()
        emulator.put(draft.book)
        return draft.book


def _sheet(emulator: Emulator, draft: Draft, place: int, tab: Tab) -> Sheet:
    width = max(map(len, tab.rows), default=1)
    rows = tab.row_count or len(tab.rows) + SPARE_ROWS
    id_ = tab.sheet_id if tab.sheet_id is not None else (emulator.fresh_id() if place else 0)
    sheet = new_sheet(draft, id_, tab.title, max(rows, len(tab.rows)), max(tab.column_count or width, width))
    sheet.frozen_rows = tab.frozen_rows
    looks = {column: {"numberFormat": dict(form)} for column, form in tab.formats.items()}
    for row, values in zip(sheet.rows, tab.rows, strict=False):
        row.values = [None if value == "" else value for value in values]
        if row is not sheet.rows[0]:
            row.formats = dict(looks)
    return sheet


# ─── snapshots ────────────────────────────────────────────────────────────────────────────────────────────────


def save(emulator: Emulator, path: Path) -> None:
    """Writes the newest revision of each workbook, without its history; the file is replaced in one step."""
    with emulator.lock:
        books = [_book_json(file.book) for file in emulator.files.values() if not file.trashed]
    partial = path.with_name(f".{path.name}.partial")
    partial.write_text(json.dumps({"books": books}, ensure_ascii=False), encoding="utf-8")
    os.replace(partial, path)


def load(emulator: Emulator, path: Path) -> int:
    """Returns how many workbooks were loaded."""
    books = json.loads(path.read_text(encoding="utf-8"))["books"]
    for saved in books:
        emulator.put(_book_from(saved))
    return len(books)


def _book_json(book: Book) -> Json:
    return {
        "id": book.id, "title": book.title, "locale": book.locale, "time_zone": book.time_zone,
        "revision": book.revision, "next_identity": book.next_identity, "named_ranges": book.named_ranges,
        "has_formulas": book.has_formulas,
        "metadata": [asdict(datum) for datum in book.metadata.values()],
        "sheets": [_sheet_json(sheet) for sheet in book.sheets],
    }  # fmt: skip


def _sheet_json(sheet: Sheet) -> Json:
    return {
        "sheet_id": sheet.sheet_id, "title": sheet.title, "columns": sheet.columns, "hidden": sheet.hidden,
        "frozen_rows": sheet.frozen_rows, "frozen_columns": sheet.frozen_columns, "looks": sheet.looks,
        "basic_filter": sheet.basic_filter, "protected": list(sheet.protected),
        "dimensions": sheet.dimensions,
        "tables": [asdict(table) for table in sheet.tables],
        "rows": [[row.id, [_scalar_json(value) for value in row.values], row.formats, row.notes] for row in sheet.rows],
    }  # fmt: skip


def _scalar_json(value: Scalar) -> Any:
    if isinstance(value, EnteredFormula):
        return {"formula": value.text, "pinned": _scalar_json(value.pinned)}
    return {"error": value.text} if isinstance(value, ErrorValue) else value


def _book_from(saved: Json) -> Book:
    data = [Metadatum(**{**one, "place": Place(**one["place"])}) for one in saved["metadata"]]
    kept = {name: saved[name] for name in ("id", "title", "locale", "time_zone", "revision", "next_identity")}
    return Book(
        **kept,
        has_formulas=saved["has_formulas"],
        named_ranges=saved["named_ranges"],
        metadata={datum.id: datum for datum in data},
        sheets=[_sheet_from(one) for one in saved["sheets"]],
    )


def _sheet_from(saved: Json) -> Sheet:
    rows = [_row_from(*row) for row in saved.pop("rows")]
    dimensions = {int(identity): looks for identity, looks in saved.pop("dimensions").items()}
    tables = tuple(_table_from(one) for one in saved.pop("tables", []))
    return Sheet(rows=rows, protected=tuple(saved.pop("protected")), dimensions=dimensions, tables=tables, **saved)


def _table_from(saved: Json) -> Table:
    return Table(**{**saved, "typed": tuple((identity, kind) for identity, kind in saved["typed"])})


def _row_from(id_: int, values: list[Any], formats: Json, notes: Json) -> Row:
    row = Row(id_, [_scalar_from(value) for value in values])
    row.formats = {int(column): form for column, form in formats.items()}
    row.notes = {int(column): note for column, note in notes.items()}
    return row


def _scalar_from(value: Any) -> Scalar:
    if isinstance(value, dict):
        return (
            EnteredFormula(value["formula"], _scalar_from(value["pinned"]))
            if "formula" in value
            else ErrorValue(value["error"])
        )
    kept: Scalar = value
    return kept
