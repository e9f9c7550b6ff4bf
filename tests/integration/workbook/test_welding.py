"""The sheets WPS and Calificaciones in a file: imported, exported, imported again, and what is wrong in them."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from carrete.domain.commands import Finalizar, Iniciar, JointWeld
from carrete.domain.qualification import Limits, Procedure, Qualification, WeldScope
from carrete.ledger.welding import all_procedures, all_qualifications, all_uses
from carrete.sheets.pull.people import padded_book, people_sheets, take_edited_people
from carrete.workbook.cells import Formula
from carrete.workbook.columns import CALIFICACIONES, WPS
from carrete.workbook.exporting import write_template
from carrete.workbook.importing import read_sheets
from carrete.workbook.preview import preview_steps
from tests.integration.workbook.files import MONDAY, SHOP, RowEditor, read_sheet, write_file
from tests.support.acting import a_floor, code
from tests.support.ndt import SOLD, WELDER, fill

SPOOL = [{"TAG_SPOOL": "A-1", "Total_Uniones": 1}]
A_WPS: dict[str, Any] = {
    "WPS": "WPS-001",
    "Procesos": "gtaw + SMAW",
    "P_Numeros": "P1",
    "F_Numero": "F6, F4",
    "Espesor_Min": "1,5",
    "Espesor_Max": 12.7,
    "DN_Min": 2,
    "DN_Max": "",
    "Posiciones": "5G, 6g",
    "Revision": 2.0,
    "Vigente_Desde": "01-01-2026",
    "Vigente_Hasta": date(2027, 12, 31),
}
A_QUALIFICATION: dict[str, Any] = {
    "Worker_ID": 93,
    "Proceso": "GTAW",
    "F_Numero": "6",
    "P_Numeros": "1, 8",
    "DN_Min": 1,
    "DN_Max": 24,
    "Espesor_Min": "",
    "Espesor_Max": 14,
    "Posiciones": "6G",
    "Fecha": "15-03-2026",
    "Vence": "15-03-2028",
    "Documento": "WPQ-7",
}
TAKEN_WPS = Procedure(
    "WPS-001",
    ("GTAW", "SMAW"),
    WeldScope(("1",), ("6", "4"), Limits(1_500, 12_700), Limits(2_000, None), ("5G", "6G")),
    "2",
    date(2026, 1, 1),
    date(2027, 12, 31),
)
TAKEN_QUALIFICATION = Qualification(
    93,
    "GTAW",
    "WPQ-7",
    WeldScope(("1", "8"), ("6",), Limits(None, 14_000), Limits(1_000, 24_000), ("6G",)),
    date(2026, 3, 15),
    date(2028, 3, 15),
)


def known(desk: RowEditor) -> tuple[list[Procedure], list[Qualification]]:
    with desk.database.reading() as tx:
        return all_procedures(tx), all_qualifications(tx)


def bring(desk: RowEditor, *wps: dict[str, Any], qualifications: list[dict[str, Any]] | None = None) -> Any:
    sheets: dict[str, Any] = {"WPS": wps} if wps else {}
    if qualifications is not None:
        sheets["Calificaciones"] = qualifications
    return desk.bring(SPOOL, **sheets)


def test_procedures_and_qualifications_are_taken_exactly(desk: RowEditor) -> None:
    report = bring(desk, A_WPS, qualifications=[A_QUALIFICATION])
    assert report.problems == []
    assert known(desk) == ([TAKEN_WPS], [TAKEN_QUALIFICATION])
    assert (report.procedures.new, report.qualifications.new) == (1, 1)


def test_importing_the_same_file_again_or_what_was_exported_changes_nothing(desk: RowEditor) -> None:
    bring(desk, A_WPS, qualifications=[A_QUALIFICATION])
    again = bring(desk, A_WPS, qualifications=[A_QUALIFICATION])
    exported = desk.import_(desk.export())
    assert again.problems == exported.problems == []
    for report in (again, exported):
        assert (report.procedures.unchanged, report.qualifications.unchanged) == (1, 1)
    assert known(desk) == ([TAKEN_WPS], [TAKEN_QUALIFICATION])


def test_a_row_that_is_not_in_the_file_and_a_column_that_it_lacks_stay_as_they_are(desk: RowEditor) -> None:
    bring(desk, A_WPS, {**A_WPS, "WPS": "WPS-002"})
    report = bring(desk, {"WPS": "WPS-002", "Revision": "3"})
    assert report.procedures.changed == 1
    first, second = known(desk)[0]
    assert first == TAKEN_WPS
    assert (second.revision, second.scope) == ("3", TAKEN_WPS.scope)


def test_a_retired_procedure_stays_in_the_list(desk: RowEditor) -> None:
    bring(desk, A_WPS)
    bring(desk, {"WPS": "WPS-001", "Activo": False})
    assert [one.active for one in known(desk)[0]] == [False]


@pytest.mark.parametrize(
    ("cells", "column"),
    [
        ({"Espesor_Min": 20}, "Espesor_Min"),
        ({"DN_Max": 1}, "DN_Min"),
        ({"DN_Max": "grande"}, "DN_Max"),
        ({"Espesor_Max": -3}, "Espesor_Max"),
        ({"Procesos": ""}, "Procesos"),
        ({"Vigente_Hasta": "31-12-2025"}, "Vigente_Hasta"),
        ({"Posiciones": ", ".join(f"{n}G" for n in range(30))}, "Posiciones"),
        ({"P_Numeros": "1-11"}, "P_Numeros"),
        ({"P_Numeros": "8 + P1 a P-No. 15F"}, "P_Numeros"),
        ({"F_Numero": "F1 - F4"}, "F_Numero"),
    ],
)
def test_a_procedure_that_cannot_be_is_named_and_the_good_one_goes_in(
    desk: RowEditor, cells: dict[str, Any], column: str
) -> None:
    report = bring(desk, {**A_WPS, "WPS": "WPS-000", **cells}, A_WPS)
    assert [(one.sheet, one.row, one.column) for one in report.problems] == [("WPS", 2, column)]
    assert known(desk)[0] == [TAKEN_WPS]
    assert report.exit_code == 3


@pytest.mark.parametrize(
    ("cells", "column"),
    [
        ({"Worker_ID": 999}, "Worker_ID"),
        ({"Worker_ID": "Juan"}, "Worker_ID"),
        ({"Fecha": ""}, "Fecha"),
        ({"Vence": "01-01-2020"}, "Vence"),
        ({"Ultimo_Uso": "17-11-2026"}, "Ultimo_Uso"),
        ({"Proceso": "GTAW/SMAW"}, "Proceso"),
        ({"Documento": ""}, "Documento"),
        ({"Documento": "Q" * 200}, "Documento"),
    ],
)
def test_a_qualification_that_cannot_be_is_named_and_the_good_one_goes_in(
    desk: RowEditor, cells: dict[str, Any], column: str
) -> None:
    report = bring(desk, qualifications=[{**A_QUALIFICATION, "Documento": "X", **cells}, A_QUALIFICATION])
    assert [(one.sheet, one.row, one.column) for one in report.problems] == [("Calificaciones", 2, column)]
    assert known(desk)[1] == [TAKEN_QUALIFICATION]


def test_a_date_that_does_not_exist_leaves_the_row_out_with_the_reason(desk: RowEditor) -> None:
    report = bring(desk, qualifications=[{**A_QUALIFICATION, "Fecha": "31-02-2026"}])
    assert {(one.row, one.column) for one in report.problems} == {(2, "Fecha")}
    assert "calendario" in report.problems[0].reason
    assert known(desk)[1] == []


@pytest.mark.parametrize(
    ("cells", "column"),
    [
        ({"Vence": "31-02-2027"}, "Vence"),
        ({"Vence": "cuando termine"}, "Vence"),
        ({"Ultimo_Uso": "ayer"}, "Ultimo_Uso"),
        ({"P_Numeros": "1" * 1_001}, "P_Numeros"),
        ({"Activo": "quizás"}, "Activo"),
    ],
)
def test_a_new_qualification_with_a_limit_that_cannot_be_read_is_left_out_and_an_old_one_keeps_its_own(
    desk: RowEditor, cells: dict[str, Any], column: str
) -> None:
    bring(desk, qualifications=[A_QUALIFICATION])
    report = bring(desk, qualifications=[{**A_QUALIFICATION, **cells}, {**A_QUALIFICATION, "Documento": "X", **cells}])
    assert [(one.row, one.column) for one in report.problems] == [(2, column), (3, column)]
    assert [one.reason.endswith("La fila quedó fuera.") for one in report.problems] == [False, True]
    assert known(desk)[1] == [TAKEN_QUALIFICATION]


@pytest.mark.parametrize("cells", [{"Revision": "R" * 200}, {"Vigente_Hasta": "31-02-2027"}])
def test_a_new_procedure_with_a_cell_that_cannot_be_read_is_left_out(desk: RowEditor, cells: dict[str, Any]) -> None:
    report = bring(desk, A_WPS, {**A_WPS, "WPS": "WPS-002", **cells})
    assert [(one.sheet, one.row, one.column) for one in report.problems] == [("WPS", 3, next(iter(cells)))]
    assert known(desk)[0] == [TAKEN_WPS]


def take_from_google(desk: RowEditor, header: list[Any], *rows: list[Any]) -> Any:
    sheets = people_sheets(padded_book({"Calificaciones": [header, *rows]}), SHOP)
    with desk.database.writing() as tx:
        report = take_edited_people(tx, sheets, SHOP)
    return [*(problem for sheet in sheets for problem in sheet.problems), *report.problems]


def test_a_new_qualification_whose_expiry_is_a_formula_goes_in_once_a_person_has_typed_the_day(
    desk: RowEditor,
) -> None:
    bring(desk)
    header, formula = list(A_QUALIFICATION), {**A_QUALIFICATION, "Vence": Formula("=B2+365")}
    problems = take_from_google(desk, header, list(formula.values()))
    assert [(one.row, one.column) for one in problems] == [(2, "Vence")]
    assert known(desk)[1] == []
    assert take_from_google(desk, header, list(A_QUALIFICATION.values())) == []
    assert known(desk)[1] == [TAKEN_QUALIFICATION]


def test_nobody_goes_in_with_a_new_qualification_while_its_expiry_is_there_twice(desk: RowEditor) -> None:
    bring(desk)
    header, row = [*A_QUALIFICATION, "Vence"], [*A_QUALIFICATION.values(), "01-01-2027"]
    problems = take_from_google(desk, header, row)
    assert [(one.row, one.column) for one in problems] == [(1, "Vence"), (2, "Vence")]
    assert known(desk)[1] == []


def without(cells: dict[str, Any], *columns: str) -> dict[str, Any]:
    return {name: value for name, value in cells.items() if name not in columns}


RENAMED = {**without(A_QUALIFICATION, "Vence"), "Fecha_Vencimiento": "15-03-2028"}


def test_a_new_qualification_is_left_out_while_the_column_of_its_expiry_has_another_name(desk: RowEditor) -> None:
    report = bring(desk, qualifications=[RENAMED])
    assert [(one.sheet, one.row, one.column) for one in report.problems] == [("Calificaciones", 2, "Vence")]
    assert report.problems[0].reason == "falta la columna. La fila quedó fuera."
    assert (known(desk)[1], report.exit_code) == ([], 3)
    assert bring(desk, qualifications=[A_QUALIFICATION]).problems == []
    assert known(desk)[1] == [TAKEN_QUALIFICATION]


def test_a_qualification_that_is_there_keeps_its_expiry_while_the_column_has_another_name(desk: RowEditor) -> None:
    bring(desk, qualifications=[A_QUALIFICATION])
    report = bring(desk, qualifications=[{**RENAMED, "DN_Max": 30}, {**RENAMED, "Documento": "X"}])
    assert [(one.row, one.column) for one in report.problems] == [(3, "Vence")]
    assert [(one.document, one.expires) for one in known(desk)[1]] == [("WPQ-7", date(2028, 3, 15))]
    assert known(desk)[1][0].scope.diameter == Limits(1_000, 30_000)


def test_the_google_workbook_takes_no_new_qualification_without_the_column_of_its_expiry_either(
    desk: RowEditor,
) -> None:
    bring(desk)
    problems = take_from_google(desk, list(RENAMED), list(RENAMED.values()))
    assert [(one.row, one.column) for one in problems] == [(2, "Vence")]
    assert known(desk)[1] == []
    assert take_from_google(desk, list(A_QUALIFICATION), list(A_QUALIFICATION.values())) == []
    assert known(desk)[1] == [TAKEN_QUALIFICATION]


def test_a_new_procedure_is_left_out_with_every_column_that_its_sheet_lacks(desk: RowEditor) -> None:
    report = bring(desk, without(A_WPS, "Vigente_Hasta", "Espesor_Max"))
    assert [(one.row, one.column) for one in report.problems] == [(2, "Espesor_Max"), (2, "Vigente_Hasta")]
    assert known(desk)[0] == []


def test_the_same_process_in_small_letters_is_the_same_row(desk: RowEditor) -> None:
    bring(desk, qualifications=[A_QUALIFICATION])
    report = bring(desk, qualifications=[{**A_QUALIFICATION, "Proceso": "gtaw"}])
    assert report.qualifications.unchanged == 1
    twice = bring(desk, qualifications=[A_QUALIFICATION, {**A_QUALIFICATION, "Proceso": "gtaw", "DN_Max": 30}])
    assert [(one.row, one.column) for one in twice.problems] == [(3, "Worker_ID")]
    assert known(desk)[1] == [TAKEN_QUALIFICATION]


def test_a_sheet_of_the_shops_own_with_this_name_is_left_alone_with_a_notice(desk: RowEditor) -> None:
    report = desk.bring(SPOOL, WPS=[{"Procedimiento": "PQR 4", "Archivo": "4.pdf"}])
    assert report.problems == []
    assert [one.sheet for one in report.notices if one.sheet == "WPS"] == ["WPS"]
    assert report.exit_code == 0


def test_a_heat_of_two_hundred_characters_is_left_out_and_named(desk: RowEditor) -> None:
    joints = [{"TAG_SPOOL": "A-1", "N_UNION": 1, "DN_UNION": 4, "Colada_1": "H" * 200, "Colada_2": "H2"}]
    report = desk.bring(SPOOL, joints)
    (problem,) = report.problems
    assert (problem.sheet, problem.column) == ("Uniones", "Colada_1")
    assert "200" in problem.reason
    (joint,) = desk.joints("A-1")
    assert (joint.colada_1, joint.colada_2) == (None, "H2")


def test_a_shop_without_any_of_it_gets_no_such_sheet(desk: RowEditor) -> None:
    desk.bring(SPOOL)
    with pytest.raises(Exception, match="Calificaciones"):
        read_sheet(desk.export(), "Calificaciones")


def test_the_template_has_both_sheets(desk: RowEditor) -> None:
    path = desk.folder / "plantilla.xlsx"
    write_template(path)
    sheets = read_sheets(path, SHOP)
    for plan, sheet in ((WPS, sheets.wps), (CALIFICACIONES, sheets.calificaciones)):
        assert sheet.sheet is not None
        assert set(sheet.sheet.header.indexes) == {column.name for column in plan.columns}


def test_a_preview_shows_the_rows_and_changes_nothing(desk: RowEditor) -> None:
    bring(desk)
    path = write_file(desk.folder / "p.xlsx", Operaciones=SPOOL, WPS=[A_WPS], Calificaciones=[A_QUALIFICATION])
    first, *_ = preview_steps(desk.database, read_sheets(path, SHOP), SHOP, MONDAY)
    shown = {(row.sheet, row.key) for row in first.rows if row.has_effect}
    assert shown == {("WPS", "WPS-001"), ("Calificaciones", "93 GTAW WPQ-7")}
    assert known(desk) == ([], [])


def test_an_attested_use_that_has_not_come_yet_is_refused_and_todays_is_taken(desk: RowEditor) -> None:
    report = bring(desk, qualifications=[{**A_QUALIFICATION, "Ultimo_Uso": "17-11-2026"}])
    assert [(one.column, one.reason) for one in report.problems] == [("Ultimo_Uso", "el 17-11-2026 aún no llega.")]
    assert known(desk)[1] == []
    assert bring(desk, qualifications=[{**A_QUALIFICATION, "Ultimo_Uso": "16-11-2026"}]).problems == []
    assert [one.last_used for one in known(desk)[1]] == [date(2026, 11, 16)]


def test_the_google_workbook_refuses_an_attested_use_that_has_not_come_yet_too(desk: RowEditor) -> None:
    bring(desk, qualifications=[A_QUALIFICATION])
    row = {**A_QUALIFICATION, "Ultimo_Uso": "31-12-2999"}
    book = padded_book({"Calificaciones": [list(row), list(row.values())]})
    with desk.database.writing() as tx:
        report = take_edited_people(tx, people_sheets(book, SHOP), SHOP)
    assert [(one.row, one.column) for one in report.problems] == [(2, "Ultimo_Uso")]
    assert known(desk)[1] == [TAKEN_QUALIFICATION]


def test_a_weld_that_is_reopened_in_the_workbook_keeps_no_process_alive(desk: RowEditor) -> None:
    fill(desk.database, ["MK-1"])
    bring(desk, A_WPS)
    typed = tuple(JointWeld(n, wps="WPS-001") for n in (1, 2))
    with a_floor(desk.database, clock=desk.clock.tick) as floor:
        assert code(floor.do(Iniciar("MK-1", WELDER.id, SOLD))) == "OK"
        assert code(floor.do(Finalizar("MK-1", WELDER.id, SOLD, (1, 2), typed))) == "OK"
    for n in (1, 2):
        exported = desk.exported()
        desk.edit(exported, "MK-1", n, SOL_FECHA_FIN="", SOL_FECHA_INICIO="", SOL_WORKER="")
        desk.import_(desk.save(exported))
        with desk.database.reading() as tx:
            found = all_uses(tx)
        assert bool(found) is (n == 1), "the other weld of that day still stands"
