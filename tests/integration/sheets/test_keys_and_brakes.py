"""Rows with a repeated or missing key wait for a person; too large changes freeze the sheet for a supervisor."""

from __future__ import annotations

from typing import Any

import pytest

from carrete.domain.commands import Pausar, Tomar
from carrete.domain.spool import Operacion
from carrete.ledger.database import Database
from carrete.sheets.freeze import limits
from carrete.sheets.pull import chunks, puller
from carrete.sheets.rows import storage
from carrete.workbook.spools import merge_chunk
from carrete_chaos.sheets.shop import Killed
from tests.integration.sheets.conftest import BY_JOINT, JOINTS, MakeShop
from tests.integration.sheets.test_structure import decide, frozen
from tests.support.builders import a_spool, put
from tests.support.sheets import READY, SheetShop

ARM = Operacion.ARM
MANY = [{"TAG_SPOOL": f"B-{n:03}", **READY} for n in range(100)]


def test_a_key_that_is_there_twice_is_neither_read_nor_written_until_it_is_repaired(shop: SheetShop) -> None:
    shop.person("add_row", values={"TAG_SPOOL": "A-1", "NV": "otro"})
    shop.settle()
    shop.do(Tomar("A-1", 93, ARM))
    shop.types("A-1", "OT", "cambiado")
    shop.settle()
    assert all("Ocupado_Por" not in row for row in shop.rows())
    assert shop.spool("A-1").ot == "25238"
    (problem, _) = shop.lane.puller.problems()
    assert "repetido en las filas 2 y 8" in problem.reason
    shop.person("delete_rows", at=8)
    shop.settle()
    assert shop.row("A-1")["Ocupado_Por"] == "MR(93)"
    assert shop.spool("A-1").ot == "cambiado"
    assert shop.lane.puller.problems() == []


def test_a_row_without_a_key_is_reported_and_left_alone(shop: SheetShop) -> None:
    shop.person("add_row", values={"NV": "77"})
    shop.settle()
    assert [p.reason for p in shop.lane.puller.problems()] == ["falta; la fila quedó fuera."]
    assert {"NV": 77} in shop.rows()


def test_a_new_row_whose_tag_has_a_hidden_character_waits_until_a_person_writes_it_anew(shop: SheetShop) -> None:
    before = len(shop.rows())
    shop.person("add_row", values={"TAG_SPOOL": "Z\u202e-1", "Fecha_Materiales": "02-11-2026"})
    shop.settle()
    shop.settle()
    (problem,) = shop.lane.puller.problems()
    assert (problem.sheet, problem.row, problem.column) == ("Operaciones", before + 2, "TAG_SPOOL")
    assert "U+202E (RIGHT-TO-LEFT OVERRIDE)" in problem.reason
    assert len(shop.rows()) == before + 1
    shop.types("Z\u202e-1", "TAG_SPOOL", "Z-1")
    shop.settle()
    assert shop.spool("Z-1").tag == "Z-1"
    assert shop.lane.puller.problems() == []


def test_a_spool_of_an_older_ledger_with_a_hidden_character_keeps_its_one_row(
    ledger: Database, make_shop: MakeShop
) -> None:
    old = "Z\u200b-1"
    put(ledger, [a_spool(old)])
    shop = make_shop([{"TAG_SPOOL": old, **READY}])
    shop.settle()
    shop.do(Tomar(old, 93, ARM))
    shop.types(old, "NV", "otra", raw=True)
    shop.settle()
    assert [row["TAG_SPOOL"] for row in shop.rows()] == [old]
    assert (shop.row(old)["Ocupado_Por"], shop.spool(old).nv) == ("MR(93)", "otra")
    assert shop.lane.puller.problems() == []


def test_a_joint_whose_spool_is_not_there_waits_for_it(shop: SheetShop) -> None:
    shop.person("add_row", "Uniones", values={"TAG_SPOOL": "Z-1", "N_UNION": 1, "DN_UNION": 2})
    shop.settle()
    assert "no existe el spool Z-1" in shop.lane.puller.problems()[0].reason
    shop.person("add_row", values={"TAG_SPOOL": "Z-1", "Fecha_Materiales": "02-11-2026", "Total_Uniones": 1})
    shop.settle()
    assert shop.spool("Z-1").counts.rows == 1
    assert shop.lane.puller.problems() == []


