"""The log, and the oracle: who wrote each cell last, which edits of people were overwritten, and which writes landed on
the wrong row.

It records what no client can see, so that a test can check afterwards what really happened.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from sheets_emulator.a1 import Area, cell_name
from sheets_emulator.errors import Json, invalid
from sheets_emulator.journal_records import Basis, Misdirected, Overwritten, Put, Shown
from sheets_emulator.model import Book, CellWrite, Draft, EnteredFormula, Row, Scalar, Sheet

LOG_MAX = 50_000
FINDINGS_MAX = 100_000
READS_MAX = 1_000
PUTS_MAX = 20_000
DEFAULT_KEYS: dict[str, tuple[str, ...]] = {
    "Operaciones": ("TAG_SPOOL",),
    "Uniones": ("TAG_SPOOL", "N_UNION"),
    "Trabajadores": ("Id",),
    "Roles": ("Id", "Rol"),
    "Metadata": ("ID",),
}


class Journal:
    def __init__(self) -> None:
        self.keys: dict[str, tuple[str, ...]] = dict(DEFAULT_KEYS)
        self._log: deque[Json] = deque(maxlen=LOG_MAX)
        self._overwritten: deque[Overwritten] = deque(maxlen=FINDINGS_MAX)
        self._misdirected: deque[Misdirected] = deque(maxlen=FINDINGS_MAX)
        self._seen: dict[tuple[str, str], dict[int, Sheet]] = {}
        self._reads: dict[tuple[str, int], deque[Shown]] = {}
        self._answered = 0  # how many reads were answered
        self._puts: dict[tuple[str, int], deque[Put]] = {}
        self._key_ids: dict[int, list[int]] = {}
        self._lock = threading.Lock()

    # ─── what is recorded ─────────────────────────────────────────────────────────────────────────────────

    def log(self, entry: Json) -> None:
        with self._lock:
            self._log.append(entry)

    def entries(self, after: int = 0) -> list[Json]:
        with self._lock:
            return [entry for entry in self._log if entry["number"] > after]

    def basis(self, user: str, book: Book) -> Basis:
        with self._lock:
            return Basis(book.revision, dict(self._seen.get((user, book.id), {})), self._answered)

    def answered_read(self, user: str, book: Book, areas: list[Area]) -> None:
        """A read counts only if its answer was sent whole."""
        with self._lock:
            self._answered += 1
            seen = self._seen.setdefault((user, book.id), {})
            for area in areas:
                seen[area.sheet_id] = book.sheet(area.sheet_id)
                reads = self._reads.setdefault((book.id, area.sheet_id), deque(maxlen=READS_MAX))
                reads.append(Shown(self._answered, book.revision, area, book.sheet(area.sheet_id)))

    @contextmanager
    def whole_read(self) -> Iterator[None]:
        """For a client that needs several requests for one read: if one of them fails, the client uses none of their
        answers, so none of them counts as a read."""
        before = self._answered
        try:
            yield
        except Exception:
            with self._lock:
                for reads in self._reads.values():
                    while reads and reads[-1].number > before:
                        reads.pop()
            raise

    def api_wrote(self, draft: Draft, request: int, basis: Basis) -> None:
        before = _values_before(draft)
        for write in draft.written:
            sheet = next((s for s in draft.book.sheets if s.sheet_id == write.sheet_id), None)
            if sheet is not None:
                key = self._key_before(sheet, write, before)
                self._note_overwritten(draft, sheet, write, key, request, basis)
                self._note_put(draft, sheet, write, key)
                if not write.appended:
                    self._note_misdirected(draft, sheet, write, key, request, basis)

    def _note_overwritten(
        self, draft: Draft, sheet: Sheet, write: CellWrite, key: list[Any], request: int, basis: Basis
    ) -> None:
        for column, was, mark in write.was:
            now = write.row.get(column)
            if mark is None or not mark.person or was == now:
                continue
            stood = self._stood_before(draft.book.id, sheet, write, key, column, mark.revision)
            since = self._reads_since(draft.book.id, sheet.sheet_id, mark.revision, write.at, column)
            self._overwritten.append(
                Overwritten(
                    request,
                    sheet.title,
                    key,
                    _header(sheet, column),
                    cell_name(write.at, column),
                    plain(was),
                    plain(now),
                    sheet.sheet_id,
                    sheet.columns[column],
                    mark.revision,
                    basis.revision,
                    draft.book.revision,
                    bool(since),
                    any(one.number <= basis.reads for one in since),
                    stood,
                    plain(was) in stood,
                )
            )

    def _reads_since(self, book_id: str, sheet_id: int, revision: int, row: int, column: int) -> list[Shown]:
        with self._lock:
            reads = list(self._reads.get((book_id, sheet_id), ()))
        return [one for one in reads if one.revision >= revision and one.area.covers(row, column)]

    def _stood_before(
        self, book_id: str, sheet: Sheet, write: CellWrite, key: list[Any], column: int, revision: int
    ) -> list[Any]:
        """The value of the cell in the last read before the edit, and those that requests put there since: if a person
        types one of them, a reader cannot tell that from no edit."""
        column_id = sheet.columns[column]
        with self._lock:
            reads = list(self._reads.get((book_id, sheet.sheet_id), ()))
        covering = [one for one in reads if one.revision < revision and one.area.covers(write.at, column)]
        if not covering:
            return []
        last, puts = covering[-1], self._puts.get((book_id, sheet.sheet_id), ())
        since = [one for one in puts if last.revision < one.revision < revision]
        stood = [one.value for one in since if key in one.keys and one.column_id == column_id]
        if column_id in last.sheet.columns:
            there = last.sheet.columns.index(column_id)
            stood += [plain(row.get(there)) for row in last.sheet.rows if self._key(last.sheet, row) == key]
        return stood

    def _note_put(self, draft: Draft, sheet: Sheet, write: CellWrite, key: list[Any]) -> None:
        keys = key, self._key(sheet, write.row)
        puts = self._puts.setdefault((draft.book.id, sheet.sheet_id), deque(maxlen=PUTS_MAX))
        for column, _, _ in write.was:
            puts.append(Put(draft.book.revision, keys, sheet.columns[column], plain(write.row.get(column))))

    def _note_misdirected(
        self, draft: Draft, sheet: Sheet, write: CellWrite, hit: list[Any], request: int, basis: Basis
    ) -> None:
        seen = basis.seen.get(sheet.sheet_id)
        if seen is None or write.at >= seen.row_count or write.at == 0:
            return
        meant = self._key(seen, seen.rows[write.at])
        if meant == hit or not any(meant):
            return
        columns = [column for column, _, _ in write.was]
        self._misdirected.append(
            Misdirected(
                request,
                sheet.title,
                write.at + 1,
                meant,
                hit,
                [_header(sheet, column) for column in columns],
                [plain(write.row.get(column)) for column in columns],
                draft.book.revision,
                write.mark,
            )
        )

    def _key_before(self, sheet: Sheet, write: CellWrite, before: Mapping[int, Mapping[int, Scalar]]) -> list[Any]:
        """The key that the row had before the request, also if an earlier part of the same request changed it."""
        was = before[write.row.id]
        return [plain(was.get(c, write.row.get(c))) for c in self._key_columns(sheet)]

    def _key(self, sheet: Sheet, row: Row) -> list[Any]:
        return [plain(row.get(column)) for column in self._key_columns(sheet)]

    def _key_columns(self, sheet: Sheet) -> list[int]:
        """Found by header once; from then on by identity, so that renaming a tab or column later changes nothing."""
        wanted = self.keys.get(sheet.title, ())
        header = sheet.rows[0].values if sheet.rows else []
        if wanted and all(name in header for name in wanted):
            found = [header.index(name) for name in wanted]
            self._key_ids[sheet.sheet_id] = [sheet.columns[column] for column in found]
            return found
        known = self._key_ids.get(sheet.sheet_id, [])
        return [sheet.columns.index(id_) for id_ in known if id_ in sheet.columns] or [0]

    # ─── what the oracle answers ──────────────────────────────────────────────────────────────────────────

    def overwritten(self, book: Book) -> list[Json]:
        """Each edit, with whether the person's value is in the cell again now."""
        return [{**asdict(one), "restored": self._restored(book, one)} for one in self._overwritten]

    def lost(self, book: Book) -> list[Json]:
        """Edits that no read had shown when the request that overwrote them arrived, and that were not put back."""
        return [one for one in self.overwritten(book) if not one["restored"] and not one["known"]]

    def _restored(self, book: Book, one: Overwritten) -> bool:
        sheet = next((sheet for sheet in book.sheets if sheet.sheet_id == one.sheet_id), None)
        if sheet is None or one.column_id not in sheet.columns:
            return False
        column = sheet.columns.index(one.column_id)
        return any(self._key(sheet, row) == one.key and plain(row.get(column)) == one.person for row in sheet.rows)

    def misdirected(self, book: Book) -> list[Json]:
        """Each write to a wrong row, with the columns whose cells still have its values."""
        standing = {
            (mark, _header(sheet, column))
            for sheet in book.sheets
            for row in sheet.rows
            for column, mark in row.writers.items()
        }
        answers = []
        for one in self._misdirected:
            finding = asdict(one)
            mark = finding.pop("mark")
            finding["left"] = [column for column in one.columns if (mark, column) in standing]
            answers.append(finding)
        return answers

    def audit(self, book: Book, title: str, header: str) -> Json:
        sheet = book.titled(title)
        if sheet is None or not sheet.rows or header not in sheet.rows[0].values:
            raise invalid(f"No column {header} in {title}.")
        column = sheet.rows[0].values.index(header)
        values = [plain(value) for row in sheet.rows[1:] if (value := row.get(column)) is not None]
        counts = Counter(values)
        return {
            "total": len(values),
            "distinct": len(counts),
            "twice": {str(value): count for value, count in counts.items() if count > 1},
            "in_order": values,
        }

    def clear(self) -> None:
        """Removes the log and the findings; keeps what was read, and who wrote each cell."""
        with self._lock:
            self._log.clear()
        self._overwritten.clear()
        self._misdirected.clear()


def _values_before(draft: Draft) -> dict[int, dict[int, Scalar]]:
    """The values, by row and column, that the cells written by the request had before it."""
    before: dict[int, dict[int, Scalar]] = {}
    for write in draft.written:
        cells = before.setdefault(write.row.id, {})
        for column, was, _ in write.was:
            cells.setdefault(column, was)
    return before


def plain(value: Scalar) -> Any:
    if isinstance(value, EnteredFormula):
        return value.text
    return value if isinstance(value, bool | int | float | str) or value is None else value.text


def _header(sheet: Sheet, column: int) -> str:
    title = sheet.rows[0].get(column) if sheet.rows else None
    return title if isinstance(title, str) else cell_name(0, column)
