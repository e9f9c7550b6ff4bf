"""What the lane knows of the rows comes out in the same order in every process."""

from __future__ import annotations

from pathlib import Path

from carrete.ledger.migrate import migrate
from carrete.ledger.sqlite import SqliteDatabase
from carrete.sheets.rows import storage
from carrete.sheets.rows.row_state import RowStates
from carrete.sheets.structure import JOINTS, SPOOLS
from carrete.workbook.report import Problem


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
