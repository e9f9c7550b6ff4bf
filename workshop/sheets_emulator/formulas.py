"""A few formulas: references, arithmetic, SUM, IF, TODAY, NOW, VLOOKUP. Others show #NAME?, or a value that was pinned.

References follow inserted and deleted rows and columns; one whose cell is gone shows #REF!.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from sheets_emulator import a1
from sheets_emulator.errors import ApiError
from sheets_emulator.locales import serial
from sheets_emulator.model import Book, Draft, EnteredFormula, ErrorValue, Scalar, Sheet

REF = ErrorValue("#REF!")
NAME = ErrorValue("#NAME?")
VALUE = ErrorValue("#VALUE!")
NOT_FOUND = ErrorValue("#N/A")
DIVIDED = ErrorValue("#DIV/0!")
CYCLE_DEPTH_MAX = 64
SPANISH = {"SUMA": "SUM", "SI": "IF", "HOY": "TODAY", "AHORA": "NOW", "BUSCARV": "VLOOKUP"}

_CELL = r"\$?[A-Za-z]{1,3}\$?[0-9]+"
_REFERENCE = rf"(?:(?:'(?:[^']|'')+'|\w+)!)?{_CELL}(?::{_CELL})?"
_LEXEMES = re.compile(
    rf"\s*(?:(?P<text>\"(?:[^\"]|\"\")*\")|(?P<error>#(?:REF!|N/A|NAME\?|VALUE!|DIV/0!))|(?P<reference>{_REFERENCE})(?![\w(])"
    r"|(?P<number>\d+(?:\.\d+)?)|(?P<name>[^\W\d][\w.]*)|(?P<sign><>|<=|>=|[-+*/&=<>(),;]))"
)
_SHIFTED = re.compile(
    rf"(?P<text>\"(?:[^\"]|\"\")*\")|(?P<sheet>(?:'(?:[^']|'')+'|\w+)!)?(?P<first>{_CELL})(?::(?P<last>{_CELL}))?(?![\w(])"
)
_PARTS = re.compile(r"(\$?)([A-Za-z]{1,3})(\$?)([0-9]+)")

Range = list[list[Scalar]]


def effective(book: Book, sheet: Sheet, formula: EnteredFormula, now: datetime, depth: int = 0) -> Scalar:
    """now: in the spreadsheet's own time."""
    if formula.pinned is not None:
        return formula.pinned
    if depth > CYCLE_DEPTH_MAX:
        return REF
    return _Reading(book, sheet, now, depth).result(formula.text[1:])


class _Failed(Exception):
    def __init__(self, error: ErrorValue) -> None:
        self.error = error


