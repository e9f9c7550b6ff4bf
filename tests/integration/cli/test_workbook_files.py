"""`carrete import` and `carrete export`: exit 0 when all is in, 3 when rows were left out, 1 when nothing was done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import xlsxwriter

from carrete.ledger.database import Database
from tests.integration.cli.conftest import Carrete
from tests.support.builders import TAG, a_spool, held, put, spool_in
from tests.support.people import CREW, MR

OPERACIONES = ("TAG_SPOOL", "OT", "NV", "Fecha_Materiales", "Total_Uniones")


def a_workbook(path: Path, rows: list[tuple[Any, ...]], headers: tuple[str, ...] = OPERACIONES) -> Path:
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("Operaciones")
        for number, row in enumerate([headers, *rows]):
            sheet.write_row(number, 0, row)
    return path


def test_all_in_is_exit_0_and_importing_again_changes_nothing(
    carrete: Carrete, database: Database, database_url: str, tmp_path: Path
) -> None:
    file = a_workbook(tmp_path / "in.xlsx", [("A-1", "OT-1", "NV-1", "02-11-2026", ""), ("A-2", "OT-1", "", "", "")])
    result = carrete("import", file, DATABASE_URL=database_url)
    assert result.exit_code == 0, result.err
    assert spool_in(database, "A-1").fecha_materiales is not None
    first = spool_in(database, "A-1"), spool_in(database, "A-2")
    assert carrete("import", file, DATABASE_URL=database_url).exit_code == 0
    assert (spool_in(database, "A-1"), spool_in(database, "A-2")) == first


def test_rows_left_out_are_exit_3_and_named_by_sheet_row_and_column(
    carrete: Carrete, database: Database, database_url: str, tmp_path: Path
) -> None:
    rows = [("GOOD", "OT-1", "", "02-11-2026", ""), ("TWICE", "", "", "", ""), ("TWICE", "", "", "", "")]
    rows += [("", "OT-3", "", "", ""), ("BAD\u2028TAG", "", "", "", "")]
    result = carrete("import", a_workbook(tmp_path / "in.xlsx", rows), DATABASE_URL=database_url)
    assert result.exit_code == 3
    assert all(f"Operaciones, fila {row}" in result.err for row in (4, 5, 6)), result.err
    assert "TAG_SPOOL" in result.err
    assert spool_in(database, "GOOD").ot == "OT-1"


def test_what_is_no_workbook_is_exit_1_one_sentence_and_changes_nothing(
    carrete: Carrete, database: Database, database_url: str, tmp_path: Path
) -> None:
    put(database, [before := a_spool()])
    (tmp_path / "text.xlsx").write_text("hola")
    (tmp_path / "empty.xlsx").touch()
    (tmp_path / "folder.xlsx").mkdir()
    a_workbook(tmp_path / "headless.xlsx", [("A",)], headers=("Color",))
    for name in ("text.xlsx", "empty.xlsx", "folder.xlsx", "missing.xlsx", "headless.xlsx"):
        result = carrete("import", tmp_path / name, DATABASE_URL=database_url)
        assert result.exit_code == 1, name
        assert result.sentence.endswith(".")
    assert spool_in(database) == before


def test_exporting_and_importing_again_changes_nothing(
    carrete: Carrete, database: Database, database_url: str, tmp_path: Path
) -> None:
    put(database, [held(a_spool(), MR), a_spool("=1+1"), a_spool("😀/%")], CREW)
    before = [spool_in(database, tag) for tag in (TAG, "=1+1", "😀/%")]
    file = tmp_path / "out.xlsx"
    result = carrete("export", file, DATABASE_URL=database_url)
    assert result.exit_code == 0, result.err
    assert str(file) in result.out
    result = carrete("import", file, DATABASE_URL=database_url)
    assert result.exit_code == 0, result.err
    assert [spool_in(database, tag) for tag in (TAG, "=1+1", "😀/%")] == before


def test_an_export_that_cannot_be_written_is_one_sentence(carrete: Carrete, tmp_path: Path) -> None:
    for target in (tmp_path / "nowhere" / "out.xlsx", tmp_path):
        result = carrete("export", target, CARRETE_DATA=str(tmp_path / "data"))
        assert (result.exit_code, result.sentence != "") == (1, True)
