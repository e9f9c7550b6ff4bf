"""Rewrites the references of a formula after rows or columns have moved, as the spreadsheet program does. Pure.

Only references to the formula's own sheet are changed, not those with the name of another sheet.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from carrete.sheets.structure import column_letters

_CELL = r"\$?[A-Za-z]{1,3}\$?[0-9]+"
_TEXT, _ELSEWHERE = r"\"(?:[^\"]|\"\")*\"", rf"(?:'(?:[^']|'')+'|\w+)!{_CELL}"
_TOKEN = re.compile(rf"{_TEXT}|{_ELSEWHERE}(?::{_CELL})?|(?<![\w.])(?P<cell>{_CELL})(?![\w(])")
_PARTS = re.compile(r"(\$?)([A-Za-z]{1,3})(\$?)([0-9]+)")

Moves = Callable[[int], int]  # index of a row or column before → its index now


def moved_references(formula: str, column: Moves, row: Moves) -> str:
    return _TOKEN.sub(lambda found: _moved_reference(found, column, row), formula)


def same_but_for_references(one: str, other: str) -> bool:
    """Whether the two may be the same formula, before and after rows or columns moved."""
    return one == other or _TOKEN.sub(_blanked, one) == _TOKEN.sub(_blanked, other)


def _blanked(found: re.Match[str]) -> str:
    return "\0" if found["cell"] else found[0]


def _moved_reference(found: re.Match[str], column: Moves, row: Moves) -> str:
    parts = _PARTS.fullmatch(found["cell"] or "")
    if parts is None:
        return found[0]
    now_column = column_letters(column(_number(parts[2])))
    return f"{parts[1]}{now_column}{parts[3]}{row(int(parts[4]) - 1) + 1}"


def _number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
