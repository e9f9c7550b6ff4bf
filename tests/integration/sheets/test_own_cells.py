"""People's own columns and rows, when columns or rows move between our read and Google's apply: their values are
restored, our strays are removed, and the trail and the supervisor's page report it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from carrete.domain.commands import Pausar, Tomar
from carrete.domain.spool import Operacion
from carrete.sheets.rows import storage
from carrete.sheets.rows.column_marks import FLUSHES_MARKED_MAX, MARK_KEY
from carrete.sheets.structure import SELLO, column_letters
from sheets_emulator.metadata import BUDGET_CHARACTERS
from tests.integration.sheets.conftest import MakeShop
from tests.support.sheets import BOOK, READY, SheetShop

ARM = Operacion.ARM
Move = Callable[[SheetShop], object]


def column_of(shop: SheetShop, header: str) -> int:
    """As a person counts."""
    return shop.grid("Operaciones")[0].index(header) + 1


def put_column(shop: SheetShop, before: str, header: str, value: Any) -> None:
    """A column of people's own to the left of one of ours, with that value beside A-1 and another beside A-4."""
    at = column_of(shop, before)
    shop.person("insert_columns", at=at)
    letters = column_letters(at - 1)
    if header:
        shop.person("edit", cell=f"{letters}1", value=header)
    for tag, text in (("A-1", value), ("A-4", "otra")):
        how = {} if isinstance(text, str) and text.startswith("=") else {"as": "RAW"}
        shop.person("edit", cell=f"{letters}{shop.row_number('Operaciones', tag)}", value=text, **how)


def values_of(shop: SheetShop, tag: str) -> list[Any]:
    return list(shop.grid("Operaciones")[shop.row_number("Operaciones", tag) - 1])


def assert_nothing_of_ours_is_astray(shop: SheetShop) -> None:
    """Every row has the ledger's values in our columns, and only people's values in the others."""
    for row in shop.rows():
        tag = row.get("TAG_SPOOL")
        if tag:
            assert row["version"] == shop.spool(str(tag)).version, row
            assert row.get("Ocupado_Por") == (shop.spool(str(tag)).occupation or _free()).label, row
    stamps = [value for row in shop.grid("Operaciones") for value in row if _is_stamp(value)]
    assert len(stamps) == sum(SELLO in row for row in shop.rows()), "no stamp stands elsewhere"


def _free() -> Any:
    class Free:
        label = None

    return Free()


def _is_stamp(value: Any) -> bool:
    return isinstance(value, str) and value.count(".") == 2 and "-" in value and value[0].isdigit()


def restored(shop: SheetShop) -> list[tuple[str, str, str]]:
    edits = [edit for edit in shop.editions() if edit["accion"] == "REPONER"]
    return [(edit["columna"], edit["anterior"], edit["nuevo"]) for edit in edits]


def status(shop: SheetShop) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shop.lane.stats.as_json(shop.lane.client, shop.clock.now()))
    return found


VALUES = {"text": "ojo", "number": 12.5, "tick": True, "formula": "=2*21", "date": 46_400}
MOVES: dict[str, Move] = {
    "a column is inserted on the left": lambda s: s.person("insert_columns", at="OT"),
    "theirs is moved among ours": lambda s: s.person("move_columns", at="Nota", to="Estado_Detalle"),
    "theirs is moved to the left edge": lambda s: s.person("move_columns", at="Nota", to="TAG_SPOOL"),
    "one of ours is moved over it": lambda s: s.person("move_columns", at="version", to="OT"),
}


@pytest.mark.parametrize("what", MOVES)
@pytest.mark.parametrize("kind", VALUES)
def test_a_column_of_peoples_own_gets_its_value_back_whatever_it_is(shop: SheetShop, kind: str, what: str) -> None:
    put_column(shop, "version", "Nota", VALUES[kind])
    shop.settle()
    with shop.meanwhile(lambda: MOVES[what](shop)):
        shop.do(Tomar("A-1", 93, ARM))
        shop.settle()
    assert shop.row("A-1")["Nota"] == VALUES[kind]
    assert shop.row("A-4")["Nota"] == "otra"
    assert_nothing_of_ours_is_astray(shop)


