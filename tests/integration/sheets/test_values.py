"""Values from people and workers: tags like numbers, dates in every form, formulas, errors, and text with an =."""

from __future__ import annotations

import json
from typing import Any

import pytest

from carrete.actions.answer import Answer
from carrete.domain.commands import Chain, Completar, Step, Tomar
from carrete.domain.spool import Operacion
from carrete.domain.version import Workflow, workflow
from carrete.sheets.google.cell_requests import typed
from carrete.workbook import cells
from sheets_emulator.model import EnteredFormula
from tests.integration.sheets.conftest import MakeShop
from tests.support.acting import a_request, code
from tests.support.sheets import READY, SheetShop

ARM = Operacion.ARM


@pytest.mark.parametrize("tag", ["007", "12E3", "1.5", "TRUE", "MK-ÑANDÚ", "A/B 1"])
def test_a_tag_is_text_whatever_it_looks_like(make_shop: MakeShop, tag: str) -> None:
    shop = make_shop([{"TAG_SPOOL": tag, **READY}])
    shop.do(Tomar(tag, 93, ARM))
    shop.settle()
    assert shop.row(tag)["Ocupado_Por"] == "MR(93)"
    assert len(shop.rows()) == 1


@pytest.mark.parametrize(("raw", "tag"), [(25238, "25238"), ("  A-9  ", "A-9"), ("A\u0301-1", "Á-1")])
def test_numbers_blanks_and_accents_of_a_key_are_one_spool(make_shop: MakeShop, raw: Any, tag: str) -> None:
    shop = make_shop([{"TAG_SPOOL": raw, **READY}])
    shop.do(Tomar(tag, 93, ARM))
    shop.settle()
    assert shop.rows()[0]["Ocupado_Por"] == "MR(93)"
    assert shop.rows()[0]["TAG_SPOOL"] == raw, "what the person wrote there stays"


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("29-02-2028", "2028-02-29"),
        ("05/11/2026", "2026-11-05"),
        ("2026-11-05", "2026-11-05"),
        (46_331, "2026-11-05"),
        ("46331", "2026-11-05"),
    ],
)
def test_a_date_in_every_form_is_that_day_and_is_left_as_written(shop: SheetShop, written: Any, day: str) -> None:
    shop.types("A-1", "Fecha_Materiales", written, raw=True)
    shop.settle()
    assert str(shop.spool("A-1").fecha_materiales) == day
    assert shop.row("A-1")["Fecha_Materiales"] == written


def test_the_hour_that_comes_twice_is_no_edit(shop: SheetShop) -> None:
    """On 4 April 2026 at 24:00 the clocks of Santiago go back one hour: 23:30 is there twice."""
    shop.types("A-1", "Ocupado_Por", "MR(93)")
    shop.types("A-1", "Fecha_Ocupacion", "04-04-2026 23:30:00", raw=True)
    shop.settle()
    before = len(shop.events())
    shop.types("A-1", "NV", "2")
    shop.settle()
    assert len(shop.events()) == before + 1
    assert shop.row("A-1")["Fecha_Ocupacion"] in ("04-04-2026 23:30:00", 46_116.979166666664)


def test_a_comma_is_a_decimal_point(shop: SheetShop) -> None:
    shop.types("U-1", "DN_UNION", "1,5", "Uniones", 1, raw=True)
    shop.types("U-1", "ARM_FECHA_FIN", "12-11-2026", "Uniones", 1)
    shop.settle()
    assert shop.row("U-1")["Pulgadas_ARM"] == 1.5


def test_a_formula_of_a_person_is_neither_read_nor_overwritten(shop: SheetShop) -> None:
    shop.types("A-1", "Ocupado_Por", '="LP(7)"')
    shop.types("A-1", "Fecha_Materiales", "=TODAY()")
    shop.do(Tomar("A-1", 93, ARM))
    shop.settle()
    held = shop.spool("A-1").occupation
    assert held is not None
    assert held.label == "MR(93)"
    assert shop.row("A-1")["Ocupado_Por"] == '="LP(7)"'
    assert shop.row("A-1")["Estado_Detalle"].startswith("MR(93) trabajando"), "the rest of the row flows"
    assert {p.column for p in shop.lane.puller.problems()} == {"Ocupado_Por", "Fecha_Materiales"}
    shop.types("A-1", "Ocupado_Por", "MR(93)")
    shop.types("A-1", "Fecha_Materiales", "02-11-2026")
    shop.settle()
    assert shop.lane.puller.problems() == []
    assert shop.row("A-1")["Fecha_Materiales"] == 46_328


def test_an_error_that_was_pasted_as_a_value_changes_nothing(shop: SheetShop) -> None:
    shop.types("A-1", "NV", "#REF!", raw=True)
    shop.settle()
    assert shop.spool("A-1").nv == "1335"
    assert [p.column for p in shop.lane.puller.problems()] == ["NV"]