class _Reading:
    """Recursive descent over one formula."""

    def __init__(self, book: Book, sheet: Sheet, now: datetime, depth: int) -> None:
        self._book, self._sheet, self._now, self._depth = book, sheet, now, depth
        self._lexemes: list[tuple[str, str]] = []
        self._at = 0

    def result(self, text: str) -> Scalar:
        try:
            self._lexemes = _lexemes(text)
            value = self._compared()
            if self._at != len(self._lexemes):
                return ErrorValue("#ERROR!")
            return _single(value)
        except _Failed as failed:
            return failed.error
        except ApiError:
            return REF

    def _peek(self) -> str:
        return self._lexemes[self._at][1] if self._at < len(self._lexemes) else ""

    def _take(self) -> tuple[str, str]:
        if self._at >= len(self._lexemes):
            raise _Failed(ErrorValue("#ERROR!"))
        self._at += 1
        return self._lexemes[self._at - 1]

    def _compared(self) -> Scalar | Range:
        left = self._joined()
        while self._peek() in ("=", "<>", "<", ">", "<=", ">="):
            sign = self._take()[1]
            left = _compare(sign, _single(left), _single(self._joined()))
        return left

    def _joined(self) -> Scalar | Range:
        left = self._summed()
        while self._peek() == "&":
            self._take()
            left = _text(_single(left)) + _text(_single(self._summed()))
        return left

    def _summed(self) -> Scalar | Range:
        left = self._multiplied()
        while self._peek() in ("+", "-"):
            sign = self._take()[1]
            right = _number(_single(self._multiplied()))
            left = _number(_single(left)) + (right if sign == "+" else -right)
        return left

    def _multiplied(self) -> Scalar | Range:
        left = self._signed()
        while self._peek() in ("*", "/"):
            sign = self._take()[1]
            right = _number(_single(self._signed()))
            if sign == "/" and right == 0:
                raise _Failed(DIVIDED)
            left = _number(_single(left)) * right if sign == "*" else _number(_single(left)) / right
        return left

    def _signed(self) -> Scalar | Range:
        if self._peek() in ("-", "+"):
            sign = self._take()[1]
            value = _number(_single(self._signed()))
            return -value if sign == "-" else value
        return self._atom()

    def _atom(self) -> Scalar | Range:
        kind, text = self._take()
        if kind == "number":
            return float(text)
        if kind == "text":
            return text[1:-1].replace('""', '"')
        if kind == "error":
            raise _Failed(ErrorValue(text))
        if kind == "reference":
            return self._referred(text)
        if kind == "name":
            return self._called(text.upper())
        if text == "(":
            value = self._compared()
            self._expect(")")
            return value
        raise _Failed(ErrorValue("#ERROR!"))

    def _expect(self, sign: str) -> None:
        if self._take()[1] != sign:
            raise _Failed(ErrorValue("#ERROR!"))

    def _called(self, name: str) -> Scalar | Range:
        if self._peek() != "(":
            if name in ("TRUE", "VERDADERO"):
                return True
            if name in ("FALSE", "FALSO"):
                return False
            raise _Failed(NAME)
        self._take()
        arguments: list[Scalar | Range] = []
        while self._peek() != ")":
            arguments.append(self._compared())
            if self._peek() in (",", ";"):
                self._take()
        self._expect(")")
        return self._function(SPANISH.get(name, name), arguments)

    def _function(self, name: str, arguments: list[Scalar | Range]) -> Scalar:
        if name == "TODAY":
            return int(serial(self._now.replace(hour=0, minute=0, second=0, microsecond=0)))
        if name == "NOW":
            return serial(self._now)
        known = _FUNCTIONS.get(name)
        if known is None:
            raise _Failed(NAME)
        return known(arguments)

    def _referred(self, text: str) -> Scalar | Range:
        named = text if "!" in text else f"{a1.quoted(self._sheet.title)}!{text}"
        area = a1.parse(self._book, named)
        sheet = self._book.sheet(area.sheet_id)
        cells = [
            [self._cell(sheet, row, column) for column in range(area.left, area.right)]
            for row in range(area.top, area.bottom)
        ]
        return cells if ":" in text else cells[0][0]

    def _cell(self, sheet: Sheet, row: int, column: int) -> Scalar:
        value = sheet.value(row, column)
        if isinstance(value, EnteredFormula):
            return effective(self._book, sheet, value, self._now, self._depth + 1)
        return value


