"""What the lane knows of the rows comes out in the same order in every process; most rows need no state."""

from __future__ import annotations

from pathlib import Path

from carrete.ledger.migrate import migrate
from carrete.ledger.sqlite import SqliteDatabase
from carrete.sheets.rows import storage
from carrete.sheets.rows.classify import RowDiff
from carrete.sheets.rows.row_state import RowState, RowStates
from carrete.sheets.rows.verdict import StoredRow, Write, classify_row
from carrete.sheets.rows.view import RowReading, sheet_view
from carrete.sheets.structure import JOINTS, SPOOLS, header_of
from carrete.workbook.cells import RawRow
from carrete.workbook.report import Problem
from tests.support.builders import SHOP


def problem(sheet: str, row: int, column: str = "OT") -> Problem:
    return Problem(sheet, row, column, "no se entiende")


def test_problems_are_listed_by_sheet_and_row_and_left_out_rows_come_first() -> None:
    states = RowStates()
    states.stored((JOINTS.name, ("MK-1", 1))).waiting = (problem(JOINTS.name, 4),)
    states.stored((SPOOLS.name, ("MK-9", 0))).waiting = (problem(SPOOLS.name, 7, "OT"), problem(SPOOLS.name, 7, "NV"))
    states.stored((SPOOLS.name, ("MK-2", 0))).waiting = (problem(SPOOLS.name, 3),)
    states.stored((SPOOLS.name, ("MK-5", 0))).irregular = (problem(SPOOLS.name, 6),)
    states.stored((SPOOLS.name, ("MK-4", 0))).irregular = (problem(SPOOLS.name, 2),)
    assert [(one.sheet, one.row, one.column) for one in states.problems()] == [
        (SPOOLS.name, 3, "OT"),
        (SPOOLS.name, 7, "OT"),
        (SPOOLS.name, 7, "NV"),
        (JOINTS.name, 4, "OT"),
        (SPOOLS.name, 2, "OT"),
        (SPOOLS.name, 6, "OT"),
    ]


def test_rows_that_the_ledger_knows_are_loaded_in_their_order(tmp_path: Path) -> None:
    rows = [(f"MK-{n:02}", 0) for n in range(30)]
    database = SqliteDatabase(tmp_path / "carrete.db")
    migrate(database)
    with database.writing() as tx:
        storage.save_rows(tx, {(SPOOLS.name, row): ({}, "") for row in reversed(rows)}, "2026-11-16T13:30:00Z")
    states = RowStates()
    with database.reading() as tx:
        states.load(tx)
    database.close()
    assert states.known_rows(SPOOLS.name) == rows


def test_a_row_with_nothing_to_remember_has_no_state_and_is_still_known() -> None:
    raws: list[RawRow] = [["TAG_SPOOL"], ["MK-1"], ["MK-2"]]
    view = sheet_view(SPOOLS, header_of(SPOOLS, raws), raws, None, SHOP.zone)
    states = RowStates()
    waiting, other, gone = [(SPOOLS.name, (tag, 0)) for tag in ("MK-1", "MK-2", "MK-3")]
    for row_key in (waiting, other, gone):
        states.know(row_key)
        states.stored(row_key).irregular = ()
    states.stored(waiting).waiting = (problem(SPOOLS.name, 2),)
    states.stored(gone).waiting = (problem(SPOOLS.name, 9),)
    states.take_over(view, recent=0.0)
    assert [row_key for row_key, _ in states.items()] == [waiting]
    assert all(states.is_known(row_key) for row_key in (waiting, other, gone))
    states.forget(gone)
    assert states.known_rows(SPOOLS.name) == [waiting[1], other[1]]


def read_as(value: str, stored: StoredRow, write: Write) -> RowDiff:
    """The row with our write's stamp, and with this value in the cell that it wrote."""
    row = ("MK-1", 0)
    reading = RowReading({"Ocupado_Por": value}, stamp=write.stamp)
    return RowDiff((SPOOLS.name, row), 1, reading, stored, classify_row(row, reading, stored, write, True, {}))


def test_a_stale_answer_after_a_person_undid_our_write_before_it_was_read_is_doubted() -> None:
    """The stored value is the same before and after that read, and yet a person has typed since our write."""
    write = Write("7.1.0-abc", ("MK-1", 0), {"Ocupado_Por": "MR(93)"}, landed=False)
    state = RowState()
    emptied = read_as("", StoredRow({"Ocupado_Por": ""}, ""), write)
    assert emptied.edits == {"Ocupado_Por": ""}
    assert not state.must_be_confirmed(emptied, recent=0.0)
    state.update(emptied, None, now=10.0)
    stale = read_as("MR(93)", StoredRow({"Ocupado_Por": ""}, write.stamp), write)
    assert state.must_be_confirmed(stale, recent=0.0)
