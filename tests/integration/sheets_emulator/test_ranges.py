"""Ranges as people write them, and as Google answers them."""

from __future__ import annotations

from typing import Any

import pytest

from sheets_emulator import a1
from sheets_emulator.emulator import Emulator
from sheets_emulator.errors import ApiError
from sheets_emulator.model import Book
from sheets_emulator.workbooks import Tab, make_book


@pytest.fixture(scope="module")
def book() -> Book:
    tabs = [
        Tab("Operaciones", [["a"]], row_count=10, column_count=5),
        Tab("It's a tab", [["b"]], row_count=3, column_count=3),
        Tab("D3", [["c"]], row_count=4, column_count=4),
        Tab("Año 2026", [["d"]], row_count=4, column_count=4),
    ]
    made = make_book(Emulator(), "Taller", tabs)
    made.named_ranges = {"1": {"namedRangeId": "1", "name": "Tags", "range": a1.parse(made, "A2:A4").grid_range}}
    return made


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("A1", "Operaciones!A1"),
        ("Operaciones", "Operaciones!A1:E10"),
        ("operaciones!B2:C3", "Operaciones!B2:C3"),
        ("Operaciones!A:A", "Operaciones!A1:A10"),
        ("Operaciones!2:2", "Operaciones!A2:E2"),
        ("Operaciones!A2:2", "Operaciones!A2:E2"),
        ("Operaciones!B3:C", "Operaciones!B3:C10"),
        ("Operaciones!D4:A1", "Operaciones!A1:D4"),
        ("Operaciones!A1:Z99", "Operaciones!A1:E10"),
        ("Operaciones!$B$2:$C$3", "Operaciones!B2:C3"),
        ("Operaciones!R2C3:R4C5", "Operaciones!C2:E4"),
        ("R2C3", "Operaciones!C2"),
        ("'It''s a tab'!A1:B2", "'It''s a tab'!A1:B2"),
        ("'It''s a tab'", "'It''s a tab'!A1:C3"),
        ("It's a tab!B2", "'It''s a tab'!B2"),
        ("'D3'!A1", "'D3'!A1"),
        ("'D3'", "'D3'!A1:D4"),
        ("Año 2026!C3", "'Año 2026'!C3"),
        ("Tags", "Operaciones!A2:A4"),
    ],
)
def test_a_range_is_answered_clipped_and_quoted_only_when_needed(book: Book, text: str, name: str) -> None:
    assert a1.area_name(book, a1.parse(book, text)) == name


@pytest.mark.parametrize(
    "text", ["", "Nowhere!A1", "Operaciones!", "Operaciones!A1:B2:C3", "A0", "Operaciones!é1", "!A1"]
)
def test_an_invalid_range_is_quoted_in_the_error(book: Book, text: str) -> None:
    with pytest.raises(ApiError, match=r"Unable to parse range") as refused:
        a1.parse(book, text)
    assert refused.value.message == f"Unable to parse range: {text}"


def test_a_range_that_begins_outside_the_grid_is_refused_with_its_limits(book: Book) -> None:
    with pytest.raises(ApiError) as refused:
        a1.parse(book, "Operaciones!Y1")
    assert refused.value.message == "Range (Operaciones!Y1) exceeds grid limits. Max rows: 10, max columns: 5"


@pytest.mark.parametrize(
    ("number", "letters"), [(0, "A"), (25, "Z"), (26, "AA"), (701, "ZZ"), (702, "AAA"), (18277, "ZZZ")]
)
def test_columns_are_counted_in_letters(number: int, letters: str) -> None:
    assert a1.letters(number) == letters
    assert a1.column_number(letters) == number


def test_a_grid_range_is_open_where_it_has_no_limit(book: Book) -> None:
    everything: dict[str, Any] = {"sheetId": 0}
    assert a1.area_name(book, a1.from_grid_range(book, everything)) == "Operaciones!A1:E10"
    assert (
        a1.area_name(book, a1.from_grid_range(book, {"startRowIndex": 1, "endColumnIndex": 2})) == "Operaciones!A2:B10"
    )
    with pytest.raises(ApiError, match="No grid with id: 12345"):
        a1.from_grid_range(book, {"sheetId": 12345})
