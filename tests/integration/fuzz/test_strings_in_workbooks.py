"""Five hundred nasty strings in every column of text, through .xlsx files and through the Google sheet, both ways."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from carrete.domain.joints import Joint
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.rows import joint_from
from carrete.sheets.rows.view import ERRORS
from carrete.workbook.exporting import export_workbook
from carrete.workbook.importing import import_workbook
from carrete.workbook.report import ImportReport
from sheets_emulator.model import EnteredFormula
from tests.conftest import migrated
from tests.integration.fuzz.strings import NASTY, as_cell, is_encodable
from tests.integration.workbook.files import write_file
from tests.support.builders import NOW, SHOP, a_joint, a_spool, a_worker, put, spool_in
from tests.support.sheets import READY, SheetShop

TEXTS = {
    f"MK-{n}": text for n, text in enumerate(NASTY) if is_encodable(text)
}  # by the tag of the spool that has the text
CELLS = {tag: cell for tag, text in TEXTS.items() if (cell := as_cell(text)) is not None}
JOINT_TEXTS = ("id", "ot", "tipo", "ndt_union", "r_ndt_union", "ndt_status", "arm_worker")
# Our own library writes neither of these as the spreadsheet programs do: a file made by it cannot hold them.
_NOT_BY_HAND = re.compile("\ufffe|\uffff|_x[0-9a-fA-F]{4}_x[0-9a-fA-F]{4}_|^<r>")


@pytest.fixture
def ledgers(tmp_path: Path) -> Iterator[tuple[Database, Database]]:
    urls = [f"sqlite:///{tmp_path / name}.db" for name in ("one", "other")]
    for url in urls:
        migrated(url)
    one, other = map(open_database, urls)
    yield one, other
    one.close()
    other.close()


def joint_in(database: Database, tag: str) -> Joint:
    with database.reading() as tx:
        (row,) = tx.all("joints_of", tag=tag)
    return joint_from(row)


def left_out(report: ImportReport, sheet: str, column: str) -> set[int]:
    """The rows whose cell was reported as unreadable."""
    return {one.row for one in report.problems if (one.sheet, one.column) == (sheet, column) and one.reason}


def test_a_file_that_people_made_is_read_by_the_rule_and_the_rest_is_named(
    ledgers: tuple[Database, Database], tmp_path: Path
) -> None:
    texts = {tag: text for tag, text in TEXTS.items() if not _NOT_BY_HAND.search(text)}
    spools = [{"TAG_SPOOL": tag, "OT": text, "NV": text} for tag, text in texts.items()]
    joints = [{"TAG_SPOOL": tag, "N_UNION": 1, "TIPO_UNION": text, "NDT_STATUS": text} for tag, text in texts.items()]
    path = write_file(tmp_path / "people.xlsx", Operaciones=spools, Uniones=joints)
    report = import_workbook(ledgers[0], path, SHOP, NOW)
    unreadable = {row for row, tag in enumerate(texts, 2) if tag not in CELLS}
    for sheet, column in (
        ("Operaciones", "OT"),
        ("Operaciones", "NV"),
        ("Uniones", "TIPO_UNION"),
        ("Uniones", "NDT_STATUS"),
    ):
        assert left_out(report, sheet, column) == unreadable
    for tag, text in texts.items():
        spool, joint = spool_in(ledgers[0], tag), joint_in(ledgers[0], tag)
        assert {spool.ot, spool.nv, joint.tipo, joint.ndt_status} == {CELLS.get(tag) or None}, ascii(text)


def test_what_is_exported_comes_back_as_it_was(ledgers: tuple[Database, Database], tmp_path: Path) -> None:
    one, other = ledgers
    spools = [a_spool(tag, ot=cell or None, nv=cell or None, armador=cell or None) for tag, cell in CELLS.items()]
    joints = [a_joint(1, tag, **dict.fromkeys(JOINT_TEXTS, cell or None)) for tag, cell in CELLS.items()]
    people = [a_worker(n, cell, cell) for n, cell in enumerate(CELLS.values(), 1) if cell]
    put(one, spools, people, joints)
    path = tmp_path / "ours.xlsx"
    export_workbook(one, path, SHOP, NOW)
    for database in ledgers:
        report = import_workbook(database, path, SHOP, NOW)
        assert (report.problems, report.conflicts) == ([], [])
        assert report.spools.changed == report.joints.changed == report.workers.changed == 0
    for spool, joint in zip(spools, joints, strict=True):
        there = spool_in(other, spool.tag)
        assert (there.ot, there.nv, there.armador) == (spool.ot, spool.nv, spool.armador), ascii(spool.ot)
        assert replace(joint_in(other, joint.tag), version=joint.version) == joint
    with other.reading() as tx:
        assert [(row[1], row[2]) for row in tx.all("workers")] == [(who.nombre, who.apellido) for who in people]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SheetShop]:
    """Its people wrote all of them into the sheet, as text."""
    migrated(url := f"sqlite:///{tmp_path_factory.mktemp('lane') / 'carrete.db'}")
    database = open_database(url)
    opened = SheetShop(database, [{"TAG_SPOOL": tag, **READY, "NV": text} for tag, text in TEXTS.items()])
    opened.settle()
    yield opened
    opened.close()
    database.close()


def test_what_people_write_into_the_sheet_is_read_by_the_rule_and_left_as_they_wrote_it(shop: SheetShop) -> None:
    silent = {tag for tag, text in TEXTS.items() if tag not in CELLS or text in ERRORS}
    rows = {row["TAG_SPOOL"]: (number, row) for number, row in enumerate(shop.rows(), 2)}
    reported = {problem.row for problem in shop.lane.puller.problems() if problem.column == "NV" and problem.reason}
    assert reported == {rows[tag][0] for tag in silent}
    for tag, text in TEXTS.items():
        assert rows[tag][1].get("NV", "") == text, ascii(text)
        expected = None if tag in silent else CELLS[tag] or None
        assert shop.spool(tag).nv == expected, ascii(text)


def test_what_we_write_into_the_sheet_is_that_text_and_comes_back_as_it(shop: SheetShop, tmp_path: Path) -> None:
    """Somebody imports a file in which every OT is new; the lane writes them, and reads them again."""
    written = [{"TAG_SPOOL": tag, "OT": cell} for tag, cell in CELLS.items() if cell and not _NOT_BY_HAND.search(cell)]
    report = import_workbook(
        shop.database, write_file(tmp_path / "ots.xlsx", Operaciones=written), SHOP, shop.clock.now()
    )
    assert report.spools.changed == len(written)
    shop.settle()
    rows = {row["TAG_SPOOL"]: row for row in shop.rows()}
    for each in written:
        assert rows[each["TAG_SPOOL"]]["OT"] == each["OT"], ascii(each["OT"])
        assert shop.spool(each["TAG_SPOOL"]).ot == each["OT"]
    values: list[Any] = [value for row in shop.tab("Operaciones").rows for value in row.values]
    assert not any(isinstance(value, EnteredFormula) for value in values)
    news = {
        row["TAG_SPOOL"]: json.loads(row["Metadata_JSON"]) for row in shop.rows("Metadata") if row["Accion"] == "EDITAR"
    }
    assert {tag: new["nuevo"] for tag, new in news.items()} == {each["TAG_SPOOL"]: each["OT"] for each in written}
    shop.assert_every_event_once_in_order()
