"""Text that begins with = looks like a formula in Google's answers: the lane tells them apart, and writes it once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from carrete.domain.commands import Tomar
from carrete.domain.spool import Operacion
from carrete.sheets.google.cell_requests import as_it_was
from carrete.sheets.rows import unimported
from carrete.sheets.structure import SELLO
from carrete.workbook.cells import Formula as Cell
from carrete.workbook.cells import Raw
from carrete.workbook.columns import OPERACIONES
from carrete.workbook.importing import import_workbook
from sheets_emulator.model import EnteredFormula
from tests.integration.sheets.conftest import SPOOLS, MakeShop
from tests.integration.workbook.files import write_file
from tests.support.builders import SHOP
from tests.support.sheets import READY, SheetShop, header

ARM = Operacion.ARM
# How Google returns such text in a read of formulas is documented nowhere: bare, or with the edit line's apostrophe.
both_ways = pytest.mark.parametrize("apostrophes", [False, True], ids=["bare", "with an apostrophe"])


def imports(shop: SheetShop, folder: Path, *tags: str) -> None:
    rows = [{"TAG_SPOOL": tag, **READY, "Fecha_Materiales": "2026-11-02"} for tag in tags]
    report = import_workbook(
        shop.database, write_file(folder / "nuevos.xlsx", Operaciones=rows), SHOP, shop.clock.now()
    )
    assert report.spools.new == len(tags)


def tags_in_the_sheet(shop: SheetShop) -> list[str]:
    return [str(row["TAG_SPOOL"]) for row in shop.rows()]


@both_ways
@pytest.mark.parametrize("tag", ["=1+1", "=MK-1", "'=1", "'0012", "==", "=", "+1+1"])
def test_a_tag_that_looks_like_a_formula_is_one_row_for_ever(
    shop: SheetShop, tmp_path: Path, tag: str, apostrophes: bool
) -> None:
    shop.emulator.options.formula_apostrophes = apostrophes
    imports(shop, tmp_path, tag)
    shop.settle()
    shop.do(Tomar(tag, 93, ARM))
    shop.pass_time(600)
    shop.restart()
    shop.pass_time(600)
    assert tags_in_the_sheet(shop).count(tag) == 1
    assert len(shop.rows()) == len(SPOOLS) + 2
    assert shop.row(tag)["Ocupado_Por"] == "MR(93)"
    assert shop.lane.puller.problems() == []
    assert not shop.waiting()


@both_ways
def test_what_a_person_types_there_is_read(shop: SheetShop, apostrophes: bool) -> None:
    shop.emulator.options.formula_apostrophes = apostrophes
    shop.types("A-1", "NV", "'=1+1")
    shop.types("A-2", "NV", "'0012")
    shop.types("A-3", "NV", "''0012")
    shop.settle()
    assert [shop.spool(tag).nv for tag in ("A-1", "A-2", "A-3")] == ["=1+1", "0012", "'0012"]
    assert shop.lane.puller.problems() == []


@both_ways
def test_a_formula_that_becomes_text_without_looking_otherwise_is_noticed(shop: SheetShop, apostrophes: bool) -> None:
    """A person types =MK-1 as a key, sees #NAME?, and puts an apostrophe before it."""
    shop.emulator.options.formula_apostrophes = apostrophes
    shop.person("add_row", values={"TAG_SPOOL": "=MK-1", **READY})
    shop.settle()
    (problem,) = shop.lane.puller.problems()
    assert "la clave es una fórmula" in problem.reason
    shop.person("edit", cell=f"A{problem.row}", value="'=MK-1")
    shop.pass_time(180)
    assert shop.spool("=MK-1").nv == "1335"
    assert shop.lane.puller.problems() == []


def test_a_column_of_formulas_costs_little(make_shop: MakeShop) -> None:
    shop = make_shop([{"TAG_SPOOL": f"B-{n}", **READY} for n in range(600)])
    for n in range(600):
        shop.person("edit", cell=f"N{n + 2}", value="=1+1")
    shop.settle()
    before = shop.lane.client.reads
    shop.pass_time(600)
    with_formulas = shop.lane.client.reads - before
    assert with_formulas <= 600 / 12 + 600 / 45 * 4 + 5, "they are not asked about at each read"


def test_a_tag_that_reads_like_an_error_is_not_written_and_is_reported(shop: SheetShop, tmp_path: Path) -> None:
    """A cell with the text #REF! cannot be distinguished from an error that was pasted as a value."""
    imports(shop, tmp_path, "#REF!", "#N/A")
    shop.pass_time(600)
    shop.restart()
    shop.pass_time(600)
    assert len(shop.rows()) == len(SPOOLS) + 1
    problems = [problem for problem in shop.lane.stats.problems if problem.column == "TAG_SPOOL"]
    assert sorted(problem.reason.split("»")[0] for problem in problems) == ["el spool «#N/A", "el spool «#REF!"]