@pytest.mark.parametrize("fault", ["apply-then-reset", "apply-later"])
@pytest.mark.parametrize("killed", [False, True])
def test_an_own_column_is_restored_also_without_a_header_with_a_lost_answer_and_after_a_kill(
    shop: SheetShop, fault: str, killed: bool
) -> None:
    put_column(shop, "version", "", "ojo")
    put_column(shop, "Ocupado_Por", "", "=1+1")
    shop.settle()
    shop.fault(fault, delay_s=8)
    with shop.meanwhile(lambda: shop.person("move_columns", at=column_of(shop, "version") - 1, to="OT")):
        shop.do(Tomar("A-1", 93, ARM))
        shop.pass_time(3.5)
        if killed:
            shop.restart()
        shop.settle()
    assert [values_of(shop, "A-1").count(mine) for mine in ("ojo", "=1+1")] == [1, 1]
    assert values_of(shop, "A-4").count("otra") == 2
    assert_nothing_of_ours_is_astray(shop)


def test_an_own_column_is_restored_also_when_it_is_moved_and_renamed_before_the_next_read(shop: SheetShop) -> None:
    put_column(shop, "version", "Nota", "ojo")
    shop.settle()
    with shop.meanwhile(lambda: shop.person("insert_columns", at="OT")):
        shop.do(Tomar("A-1", 93, ARM))
        shop.pass_time(3.5)
    shop.person("move_columns", at="Nota", to="OT")
    shop.person("rename_header", column="Nota", to="Observaciones")
    shop.settle()
    assert shop.row("A-1")["Observaciones"] == "ojo"
    assert_nothing_of_ours_is_astray(shop)


def test_and_also_when_the_repair_itself_is_misdirected(shop: SheetShop) -> None:
    put_column(shop, "version", "Nota", "ojo")
    shop.settle()
    with shop.meanwhile(lambda: shop.person("insert_columns", at="OT")):
        shop.do(Tomar("A-1", 93, ARM))
        shop.pass_time(4)
    with shop.meanwhile(lambda: shop.person("move_columns", at="Nota", to="OT")):
        shop.settle()
    assert shop.row("A-1")["Nota"] == "ojo"
    assert_nothing_of_ours_is_astray(shop)


def test_what_a_person_types_over_it_meanwhile_stays(shop: SheetShop) -> None:
    put_column(shop, "version", "Nota", "ojo")
    shop.settle()
    with shop.meanwhile(lambda: shop.person("insert_columns", at="OT")):
        shop.do(Tomar("A-1", 93, ARM))
        shop.pass_time(3.5)
    assert shop.row("A-1")["Nota"] != "ojo"
    shop.types("A-1", "Nota", "nuevo")
    shop.settle()
    assert shop.row("A-1")["Nota"] == "nuevo"
    assert_nothing_of_ours_is_astray(shop)
    assert restored(shop) == []


def test_the_trail_and_the_supervisors_page_report_a_restored_cell_once(shop: SheetShop) -> None:
    put_column(shop, "version", "Nota", "ojo")
    shop.settle()
    with shop.meanwhile(lambda: shop.person("insert_columns", at="OT")):
        shop.do(Tomar("A-1", 93, ARM))
        shop.settle()
    ((column, ours, theirs),) = restored(shop)
    assert (column, theirs) == ("Nota", "ojo")
    assert ours
    (cell,) = status(shop)["given_back"]
    assert (cell["hoja"], cell["columna"], cell["carrete"], cell["repuesto"]) == ("Operaciones", "Nota", ours, "ojo")
    shop.restart()
    shop.settle()
    assert len(restored(shop)) == 1
    shop.assert_every_event_once_in_order()


def test_both_engines_remember_what_people_wrote(on_both: SheetShop) -> None:
    put_column(on_both, "version", "", "ojo")
    on_both.settle()
    with on_both.meanwhile(lambda: on_both.person("insert_columns", at="OT")):
        on_both.do(Tomar("A-1", 93, ARM))
        on_both.pass_time(3.5)
    on_both.restart()
    on_both.settle()
    assert values_of(on_both, "A-1").count("ojo") == 1
    assert [theirs for _, _, theirs in restored(on_both)] == ["ojo"]
    assert_nothing_of_ours_is_astray(on_both)


def test_a_formula_reads_as_it_would_in_its_new_place(shop: SheetShop) -> None:
    put_column(shop, "version", "Doble", f"=$A$1&{column_letters(1)}2")
    shop.settle()

    def move() -> None:
        shop.person("insert_columns", at="OT")
        shop.person("insert_rows", at=2)

    with shop.meanwhile(move):
        shop.do(Tomar("A-1", 93, ARM), Tomar("A-2", 93, ARM))
        shop.settle()
    assert shop.row("A-1")["Doble"] == "=$A$1&C3"
    assert_nothing_of_ours_is_astray(shop)