def _lexemes(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at = 0
    text = text.rstrip()
    while at < len(text):
        match = _LEXEMES.match(text, at)
        if match is None:
            raise _Failed(ErrorValue("#ERROR!"))
        kind = match.lastgroup or ""
        found.append((kind, match[kind]))
        at = match.end()
    return found


def _single(value: Scalar | Range) -> Scalar:
    if isinstance(value, list):
        raise _Failed(VALUE)
    if isinstance(value, ErrorValue):
        raise _Failed(value)
    return value


def _number(value: Scalar) -> float:
    if value is None:
        return 0
    if isinstance(value, bool | int | float):
        return value
    raise _Failed(VALUE)


def _text(value: Scalar) -> str:
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _compare(sign: str, left: Scalar, right: Scalar) -> bool:
    if isinstance(left, str) or isinstance(right, str):
        first, second = _text(left).casefold(), _text(right).casefold()
        return _holds(sign, (first > second) - (first < second))
    difference = _number(left) - _number(right)
    return _holds(sign, (difference > 0) - (difference < 0))


def _holds(sign: str, order: int) -> bool:
    return {"=": order == 0, "<>": order != 0, "<": order < 0, ">": order > 0, "<=": order <= 0, ">=": order >= 0}[sign]


def _sum(arguments: list[Scalar | Range]) -> Scalar:
    total: float = 0
    for argument in arguments:
        cells = [cell for row in argument for cell in row] if isinstance(argument, list) else [argument]
        for cell in cells:
            if isinstance(cell, ErrorValue):
                raise _Failed(cell)
            if isinstance(cell, int | float) and not isinstance(cell, bool):
                total += cell
    return total


def _if(arguments: list[Scalar | Range]) -> Scalar:
    if len(arguments) not in (2, 3):
        raise _Failed(NOT_FOUND)
    chosen = arguments[1] if _number(_single(arguments[0])) else (arguments[2] if len(arguments) == 3 else False)
    return _single(chosen)


def _vlookup(arguments: list[Scalar | Range]) -> Scalar:
    if len(arguments) < 3 or not isinstance(arguments[1], list):
        raise _Failed(NOT_FOUND)
    wanted, place = _single(arguments[0]), int(_number(_single(arguments[2]))) - 1
    for row in arguments[1]:
        if row and _compare("=", row[0], wanted):
            if not 0 <= place < len(row):
                raise _Failed(REF)
            return _single(row[place])
    raise _Failed(NOT_FOUND)


_FUNCTIONS: dict[str, Callable[[list[Scalar | Range]], Scalar]] = {"SUM": _sum, "IF": _if, "VLOOKUP": _vlookup}


# ─── references that follow their cells ───────────────────────────────────────────────────────────────────────


Moves = Callable[[int], int | None]  # the new index of an old one; None when it is deleted


def follow(draft: Draft, sheet: Sheet, dimension: str, now_at: Moves) -> None:
    """Rewrites every formula of the book that refers to that sheet."""
    if not draft.book.has_formulas:
        return
    for other in list(draft.book.sheets):
        for index, row in enumerate(other.rows):
            for column, value in enumerate(row.values):
                if isinstance(value, EnteredFormula):
                    text = _rewritten(value.text, other, sheet, dimension, now_at)
                    if text != value.text:
                        own = draft.own(other.sheet_id)
                        draft.own_row(own, index).put(column, replace(value, text=text))


def _rewritten(text: str, home: Sheet, moved: Sheet, dimension: str, now_at: Moves) -> str:
    def one(match: re.Match[str]) -> str:
        if match["text"]:
            return match[0]
        title = (match["sheet"] or "").removesuffix("!")
        title = title[1:-1].replace("''", "'") if title.startswith("'") else title
        refers = title.casefold() == moved.title.casefold() if title else home.sheet_id == moved.sheet_id
        if not refers:
            return match[0]
        return (match["sheet"] or "") + (_moved(match["first"], match["last"], dimension, now_at) or "#REF!")

    return _SHIFTED.sub(one, text)


def _moved(first: str, last: str | None, dimension: str, now_at: Moves) -> str | None:
    """A reference after rows or columns moved: a range shrinks to what is left of it; None if nothing is left."""
    begin, end = _Corner(first), _Corner(last or first)
    span = range(begin.index(dimension), end.index(dimension) + 1)
    left = [place for index in span if (place := now_at(index)) is not None]
    if not left:
        return None
    corner = begin.at(dimension, min(left))
    return f"{corner}:{end.at(dimension, max(left))}" if last else corner


class _Corner:
    """One cell of a reference, with its dollar signs."""

    def __init__(self, text: str) -> None:
        match = _PARTS.fullmatch(text)
        assert match is not None
        self._column_fixed, self._row_fixed = match[1], match[3]
        self._column, self._row = a1.column_number(match[2]), int(match[4]) - 1

    def index(self, dimension: str) -> int:
        return self._row if dimension == "ROWS" else self._column

    def at(self, dimension: str, index: int) -> str:
        row, column = (index, self._column) if dimension == "ROWS" else (self._row, index)
        return f"{self._column_fixed}{a1.letters(column)}{self._row_fixed}{row + 1}"


def local_now(instant: datetime) -> datetime:
    """Whole seconds, without the zone: a cell has none."""
    return instant.replace(tzinfo=None, microsecond=0)