def test_a_row_that_is_gone_is_retired_after_two_reads_and_comes_back_as_it_was(shop: SheetShop) -> None:
    shop.do(Tomar("A-1", 93, ARM))
    shop.settle()
    shop.person("delete_rows", at=shop.row_number("Operaciones", "A-1"))
    shop.pass_time(13)
    assert not shop.spool("A-1").retired, "one read is not enough"
    shop.settle()
    assert shop.spool("A-1").retired
    assert shop.spool("A-1").occupation is not None, "whoever holds it may still end"
    shop.do(Pausar("A-1", 93, ARM))
    shop.settle()
    shop.person("add_row", values={"TAG_SPOOL": "A-1", "OT": "25238", "NV": "1335"})
    shop.settle()
    assert not shop.spool("A-1").retired
    assert shop.row("A-1")["Armador"] == "MR(93)"
    assert [e["accion"] for e in shop.editions() if e["accion"] in ("RETIRAR", "REGRESAR")] == ["RETIRAR", "REGRESAR"]
    shop.assert_every_event_once_in_order()


def test_a_row_cut_and_pasted_elsewhere_between_two_reads_is_the_same_row(shop: SheetShop) -> None:
    shop.person("cut_paste", range="A2:S2", to="A30")
    shop.settle()
    assert not shop.spool("A-1").retired
    shop.do(Tomar("A-1", 93, ARM))
    shop.settle()
    assert shop.rows()[28]["Ocupado_Por"] == "MR(93)"


def test_a_renamed_key_is_a_new_spool_and_the_old_one_is_retired(shop: SheetShop) -> None:
    shop.do(Tomar("A-1", 93, ARM))
    shop.settle()
    shop.types("A-1", "TAG_SPOOL", "A-1B")
    shop.settle()
    assert shop.spool("A-1").retired
    held = shop.spool("A-1B").occupation
    assert held is not None, "the row says who holds it, and a person renamed it"
    assert held.label == "MR(93)"


def test_a_joint_that_is_gone_counts_no_more(shop: SheetShop) -> None:
    shop.person("delete_rows", "Uniones", at=2)
    shop.settle()
    shop.settle()
    assert shop.spool("U-1").counts.rows == 2


def test_many_rows_gone_at_once_stop_the_sheet_and_undoing_it_goes_on(make_shop: MakeShop) -> None:
    shop = make_shop(MANY)
    rows = shop.grid("Operaciones")[1:41]
    shop.person("delete_rows", at=2, count=40)
    shop.do(Tomar("B-050", 93, ARM))
    shop.pass_time(60)
    assert frozen(shop) == {"Operaciones": (limits.VANISHED, "40 de 100 filas desaparecieron a la vez")}
    assert not shop.spool("B-001").retired
    assert "Ocupado_Por" not in shop.row("B-050"), "nothing is written either"
    shop.person("insert_rows", at=2, count=40)
    shop.person(
        "paste", cell="A2", rows=[["" if cell is None else cell for cell in row] for row in rows], **{"as": "RAW"}
    )
    shop.settle()
    assert frozen(shop) == {}
    assert shop.row("B-050")["Ocupado_Por"] == "MR(93)"
    assert not shop.spool("B-001").retired


def test_a_supervisor_confirms_that_the_rows_are_gone(make_shop: MakeShop) -> None:
    shop = make_shop(MANY)
    shop.person("delete_rows", at=2, count=40)
    shop.pass_time(60)
    decide(shop, "Operaciones", "CONFIRMAR")
    shop.settle()
    assert frozen(shop) == {}
    assert shop.spool("B-001").retired
    assert not shop.spool("B-050").retired


