"""People's own columns are found again after they were moved, renamed or inserted; references of formulas follow."""

from __future__ import annotations

import pytest

from carrete.sheets.rows.column_identity import layout_of
from carrete.sheets.rows.formula_references import moved_references
from carrete.sheets.rows.snapshot import SheetSnapshot, same_value
from carrete.sheets.rows.view import SheetView, sheet_view
from carrete.sheets.structure import SPOOLS, header_of
from carrete.workbook.cells import Raw
from tests.support.builders import SHOP

HEADER = ["TAG_SPOOL", "Nota", "OT", "", "Peso"]
ROWS: list[list[Raw]] = [["A-1", "ojo", "1", "x", 5], ["A-2", "", "2", "y", 7], ["A-3", "fin", "3", "", 9]]


def seen(header: list[str], rows: list[list[Raw]]) -> SheetView:
    raws: list[list[Raw]] = [list(header), *(list(row) for row in rows)]
    return sheet_view(SPOOLS, header_of(SPOOLS, raws), raws, None, SHOP.zone)


@pytest.fixture
def snapshot() -> SheetSnapshot:
    view = seen(HEADER, ROWS)
    layout = layout_of(view, None)
    found = SheetSnapshot(layout)
    found.take_over(view, layout)
    assert layout.ids == ("TAG_SPOOL", "#1", "OT", "#2", "#3")
    return found


def moved(order: list[int], header: list[str]) -> tuple[list[str], list[list[Raw]]]:
    return [header[at] for at in order], [[row[at] for at in order] for row in ROWS]


def test_columns_that_moved_are_known_by_header_and_by_what_stands_in_them(snapshot: SheetSnapshot) -> None:
    header, rows = moved([3, 0, 4, 2, 1], HEADER)
    assert layout_of(seen(header, rows), snapshot).ids == ("#2", "TAG_SPOOL", "#3", "OT", "#1")


def test_a_column_that_was_renamed_is_the_same(snapshot: SheetSnapshot) -> None:
    assert layout_of(seen(["TAG_SPOOL", "Otra", "OT", "", "Kilos"], ROWS), snapshot).ids == snapshot.layout.ids


def test_a_new_column_gets_a_new_identity(snapshot: SheetSnapshot) -> None:
    rows: list[list[Raw]] = [[row[0], "", *row[1:]] for row in ROWS]
    view = seen(["TAG_SPOOL", "", *HEADER[1:]], rows)
    assert layout_of(view, snapshot).ids == ("TAG_SPOOL", "#4", "#1", "OT", "#2", "#3")


def test_rows_that_a_write_of_ours_hit_prove_nothing_against_a_column(snapshot: SheetSnapshot) -> None:
    rows: list[list[Raw]] = [["A-1", "ojo", "1", "hit", 5], ["A-2", "", "2", "hit", 7], ["A-3", "fin", "3", "", 9]]
    assert layout_of(seen(HEADER, rows), snapshot, {1, 2}).ids == snapshot.layout.ids


def test_a_column_is_known_by_what_of_ours_went_astray_into_it() -> None:
    """The column is empty but for the stray, and another empty column has its former index."""
    before = seen(["TAG_SPOOL", "", "OT"], [["A-1", "", "1"], ["A-2", "", "2"]])
    layout = layout_of(before, None)
    empty = SheetSnapshot(layout)
    empty.take_over(before, layout)
    empty.rows["A-2", 0].note_strays({"#1": (46342, "7.1.0-abcdef")})
    now = seen(["TAG_SPOOL", "Nueva", "", "OT"], [["A-1", "", "", "1"], ["A-2", "", 46342, "2"]])
    assert layout_of(now, empty).ids == ("TAG_SPOOL", "#2", "#1", "OT")


def test_a_column_that_lost_all_it_held_is_known_by_its_place_also_when_a_neighbour_has_moved() -> None:
    """A write of ours emptied its only cell, after OT had been moved away from its right side."""
    before = seen(
        ["TAG_SPOOL", "NV", "", "OT", "Soldador"], [["A-1", "9", "=2*2", "1", "x"], ["A-2", "9", "", "2", "y"]]
    )
    layout = layout_of(before, None)
    snapshot = SheetSnapshot(layout)
    snapshot.take_over(before, layout)
    now = seen(["OT", "TAG_SPOOL", "NV", "", "Soldador"], [["1", "A-1", "9", "", "x"], ["2", "A-2", "9", "", "y"]])
    assert layout_of(now, snapshot, {1}).ids == ("OT", "TAG_SPOOL", "NV", "#1", "Soldador")


def test_a_column_without_header_that_lost_all_it_held_is_not_one_with_a_header_that_was_inserted_there() -> None:
    """A write of ours emptied its only cell, after somebody had inserted Nueva to the left of it."""
    before = seen(["TAG_SPOOL", "", "OT"], [["A-1", 237.5, "1"], ["A-2", "", "2"]])
    layout = layout_of(before, None)
    snapshot = SheetSnapshot(layout)
    snapshot.take_over(before, layout)
    now = seen(["TAG_SPOOL", "Nueva", "", "OT"], [["A-1", "", "", "1"], ["A-2", "", "", "2"]])
    assert layout_of(now, snapshot, {1}).ids == ("TAG_SPOOL", "#2", "#1", "OT")


def test_an_anchor_tells_whatever_stands_there(snapshot: SheetSnapshot) -> None:
    rows: list[list[Raw]] = [["hit", "", *row[:3], row[4]] for row in ROWS]
    view = seen(["", "", "TAG_SPOOL", "Nota", "OT", "Peso"], rows)
    assert layout_of(view, snapshot, {1, 2, 3}, {"#2": 1}).ids[1] == "#2"


def test_a_column_that_was_emptied_at_the_edge_is_still_there() -> None:
    view = seen(["TAG_SPOOL", "OT", ""], [["A-1", "1", "mine"]])
    layout = layout_of(view, None)
    snapshot = SheetSnapshot(layout)
    snapshot.take_over(view, layout)
    assert layout_of(seen(["TAG_SPOOL", "OT"], [["A-1", "1"]]), snapshot).ids == ("TAG_SPOOL", "OT", "#1")


@pytest.mark.parametrize(
    ("formula", "now"),
    [
        ("=B2*2", "=C3*2"),
        ("=$B$2&B$1", "=$C$3&C$1"),
        ('="B2"&B2', '="B2"&C3'),
        ("=SUM(B2:B4)", "=SUM(C3:C5)"),
        ("=Otra!B2+B2", "=Otra!B2+C3"),
        ("='La B2'!B2", "='La B2'!B2"),
        ("=LOG10(B2)", "=LOG10(C3)"),
        ("=B2B", "=B2B"),
    ],
)
def test_a_formula_follows_what_it_refers_to(formula: str, now: str) -> None:
    assert moved_references(formula, lambda column: column + 1, lambda row: row + 1 if row else row) == now


def test_only_the_very_same_value_is_the_same() -> None:
    assert same_value(46_342.340023148145, 46_342.34002314815)
    assert not same_value(1, True)
    assert not same_value("1", 1)
    assert same_value("", "")
