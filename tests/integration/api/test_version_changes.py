"""Rule 2: engineering changes `Total_Uniones` or a joint in the workbook while people work. Nobody is stuck, nothing
is completed wrongly, and what does not fit is shown on the card."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from carrete.domain.spool import Metrologia
from carrete.ledger.database import Database
from tests.integration.workbook.files import RowEditor
from tests.support.answers import done, refused
from tests.support.builders import HOY, TAG, a_finished_spool, a_joint, a_spool, put
from tests.support.by_joint import begin, finish, metrics, to_tick
from tests.support.tablet import Tablet

CALLS_MAX = 8


@pytest.fixture
def engineering(ledger: Database, tmp_path: Path) -> RowEditor:
    """A person who edits the workbook while the server runs."""
    return RowEditor(ledger, tmp_path)


def set_total(engineering: RowEditor, total: object) -> None:
    """The workbook as it is now comes back with another total."""
    book = engineering.exported()
    engineering.edit(book, TAG, Total_Uniones=total)
    report = engineering.import_(engineering.save(book))
    assert report.problems == []


def set_joint_cells(engineering: RowEditor, n_union: int, **cells: Any) -> None:
    book = engineering.exported()
    engineering.edit(book, TAG, n_union, **cells)
    assert engineering.import_(engineering.save(book)).problems == []


def add_joints(engineering: RowEditor, *numbers: int, tipo: str = "BW") -> None:
    rows = [{"TAG_SPOOL": TAG, "N_UNION": n, "DN_UNION": 4, "TIPO_UNION": tipo} for n in numbers]
    report = engineering.bring([{"TAG_SPOOL": TAG}], rows, people=False)
    assert report.problems == []


def state(tablet: Tablet) -> tuple[str, str, str]:
    card = tablet.see_spool()
    return card["arm"], card["sold"], card["metrologia"]


def by_joint(tablet: Tablet, operacion: str, *unions: int) -> str:
    done(begin(tablet, operacion=operacion))
    action: str = done(finish(tablet, unions, operacion=operacion))["action_taken"]
    return action


def whole(tablet: Tablet, operacion: str) -> None:
    done(tablet.tap("TOMAR", operacion=operacion))
    done(tablet.tap("COMPLETAR", operacion=operacion))


def goes_on_to_inspection(tablet: Tablet) -> None:
    """Uses only what the card offers: the holder ends first, then the rest is done."""
    for _ in range(CALLS_MAX):
        card = tablet.see_spool(worker_id=93)
        if card["metrologia"] == "EN_COLA":
            assert (card["arm"], card["sold"], card["ocupado_por"]) == ("COMPLETADO", "COMPLETADO", None)
            return
        assert card["acciones"], "nobody can do anything with it"
        offer = card["acciones"][0]
        operacion = offer["operacion"]
        if offer["accion"] == "FINALIZAR":
            done(finish(tablet, to_tick(tablet, operacion=operacion), operacion=operacion))
        elif offer["accion"] == "INICIAR":
            done(begin(tablet, operacion=operacion))
        else:
            done(tablet.tap("COMPLETAR" if card["ocupado_por"] else "TOMAR", operacion=operacion))
    raise AssertionError(f"it never got to inspection: {tablet.see_spool()}")


def inspections(tablet: Tablet) -> int:
    return tablet.see_events().count("METROLOGIA_AUTO_TRIGGERED")


# ─── while somebody holds it ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("operacion", ["ARM", "SOLD"])
def test_taken_as_a_whole_and_ended_by_joints(
    tablet: Tablet, ledger: Database, engineering: RowEditor, operacion: str
) -> None:
    put(ledger, [a_spool()], joints=[a_joint(1), a_joint(2)])
    if operacion == "SOLD":
        whole(tablet, "ARM")
    done(tablet.tap("TOMAR", operacion=operacion))
    set_total(engineering, 2)
    for accion in ("PAUSAR", "COMPLETAR", "CANCELAR"):
        answer = tablet.tap(accion, operacion=operacion)
        refused(answer, 409, "WRONG_VERSION", version_workflow="v4.0", use="/api/v4/occupation/finalizar")
    card = tablet.see_spool(worker_id=93)
    assert (card["ocupado_por"], card["operacion_actual"]) == ("MR(93)", operacion)
    assert card["acciones"] == [{"accion": "FINALIZAR", "operacion": operacion}]
    if operacion == "ARM":
        assert done(finish(tablet, [1]))["action_taken"] == "PAUSAR"
    else:
        assert state(tablet)[0] == "PENDIENTE", "armed as a whole, but no joint says so"
        refused(finish(tablet, [1], operacion="SOLD"), 400, "UNION_NO_DISPONIBLE", unions=[1])
        assert done(finish(tablet, [], operacion="SOLD"))["action_taken"] == "CANCELADO"
    goes_on_to_inspection(tablet)
    assert (metrics(tablet)[:2], inspections(tablet)) == ((2, 2), 1)


@pytest.mark.parametrize("ending", ["PAUSAR", "COMPLETAR", "CANCELAR"])
@pytest.mark.parametrize("operacion", ["ARM", "SOLD"])
@pytest.mark.parametrize("total", ["", 0, "tres"])
def test_begun_by_joints_and_ended_as_a_whole(
    tablet: Tablet, ledger: Database, engineering: RowEditor, operacion: str, ending: str, total: object
) -> None:
    put(ledger, [a_spool(total_uniones=2)], joints=[a_joint(1), a_joint(2)])
    if operacion == "SOLD":
        assert by_joint(tablet, "ARM", 1) == "PAUSAR"
    done(begin(tablet, operacion=operacion))
    set_total(engineering, total)
    answer = finish(tablet, [1], operacion=operacion)
    refused(answer, 409, "WRONG_VERSION", version_workflow="v3.0", union_count=0, use="/api/occupation/completar")
    assert {offer["accion"] for offer in tablet.see_spool(worker_id=93)["acciones"]} >= {ending}
    body = done(tablet.tap(ending, operacion=operacion))
    assert body["ocupado_por"] is None
    assert tablet.see_spool()["metrologia"] == "PENDIENTE"
    goes_on_to_inspection(tablet)
    assert inspections(tablet) == 1


def test_lowered_to_what_is_done_while_held_the_holder_ends_it_and_it_is_complete(
    tablet: Tablet, ledger: Database, engineering: RowEditor
) -> None:
    put(ledger, [a_spool(total_uniones=3)], joints=[a_joint(n) for n in (1, 2, 3)])
    assert by_joint(tablet, "ARM", 1, 2) == "PAUSAR"
    done(begin(tablet))
    set_total(engineering, 2)
    assert state(tablet)[0] == "EN_PROGRESO", "nobody's spool is taken out of their hands"
    assert done(finish(tablet, []))["action_taken"] == "CANCELADO"
    assert state(tablet) == ("COMPLETADO", "PENDIENTE", "PENDIENTE")
    goes_on_to_inspection(tablet)


def test_raised_while_held_the_last_joint_is_a_pause(tablet: Tablet, ledger: Database, engineering: RowEditor) -> None:
    put(ledger, [a_spool(total_uniones=2)], joints=[a_joint(1), a_joint(2)])
    done(begin(tablet))
    set_total(engineering, 3)
    assert done(finish(tablet, [1, 2]))["action_taken"] == "PAUSAR"
    add_joints(engineering, 3)
    goes_on_to_inspection(tablet)
    assert metrics(tablet)[:2] == (3, 3)


def test_joints_dated_in_the_workbook_while_held_leave_nobody_with_nothing_to_tick(
    tablet: Tablet, ledger: Database, engineering: RowEditor
) -> None:
    put(ledger, [a_spool(total_uniones=2)], joints=[a_joint(1), a_joint(2)])
    done(begin(tablet))
    for n in (1, 2):
        set_joint_cells(engineering, n, ARM_FECHA_FIN="10-11-2026 12:00:00", ARM_WORKER="LP(7)")
    refused(finish(tablet, [1]), 400, "UNION_NO_DISPONIBLE", unions=[1])
    done(finish(tablet, []))
    assert state(tablet)[0] == "COMPLETADO"
    assert tablet.see_spool()["fecha_armado"] == "2026-11-10"
    goes_on_to_inspection(tablet)


def test_all_that_was_to_be_welded_becomes_fw_while_somebody_welds(
    tablet: Tablet, ledger: Database, engineering: RowEditor
) -> None:
    put(ledger, [a_spool(total_uniones=2)], joints=[a_joint(1), a_joint(2)])
    assert by_joint(tablet, "ARM", 1, 2) == "COMPLETAR"
    done(begin(tablet, operacion="SOLD"))
    for n in (1, 2):
        set_joint_cells(engineering, n, TIPO_UNION="FW")
    assert state(tablet) == ("COMPLETADO", "EN_PROGRESO", "PENDIENTE")
    body = done(finish(tablet, [], operacion="SOLD"))
    assert (body["action_taken"], body["metrologia_triggered"]) == ("CANCELADO", True)
    assert (state(tablet), inspections(tablet)) == (("COMPLETADO", "COMPLETADO", "EN_COLA"), 1)


# ─── while nobody holds it ────────────────────────────────────────────────────────────────────────────────────


def test_lowered_below_what_is_done_is_complete_and_the_card_says_so(
    tablet: Tablet, ledger: Database, engineering: RowEditor
) -> None:
    put(ledger, [a_spool(total_uniones=4)], joints=[a_joint(n) for n in (1, 2, 3, 4)])
    by_joint(tablet, "ARM", 1, 2, 3)
    by_joint(tablet, "SOLD", 1, 2)
    set_total(engineering, 2)
    assert (state(tablet), inspections(tablet)) == (("COMPLETADO", "COMPLETADO", "EN_COLA"), 1)
    assert tablet.see_spool()["inconsistencias"] == ["Total_Uniones dice 2 y hay 4 filas en Uniones."]
    assert metrics(tablet) == (3, 2, 12, 8), "what was done stays done"


def test_raised_after_it_was_complete_leaves_the_queue_until_the_rest_is_done(
    tablet: Tablet, ledger: Database, engineering: RowEditor
) -> None:
    put(ledger, [a_spool(total_uniones=2)], joints=[a_joint(1), a_joint(2)])
    goes_on_to_inspection(tablet)
    set_total(engineering, 3)
    card = tablet.see_spool()
    assert state(tablet) == ("PAUSADO", "PAUSADO", "PENDIENTE")
    assert (card["fecha_armado"], card["fecha_soldadura"]) == (None, None)
    assert card["inconsistencias"] == ["Total_Uniones dice 3 y hay 2 filas en Uniones."]
    assert tablet.see_list(accion="INSPECCIONAR") == []
    done(begin(tablet))
    assert (to_tick(tablet), done(finish(tablet, []))["action_taken"]) == ([], "CANCELADO")
    add_joints(engineering, 3)
    assert tablet.see_spool()["inconsistencias"] == []
    goes_on_to_inspection(tablet)
    assert (metrics(tablet), inspections(tablet)) == ((3, 3, 12, 12), 2)


def test_all_fw_by_an_edit_completes_welding_with_arming_and_queues_once(
    tablet: Tablet, ledger: Database, engineering: RowEditor
) -> None:
    put(ledger, [a_spool(total_uniones=2)], joints=[a_joint(1, tipo="FW"), a_joint(2)])
    by_joint(tablet, "ARM", 1, 2)
    assert state(tablet) == ("COMPLETADO", "PENDIENTE", "PENDIENTE")
    set_joint_cells(engineering, 2, TIPO_UNION="FW")
    assert (state(tablet), inspections(tablet)) == (("COMPLETADO", "COMPLETADO", "EN_COLA"), 1)
    set_joint_cells(engineering, 2, TIPO_UNION="BW")
    assert state(tablet) == ("COMPLETADO", "PENDIENTE", "PENDIENTE")
    goes_on_to_inspection(tablet)
    assert inspections(tablet) == 2


def test_completed_as_a_whole_then_given_joints_and_back(
    tablet: Tablet, ledger: Database, engineering: RowEditor
) -> None:
    put(ledger, [a_spool()], joints=[a_joint(1), a_joint(2)])
    goes_on_to_inspection(tablet)
    set_total(engineering, 2)
    assert state(tablet) == ("PENDIENTE", "PENDIENTE", "PENDIENTE"), "no joint is done"
    assert tablet.see_list(accion="INICIAR") == [TAG]
    set_total(engineering, "")
    assert state(tablet) == ("PAUSADO", "PAUSADO", "PENDIENTE"), "begun, by those it names, and dated no more"
    assert tablet.see_spool()["armador"] == "MR(93)"
    goes_on_to_inspection(tablet)


def test_completed_by_joints_then_worked_as_a_whole_stays_complete(
    tablet: Tablet, ledger: Database, engineering: RowEditor
) -> None:
    put(ledger, [a_spool(total_uniones=2)], joints=[a_joint(1), a_joint(2)])
    goes_on_to_inspection(tablet)
    for total in ("", 2, 0, 2):
        set_total(engineering, total)
        assert state(tablet) == ("COMPLETADO", "COMPLETADO", "EN_COLA")
    assert inspections(tablet) == 1


def test_partly_done_by_joints_then_as_a_whole_then_by_joints_again(
    tablet: Tablet, ledger: Database, engineering: RowEditor
) -> None:
    put(ledger, [a_spool(total_uniones=3)], joints=[a_joint(n) for n in (1, 2, 3)])
    by_joint(tablet, "ARM", 1)
    set_total(engineering, "")
    assert state(tablet)[0] == "PAUSADO"
    whole(tablet, "ARM")
    assert state(tablet)[0] == "COMPLETADO"
    set_total(engineering, 3)
    assert (state(tablet)[0], tablet.see_spool()["fecha_armado"]) == ("PAUSADO", None), "one of three joints is armed"
    goes_on_to_inspection(tablet)
    assert metrics(tablet)[:2] == (3, 3)


@pytest.mark.parametrize("total", [5, 1, "", "tres"])
def test_what_was_approved_is_only_reported(
    tablet: Tablet, ledger: Database, engineering: RowEditor, total: object
) -> None:
    joints = [a_joint(n, arm_fin=None) for n in (1, 2)]
    approved = a_finished_spool(total_uniones=2, metrologia=Metrologia.APROBADO, fecha_qc=HOY)
    put(ledger, [approved], joints=joints)
    before = tablet.see_spool()
    assert len(before["inconsistencias"]) == 2, "approved with no joint done"
    set_total(engineering, total)
    card = tablet.see_spool()
    unchanged = (
        "arm",
        "sold",
        "metrologia",
        "fecha_armado",
        "fecha_soldadura",
        "fecha_qc_metrologia",
        "estado_detalle",
    )
    assert {name: card[name] for name in unchanged} == {name: before[name] for name in unchanged}
    assert card["inconsistencias"]
    assert inspections(tablet) == 0
    for operacion in ("ARM", "SOLD"):
        answer = begin(tablet, operacion=operacion)
        assert answer.json()["code"] in ("OPERACION_YA_COMPLETADA", "WRONG_VERSION")
