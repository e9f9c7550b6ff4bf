"""Columns and rows that belong to people: the values they put there, and whether these are still there at the end.

A cell is identified by the key of its row and the identity of its column, which the emulator tracks through moves
and renames. A row without a key is identified by its whole content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from carrete.sheets.structure import JOINTS, SELLO, SPOOLS, column_letters
from carrete.workbook.columns import comparable_name
from carrete_chaos.sheets.shop import BOOK, MATERIALES, ChaosShop
from sheets_emulator import people
from sheets_emulator.errors import ApiError
from sheets_emulator.journal import plain
from sheets_emulator.model import Row, Sheet

KEYS = {SPOOLS.name: ("TAG_SPOOL",), JOINTS.name: ("TAG_SPOOL", "N_UNION")}
KNOWN = {plan.name: frozenset(comparable_name(column.name) for column in plan.columns) for plan in (SPOOLS, JOINTS)}
WIDTH_MAX = 34  # columns of a sheet, so that a long run does not fill it with empty ones
KEYLESS_ROWS_MAX = 6
OURS_ALIKE = ("BS(1)", MATERIALES, True, "25238", 1)  # values that Carrete itself might have written

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class HeaderReference:
    """A formula that refers to a column's header: it changes when that column moves."""

    column_id: int
    number: int

    def text(self, tab: Sheet) -> str:
        return f'=${column_letters(tab.columns.index(self.column_id))}$1&" {self.number}"'

    def is_in(self, text: Any) -> bool:
        """Whether the text is this formula, wherever its column was at that time."""
        return isinstance(text, str) and re.fullmatch(rf'=\$[A-Z]+\$1&" {self.number}"', text) is not None


