"""Cells of ours that stand where they do not belong, in one read: what is known as ours, and what belongs there."""

from __future__ import annotations

import pytest

from carrete.sheets.astray import Undoing, Undone
from carrete.sheets.picture import Picture, holds
from carrete.sheets.same_columns import layout_of
from carrete.sheets.structure import SELLO, SPOOLS, header_of
from carrete.sheets.verdict import Write
from carrete.sheets.view import View, looked_at
from carrete.workbook.bases import RowId
from carrete.workbook.cells import Formula, Raw
from tests.support.builders import SHOP

HEADER: list[Raw] = ["TAG_SPOOL", "Nota", "OT", "Soldador", "version", SELLO]
STAMP, VERSION = "7.1.0-abcdef", "11111111-2222-4333-8444-555555555555"


def seen(*rows: list[Raw], header: list[Raw] | None = None) -> View:
    raws: list[list[Raw]] = [list(header or HEADER), *(list(row) for row in rows)]
    return looked_at(SPOOLS, header_of(SPOOLS, raws), raws, None, SHOP.zone)


def known(view: View) -> Picture:
    layout = layout_of(view, None)
    picture = Picture(layout)
    picture.take_over(view, layout)
    return picture


def write_of(row: RowId, put: dict[str, Raw], picture: Picture, cells: dict[str, str] | None = None) -> Write:
    places = picture.layout.places
    return Write(STAMP, row, cells or {}, False, {}, {id_: (places[id_], said) for id_, said in put.items()})


def undone(view: View, picture: Picture, write: Write, marks: dict[int, int] | None = None) -> Undone:
    layout = layout_of(view, picture)
    return Undoing(view, layout, picture, [write], {"7.1": marks} if marks else {}).run()


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
    picture = known(before)
    write = write_of(("A-1", 0), {"Soldador": "=1+1x", SELLO: STAMP}, picture)
    now = seen(["A-1", "", "25", "=1+1x", VERSION, ""], ["", "", "", Formula("=1+1x"), "", STAMP])
    assert undone(now, picture, write).repairs[2].cells == {3: "", 5: ""}


def test_a_formula_of_ours_that_followed_its_references_is_taken_away() -> None:
    picture = known(seen(["A-1", Formula("=$C$1"), "25", "", VERSION, ""]))
    write = write_of(("A-1", 0), {"#1": Formula("=$C$1"), SELLO: STAMP}, picture)
    now = seen(["A-1", Formula("=$D$1"), "25", "", VERSION, ""], ["", Formula("=$D$1"), "", "", "", STAMP])
    assert undone(now, picture, write).repairs[2].cells == {1: "", 5: ""}


def test_a_formula_that_was_given_back_refers_to_what_it_referred_to() -> None:
    """While OT moved to the left edge, Google took the text of the formula as it was."""
    picture = known(seen(["A-1", Formula("=$C$1"), "25", "", VERSION, ""]))
    write = write_of(("A-1", 0), {"#1": Formula("=$C$1"), SELLO: STAMP}, picture)
    header: list[Raw] = ["TAG_SPOOL", "Nota", "Soldador", "OT", "version", SELLO]
    now = seen(["A-1", Formula("=$C$1"), "", "25", VERSION, STAMP], header=header)
    assert undone(now, picture, write).repairs[1].cells == {1: Formula("=$D$1")}


def test_a_formula_that_was_given_back_and_followed_by_itself_is_left_alone() -> None:
    picture = known(seen(["A-1", Formula("=$C$1"), "25", "", VERSION, ""]))
    write = write_of(("A-1", 0), {"#1": Formula("=$C$1"), SELLO: STAMP}, picture)
    header: list[Raw] = ["TAG_SPOOL", "Nota", "Soldador", "OT", "version", SELLO]
    now = seen(["A-1", Formula("=$D$1"), "", "25", VERSION, STAMP], header=header)
    assert undone(now, picture, write).repairs == {}


