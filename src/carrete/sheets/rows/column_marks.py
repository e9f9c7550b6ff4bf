"""Developer metadata on columns: it moves with its column, wherever people move that to.

A batch marks each column that it writes to, in the same atomic request: so, whatever was moved before and after Google
applied it, the marks tell which columns it hit. People's own columns get an anchor, once: it tells which of them is
which, also without a header. Both are asked for only when a read cannot tell by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from carrete.sheets.structure import STAMPED

MARK_KEY, ANCHOR_KEY = "carrete-c", "carrete-o"
ANCHORS_MAX = 100  # columns of one sheet that get one
FLUSHES_MARKED_MAX = 40  # 30,000 characters of metadata fit a sheet: some 80 flushes of 20 columns
FLUSHES_KEPT = 3  # of the last flushes the marks are left where they are
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
    """By attempt; one without any says so, and is not asked for again in the same read."""
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