def test_a_supervisor_lets_ours_stand_and_the_rows_are_written_again(make_shop: MakeShop) -> None:
    shop = make_shop(MANY)
    shop.do(Tomar("B-001", 93, ARM))
    shop.settle()
    shop.person("delete_rows", at=2, count=40)
    shop.pass_time(60)
    decide(shop, "Operaciones", "REANUDAR")
    shop.settle()
    assert frozen(shop) == {}
    assert len(shop.rows()) == 100
    assert shop.row("B-001")["Ocupado_Por"] == "MR(93)"
    assert not shop.spool("B-001").retired


def test_a_cleared_column_stops_the_sheet_and_nothing_is_pulled_or_pushed(make_shop: MakeShop) -> None:
    shop = make_shop(MANY)
    shop.person("clear", range="D2:D101")
    shop.pass_time(60)
    assert frozen(shop)["Operaciones"][0] == limits.CHANGED
    assert shop.spool("B-001").fecha_materiales is not None
    decide(shop, "Operaciones", "REANUDAR")
    shop.settle()
    assert shop.row("B-001")["Fecha_Materiales"] == 46_328
    assert shop.spool("B-001").fecha_materiales is not None


def test_what_a_supervisor_did_not_take_is_in_the_trail_with_both_values_and_who_decided(make_shop: MakeShop) -> None:
    shop = make_shop(MANY)
    shop.person("clear", range="D2:D101")
    shop.pass_time(15)
    decide(shop, "Operaciones", "REANUDAR")
    shop.settle()
    refused = [e for e in shop.editions() if e["accion"] == "EDITAR"]
    assert len(refused) == 100
    assert refused[0] == {
        "accion": "EDITAR",
        "hoja": "Operaciones",
        "columna": "Fecha_Materiales",
        "anterior": "2026-11-02",
        "nuevo": "",
        "aceptado": False,
        "motivo": "100 celdas de Fecha_Materiales cambiaron o se borraron a la vez",
        "supervisor_id": 21,
    }
    shop.assert_every_event_once_in_order()


def test_a_row_that_is_new_when_ours_stands_is_a_spool_all_the_same(make_shop: MakeShop) -> None:
    shop = make_shop(MANY)
    shop.person("clear", range="D2:D101")
    shop.person("add_row", values={"TAG_SPOOL": "NUEVO-1", "OT": "77"})
    shop.pass_time(15)
    decide(shop, "Operaciones", "REANUDAR")
    shop.settle()
    assert shop.spool("NUEVO-1").ot == "77"


def test_a_decision_is_not_for_a_sheet_that_was_repaired_meanwhile(make_shop: MakeShop) -> None:
    shop = make_shop(MANY)
    shop.person("clear", range="D2:D101")
    shop.pass_time(15)
    decide(shop, "Operaciones", "REANUDAR")
    shop.person("paste", cell="D2", rows=[[46_328]] * 100, **{"as": "RAW"})
    shop.types("B-003", "NV", "77")
    shop.settle()
    assert frozen(shop) == {}
    assert shop.spool("B-003").nv == "77", "a person's edit, as on any day"


def test_a_decision_is_not_for_what_happened_after_it(make_shop: MakeShop) -> None:
    shop = make_shop(MANY)
    shop.person("delete_rows", at=2, count=40)
    shop.pass_time(30)
    decide(shop, "Operaciones", "CONFIRMAR")
    shop.person("delete_rows", at=2, count=30)
    shop.pass_time(60)
    assert frozen(shop) == {"Operaciones": (limits.VANISHED, "70 de 100 filas desaparecieron a la vez")}
    assert not shop.spool("B-001").retired
    with shop.database.reading() as tx:
        assert storage.freezes(tx)["Operaciones"].decision == "", "somebody is asked again"


@pytest.mark.parametrize(("decision", "rows"), [("CONFIRMAR", 60), ("REANUDAR", 100)])
def test_a_decision_outlives_the_process_that_asked_for_it(make_shop: MakeShop, decision: str, rows: int) -> None:
    shop = make_shop(MANY)
    shop.person("delete_rows", at=2, count=40)
    shop.pass_time(15)
    shop.restart()
    shop.clock.sleep(40)
    decide(shop, "Operaciones", decision)
    shop.settle()
    assert frozen(shop) == {}
    assert len(shop.rows()) == rows
    assert shop.spool("B-001").retired == (decision == "CONFIRMAR")


