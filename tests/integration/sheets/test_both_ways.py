"""An ordinary day: workers' actions reach the sheet, and a person's edits reach the ledger."""

from __future__ import annotations

import pytest

from carrete.domain.commands import Completar, Finalizar, Iniciar, Pausar, Tomar
from carrete.domain.spool import Estado, Operacion
from carrete.identity import privileges
from carrete.ledger import queries
from carrete.sheets.push import outbox
from carrete.sheets.structure import SELLO
from tests.support.sheets import SheetShop

ARM, SOLD = Operacion.ARM, Operacion.SOLD


def test_what_the_floor_does_is_in_the_sheet_within_seconds(on_both: SheetShop) -> None:
    on_both.do(Tomar("A-1", 93, ARM))
    on_both.pass_time(8)
    row = on_both.row("A-1")
    spool = on_both.spool("A-1")
    assert row["Ocupado_Por"] == "MR(93)"
    assert row["Estado_Detalle"] == "MR(93) trabajando ARM (ARM en progreso, SOLD pendiente)"
    assert row["version"] == spool.version
    assert row[SELLO]
    on_both.assert_every_event_once_in_order()


def test_a_row_is_written_only_after_the_lane_has_seen_its_entry(
    shop: SheetShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A later change does not renew an entry that the lane has not seen: a lane that had planned it before would close
    it all the same."""
    with monkeypatch.context() as unseeing:
        unseeing.setattr(outbox, "see", lambda *_: None)
        shop.do(Tomar("A-1", 93, ARM))
        shop.pass_time(60)
        assert "Ocupado_Por" not in shop.row("A-1")
    shop.pass_time(30)
    assert shop.row("A-1")["Ocupado_Por"] == "MR(93)"


def test_what_a_person_types_is_in_the_ledger_with_both_values(on_both: SheetShop) -> None:
    on_both.types("A-2", "NV", "1400")
    on_both.pass_time(15)
    assert on_both.spool("A-2").nv == "1400"
    expected = {"hoja": "Operaciones", "columna": "NV", "anterior": "1335", "nuevo": "1400", "accion": "EDITAR"}
    assert expected in on_both.editions()
    on_both.settle()
    on_both.assert_every_event_once_in_order()


def test_a_date_is_a_number_with_the_format_of_the_shop(shop: SheetShop) -> None:
    shop.do(Tomar("A-1", 93, ARM), Completar("A-1", 93, ARM))
    shop.do(Tomar("A-2", 93, ARM))
    shop.settle()
    assert shop.row("A-1")["Fecha_Armado"] == 46_342
    assert shop.format_of("Operaciones", "A-1", "Fecha_Armado")["pattern"] == "dd-mm-yyyy"
    assert shop.format_of("Operaciones", "A-2", "Fecha_Ocupacion")["pattern"] == "dd-mm-yyyy hh:mm:ss"


def test_joints_that_were_ticked_are_in_the_sheet_with_their_inches(shop: SheetShop) -> None:
    shop.do(Iniciar("U-1", 93, ARM), Finalizar("U-1", 93, ARM, unions=(1, 3)))
    shop.settle()
    assert shop.row("U-1")["Pulgadas_ARM"] == 8
    assert shop.row("U-1", "Uniones", 1)["ARM_WORKER"] == "MR(93)"
    assert "ARM_WORKER" not in shop.row("U-1", "Uniones", 2)


def test_a_joint_that_a_person_ticks_in_the_sheet_counts(shop: SheetShop) -> None:
    shop.types("U-1", "ARM_FECHA_FIN", "12-11-2026", "Uniones", 2)
    shop.types("U-1", "ARM_WORKER", "LP(7)", "Uniones", 2)
    shop.settle()
    assert shop.spool("U-1").counts.armed == 1
    assert shop.row("U-1")["Uniones_ARM_Completadas"] == 1


def test_a_person_who_empties_the_holder_ends_the_occupation_and_its_lock_follows(shop: SheetShop) -> None:
    shop.do(Tomar("A-1", 93, ARM))
    shop.settle()
    shop.types("A-1", "Ocupado_Por", "")
    shop.settle()
    assert shop.spool("A-1").occupation is None
    assert shop.spool("A-1").arm is Estado.PAUSADO
    assert shop.healed == ["A-1"]
    assert "Fecha_Ocupacion" not in shop.row("A-1"), "what belongs to the holder went with the holder"


def test_a_person_who_writes_another_label_hands_the_spool_over(shop: SheetShop) -> None:
    shop.do(Tomar("A-1", 93, ARM))
    shop.settle()
    shop.types("A-1", "Ocupado_Por", "LP(7)")
    shop.settle()
    held = shop.spool("A-1").occupation
    assert held is not None
    assert held.label == "LP(7)"
    assert shop.row("A-1")["Estado_Detalle"].startswith("LP(7) trabajando ARM")


def test_what_carrete_works_out_is_written_back(shop: SheetShop) -> None:
    shop.types("A-1", "Estado_Detalle", "lo que sea")
    shop.types("U-1", "Pulgadas_ARM", 99)
    shop.types("A-3", "version", "yo")
    shop.settle()
    assert shop.row("A-1")["Estado_Detalle"] == "Disponible - ARM pendiente, SOLD pendiente"
    assert shop.row("U-1")["Pulgadas_ARM"] == 0
    assert shop.row("A-3")["version"] == shop.spool("A-3").version


def test_the_lane_reads_before_the_locks_are_reconciled(shop: SheetShop) -> None:
    assert shop.first_reads == 1


def test_a_new_spool_and_a_new_joint_appear_in_the_ledger(shop: SheetShop) -> None:
    shop.person("add_row", values={"TAG_SPOOL": "B-1", "Fecha_Materiales": "02-11-2026", "Total_Uniones": 1})
    shop.person("add_row", "Uniones", values={"TAG_SPOOL": "B-1", "N_UNION": 1, "DN_UNION": "2,5"})
    shop.pass_time(60)
    assert shop.spool("B-1").counts.rows == 1
    shop.settle()
    assert shop.row("B-1")["version"] == shop.spool("B-1").version


def test_a_person_added_to_the_sheet_may_hold_a_spool_at_once(shop: SheetShop) -> None:
    shop.types("A-1", "Ocupado_Por", "ZZ(300)")
    shop.pass_time(30)
    assert shop.spool("A-1").occupation is None
    assert [p.column for p in shop.lane.puller.problems()] == ["Ocupado_Por"]
    shop.person("add_row", "Trabajadores", values={"Id": 300, "Nombre": "Zoila", "Apellido": "Zamora", "Activo": True})
    shop.pass_time(90)
    held = shop.spool("A-1").occupation
    assert held is not None
    assert held.label == "ZZ(300)"
    assert shop.lane.puller.problems() == []


def test_a_pause_between_two_flushes_leaves_only_the_last_value_of_a_cell_and_every_event(shop: SheetShop) -> None:
    before = shop.writes()
    shop.do(Tomar("A-1", 93, ARM), Pausar("A-1", 93, ARM), Tomar("A-1", 7, ARM))
    shop.settle()
    assert shop.writes() - before == 1
    assert shop.row("A-1")["Ocupado_Por"] == "LP(7)"
    shop.assert_every_event_once_in_order()


def test_nothing_is_written_when_nothing_happens(shop: SheetShop) -> None:
    before = shop.writes()
    shop.pass_time(600)
    assert shop.writes() == before


def test_a_privilege_typed_into_the_sheet_waits_for_an_administrator(shop: SheetShop) -> None:
    def roles(**how: bool) -> set[str]:
        with shop.database.reading() as tx:
            person = queries.worker(tx, 7, **how)
        return set(person.roles) if person else set()

    shop.person("add_row", "Roles", values={"Id": 7, "Rol": "Supervisor", "Activo": True})
    shop.person("add_row", "Roles", values={"Id": 7, "Rol": "Ayudante", "Activo": True})
    shop.pass_time(90)
    assert roles() == {"Armador", "Ayudante"}
    assert roles(confirmed_roles_only=False) == {"Armador", "Ayudante", "Supervisor"}
    with shop.database.writing() as tx:
        privileges.confirm(tx, 7, by_id=None, at=shop.clock.now())
    shop.person("add_row", "Roles", values={"Id": 8, "Rol": "Ayudante", "Activo": True})
    shop.pass_time(90)
    assert roles() == {"Armador", "Ayudante", "Supervisor"}, "the next read leaves what was confirmed"
