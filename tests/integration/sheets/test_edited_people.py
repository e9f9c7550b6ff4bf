"""In Trabajadores and Roles of the sheet only an edit counts: a restart of the lane obeys no cell anew."""

from __future__ import annotations

from typing import Any

from carrete.domain.workers import Rol
from carrete.identity import people, privileges
from carrete.identity.people import ChangeAuthor
from carrete.identity.privileges import AskedChange
from carrete.ledger import queries
from carrete.sheets.first_connection import dry_run, survey_of
from carrete.sheets.structure import column_letters
from tests.support.builders import NOW, SHOP
from tests.support.people import SV
from tests.support.sheets import BOOK, SheetShop

FLOOR = 7  # Luis Pérez, Armador
SOMEBODY_ELSE = {"Id": 300, "Nombre": "Zoila", "Apellido": "Zamora", "Activo": True}


def in_the_app(shop: SheetShop, change: Any, *arguments: Any) -> None:
    with shop.database.writing() as tx:
        change(tx, *arguments, ChangeAuthor(NOW))


def person(shop: SheetShop, id_: int = FLOOR) -> Any:
    with shop.database.reading() as tx:
        return queries.worker(tx, id_)


def waiting(shop: SheetShop) -> dict[int, AskedChange | None]:
    with shop.database.reading() as tx:
        return {each.worker_id: each.change for each in privileges.pending(tx)}


def types(shop: SheetShop, id_: int, column: str, value: Any, sheet: str = "Trabajadores") -> None:
    names, *rows = shop.grid(sheet)
    number = next(n for n, row in enumerate(rows, 2) if row[0] == id_)
    shop.person("edit", sheet, cell=f"{column_letters(names.index(column))}{number}", value=value)


def restarted(shop: SheetShop) -> None:
    shop.clock.sleep(600)  # the lease of the killed process ends
    shop.restart()
    shop.settle()


def test_somebody_deactivated_in_the_app_stays_so_when_the_lane_starts_again(on_both: SheetShop) -> None:
    in_the_app(on_both, people.deactivate, FLOOR)
    restarted(on_both)
    assert not person(on_both).activo


def test_somebody_deactivated_in_the_app_stays_so_when_another_row_is_edited(on_both: SheetShop) -> None:
    in_the_app(on_both, people.deactivate, FLOOR)
    on_both.person("add_row", "Trabajadores", values=SOMEBODY_ELSE)
    on_both.pass_time(90)
    assert person(on_both, 300).activo
    assert not person(on_both).activo


def test_names_and_floor_roles_given_in_the_app_stay_when_the_lane_starts_again(on_both: SheetShop) -> None:
    in_the_app(on_both, people.rename, FLOOR, "Lucas", "Pardo")
    in_the_app(on_both, people.set_roles, FLOOR, {Rol.SOLDADOR})
    restarted(on_both)
    found = person(on_both)
    assert (found.nombre, found.apellido, set(found.roles)) == ("Lucas", "Pardo", {Rol.SOLDADOR})


def test_an_edit_made_while_the_lane_was_down_counts_cell_by_cell(on_both: SheetShop) -> None:
    in_the_app(on_both, people.rename, FLOOR, "Lucas", "Pardo")
    types(on_both, FLOOR, "Apellido", "Prado")
    restarted(on_both)
    assert (person(on_both).nombre, person(on_both).apellido) == ("Lucas", "Prado")


def test_activo_switched_off_and_on_in_the_sheet_brings_somebody_back(shop: SheetShop) -> None:
    in_the_app(shop, people.deactivate, FLOOR)
    types(shop, FLOOR, "Activo", False)
    shop.pass_time(90)
    types(shop, FLOOR, "Activo", True)
    shop.pass_time(90)
    assert person(shop).activo


def test_a_cell_that_is_back_while_another_process_ran_the_lane_is_an_edit(shop: SheetShop) -> None:
    """The sheet shows again what the first process remembers of it; the ledger has got another value meanwhile."""
    first, second = shop.lane, shop.new_lane()
    shop.pass_time(60)
    first.stop()
    shop.lane = second
    types(shop, FLOOR, "Apellido", "Prado")
    shop.pass_time(90)
    assert person(shop).apellido == "Prado"
    first.step()
    assert not first.leading
    second.stop()
    types(shop, FLOOR, "Apellido", "Pérez")
    shop.lane = first
    shop.pass_time(90)
    assert person(shop).apellido == "Pérez"


def test_a_refused_name_of_somebody_with_privileges_is_not_asked_for_again(shop: SheetShop) -> None:
    with shop.database.writing() as tx:
        tx.run("role_upsert", worker_id=SV.id, rol=Rol.SUPERVISOR.value, activo=1)
    types(shop, SV.id, "Nombre", "Otra")
    shop.pass_time(90)
    change = waiting(shop)[SV.id]
    assert change is not None
    assert change.nombre == "Otra"
    restarted(shop)
    assert waiting(shop)[SV.id] == change, "what waits goes on waiting"
    types(shop, SV.id, "Apellido", "Más")
    shop.pass_time(90)
    assert waiting(shop)[SV.id] == AskedChange("Otra", "Más", True)
    with shop.database.writing() as tx:
        privileges.refuse(tx, SV.id, by_id=None, at=NOW)
    restarted(shop)
    assert SV.id not in waiting(shop)


def test_removing_the_last_administrator_is_reported_after_each_start(shop: SheetShop) -> None:
    with shop.database.writing() as tx:
        tx.run("role_upsert", worker_id=FLOOR, rol=Rol.ADMINISTRADOR.value, activo=1)
    types(shop, FLOOR, "Activo", False)
    shop.pass_time(90)
    restarted(shop)
    assert person(shop).activo
    assert ["último administrador" in one.reason for one in shop.lane.stats.people_problems] == [True]


def test_the_same_role_in_two_rows_counts_once(shop: SheetShop) -> None:
    shop.person("add_row", "Roles", values={"Id": FLOOR, "Rol": "armador", "Activo": False})
    shop.pass_time(90)
    assert person(shop).roles == frozenset()
    restarted(shop)
    assert person(shop).roles == frozenset()


def test_a_preview_of_the_same_workbook_shows_edits_alone_and_another_workbook_counts_whole(shop: SheetShop) -> None:
    in_the_app(shop, people.deactivate, FLOOR)
    survey = survey_of(shop.database, shop.lane.client, BOOK, shop.clock)

    def changed(workbook: str) -> int:
        return dry_run(survey, shop.database, workbook, SHOP, shop.clock, lambda *_: None).workers.changed

    assert (changed(BOOK), changed("otra-planilla")) == (0, 1)