def test_a_row_that_never_shows_up_is_not_written_again_and_again(shop: SheetShop, tmp_path: Path) -> None:
    """Whatever the reason is: here a script of somebody's deletes each row that we add."""
    imports(shop, tmp_path, "Z-1")

    def delete() -> None:
        for row in [number for number, tag in enumerate(tags_in_the_sheet(shop), 2) if tag == "Z-1"]:
            shop.person("delete_rows", at=row, count=1)

    for _ in range(1_600):
        shop.pass_time(0.5)
        delete()
    appended = [e for e in shop.emulator.journal.entries() if "appendCells" in e["requests"] and e["status"] == 200]
    assert len(appended) <= 6, "three times, and the events of the first minute"
    with shop.database.reading() as tx:
        assert [row[1] for row in tx.all("parked_all")] == ["Z-1"]


def test_no_formula_is_ever_written_by_us(shop: SheetShop, tmp_path: Path) -> None:
    imports(shop, tmp_path, "=1+1")
    shop.settle()
    values = [value for row in shop.tab("Operaciones").rows for value in row.values]
    assert not any(isinstance(value, EnteredFormula) for value in values)


@pytest.mark.parametrize(
    ("raw", "written"),
    [
        (Cell("=1+1"), {"formulaValue": "=1+1"}),
        ("=1+1", {"stringValue": "=1+1"}),
        ("ojo", {"stringValue": "ojo"}),
        (1.5, {"numberValue": 1.5}),
        (True, {"boolValue": True}),
    ],
)
def test_a_persons_own_cell_is_given_back_as_what_it_was(raw: Raw, written: dict[str, Any]) -> None:
    assert as_it_was(raw) == {"userEnteredValue": written}


@pytest.mark.parametrize("raw", [Cell("=1+1"), "=1+1", "ojo", 46_328, None])
def test_what_a_person_typed_is_remembered_as_what_it_was(shop: SheetShop, raw: Raw) -> None:
    words = {("Operaciones", ("A-2", 0)): {"OT": unimported.UnimportedInput(raw)}}
    with shop.database.writing() as tx:
        unimported.save_unimported(tx, words)
    with shop.database.reading() as tx:
        assert unimported.load_unimported(tx) == words


def test_text_in_a_persons_own_column_that_a_write_hit_is_text_again(make_shop: MakeShop) -> None:
    """Their column is moved under our write, which lands on it."""
    shop = make_shop(SPOOLS, columns=[*header(OPERACIONES, extra=(SELLO,)), "Nota"])
    number = shop.row_number("Operaciones", "A-1")
    shop.types("A-1", "Nota", "'=ojo")
    shop.types("A-2", "Nota", "=1+1")
    shop.settle()
    with shop.meanwhile(lambda: shop.person("move_columns", at="Nota", to="Ocupado_Por")):
        shop.do(Tomar("A-1", 93, ARM), Tomar("A-2", 93, ARM))
        shop.settle()
    note = shop.grid("Operaciones")[0].index("Nota")
    cells = [shop.tab("Operaciones").rows[row].values[note] for row in (number - 1, number)]
    assert cells == ["=ojo", EnteredFormula("=1+1")]


def test_text_stays_text_although_a_row_was_inserted_between_the_read_of_formulas_and_that_of_values(
    make_shop: MakeShop,
) -> None:
    """The two reads show different rows, so the text seems to be a formula; then a write of ours lands on it."""
    shop = make_shop(SPOOLS, columns=[*header(OPERACIONES, extra=(SELLO,)), "Nota"])
    shop.types("A-2", "Nota", "'=ojo")
    shop.do(Tomar("A-2", 93, ARM), Tomar("A-3", 93, ARM))
    with (
        before_the_read_of_values(shop, lambda: shop.person("insert_rows", at=2)),
        shop.meanwhile(lambda: shop.person("move_columns", at="Nota", to="Ocupado_Por")),
    ):
        shop.lane.cycle({"Operaciones"}, flush=True)
    shop.settle()
    assert (
        shop.tab("Operaciones")
        .rows[shop.row_number("Operaciones", "A-2") - 1]
        .values[shop.grid("Operaciones")[0].index("Nota")]
        == "=ojo"
    )


@contextmanager
def before_the_read_of_values(shop: SheetShop, act: Callable[[], object]) -> Iterator[None]:
    """Runs once, when the lane asks for values after it has asked for formulas."""
    answer, done = shop.google.handle_request, list[object]()

    def first_act(request: httpx.Request) -> httpx.Response:
        if b"UNFORMATTED_VALUE" in request.read() and not done:
            done.append(act())
        return answer(request)

    shop.google.handle_request = first_act  # type: ignore[method-assign]
    yield
    shop.google.handle_request = answer  # type: ignore[method-assign]
    assert done, "no values were read"
