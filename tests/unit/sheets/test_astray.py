"""Strays in one read: which cells hold values of ours, and which values are restored."""

from __future__ import annotations

import pytest

from carrete.sheets.rows.column_identity import layout_of
from carrete.sheets.rows.snapshot import SheetSnapshot, holds
from carrete.sheets.rows.strays import CleanedRead, StrayRemover
from carrete.sheets.rows.verdict import Write
from carrete.sheets.rows.view import SheetView, sheet_view
from carrete.sheets.structure import SELLO, SPOOLS, header_of
from carrete.workbook.bases import RowId
from carrete.workbook.cells import Formula, Raw
from tests.support.builders import SHOP

HEADER: list[Raw] = ["TAG_SPOOL", "Nota", "OT", "Soldador", "version", SELLO]
STAMP, VERSION = "7.1.0-abcdef", "11111111-2222-4333-8444-555555555555"


def seen(*rows: list[Raw], header: list[Raw] | None = None) -> SheetView:
    raws: list[list[Raw]] = [list(header or HEADER), *(list(row) for row in rows)]
    return sheet_view(SPOOLS, header_of(SPOOLS, raws), raws, None, SHOP.zone)


def known(view: SheetView) -> SheetSnapshot:
    layout = layout_of(view, None)
    snapshot = SheetSnapshot(layout)
    snapshot.take_over(view, layout)
    return snapshot


def write_of(row: RowId, put: dict[str, Raw], snapshot: SheetSnapshot, cells: dict[str, str] | None = None) -> Write:
    indexes = snapshot.layout.indexes
    return Write(STAMP, row, cells or {}, False, {}, {id_: (indexes[id_], value) for id_, value in put.items()})


def cleaned(view: SheetView, snapshot: SheetSnapshot, write: Write, marks: dict[int, int] | None = None) -> CleanedRead:
    layout = layout_of(view, snapshot)
    return StrayRemover(view, layout, snapshot, [write], {"7.1": marks} if marks else {}).run()


@pytest.mark.parametrize(
    ("now", "ours", "held"),
    [
        ("=1+1x", "=1+1x", True),
        (Formula("=1+1x"), "=1+1x", True),
        (Formula("'=1+1x"), "=1+1x", True),
        (Formula("=1+2x"), "=1+1x", False),
        (Formula("="), "", False),
        (Formula('=$K$1&" 7"'), Formula('=$J$1&" 7"'), True),
        (Formula('=$K$1&" 8"'), Formula('=$J$1&" 7"'), False),
        (Formula('="A1"&B2'), Formula('="A2"&B2'), False),
        ("=$J$1", Formula("=$J$1"), False),
        (46342.5, 46342.5, True),
    ],
)
def test_what_counts_as_what_we_put_there(now: Raw, ours: Raw, held: bool) -> None:
    assert holds(now, ours) is held


def test_text_of_ours_that_a_read_took_for_a_formula_is_taken_away() -> None:
    before = seen(["A-1", "", "25", "=1+1x", VERSION, ""])
    snapshot = known(before)
    write = write_of(("A-1", 0), {"Soldador": "=1+1x", SELLO: STAMP}, snapshot)
    now = seen(["A-1", "", "25", "=1+1x", VERSION, ""], ["", "", "", Formula("=1+1x"), "", STAMP])
    assert cleaned(now, snapshot, write).repairs[2].cells == {3: "", 5: ""}


def test_a_formula_of_ours_that_followed_its_references_is_taken_away() -> None:
    snapshot = known(seen(["A-1", Formula("=$C$1"), "25", "", VERSION, ""]))
    write = write_of(("A-1", 0), {"#1": Formula("=$C$1"), SELLO: STAMP}, snapshot)
    now = seen(["A-1", Formula("=$D$1"), "25", "", VERSION, ""], ["", Formula("=$D$1"), "", "", "", STAMP])
    assert cleaned(now, snapshot, write).repairs[2].cells == {1: "", 5: ""}


def test_a_formula_that_was_given_back_refers_to_what_it_referred_to() -> None:
    """OT had moved before Google applied the write, which took the text of the formula unchanged."""
    snapshot = known(seen(["A-1", Formula("=$C$1"), "25", "", VERSION, ""]))
    write = write_of(("A-1", 0), {"#1": Formula("=$C$1"), SELLO: STAMP}, snapshot)
    header: list[Raw] = ["TAG_SPOOL", "Nota", "Soldador", "OT", "version", SELLO]
    now = seen(["A-1", Formula("=$C$1"), "", "25", VERSION, STAMP], header=header)
    assert cleaned(now, snapshot, write).repairs[1].cells == {1: Formula("=$D$1")}


def test_a_formula_that_was_given_back_and_followed_by_itself_is_left_alone() -> None:
    snapshot = known(seen(["A-1", Formula("=$C$1"), "25", "", VERSION, ""]))
    write = write_of(("A-1", 0), {"#1": Formula("=$C$1"), SELLO: STAMP}, snapshot)
    header: list[Raw] = ["TAG_SPOOL", "Nota", "Soldador", "OT", "version", SELLO]
    now = seen(["A-1", Formula("=$D$1"), "", "25", VERSION, STAMP], header=header)
    assert cleaned(now, snapshot, write).repairs == {}


