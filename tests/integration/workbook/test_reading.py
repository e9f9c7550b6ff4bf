"""Importing any file: columns in any order, odd headers, and rows that cannot be imported."""

from __future__ import annotations

import re
import unicodedata
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
import xlsxwriter

from carrete.ledger.database import Database
from carrete.workbook.errors import WorkbookError
from carrete.workbook.importing import import_workbook
from carrete.workbook.report import ImportReport
from tests.integration.workbook.files import PEOPLE, SHOP, RowEditor, Rows, Shows, write_file
from tests.support.builders import NOW, a_spool, events_in, put, spool_in


def rewritten(path: Path, change: Callable[[bytes], bytes]) -> Path:
    """The same file as another program would write it."""
    other = path.with_name("otro.xlsx")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(other, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, change(content) if name.startswith("xl/worksheets/") else content)
    return other


def places(report: ImportReport) -> list[tuple[str, int, str]]:
    return [(problem.sheet, problem.row, problem.column) for problem in report.problems]


def test_headers_are_found_whatever_their_order_case_accents_and_blanks(desk: RowEditor) -> None:
    row = {
        "Notas de Pedro": "x",
        " fecha qc metrologia": "05-11-2026",
        "TOTAL UNIONES": 0,
        "Tag_Spool ": "A-1  ",
        "Fecha Soldadura": "2026-11-04",
        "fecha_armado": 46329.0,
        "FECHA_MATERIALES": date(2026, 11, 1),
        "ot": 25238.0,
        "Nv": "NV 7 ",
    }
    report = desk.bring([row])
    spool = spool_in(desk.database, "A-1")
    assert (report.exit_code, report.problems) == (0, [])
    assert (spool.ot, spool.nv, spool.total_uniones) == ("25238", "NV 7", 0)
    assert spool.fecha_materiales == date(2026, 11, 1)
    assert spool.fecha_armado == date(2026, 11, 3)
    assert spool.fecha_soldadura == date(2026, 11, 4)
    assert spool.fecha_qc == date(2026, 11, 5)


def test_a_title_above_the_header_is_no_header(desk: RowEditor) -> None:
    path = desk.folder / "titled.xlsx"
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet("operaciones")
    for number, cells in enumerate((["Taller Norte"], [], ["TAG_SPOOL", "Fecha_Armado"], ["A-1", "ayer"])):
        sheet.write_row(number, 0, cells)
    book.close()
    report = desk.import_(path)
    assert report.spools.new == 1
    assert places(report) == [("Operaciones", 4, "Fecha_Armado")]


def test_a_bad_cell_is_reported_and_the_rest_of_its_row_counts(desk: RowEditor) -> None:
    report = desk.bring([{"TAG_SPOOL": "A-1", "OT": "7", "Fecha_Armado": "ayer"}, {"TAG_SPOOL": "A-2"}])
    assert places(report) == [("Operaciones", 2, "Fecha_Armado")]
    assert "ayer" in report.problems[0].reason
    assert report.exit_code == 3
    assert spool_in(desk.database, "A-1").ot == "7"
    assert spool_in(desk.database, "A-2").tag == "A-2"


def test_a_formula_error_changes_nothing_and_is_reported(desk: RowEditor) -> None:
    """It must not look as if a person had emptied the cell."""
    row = {"TAG_SPOOL": "A-1", "OT": "77", "Fecha_Soldadura": "05-11-2026", "Total_Uniones": 1}
    row |= {"Ocupado_Por": "MR(93)", "Fecha_Materiales": "01-11-2026"}
    joint = {"TAG_SPOOL": "A-1", "N_UNION": 1, "DN_UNION": 2, "NDT_FECHA": "05-11-2026"}
    desk.bring([row], [joint])
    before = (spool_in(desk.database, "A-1"), desk.joints("A-1"))
    broken = {name: Shows("#N/A" if name == "OT" else "#REF!") for name in row if name != "TAG_SPOOL"}
    report = desk.bring([{**row, **broken}], [{**joint, "DN_UNION": Shows("#DIV/0!"), "NDT_FECHA": Shows("#N/A")}])
    assert places(report) == [
        *(("Operaciones", 2, name) for name in broken),
        ("Uniones", 2, "DN_UNION"),
        ("Uniones", 2, "NDT_FECHA"),
    ]
    assert {problem.reason for problem in report.problems} == {"la celda tiene un error de fórmula."}
    assert (spool_in(desk.database, "A-1"), desk.joints("A-1")) == before