@dataclass(slots=True)
class OwnCells:
    """The values that people put into columns of their own, and the edits that put them there."""

    shop: ChaosShop
    cells: dict[tuple[str, Key, int], Any] = field(default_factory=dict)  # by sheet, key and column identity
    keyless: dict[str, list[dict[int, Any]]] = field(default_factory=dict)  # by sheet: rows by column identity
    number: int = 0

    # ─── what people do ───────────────────────────────────────────────────────────────────────────────────────

    def prepare(self) -> None:
        """Gives each sheet text, numbers, formulas and check boxes of people's own, between our columns and at the
        right edge."""
        for sheet, at in ((SPOOLS.name, (3, 8, 12, 15)), (JOINTS.name, (5, 9, 12))):
            for number, place in enumerate(at):
                self.insert_column(sheet, place, "" if number == 1 else f"Propia {number}")
            self.insert_column(sheet, self._width(sheet) + 1, "Notas")
            for row in self.rows_with_key(sheet):
                for column in self.own_columns(sheet):
                    if self.shop.rng.random() < 0.6:
                        self.type(sheet, row, column)
        self.add_keyless_row()

    def insert_column(self, sheet: str, at: int, header: str) -> None:
        self._do("insert_columns", sheet, at=min(at, self._tab(sheet).column_count + 1))
        if header:
            self._do("edit", sheet, cell=f"{column_letters(at - 1)}1", value=header, **{"as": "RAW"})

    def type(self, sheet: str, row: int, column: int) -> None:
        """Types a new value into one cell; rows are counted from 1, columns from 0."""
        tab = self._tab(sheet)
        value = self._something(tab)
        typed = value.text(tab) if isinstance(value, HeaderReference) else value
        how = {} if isinstance(typed, str) and typed.startswith("=") else {"as": "RAW"}
        self._do("edit", sheet, cell=f"{column_letters(column)}{row}", value=typed, **how)
        key = self._key(tab, tab.rows[row - 1])
        self.cells[sheet, key, tab.columns[column]] = value

    def type_somewhere(self) -> None:
        sheet = self.shop.rng.choice((SPOOLS.name, SPOOLS.name, JOINTS.name))
        rows, columns = self.rows_with_key(sheet), self.own_columns(sheet)
        if rows and columns:
            self.type(sheet, self.shop.rng.choice(rows), self.shop.rng.choice(columns))

    def add_keyless_row(self) -> None:
        """Adds a heading among the spools: a row without a key, with values in people's columns and in ours."""
        sheet = SPOOLS.name
        if len(self.keyless.setdefault(sheet, [])) >= KEYLESS_ROWS_MAX:
            return
        at = self.shop.rng.randint(2, self._tab(sheet).last_row + 1)
        self._do("insert_rows", sheet, at=at)
        tab, typed = self._tab(sheet), dict[int, Any]()
        names = [tab.rows[0].values.index(name) for name in ("OT", "Armador", "version")]
        for column in {*names, *self.own_columns(sheet)[:3]}:
            self.number += 1
            typed[tab.columns[column]] = f"turno {self.number}"
            cell = f"{column_letters(column)}{at}"
            self._do("edit", sheet, cell=cell, value=f"turno {self.number}", **{"as": "RAW"})
        self.keyless[sheet].append(typed)

    def change_columns(self) -> None:
        """Inserts, moves, renames or deletes a column; only people's own are renamed or deleted."""
        rng, sheet = self.shop.rng, self.shop.rng.choice((SPOOLS.name, SPOOLS.name, JOINTS.name))
        width, own, roll = self._width(sheet), self.own_columns(sheet), self.shop.rng.random()
        if own and (roll < 0.08 or width >= WIDTH_MAX):
            self._delete_column(sheet, rng.choice(own))
        elif own and roll < 0.2:
            self.number += 1
            cell = f"{column_letters(rng.choice(own))}1"
            self._do("edit", sheet, cell=cell, value=rng.choice((f"Otra {self.number}", "")), **{"as": "RAW"})
        elif roll < 0.6:
            self.number += 1
            self.insert_column(sheet, rng.randint(1, width + 1), rng.choice(("", f"Nueva {self.number}")))
        else:
            at, to = rng.randint(1, width), rng.randint(1, width)
            if not at <= to <= at + 1:
                self._do("move_columns", sheet, at=at, to=to)

    def row_deleted(self, sheet: str, row: int) -> None:
        tab = self._tab(sheet)
        key = self._key(tab, tab.rows[row - 1])
        self.cells = {place: value for place, value in self.cells.items() if place[:2] != (sheet, key)}

    def _delete_column(self, sheet: str, column: int) -> None:
        gone = self._tab(sheet).columns[column]
        self._do("delete_columns", sheet, at=column + 1)
        self.cells = {place: value for place, value in self.cells.items() if place[2] != gone}
        for row in self.keyless.get(sheet, []):
            row.pop(gone, None)

    def _something(self, tab: Sheet) -> Any:
        self.number += 1
        kind = self.shop.rng.random()
        if kind < 0.35:
            return f"nota {self.number}"
        if kind < 0.55:
            return self.number + 0.5
        if kind < 0.7:
            return f"={self.number}*2"
        if kind < 0.8:
            return HeaderReference(tab.columns[tab.rows[0].values.index("TAG_SPOOL")], self.number)
        return self.shop.rng.choice(OURS_ALIKE)

    # ─── the sheets ───────────────────────────────────────────────────────────────────────────────────────────

    def _do(self, act: str, sheet: str, **params: Any) -> None:
        try:
            people.act(self.shop.emulator, BOOK, act, {"sheet": sheet, **params})
        except ApiError as error:
            raise AssertionError(f"{act} {params}: {error}") from error

    def _tab(self, sheet: str) -> Sheet:
        return next(tab for tab in self.shop.emulator.file(BOOK).book.sheets if tab.title == sheet)

    def _width(self, sheet: str) -> int:
        return max(row.width for row in self._tab(sheet).rows)

    def own_columns(self, sheet: str) -> list[int]:
        header = self._tab(sheet).rows[0]
        return [at for at in range(self._width(sheet)) if not _is_known(sheet, header.get(at))]

    def rows_with_key(self, sheet: str) -> list[int]:
        """Row numbers, counted from 1."""
        tab = self._tab(sheet)
        return [n + 1 for n in range(1, tab.last_row) if all(self._key(tab, tab.rows[n]))]

    def _key(self, tab: Sheet, row: Row) -> Key:
        header = tab.rows[0].values
        return tuple(plain(row.get(header.index(name))) for name in KEYS[tab.title])

    # ─── the check ────────────────────────────────────────────────────────────────────────────────────────────

    def findings(self) -> Iterator[str]:
        """A sentence for each value of people's that is lost and each value of ours that is left in their cells."""
        for sheet in KEYS:
            tab = self._tab(sheet)
            yield from self._keyed(sheet, tab)
            yield from self._without_key(sheet, tab)

    def _keyed(self, sheet: str, tab: Sheet) -> Iterator[str]:
        own = self.own_columns(sheet)
        for row in tab.rows[1 : tab.last_row]:
            key = self._key(tab, row)
            for column in own if all(key) else ():
                expected, there = self._expected(tab, key, column), plain(row.get(column))
                if there != expected and not self._is_excused(tab, key, column, there):
                    name = f"{plain(tab.rows[0].get(column)) or column_letters(column)} ({tab.columns[column]})"
                    yield f"{sheet} {key} {name}: a person put {expected!r} there, it says {there!r}"

    def _expected(self, tab: Sheet, key: Key, column: int) -> Any:
        return _text(self.cells.get((tab.title, key, tab.columns[column])), tab)

    def _is_excused(self, tab: Sheet, key: Key, column: int, there: Any) -> bool:
        """The value was overwritten before any read had shown it; or somebody typed it while a write of ours was in
        the key cell of that row."""
        place = tab.columns[column]
        expected = self.cells.get((tab.title, key, place))
        broken = [put for (s, k, c), put in self.cells.items() if (s, c) == (tab.title, place) and not self._is_key(k)]
        return self._unread(tab.title, place, list(key), expected) or there in [_text(put, tab) for put in broken]

    def _is_key(self, key: Key) -> bool:
        return key[0] in self.shop.tags

    def _without_key(self, sheet: str, tab: Sheet) -> Iterator[str]:
        rows = [row for row in tab.rows[1 : tab.last_row] if not any(self._key(tab, row))]
        shown = [{tab.columns[at]: plain(row.get(at)) for at in self._shown(sheet, tab, row)} for row in rows]
        there = [cells for cells in shown if cells]
        for expected in self.keyless.get(sheet, []):
            if expected in there:
                there.remove(expected)
            elif not self._unread_row(sheet, expected, there):
                yield f"{sheet}: the row without a key {expected} is gone; there are {there}"
        for left in there[self._keys_unread(sheet, tab) :]:
            yield f"{sheet}: a row without a key says {left}, and nobody put that there"

    def _shown(self, sheet: str, tab: Sheet, row: Row) -> list[int]:
        """The columns with content of a row without a key. Our columns that somebody filled in while a write of ours
        was in the key cell do not count: the person took the row for the row of a spool."""
        headings = {(id_, value) for one in self.keyless.get(sheet, []) for id_, value in one.items()}
        ours = set(range(row.width)) - set(self.own_columns(sheet))
        typed = {at for at in ours if (mark := row.writers.get(at)) and mark.person}
        typed -= {at for at in typed if (tab.columns[at], plain(row.get(at))) in headings}
        return [at for at in range(row.width) if row.get(at) is not None and at not in typed]

    def _keys_unread(self, sheet: str, tab: Sheet) -> int:
        """How many rows lost a key that no read had shown: what is left of them is a row without a key."""
        keys = {tab.columns[tab.rows[0].values.index(name)] for name in KEYS[sheet]}
        lost = [one for one in self._overwritten(sheet) if one["column_id"] in keys and not one["read_since"]]
        return sum(not one["restored"] for one in lost)

    def _unread(self, sheet: str, column_id: int, key: list[Any], expected: Any) -> bool:
        """Whether the value was overwritten before any read had shown it: without a compare-and-set in Google nobody
        can prevent that. For a row without a key the journal may have a value of ours that an earlier batch put into
        its key cell; values of such rows are unique."""
        return any(
            one["column_id"] == column_id
            and (one["key"] == key or not (any(key) or self._is_key(tuple(one["key"]))))
            and (expected.is_in(one["person"]) if isinstance(expected, HeaderReference) else one["person"] == expected)
            and (not one["read_since"] or one["arrived_at_revision"] < one["edited_at_revision"])
            for one in self._overwritten(sheet)
        )

    def _unread_row(self, sheet: str, expected: dict[int, Any], there: list[dict[int, Any]]) -> bool:
        """Whether the rest of the row is there and the missing cells were overwritten before any read had shown
        them."""
        key = [None] * len(KEYS[sheet])
        for found in there:
            missing = {id_: value for id_, value in expected.items() if found.get(id_) != value}
            same_row = len(missing) < len(expected) and not found.keys() - expected.keys()
            if same_row and all(self._unread(sheet, id_, key, value) for id_, value in missing.items()):
                there.remove(found)
                return True
        return False

    def _overwritten(self, sheet: str) -> list[dict[str, Any]]:
        book = self.shop.emulator.file(BOOK).book
        return [one for one in self.shop.emulator.journal.overwritten(book) if one["sheet"] == sheet]


def _text(expected: Any, tab: Sheet) -> Any:
    return expected.text(tab) if isinstance(expected, HeaderReference) else expected


def _is_known(sheet: str, header: Any) -> bool:
    return isinstance(header, str) and (header == SELLO or comparable_name(header) in KNOWN[sheet])