def test_a_row_without_a_key_is_theirs_too(shop: SheetShop) -> None:
    """A heading row among the spools, with text in our columns."""
    put_column(shop, "version", "Nota", "ojo")
    at = shop.row_number("Operaciones", "A-3")
    shop.person("insert_rows", at=at)
    for header in ("OT", "Nota", "Ocupado_Por", "version"):
        cell = f"{column_letters(column_of(shop, header) - 1)}{at}"
        shop.person("edit", cell=cell, value=f"turno {header}")
    shop.settle()
    with shop.meanwhile(lambda: shop.person("move_rows", at=at, to=at + 2)):
        shop.do(Tomar("A-3", 93, ARM))
        shop.settle()
    assert shop.went_astray()
    (heading,) = [row for row in shop.rows() if row and "TAG_SPOOL" not in row]
    assert heading == {h: f"turno {h}" for h in ("OT", "Nota", "Ocupado_Por", "version")}
    assert {column for column, _, _ in restored(shop)} == {"Ocupado_Por", "version"}
    assert_nothing_of_ours_is_astray(shop)


def test_keys_that_a_write_landed_on_are_put_back(shop: SheetShop) -> None:
    """Moving TAG_SPOOL among the columns that Carrete writes, at that very moment, retires no spool."""
    put_column(shop, "version", "Nota", "ojo")
    shop.settle()
    keys = [row["TAG_SPOOL"] for row in shop.rows()]
    with shop.meanwhile(lambda: shop.person("move_columns", at="TAG_SPOOL", to="Estado_Detalle")):
        shop.do(Tomar("A-1", 93, ARM), Tomar("A-2", 93, ARM), Tomar("A-4", 93, ARM))
        shop.settle()
    assert [row["TAG_SPOOL"] for row in shop.rows()] == keys
    assert shop.row("A-1")["Nota"] == "ojo"
    assert_nothing_of_ours_is_astray(shop)
    assert not [edit for edit in shop.editions() if edit["accion"] not in ("NUEVO", "REPONER")]


def test_a_column_that_is_deleted_meanwhile_parks_no_row(shop: SheetShop) -> None:
    """The last column that is written is then outside of the sheet, and Google refuses the batch."""
    put_column(shop, "OT", "Nota", "ojo")
    assert shop.tab("Operaciones").column_count == len(shop.grid("Operaciones")[0])
    shop.settle()
    with shop.meanwhile(lambda: shop.person("delete_columns", at="Nota")):
        shop.do(Tomar("A-1", 93, ARM))
        shop.settle()
    with shop.database.reading() as tx:
        assert storage.parked_rows(tx) == {}
    assert_nothing_of_ours_is_astray(shop)


def test_nothing_is_repaired_because_of_a_read_that_is_rejected(make_shop: MakeShop) -> None:
    """The process was killed, and before it reads again most rows are gone."""
    shop = make_shop([{"TAG_SPOOL": f"A-{n}", **READY} for n in range(1, 40)])
    put_column(shop, "version", "Nota", "ojo")
    shop.settle()
    with shop.meanwhile(lambda: shop.person("insert_columns", at="OT")):
        shop.do(Tomar("A-1", 93, ARM))
        shop.pass_time(3.5)
    shop.restart()
    shop.person("delete_rows", at=8, count=30)
    written = shop.writes()
    shop.pass_time(60)
    with shop.database.reading() as tx:
        assert "Operaciones" in storage.freezes(tx)
    assert shop.writes() == written
    shop.person("undo")
    shop.settle()
    assert shop.row("A-1")["Nota"] == "ojo"
    assert_nothing_of_ours_is_astray(shop)


def test_old_marks_are_taken_out_of_the_workbook(shop: SheetShop) -> None:
    for _ in range(FLUSHES_MARKED_MAX // 2 + 3):
        shop.do(Tomar("A-1", 93, ARM))
        shop.pass_time(6)
        shop.do(Pausar("A-1", 93, ARM))
        shop.pass_time(6)
    marks = [datum for datum in shop.emulator.file(BOOK).book.metadata.values() if datum.key == MARK_KEY]
    written = len({int(str(datum.value).partition(".")[0]) for datum in marks})
    assert 0 < written < FLUSHES_MARKED_MAX


def test_a_workbook_without_room_for_marks_is_written_all_the_same(shop: SheetShop) -> None:
    used = sum(datum.size for datum in shop.emulator.file(BOOK).book.metadata.values())
    place = {"sheetId": shop.tab("Operaciones").sheet_id}
    text = "x" * (BUDGET_CHARACTERS - used - len("otro"))
    datum = {"metadataKey": "otro", "metadataValue": text, "location": place, "visibility": "DOCUMENT"}
    shop.lane.client.write([{"createDeveloperMetadata": {"developerMetadata": datum}}])
    shop.do(Tomar("A-1", 93, ARM))
    shop.settle()
    assert_nothing_of_ours_is_astray(shop)
    shop.assert_every_event_once_in_order()