def test_a_formula_that_shows_something_is_what_it_shows(desk: RowEditor) -> None:
    report = desk.bring([{"TAG_SPOOL": "A-1", "OT": Shows("7")}, {"TAG_SPOOL": Shows("#REF!"), "OT": "8"}])
    assert spool_in(desk.database, "A-1").ot == "7"
    assert places(report) == [("Operaciones", 3, "TAG_SPOOL")]


def test_an_error_in_a_cell_that_does_not_say_where_it_is(desk: RowEditor) -> None:
    """Some programs write cells without a reference: such a cell follows the one before."""
    path = write_file(desk.folder / "a.xlsx", Operaciones=[{"TAG_SPOOL": "A-1", "OT": Shows("#REF!")}])
    unplaced = rewritten(path, lambda xml: re.sub(rb'<c r="[A-Z]+[0-9]+"', b"<c", xml))
    assert places(desk.import_(unplaced)) == [("Operaciones", 2, "OT")]


def test_two_rows_with_one_tag_are_both_left_out_and_named(desk: RowEditor) -> None:
    report = desk.bring([{"TAG_SPOOL": tag, "OT": ot} for tag, ot in (("A-1", "1"), ("A-2", "2"), (" A-1", "3"))])
    assert places(report) == [("Operaciones", 2, "TAG_SPOOL"), ("Operaciones", 4, "TAG_SPOOL")]
    assert "2 y 4" in report.problems[0].reason
    assert report.spools.new == 1


def test_of_very_many_rows_with_one_tag_each_names_the_first_ten(desk: RowEditor) -> None:
    """Each of them once named all the others, which made the report of a large file endless."""
    report = desk.bring([{"TAG_SPOOL": "A-1"} for _ in range(3_000)])
    assert len(report.problems) == 3_000
    assert report.problems[0].reason.endswith("y 9 y 10 y 11 y 2990 más; ninguna entró.")


def test_a_row_without_a_tag_is_reported_unless_it_is_empty(desk: RowEditor) -> None:
    report = desk.bring([{"TAG_SPOOL": "A-1", "OT": "1"}, {"TAG_SPOOL": " ", "OT": ""}, {"TAG_SPOOL": "", "OT": "3"}])
    assert places(report) == [("Operaciones", 4, "TAG_SPOOL")]


@pytest.mark.parametrize("tag", ["x" * 101, "a\x07b", "a\u2028b"])
def test_what_is_no_tag_is_reported(desk: RowEditor, tag: str) -> None:
    report = desk.bring([{"TAG_SPOOL": tag, "OT": "1"}, {"TAG_SPOOL": "A-2"}])
    assert places(report) == [("Operaciones", 2, "TAG_SPOOL")]
    assert report.spools.new == 1


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\u200d", "\ufeff", "\ufe0f", "\U000e0041"])
def test_a_new_spool_whose_tag_has_a_hidden_character_is_left_out_and_the_character_is_named(
    desk: RowEditor, hidden: str
) -> None:
    rows = [{"TAG_SPOOL": f"A{hidden}1", "OT": "1"}, {"TAG_SPOOL": "A-2"}]
    report = desk.bring(rows, [{"TAG_SPOOL": f"A{hidden}1", "N_UNION": 1}])
    assert places(report) == [("Operaciones", 2, "TAG_SPOOL"), ("Uniones", 2, "TAG_SPOOL")]
    assert f"U+{ord(hidden):04X}" in report.problems[0].reason
    assert unicodedata.name(hidden) in report.problems[0].reason
    assert (report.spools.new, report.joints.new, report.exit_code) == (1, 0, 3)


def test_a_spool_that_is_already_there_keeps_its_hidden_character(desk: RowEditor) -> None:
    """A ledger from before this rule: its file is exported and imported again as before."""
    put(desk.database, [a_spool("A\u200b1")])
    report = desk.bring([{"TAG_SPOOL": "A\u200b1", "OT": "9"}])
    assert report.problems == []
    assert spool_in(desk.database, "A\u200b1").ot == "9"


def test_joints_without_a_number_a_spool_or_a_twin_are_reported_one_by_one(desk: RowEditor) -> None:
    joints: Rows = [
        {"TAG_SPOOL": "A-1", "N_UNION": 1},
        {"TAG_SPOOL": "A-1", "N_UNION": "uno"},
        {"TAG_SPOOL": "A-1", "N_UNION": 2},
        {"TAG_SPOOL": "A-1", "N_UNION": "2"},
        {"TAG_SPOOL": "NO-EXISTE", "N_UNION": 1},
        {"TAG_SPOOL": "A-1", "N_UNION": 0},
    ]
    report = desk.bring([{"TAG_SPOOL": "A-1", "Total_Uniones": 3}], joints)
    columns = ["N_UNION", "TAG_SPOOL", "TAG_SPOOL", "TAG_SPOOL", "N_UNION"]
    assert places(report) == [("Uniones", n, c) for n, c in zip((3, 4, 5, 6, 7), columns, strict=True)]
    assert report.joints.new == 1