def test_a_row_whose_key_was_given_back_is_no_new_row() -> None:
    """The columns of that write moved, so all of it is looked at again: what it gave back rightly stays."""
    picture = known(seen(["A-1", "ojo", "25", "", VERSION, ""]))
    put: dict[str, Raw] = {"TAG_SPOOL": "A-1", "#1": "ojo", "Soldador": "", SELLO: STAMP}
    write = write_of(("A-1", 0), put, picture)
    header: list[Raw] = ["TAG_SPOOL", "Nota", "OT", "", "Soldador", "version", SELLO]
    now = seen(["A-1", "ojo", "25", "", "", STAMP, ""], header=header)
    found = undone(now, picture, write, {0: 0, 1: 1, 3: 3, 5: 5})
    assert found.rows[1][:2] == ["A-1", "ojo"]
    assert found.repairs[1].cells == {5: VERSION}


def test_keys_that_were_given_back_to_wrong_rows_are_taken_back() -> None:
    """The row above was deleted meanwhile: the repair of A-2 landed in A-3, with its key."""
    picture = known(seen(["A-2", "dos", "25", "", "", ""], ["A-3", "tres", "26", "", "", ""]))
    write = write_of(("A-2", 0), {"TAG_SPOOL": "A-2", "Soldador": "x", SELLO: STAMP}, picture)
    now = seen(["", "dos", "25", "", "", ""], ["A-2", "tres", "26", "x", "", STAMP])
    assert undone(now, picture, write).repairs[2].cells == {0: "A-3", 3: "", 5: ""}


def test_a_key_that_was_given_back_to_its_own_row_stays() -> None:
    picture = known(seen(["A-2", "dos", "25", "", "", ""], ["A-3", "tres", "26", "", "", ""]))
    write = write_of(("A-2", 0), {"TAG_SPOOL": "A-2", "Soldador": "x", SELLO: STAMP}, picture)
    now = seen(["A-2", "dos", "25", "x", "", STAMP], ["A-3", "tres", "26", "", "", ""])
    assert undone(now, picture, write).repairs == {}


def test_a_heading_that_was_hit_is_known_by_the_stamp_although_somebody_typed_into_it() -> None:
    picture = known(seen(["", "", "turno", "", "", ""]))
    picture.others[0].note_strays({"TAG_SPOOL": ("AR(30)", STAMP), SELLO: (STAMP, STAMP)})
    now = seen(["AR(30)", "", "turno", "typed", "", STAMP])
    found = Undoing(now, layout_of(now, picture), picture, [], {}).run()
    assert found.repairs[1].cells == {0: "", 5: ""}


def test_a_write_whose_stamp_was_taken_away_is_undone_although_its_version_stands_right() -> None:
    picture = known(seen(["A-1", "ojo", "25", "", "", ""]))
    put: dict[str, Raw] = {"OT": "26", "version": VERSION, SELLO: STAMP}
    write = write_of(("A-1", 0), put, picture, {"OT": "26", "version": VERSION})
    header: list[Raw] = ["TAG_SPOOL", "OT", "Nota", "Soldador", "version", SELLO]
    now = seen(["A-1", "25", "26", "", VERSION, "algo"], header=header)
    assert undone(now, picture, write).unclear.keys() == {"7.1"}, "the marks tell"
    found = undone(now, picture, write, {2: 2, 4: 4, 5: 5})
    assert found.repairs[1].cells[2] == "ojo"


def test_what_a_person_put_into_the_column_of_versions_tells_of_no_write() -> None:
    """A write gave it back to a heading, and never arrived."""
    picture = known(seen(["A-1", "", "25", "", VERSION, ""], ["", "", "", "", "turno 1", ""]))
    write = write_of(("", 0), {"version": "turno 1", SELLO: STAMP}, picture)
    now = seen(["A-1", "", "25", "", VERSION, ""], ["", "", "", "", "turno 1", ""])
    found = undone(now, picture, write)
    assert not found.unclear
    assert not found.repairs