def test_a_decision_that_was_half_done_when_the_process_died_is_done_to_the_end(
    make_shop: MakeShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The remaining changes would be few enough to be accepted: they must not be taken after all."""
    monkeypatch.setattr(chunks, "ROWS_PER_COMMIT_MAX", 10)
    shop = make_shop(MANY)
    shop.person("clear", range="D2:D101")
    shop.pass_time(15)
    decide(shop, "Operaciones", "REANUDAR")
    merge, left = merge_chunk, [8]

    def dies(*arguments: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise Killed
        return merge(*arguments)

    monkeypatch.setattr(puller, "merge_chunk", dies)
    with pytest.raises(Killed):
        shop.pass_time(15)
    monkeypatch.setattr(puller, "merge_chunk", merge)
    shop.restart()
    shop.clock.sleep(40)
    shop.settle()
    assert frozen(shop) == {}
    assert all(shop.spool(f"B-{n:03}").fecha_materiales for n in range(100))
    assert all(row["Fecha_Materiales"] == 46_328 for row in shop.rows())


def test_joints_that_are_gone_are_retired_while_ours_stands_for_the_spools(make_shop: MakeShop) -> None:
    shop = make_shop([*MANY, BY_JOINT], JOINTS)
    shop.person("clear", range="D2:D102")
    shop.person("delete_rows", "Uniones", at=2)
    shop.pass_time(15)
    decide(shop, "Operaciones", "REANUDAR")
    shop.settle()
    shop.settle()
    assert shop.spool("U-1").counts.rows == 2


def test_a_sheet_whose_cells_are_back_stays_stopped_while_a_column_is_missing(make_shop: MakeShop) -> None:
    shop = make_shop(MANY)
    shop.person("clear", range="D2:D101")
    shop.pass_time(15)
    shop.person("rename_header", column="Soldador", to="Quién")
    shop.pass_time(15)
    shop.person("paste", cell="D2", rows=[[46_328]] * 100, **{"as": "RAW"})
    stopped = []
    for _ in range(30):
        shop.pass_time(1)
        stopped.append("Operaciones" in frozen(shop))
    assert all(stopped)


def test_a_block_pasted_over_the_sheet_is_taken_when_a_supervisor_confirms(make_shop: MakeShop) -> None:
    shop = make_shop(MANY)
    shop.person("paste", cell="C2", rows=[["9999"] for _ in range(100)])
    shop.pass_time(60)
    assert frozen(shop)["Operaciones"][0] == limits.CHANGED
    decide(shop, "Operaciones", "CONFIRMAR")
    shop.settle()
    assert shop.spool("B-099").nv == "9999"
    assert len([e for e in shop.editions() if e.get("columna") == "NV"]) == 100


def test_filling_in_an_empty_column_is_ordinary_work(make_shop: MakeShop) -> None:
    shop = make_shop(MANY)
    shop.person("paste", cell="H2", rows=[["JS(8)"] for _ in range(100)])
    shop.settle()
    assert frozen(shop) == {}
    assert shop.spool("B-099").soldador == "JS(8)"


def test_yesterdays_version_restored_stops_the_sheet_and_no_event_is_lost(make_shop: MakeShop) -> None:
    shop = make_shop(MANY)
    yesterday = shop.emulator.file("planilla-del-taller").book.revision
    for n in range(60):
        shop.do(Tomar(f"B-{n:03}", 93, ARM))
    shop.settle()
    shop.clock.sleep(3 * 3600)
    shop.emulator.restore("planilla-del-taller", yesterday)
    shop.pass_time(60)
    assert frozen(shop)["Operaciones"][0] == limits.CHANGED
    assert all(shop.spool(f"B-{n:03}").occupation for n in range(60))
    decide(shop, "Operaciones", "REANUDAR")
    shop.settle()
    assert shop.row("B-059")["Ocupado_Por"] == "MR(93)"
    assert sorted(shop.events_in_the_sheet()) == sorted(e.id for e in shop.events())