def test_joints_of_a_spool_that_is_already_there_need_no_row_in_operaciones(desk: RowEditor) -> None:
    desk.bring([{"TAG_SPOOL": "A-1", "Total_Uniones": 1}])
    report = desk.bring([{"TAG_SPOOL": "A-2"}], [{"TAG_SPOOL": "A-1", "N_UNION": 1, "DN_UNION": "1,5"}])
    assert report.joints.new == 1
    assert desk.joints("A-1")[0].dn_milli == 1500
    assert [e.event.n_union for e in events_in(desk.database, "A-1")] == [None, 1]


def test_a_sheet_of_joints_without_its_key_is_left_out_and_the_spools_go_in(desk: RowEditor) -> None:
    report = desk.bring([{"TAG_SPOOL": "A-1"}], [{"TAG_SPOOL": "A-1", "DN_UNION": 2}])
    assert "N_UNION" in report.problems[0].reason
    assert (report.spools.new, report.exit_code) == (1, 3)


def test_a_column_that_is_there_twice_is_read_from_neither(desk: RowEditor) -> None:
    report = desk.bring([{"TAG_SPOOL": "A-1", "OT": "1", "o.t.": "2", "NV": "9"}])
    assert places(report) == [("Operaciones", 1, "OT")]
    spool = spool_in(desk.database, "A-1")
    assert (spool.ot, spool.nv) == (None, "9")


def test_missing_columns_are_named_once_for_each_sheet_and_left_alone(desk: RowEditor) -> None:
    uniones = [{"TAG_SPOOL": "A-1", "N_UNION": 1}]
    report = desk.bring([{"TAG_SPOOL": "A-1", "OT": "1", "Armadoor": "x"}], uniones)
    assert [(n.sheet, n.row) for n in report.notices] == [("Operaciones", 1), ("Uniones", 1)]
    assert "Armador, " in report.notices[0].reason
    assert "ARM_FECHA_FIN" in report.notices[1].reason
    assert "version" not in report.notices[0].reason
    assert report.exit_code == 0


def test_a_missing_sheet_of_joints_is_reported_and_the_spools_are_imported(desk: RowEditor) -> None:
    desk.bring([{"TAG_SPOOL": "A-1"}], [{"TAG_SPOOL": "A-1", "N_UNION": 1}])
    report = desk.import_(write_file(desk.folder / "a.xlsx", Operaciones=[{"TAG_SPOOL": "A-1"}]))
    assert [str(n) for n in report.notices if n.sheet == "Uniones"] == [
        "Uniones: falta la hoja; las uniones quedan como están."
    ]
    assert report.exit_code == 0
    assert len(desk.joints("A-1")) == 1


def test_when_every_row_was_left_out_nothing_was_done(desk: RowEditor) -> None:
    bad = [{"TAG_SPOOL": "A-1", "OT": "1"}, {"TAG_SPOOL": "A-1", "OT": "2"}, {"TAG_SPOOL": "", "OT": "3"}]
    assert desk.bring(bad, people=False).exit_code == 1
    assert desk.bring([*bad, {"TAG_SPOOL": "A-2"}], people=False).exit_code == 3
    assert desk.bring([{"TAG_SPOOL": "A-2"}], people=False).exit_code == 0


def test_what_happened_in_metadata_is_ours_and_never_read(desk: RowEditor) -> None:
    desk.bring([{"TAG_SPOOL": "A-1"}], Metadata=[{"ID": "x", "TAG_SPOOL": "A-1", "Evento_Tipo": "TOMAR_SPOOL"}])
    assert [e.event.tipo for e in events_in(desk.database)] == ["EDICION_EXTERNA"]


def test_progress_is_reported_up_to_the_last_row(desk: RowEditor) -> None:
    progress: list[tuple[int, int]] = []
    rows = [{"TAG_SPOOL": f"A-{n}"} for n in range(450)]
    path = write_file(desk.folder / "many.xlsx", Operaciones=rows)
    import_workbook(desk.database, path, SHOP, NOW, lambda done, total: progress.append((done, total)))
    assert progress == [(0, 450), (200, 450), (400, 450), (450, 450)]


