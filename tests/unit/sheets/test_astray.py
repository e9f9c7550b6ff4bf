"""Strays in one read: which cells hold values of ours, and which values are restored."""

from __future__ import annotations

from dataclasses import replace

import pytest

from carrete.sheets.rows.column_identity import layout_of
from carrete.sheets.rows.snapshot import SheetSnapshot, Stray, holds
from carrete.sheets.rows.strays import CleanedRead, StrayRemover
from carrete.sheets.rows.verdict import Write
from carrete.sheets.rows.view import SheetView, sheet_view
from carrete.sheets.structure import SELLO, SPOOLS, header_of
from carrete.workbook.bases import RowId
from carrete.workbook.cells import Formula, Raw
from tests.support.builders import SHOP

HEADER: list[Raw] = ["TAG_SPOOL", "Nota", "OT", "Soldador", "version", SELLO]
STAMP, LATER, VERSION = "7.1.0-abcdef", "7.1.1-abcdef", "11111111-2222-4333-8444-555555555555"


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


def taken_over(snapshot: SheetSnapshot, view: SheetView, found: CleanedRead) -> None:
    """The lane goes on with the read without its strays."""
    clean = sheet_view(SPOOLS, view.header, found.rows, None, SHOP.zone)
    layout = layout_of(view, snapshot)
    snapshot.take_over(clean, layout, found.strays)
    snapshot.note_strays(clean, found.strays)


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


def test_a_value_that_the_row_had_before_does_not_prove_that_the_write_hit_its_column() -> None:
    """Nota was moved to the right of OT before the write of A-1 arrived, in the row of A-2, whose OT is the same."""
    snapshot = known(seen(["A-1", "", "", "", "", ""], ["A-2", "ojo", "25", "", "", ""]))
    write = write_of(("A-1", 0), {"OT": "25", "version": VERSION, SELLO: STAMP}, snapshot)
    header: list[Raw] = ["TAG_SPOOL", "OT", "Nota", "Soldador", "version", SELLO]
    now = seen(["A-1", "", "", "", "", ""], ["A-2", "25", "25", "", VERSION, STAMP], header=header)
    assert cleaned(now, snapshot, write).unclear == {"7.1": {2, 4, 5}}
    found = cleaned(now, snapshot, write, {2: 2, 4: 4, 5: 5})
    assert found.rows[2] == ["A-2", "25", "ojo", "", "", ""]


def test_values_in_their_columns_are_taken_as_ours_where_google_has_no_marks() -> None:
    snapshot = known(seen(["A-1", "", "", "", "", ""], ["A-2", "ojo", "25", "", "", ""]))
    write = write_of(("A-1", 0), {"OT": "25", "version": VERSION, SELLO: STAMP}, snapshot)
    header: list[Raw] = ["TAG_SPOOL", "OT", "Nota", "Soldador", "version", SELLO]
    now = seen(["A-1", "", "", "", "", ""], ["A-2", "25", "ojo", "", VERSION, STAMP], header=header)
    found = StrayRemover(now, layout_of(now, snapshot), snapshot, [write], {"7.1": {}}).run()
    assert found.rows[2] == ["A-2", "25", "ojo", "", "", ""]


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


def test_keys_that_were_given_back_to_wrong_rows_are_taken_back_also_by_the_reads_after_the_first() -> None:
    """The row of A-1 had been deleted, so the repairs of A-2 and A-3 landed one row too low, each with its key."""
    rows: list[list[Raw]] = [[f"A-{n}", note, "25", "", "", ""] for n, note in enumerate(("dos", "tres", "cuatro"), 2)]
    snapshot = known(seen(*rows))
    now = seen(
        ["", "dos", "25", "", "", ""], ["A-2", "tres", "25", "x", "", STAMP], ["A-3", "cuatro", "25", "", "", LATER]
    )
    writes = [
        write_of(("A-2", 0), {"TAG_SPOOL": "A-2", "Soldador": "x", SELLO: STAMP}, snapshot),
        replace(write_of(("A-3", 0), {"TAG_SPOOL": "A-3", SELLO: LATER}, snapshot), stamp=LATER),
    ]
    repairs = {2: {0: "A-3", 3: "", 5: ""}, 3: {0: "A-4", 5: ""}}
    for shown_first in (writes, [], []):
        found = StrayRemover(now, layout_of(now, snapshot), snapshot, shown_first, {}).run()
        assert {index: one.cells for index, one in found.repairs.items()} == repairs
        taken_over(snapshot, now, found)
    assert [row[0] for row in found.rows[1:]] == ["", "A-3", "A-4"]


def test_a_heading_that_got_the_key_of_a_spool_is_no_spool_while_that_spool_is_in_another_row() -> None:
    """Somebody inserted the heading above A-2 before the repair of A-2 arrived, whose own key had been hit before."""
    snapshot = known(seen(["A-2", "dos", "25", "", "", ""]))
    snapshot.rows["A-2", 0].note_strays({"TAG_SPOOL": ("MR(93)", "6.1.0-abcdef")})
    snapshot.with_strays = {("A-2", 0)}
    write = write_of(("A-2", 0), {"TAG_SPOOL": "A-2", "Soldador": "x", SELLO: STAMP}, snapshot)
    now = seen(["A-2", "turno", "", "x", "", STAMP], ["MR(93)", "dos", "25", "", "", ""])
    repairs = cleaned(now, snapshot, write).repairs
    assert repairs[1].cells == {0: "", 3: "", 5: ""}
    assert repairs[2].cells == {0: "A-2"}


@pytest.mark.parametrize("stray", [False, True], ids=["its own stamp", "the stamp of a stray"])
def test_a_row_whose_key_was_hit_is_known_by_a_stamp_although_people_have_changed_most_of_it(stray: bool) -> None:
    snapshot = known(seen(["A-2", "dos", "25", "", "", LATER]))
    if stray:
        snapshot.rows["A-2", 0].note_strays({SELLO: ("6.1.0-abcdef", "6.1.0-abcdef")})
    header: list[Raw] = ["Soldador", "Nota", "OT", "TAG_SPOOL", "version", SELLO]
    now = seen(["", "otra", "26", "MR(93)", STAMP, "6.1.0-abcdef" if stray else LATER], header=header)
    put: dict[str, Raw] = {"Soldador": "MR(93)", "version": STAMP}
    found = cleaned(now, snapshot, write_of(("A-3", 0), put, snapshot), {3: 3, 4: 4})
    assert found.rows[1][:5] == ["", "otra", "26", "A-2", ""]


def test_a_blank_row_that_was_hit_twice_is_cleared_although_somebody_typed_into_it() -> None:
    """Of the first write only the name is left: the second one has replaced its stamp."""
    snapshot = known(seen(["A-1", "ojo", "25", "", "", ""]))
    strays: dict[str, Stray] = {"Soldador": ("MR(93)", STAMP), "version": (VERSION, STAMP), SELLO: (STAMP, STAMP)}
    hit = seen(["A-1", "ojo", "25", "", "", ""], ["", "", "", "", "", ""])
    snapshot.take_over(hit, snapshot.layout, {2: strays})
    snapshot.note_strays(hit, {2: strays})
    write = write_of(("A-1", 0), {"version": "v2", SELLO: LATER}, snapshot)
    now = seen(["A-1", "ojo", "25", "", "", ""], ["", "", "007", "MR(93)", "v2", LATER])
    found = StrayRemover(now, layout_of(now, snapshot), snapshot, [replace(write, stamp=LATER)], {}).run()
    assert found.rows[2] == ["", "", "007", "", "", ""]


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