def test_what_begins_with_an_equals_sign_is_text_when_we_write_it(shop: SheetShop) -> None:
    evil = '=IMPORTDATA("https://example.com")'
    shop.types("U-1", "ARM_WORKER", "x", "Uniones", 1)
    shop.settle()
    assert typed(evil, cells.text) == {"userEnteredValue": {"stringValue": evil}}
    values = [
        value
        for tab in shop.emulator.file("planilla-del-taller").book.sheets
        for row in tab.rows
        for value in row.values
    ]
    assert not any(isinstance(value, EnteredFormula) for value in values)


def test_a_total_that_is_no_number_makes_the_spool_v3_and_is_reported(shop: SheetShop) -> None:
    shop.types("U-1", "Total_Uniones", "tres")
    shop.settle()
    assert workflow(shop.spool("U-1")) is Workflow.V3
    assert shop.row("U-1")["Total_Uniones"] == "tres"


def test_a_date_that_is_none_waits_for_the_person_and_the_rest_of_the_row_goes_on(shop: SheetShop) -> None:
    shop.types("A-1", "Fecha_Armado", "ayer", raw=True)
    shop.do(Tomar("A-1", 93, ARM))
    shop.settle()
    assert shop.row("A-1")["Fecha_Armado"] == "ayer"
    assert shop.row("A-1")["Ocupado_Por"] == "MR(93)"
    assert [p.column for p in shop.lane.puller.problems()] == ["Fecha_Armado"]
    shop.types("A-1", "Fecha_Armado", "")
    shop.settle()
    assert shop.lane.puller.problems() == []


def test_the_sheets_of_people_have_yes_in_spanish(shop: SheetShop) -> None:
    shop.person("edit", "Trabajadores", cell="D2", value="FALSO", **{"as": "RAW"})
    shop.pass_time(60)
    with shop.database.reading() as tx:
        assert [row[3] for row in tx.all("workers") if row[0] == 93] == [0]


def test_a_text_of_any_length_that_google_takes_is_taken(shop: SheetShop) -> None:
    shop.types("A-1", "NV", "x" * 2_000)
    shop.settle()
    assert shop.spool("A-1").nv == "1335"
    assert "más de" in shop.lane.puller.problems()[0].reason


def test_a_token_that_a_person_typed_is_written_back_and_in_the_trail(shop: SheetShop) -> None:
    shop.types("A-1", "version", "algo")
    shop.types("U-1", "version", "algo", "Uniones", n_union=2)
    shop.settle()
    assert shop.row("A-1")["version"] == shop.spool("A-1").version
    assert shop.row("U-1", "Uniones", 2)["version"] != "algo"
    typed = [e for e in shop.editions() if e["accion"] == "EDITAR"]
    assert sorted((e["hoja"], e["columna"], e["nuevo"], e["aceptado"]) for e in typed) == [
        ("Operaciones", "version", "algo", False),
        ("Uniones", "version", "algo", False),
    ]


def test_a_formula_in_the_column_of_the_token_is_a_persons_too(shop: SheetShop) -> None:
    shop.types("A-1", "version", "=1+1")
    shop.do(Tomar("A-1", 93, ARM))
    shop.settle()
    assert shop.row("A-1")["Ocupado_Por"] == "MR(93)"
    assert shop.row("A-1")["version"] == "=1+1"
    assert [p.column for p in shop.lane.puller.problems()] == ["version"]


def test_a_key_that_is_a_formula_leaves_its_row_out_and_says_what_to_do(shop: SheetShop) -> None:
    shop.person("add_row", values={"TAG_SPOOL": '="Z"&1', "OT": "77"})
    shop.settle()
    (problem,) = shop.lane.puller.problems()
    assert (problem.sheet, problem.column) == ("Operaciones", "TAG_SPOOL")
    assert "la clave es una fórmula" in problem.reason
    assert "pegue ahí sólo el valor" in problem.reason


def test_when_work_was_tapped_is_in_the_metadata_of_the_sheet(shop: SheetShop) -> None:
    """Of a tap that came late, and of each step of a chain."""
    tapped, first, last = "2026-11-16T12:00:00Z", "2026-11-16T12:30:00Z", "2026-11-16T13:45:00Z"
    late = a_request(Tomar("A-1", 93, ARM))._replace(event_context={"hecho_en": tapped})
    chain = Chain("A-2", 93, (Step(Tomar("A-2", 93, ARM), first), Step(Completar("A-2", 93, ARM), last)))
    assert [code(answer) for answer in shop.floor.do_all([late]) if isinstance(answer, Answer)] == ["OK"]
    shop.do(chain)
    shop.settle()
    shown = [(row["TAG_SPOOL"], json.loads(row["Metadata_JSON"]).get("hecho_en")) for row in shop.rows("Metadata")]
    assert [each for each in shown if each[1]] == [("A-1", tapped), ("A-2", first), ("A-2", last)]
