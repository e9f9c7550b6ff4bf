"""The dossier as an .xlsx: a sheet for each table. Everything is written as text, so that no cell becomes a formula."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime
from typing import Any

import xlsxwriter

from carrete.dossier.document import DossierDocument, document_of
from carrete.dossier.facts import DossierFacts
from carrete.dossier.tables import DossierTable
from carrete.dossier.words import DossierWords, Language

SHEET_NAME_LENGTH_MAX = 31
COLUMN_CHARS_MIN, COLUMN_CHARS_MAX = 9, 60
CELL_CHARS_MAX = 32_000
_NOT_IN_NAMES = re.compile(r"[\[\]:*?/\\']")
_TONES = {"good": "#12692F", "bad": "#B3261E", "open": "#8A5200", "quiet": "#5D6B79"}


def workbook_of(facts: DossierFacts, language: Language) -> bytes:
    """The same facts give the same bytes: the file says the last event's time, never a clock's."""
    document = document_of(facts, language)
    held = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    book = xlsxwriter.Workbook(held, options)
    book.set_properties(
        {"title": document.identity.number, "comments": document.identity.hash, "created": _time(facts)}
    )
    _Writer(book, document).write()
    book.close()
    return held.getvalue()


def _time(facts: DossierFacts) -> datetime:
    at = facts.last_event.at
    return (datetime.fromisoformat(at) if at else datetime(1980, 1, 1, tzinfo=UTC)).astimezone(UTC)


class _Writer:
    def __init__(self, book: Any, document: DossierDocument) -> None:
        self._book = book
        self._document = document
        self._words = DossierWords(document.language)
        self._head = book.add_format({"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"})
        self._group = book.add_format({"bold": True, "bg_color": "#EEF2F5"})
        self._plain = book.add_format({"text_wrap": True, "valign": "top"})
        self._tones = {
            tone: book.add_format({"text_wrap": True, "valign": "top", "font_color": colour})
            for tone, colour in _TONES.items()
        }

    def write(self) -> None:
        self._write_cover()
        for table in self._document.tables.values():
            self._write_table(table)

    def _sheet(self, name: str) -> Any:
        sheet = self._book.add_worksheet(_NOT_IN_NAMES.sub(" ", name)[:SHEET_NAME_LENGTH_MAX])
        sheet.set_landscape()
        sheet.set_paper(9)  # A4
        sheet.fit_to_pages(1, 0)
        identity = self._document.identity
        page = f"{self._words['page']} &P {self._words['page_of']} &N"
        sheet.set_footer(f"&L{identity.number}&C&6{identity.hash}&R{page}")
        return sheet

    def _write_cover(self) -> None:
        sheet, document = self._sheet(self._words["title"]), self._document
        rows = [(self._words["title"], f"{document.scope} {document.heading}"), *document.cover, *document.figures]
        sheet.set_column(0, 0, 32)
        sheet.set_column(1, 1, 70)
        for at, (name, value) in enumerate(rows):
            _write_text(sheet, at, 0, name, self._head if at == 0 else self._plain)
            _write_text(sheet, at, 1, value, self._head if at == 0 else self._plain)

    def _write_table(self, table: DossierTable) -> None:
        sheet = self._sheet(table.title)
        columns = (self._words["spool"], *table.columns) if _is_grouped(table) else table.columns
        for at, name in enumerate(columns):
            sheet.write_string(0, at, name, self._head)
        sheet.freeze_panes(1, 0)
        sheet.repeat_rows(0)
        widths = [max(COLUMN_CHARS_MIN, len(name)) for name in columns]
        at, tag = 0, ""
        for row in table.rows:
            if row.is_group:
                tag = row.cells[0][0].text
                continue
            at += 1
            first = ["\n".join(line.text for line in cell) for cell in row.cells]
            tones = [cell[0].tone if cell else "" for cell in row.cells]
            texts, tones = ([tag, *first], ["", *tones]) if _is_grouped(table) else (first, tones)
            for column, (text, tone) in enumerate(zip(texts, tones, strict=True)):
                if text:
                    _write_text(sheet, at, column, text[:CELL_CHARS_MAX], self._tones.get(tone, self._plain))
                widths[column] = max(widths[column], *(len(line) for line in text.split("\n")))
        for column, width in enumerate(widths):
            sheet.set_column(column, column, min(width + 1, COLUMN_CHARS_MAX))


def _write_text(sheet: Any, row: int, column: int, text: str, form: Any) -> None:
    """The library takes `<r>…</r>` for markup of its own: another text would be shown, or the file be broken. What it
    marks up itself it escapes."""
    if text.startswith("<r>"):
        sheet.write_rich_string(row, column, *text[:2], text[2:], form)  # it takes no less than three pieces
    else:
        sheet.write_string(row, column, text, form)


def _is_grouped(table: DossierTable) -> bool:
    """Whether its rows belong to spools: then the spool has a column of its own, so that rows can be filtered."""
    return any(row.is_group for row in table.rows)