# ─── people ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_people_and_their_roles_come_in_and_the_file_is_right(desk: RowEditor) -> None:
    first = desk.bring([{"TAG_SPOOL": "A-1"}])
    again = desk.bring(
        [{"TAG_SPOOL": "A-1"}],
        Trabajadores=[{"Id": "93", "Nombre": "Mauricio", "Apellido": "Rojas", "Activo": "NO"}],
        Roles=[{"Id": 93.0, "Rol": "metrología"}, {"Id": 93, "Rol": "Jefe"}, {"Id": 404, "Rol": "Armador"}],
    )
    assert (first.workers.new, first.roles.new) == (4, 6)
    assert (again.workers.changed, again.roles.new) == (1, 1)
    assert places(again) == [("Roles", 3, "Rol"), ("Roles", 4, "Id")]
    with desk.database.reading() as tx:
        assert (93, "Mauricio", "Rojas", 0) in tx.all("workers")
        assert (12, "Juana", "Pérez", 1) in tx.all("workers")
        assert (93, "Metrologia", 1, 0) in tx.all("roles"), "a privilege waits for an administrator"


def test_a_person_without_a_name_is_left_out(desk: RowEditor) -> None:
    report = desk.bring([{"TAG_SPOOL": "A-1"}], Trabajadores=[{"Id": 7, "Nombre": "", "Apellido": "Soto"}, *PEOPLE])
    assert ("Trabajadores", 2, "Nombre") in places(report)
    assert report.workers.new == 4


# ─── files that are no workbook ───────────────────────────────────────────────────────────────────────────────


def refused(database: Database, path: Path) -> str:
    with pytest.raises(WorkbookError) as error:
        import_workbook(database, path, SHOP, NOW)
    with database.reading() as tx:
        assert not tx.all("spools_all")
        assert not tx.all("workers")
    return str(error.value)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "vacío"),
        (b"TAG_SPOOL;OT\nA-1;7\n", "no es un archivo .xlsx"),
        (bytes.fromhex("D0CF11E0A1B11AE1") + bytes(600), "contraseña"),
        (b"PK\x03\x04" + bytes(100), "dañado"),
    ],
)
def test_what_is_no_workbook_is_one_sentence_and_nothing_is_done(desk: RowEditor, content: bytes, says: str) -> None:
    path = desk.folder / "malo.xlsx"
    path.write_bytes(content)
    assert says in refused(desk.database, path)


def test_a_zip_that_is_no_workbook(desk: RowEditor) -> None:
    path = desk.folder / "zip.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("hola.txt", "hola")
    assert "no se puede leer como .xlsx" in refused(desk.database, path)


def test_a_file_that_is_not_there_or_is_a_folder(desk: RowEditor) -> None:
    assert "no se puede abrir" in refused(desk.database, desk.folder / "nada.xlsx")
    assert "no se puede abrir" in refused(desk.database, desk.folder)


def test_a_missing_sheet_is_named_and_nothing_is_done(desk: RowEditor) -> None:
    path = write_file(desk.folder / "a.xlsx", Uniones=[{"TAG_SPOOL": "A-1", "N_UNION": 1}], Trabajadores=PEOPLE)
    assert "Falta la hoja Operaciones" in refused(desk.database, path)


def test_a_missing_key_column_is_named_and_nothing_is_done(desk: RowEditor) -> None:
    path = write_file(desk.folder / "a.xlsx", Operaciones=[{"OT": "1", "NV": "2"}], Trabajadores=PEOPLE)
    assert "falta la columna TAG_SPOOL" in refused(desk.database, path)


def test_a_key_column_that_is_there_twice_is_named_and_nothing_is_done(desk: RowEditor) -> None:
    path = write_file(desk.folder / "a.xlsx", Operaciones=[{"TAG_SPOOL": "A-1", "tag spool": "A-2"}])
    assert "TAG_SPOOL está repetida" in refused(desk.database, path)


def test_a_stray_cell_in_the_last_corner_is_refused_before_it_eats_the_memory(desk: RowEditor) -> None:
    path = desk.folder / "corner.xlsx"
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet("Operaciones")
    sheet.write(0, 0, "TAG_SPOOL")
    sheet.write(1_048_575, 16_383, 1)
    book.close()
    assert "XFD1048576" in refused(desk.database, path)
    for dimension in (b"", b'<dimension ref="A1"/>', b'<dimension ref="A1:B2"/>'):
        otherwise = rewritten(path, lambda xml, tag=dimension: re.sub(rb"<dimension[^>]*/>", tag, xml))  # type: ignore[misc]
        assert "XFD1048576" in refused(desk.database, otherwise)
