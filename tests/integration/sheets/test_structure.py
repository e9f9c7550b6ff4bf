"""Each read finds columns and tabs anew, because people move, insert, rename and delete them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from carrete.domain.commands import Tomar
from carrete.domain.spool import Operacion
from carrete.sheets.freeze import limits
from carrete.sheets.rows import storage
from tests.integration.sheets.conftest import MakeShop
from tests.support.sheets import READY, SheetShop

ARM = Operacion.ARM


def frozen(shop: SheetShop) -> dict[str, tuple[str, str]]:
    with shop.database.reading() as tx:
        return {row[0]: (row[1], row[2]) for row in tx.all("freezes")}


def decide(shop: SheetShop, sheet: str, decision: str) -> None:
    with shop.database.writing() as tx:
        assert tx.run("freeze_decide", sheet=sheet, decision=decision, id=storage.freezes(tx)[sheet].id, by=21) == 1
        tx.run("setting_put", name="sheet_events_recounted_at", value="")


def assert_a1_is_shown_as_held(shop: SheetShop) -> None:
    row = shop.row("A-1")
    assert row["Ocupado_Por"] == "MR(93)"
    assert row["version"] == shop.spool("A-1").version
    assert row["Estado_Detalle"].startswith("MR(93) trabajando")


def test_columns_that_were_moved_and_inserted_are_found(shop: SheetShop) -> None:
    shop.person("move_columns", at="Ocupado_Por", to="TAG_SPOOL")
    shop.person("insert_columns", at="NV", count=2)
    shop.do(Tomar("A-1", 93, ARM))
    shop.settle()
    assert_a1_is_shown_as_held(shop)
    assert frozen(shop) == {}
    assert shop.editions() == [e for e in shop.editions() if e["accion"] == "NUEVO"]


def test_a_column_of_peoples_own_is_left_alone(shop: SheetShop) -> None:
    shop.person("insert_columns", at="NV")
    shop.person("edit", cell="C1", value="Observaciones")
    shop.person("edit", cell="C2", value="ojo")
    shop.do(Tomar("A-1", 93, ARM))
    shop.settle()
    assert shop.row("A-1")["Observaciones"] == "ojo"


def test_a_renamed_column_stops_the_writes_of_its_sheet_until_it_is_renamed_back(shop: SheetShop) -> None:
    shop.person("rename_header", column="Ocupado_Por", to="Quién")
    shop.do(Tomar("A-1", 93, ARM))
    shop.pass_time(30)
    assert frozen(shop)["Operaciones"] == (limits.COLUMNS, "falta la columna Ocupado_Por")
    assert "Quién" not in shop.row("A-1")
    assert shop.events_in_the_sheet() == [e.id for e in shop.events()], "the trail goes on"
    shop.types("A-2", "NV", "77")
    shop.pass_time(15)
    assert shop.spool("A-2").nv == "77", "people are still heard"
    shop.person("rename_header", column="Quién", to="Ocupado por")
    shop.settle()
    assert frozen(shop) == {}
    assert shop.row("A-1")["Ocupado por"] == "MR(93)"


def test_a_column_that_is_there_twice_stops_the_writes(shop: SheetShop) -> None:
    shop.person("insert_columns", at="NV")
    shop.person("edit", cell="C1", value="Armador")
    shop.pass_time(15)
    assert frozen(shop)["Operaciones"] == (limits.COLUMNS, "la columna Armador está repetida")
    shop.person("delete_columns", at=3)
    shop.settle()
    assert frozen(shop) == {}


def test_a_renamed_tab_is_the_same_tab(shop: SheetShop) -> None:
    shop.person("rename_tab", to="Operaciones 2026")
    shop.do(Tomar("A-1", 93, ARM))
    shop.pass_time(10)
    shop.person("rename_tab", "Operaciones 2026", to="Operaciones")
    assert_a1_is_shown_as_held(shop)


def test_a_tab_that_was_deleted_stops_its_sheet_and_a_new_one_is_taken_only_when_told(shop: SheetShop) -> None:
    rows = shop.grid("Operaciones")
    shop.person("delete_tab")
    shop.do(Tomar("A-1", 93, ARM))
    shop.pass_time(40)
    assert frozen(shop)["Operaciones"] == (limits.TAB, "la pestaña fue borrada")
    shop.person("add_tab", title="Operaciones")
    shop.person("paste", cell="A1", rows=rows)
    shop.pass_time(120)
    assert "Ocupado_Por" not in shop.row("A-1")
    assert frozen(shop)["Operaciones"] == (limits.TAB, "la pestaña fue borrada; hay otra con su nombre")
    decide(shop, "Operaciones", "CONFIRMAR")
    shop.settle()
    assert_a1_is_shown_as_held(shop)
    assert frozen(shop) == {}


def moved_in_the_window(shop: SheetShop, *acts: tuple[str, dict[str, Any]]) -> None:
    def move() -> None:
        for act, fields in acts:
            shop.person(act, **fields)

    with shop.meanwhile(move):
        shop.do(Tomar("A-1", 93, ARM))
        shop.settle()


def assert_nothing_is_out_of_place(shop: SheetShop) -> None:
    assert frozen(shop) == {}
    assert_a1_is_shown_as_held(shop)
    for tag in ("A-1", "A-2"):
        row, spool = shop.row(tag), shop.spool(tag)
        assert row["OT"] == "25238"
        assert row["NV"] == "1335"
        assert row.get("Soldador", "") == (spool.soldador or "")
        assert "Fecha_Armado" not in row
    assert [e for e in shop.editions() if e["accion"] == "EDITAR"] == [], "nobody edited anything"
    assert shop.lane.puller.problems() == []
    shop.assert_every_event_once_in_order()


def test_two_columns_swapped_between_read_and_apply(shop: SheetShop) -> None:
    moved_in_the_window(shop, ("move_columns", {"at": "Ocupado_Por", "to": "Estado_Detalle"}))
    assert_nothing_is_out_of_place(shop)


def test_a_column_inserted_on_the_left_between_read_and_apply(shop: SheetShop) -> None:
    moved_in_the_window(shop, ("insert_columns", {"at": "OT"}))
    assert_nothing_is_out_of_place(shop)
    assert all(cell in (None, "") for cell in (row[1] for row in shop.grid("Operaciones") if len(row) > 1))


def test_a_column_of_peoples_own_hit_by_a_write_gets_its_value_back(shop: SheetShop) -> None:
    shop.person("insert_columns", at="Ocupado_Por")
    shop.person("edit", cell="J1", value="Observaciones")
    shop.person("edit", cell=f"J{shop.row_number('Operaciones', 'A-1')}", value="ojo")
    shop.settle()
    moved_in_the_window(shop, ("insert_columns", {"at": "OT"}))
    assert_nothing_is_out_of_place(shop)
    assert shop.row("A-1")["Observaciones"] == "ojo"


Act = tuple[str, dict[str, Any]]
LEFT_THEN_LEFT: tuple[Act, Act] = (
    ("move_columns", {"at": "Estado_Detalle", "to": "version"}),
    ("move_columns", {"at": "Pulgadas_ARM", "to": "Fecha_Soldadura"}),
)
TWICE_MOVED: dict[str, tuple[Act, Act]] = {
    "one to the left, then another": LEFT_THEN_LEFT,
    "one to the left, then another to the right": (
        LEFT_THEN_LEFT[0],
        ("move_columns", {"at": "NV", "to": "Uniones_ARM_Completadas"}),
    ),
    "one inserted, then one moved": (
        ("insert_columns", {"at": "Ocupado_Por"}),
        ("move_columns", {"at": "Pulgadas_SOLD", "to": "OT"}),
    ),
    "one moved, then two inserted": (
        ("move_columns", {"at": "Soldador", "to": "Pulgadas_ARM"}),
        ("insert_columns", {"at": "OT", "count": 2}),
    ),
    "the stamps to the left, then another": (
        ("move_columns", {"at": "Carrete_Sello", "to": "Ocupado_Por"}),
        ("move_columns", {"at": "Pulgadas_ARM", "to": "OT"}),
    ),
}


def moved_before_and_after_the_write(
    shop: SheetShop, before: Act, after: Act, *tags: str, then: Callable[[], object] = lambda: None
) -> None:
    """One column is moved while our write is on its way, another after it was applied and before the next read."""
    written = shop.writes()
    with shop.meanwhile(lambda: shop.person(before[0], **before[1])):
        shop.do_all(Tomar(tag, 93, ARM) for tag in tags or ("A-1",))
        while shop.writes() == written:
            shop.pass_time(0.5)
    shop.person(after[0], **after[1])
    then()
    shop.settle()


@pytest.mark.parametrize("acts", TWICE_MOVED.values(), ids=TWICE_MOVED)
def test_columns_moved_between_read_and_apply_and_again_before_the_next_read(
    shop: SheetShop, acts: tuple[Act, Act]
) -> None:
    moved_before_and_after_the_write(shop, *acts)
    assert_nothing_is_out_of_place(shop)


def test_columns_moved_twice_are_put_right_also_when_the_process_was_killed_before_the_next_read(
    shop: SheetShop,
) -> None:
    moved_before_and_after_the_write(shop, *LEFT_THEN_LEFT, then=shop.restart)
    assert_nothing_is_out_of_place(shop)


def test_a_whole_shift_written_into_moved_columns_is_put_right_without_a_supervisor(make_shop: MakeShop) -> None:
    tags = [f"A-{n}" for n in range(1, 31)]
    shop = make_shop([{"TAG_SPOOL": tag, **READY} for tag in tags])
    moved_before_and_after_the_write(shop, *LEFT_THEN_LEFT, *tags)
    assert_nothing_is_out_of_place(shop)
    for tag in tags:
        assert shop.row(tag)["version"] == shop.spool(tag).version


def test_an_own_column_hit_by_such_a_shift_gets_its_values_back(shop: SheetShop) -> None:
    shop.person("insert_columns", at="version")
    at = shop.cell_name("Operaciones", "A-1", "version")[0]
    shop.person("edit", cell=f"{chr(ord(at) - 1)}1", value="Observaciones")
    shop.types("A-1", "Observaciones", "ojo")
    shop.settle()
    aside = ("move_columns", {"at": "version", "to": "Observaciones"})
    moved_before_and_after_the_write(shop, aside, LEFT_THEN_LEFT[1])
    assert_nothing_is_out_of_place(shop)
    assert shop.row("A-1")["Observaciones"] == "ojo"


def test_what_a_person_types_after_a_write_counts_though_columns_were_moved_too(shop: SheetShop) -> None:
    written = shop.writes()
    shop.do(Tomar("A-1", 93, ARM))
    while shop.writes() == written:
        shop.pass_time(0.5)
    shop.types("A-1", "NV", "77")
    shop.types("A-1", "Soldador", "CP(95)")
    shop.person("move_columns", at="Pulgadas_ARM", to="OT")
    shop.settle()
    assert shop.spool("A-1").nv == "77"
    assert shop.spool("A-1").soldador == "CP(95)"
    assert_a1_is_shown_as_held(shop)


def test_a_header_renamed_between_read_and_apply_stops_and_recovers(shop: SheetShop) -> None:
    moved_in_the_window(shop, ("rename_header", {"column": "Soldador", "to": "Soldado por"}))
    assert frozen(shop)["Operaciones"][0] == limits.COLUMNS
    shop.person("rename_header", column="Soldado por", to="Soldador")
    shop.settle()
    assert_nothing_is_out_of_place(shop)
