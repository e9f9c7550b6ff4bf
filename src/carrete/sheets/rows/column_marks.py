"""Marks and anchors: developer metadata on columns, which moves with its column.

A batch marks each column that it writes to, in the same atomic request. So the marks tell which columns it hit, even if
columns moved before or after Google applied it. People's own columns get an anchor once, which identifies them even
without a header. Both are read only when the read itself is not enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from carrete.sheets.structure import STAMPED

MARK_KEY, ANCHOR_KEY = "carrete-c", "carrete-o"
ANCHORS_MAX = 100  # columns of one sheet that get an anchor
FLUSHES_MARKED_MAX = 40  # 30,000 characters of metadata fit a sheet: some 80 flushes of 20 columns
FLUSHES_KEPT = 3  # the marks of this many last flushes are not deleted
_SHEETS = {plan.name: plan.name[0] for plan in STAMPED}
_VALUE = re.compile(r"(?P<attempt>(?P<flush>\d+)\.\d+)(?P<sheet>[A-Z])(?P<column>\d+)")


def mark_requests(sheet: str, tab_id: int, attempt: str, columns: Iterable[int]) -> list[dict[str, Any]]:
    return [_create(tab_id, at, MARK_KEY, _value(sheet, attempt, at)) for at in sorted(set(columns))]


def anchor_requests(sheet: str, tab_id: int, attempt: str, columns: Iterable[int]) -> list[dict[str, Any]]:
    return [_create(tab_id, at, ANCHOR_KEY, anchor_value(sheet, attempt, at)) for at in sorted(set(columns))]


def anchor_value(sheet: str, attempt: str, column: int) -> str:
    return f"a{_value(sheet, attempt, column)}"


def _create(tab_id: int, at: int, key: str, value: str) -> dict[str, Any]:
    span = {"sheetId": tab_id, "dimension": "COLUMNS", "startIndex": at, "endIndex": at + 1}
    datum = {"metadataKey": key, "metadataValue": value, "location": {"dimensionRange": span}}
    return {"createDeveloperMetadata": {"developerMetadata": {**datum, "visibility": "DOCUMENT"}}}


def wanted_marks(sheet: str, unclear: Mapping[str, Iterable[int]]) -> list[str]:
    return [_value(sheet, attempt, at) for attempt, columns in unclear.items() for at in sorted(columns)]


def marks_found(unclear: Iterable[str], found: Mapping[str, int]) -> dict[str, dict[int, int]]:
    """By attempt and planned index: the present index. An attempt without marks gets an empty entry, so that it is not
    looked up again in the same read."""
    marks: dict[str, dict[int, int]] = {attempt: {} for attempt in unclear}
    for value, at in found.items():
        if read := _VALUE.fullmatch(value):
            marks.setdefault(read["attempt"], {})[int(read["column"])] = at
    return marks


def flush_of(value: str) -> int | None:
    read = _VALUE.fullmatch(value)
    return int(read["flush"]) if read else None


def _value(sheet: str, attempt: str, column: int) -> str:
    return f"{attempt}{_SHEETS[sheet]}{column}"