def test_a_row_whose_key_was_given_back_is_no_new_row() -> None:
    """The columns of the write had moved, so all its cells are undone; those that it restored rightly stay."""
    snapshot = known(seen(["A-1", "ojo", "25", "", VERSION, ""]))
    put: dict[str, Raw] = {"TAG_SPOOL": "A-1", "#1": "ojo", "Soldador": "", SELLO: STAMP}
    write = write_of(("A-1", 0), put, snapshot)
    header: list[Raw] = ["TAG_SPOOL", "Nota", "OT", "", "Soldador", "version", SELLO]
    now = seen(["A-1", "ojo", "25", "", "", STAMP, ""], header=header)
    found = cleaned(now, snapshot, write, {0: 0, 1: 1, 3: 3, 5: 5})
    assert found.rows[1][:2] == ["A-1", "ojo"]
    assert found.repairs[1].cells == {5: VERSION}


def test_keys_that_were_given_back_to_wrong_rows_are_taken_back() -> None:
    """The row above had been deleted, so the repair of A-2 landed in the row of A-3, with its key."""
    snapshot = known(seen(["A-2", "dos", "25", "", "", ""], ["A-3", "tres", "26", "", "", ""]))
    write = write_of(("A-2", 0), {"TAG_SPOOL": "A-2", "Soldador": "x", SELLO: STAMP}, snapshot)
    now = seen(["", "dos", "25", "", "", ""], ["A-2", "tres", "26", "x", "", STAMP])
    assert cleaned(now, snapshot, write).repairs[2].cells == {0: "A-3", 3: "", 5: ""}


def test_a_key_that_was_given_back_to_its_own_row_stays() -> None:
    snapshot = known(seen(["A-2", "dos", "25", "", "", ""], ["A-3", "tres", "26", "", "", ""]))
    write = write_of(("A-2", 0), {"TAG_SPOOL": "A-2", "Soldador": "x", SELLO: STAMP}, snapshot)
    now = seen(["A-2", "dos", "25", "x", "", STAMP], ["A-3", "tres", "26", "", "", ""])
    assert cleaned(now, snapshot, write).repairs == {}


def test_a_heading_that_was_hit_is_known_by_the_stamp_although_somebody_typed_into_it() -> None:
    snapshot = known(seen(["", "", "turno", "", "", ""]))
    snapshot.others[0].note_strays({"TAG_SPOOL": ("AR(30)", STAMP), SELLO: (STAMP, STAMP)})
    now = seen(["AR(30)", "", "turno", "typed", "", STAMP])
    found = StrayRemover(now, layout_of(now, snapshot), snapshot, [], {}).run()
    assert found.repairs[1].cells == {0: "", 5: ""}


def test_a_write_whose_stamp_was_taken_away_is_undone_although_its_version_stands_right() -> None:
    snapshot = known(seen(["A-1", "ojo", "25", "", "", ""]))
    put: dict[str, Raw] = {"OT": "26", "version": VERSION, SELLO: STAMP}
    write = write_of(("A-1", 0), put, snapshot, {"OT": "26", "version": VERSION})
    header: list[Raw] = ["TAG_SPOOL", "OT", "Nota", "Soldador", "version", SELLO]
    now = seen(["A-1", "25", "26", "", VERSION, "algo"], header=header)
    assert cleaned(now, snapshot, write).unclear.keys() == {"7.1"}, "the marks tell"
    found = cleaned(now, snapshot, write, {2: 2, 4: 4, 5: 5})
    assert found.repairs[1].cells[2] == "ojo"


def test_what_a_person_put_into_the_column_of_versions_tells_of_no_write() -> None:
    """The write that would have restored the text in a heading never arrived."""
    snapshot = known(seen(["A-1", "", "25", "", VERSION, ""], ["", "", "", "", "turno 1", ""]))
    write = write_of(("", 0), {"version": "turno 1", SELLO: STAMP}, snapshot)
    now = seen(["A-1", "", "25", "", VERSION, ""], ["", "", "", "", "turno 1", ""])
    found = cleaned(now, snapshot, write)
    assert not found.unclear
    assert not found.repairs


def test_a_stray_is_known_until_two_reads_do_not_show_it() -> None:
    view = seen(["A-1", "x"], ["A-2", "y"])
    snapshot, row = known(view), ("A-2", 0)
    found = []
    for strays in ({2: {"#1": ("ours", STAMP)}}, {}, {}, {}):
        snapshot.take_over(view, snapshot.layout, strays)
        changed = snapshot.note_strays(view, strays)
        found.append((changed, [hit for hit, _ in snapshot.rows_with_strays()]))
    assert found == [({row}, [row]), (set(), [row]), ({row}, []), (set(), [])]
