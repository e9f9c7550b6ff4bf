"""What a person's edit in the workbook does, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from carrete.domain.edits.cells import Edit, EditContext, Edited, JointEdits, Quarantined, RowEdits
from carrete.domain.edits.spool import apply_edits
from carrete.domain.events import EventoTipo
from carrete.domain.joints import Joint
from carrete.domain.occupation import cancelled
from carrete.domain.progress import recompute_progress
from carrete.domain.shop_time import wall
from carrete.domain.spool import Estado, Metrologia, Operacion, Reparacion, Spool
from carrete.domain.workers import Worker
from tests.support.builders import (
    EARLIER,
    HOY,
    NOW,
    SHOP,
    a_blocked_spool,
    a_finished_spool,
    a_joint,
    a_rejected_spool,
    a_spool,
    a_worker,
    an_armed_spool,
    held,
)

MR = a_worker()
JP = a_worker(12, "Juana", "Pérez")
QC = "Fecha_QC_Metrología"
ARM, SOLD, REPARACION = Operacion.ARM, Operacion.SOLD, Operacion.REPARACION


def context(now: datetime = NOW, workers: Sequence[Worker] = (MR, JP)) -> EditContext:
    return EditContext(now, SHOP, {worker.id: worker for worker in workers}, lambda i, since: f"{i}:lock:{since:%H:%M}")


def seen_of(spool: Spool) -> dict[str, str]:
    """What a sheet that is up to date shows about the holder."""
    occupation = spool.occupation
    if occupation is None:
        return {"Ocupado_Por": "", "Fecha_Ocupacion": ""}
    since = wall(occupation.since, SHOP.zone).replace(tzinfo=None).isoformat()
    return {"Ocupado_Por": occupation.label, "Fecha_Ocupacion": since}


def typed(
    spool: Spool,
    joints: Sequence[Joint] = (),
    seen: dict[str, str] | None = None,
    also: Mapping[str, str] | None = None,
    **cells: str,
) -> Edited:
    """A person who saw the present row types these cells over it."""
    seen = seen_of(spool) if seen is None else seen
    cells = {**cells, **(also or {})}
    ours = seen_of(spool)
    edits = tuple(Edit(c, seen.get(c, ""), ours.get(c, ""), new) for c, new in cells.items() if seen.get(c) != new)
    return apply_edits(spool, joints, RowEdits(edits, seen), (), context())


def written_back(result: Edited) -> list[tuple[str, str, str]]:
    """The edits that were recorded and did not count: column, what stood there, what the person typed."""
    facts = [event.metadata for event in result.events if event.tipo is EventoTipo.EDICION_EXTERNA]
    return [(f["columna"], f["anterior"], f["nuevo"]) for f in facts if f.get("aceptado") is False]


def joint_typed(spool: Spool, joints: Sequence[Joint], n_union: int, **cells: str) -> Edited:
    joint = next(joint for joint in joints if joint.n_union == n_union)
    edits = tuple(Edit(column, "", "", new) for column, new in cells.items())
    return apply_edits(spool, joints, RowEdits(), [JointEdits(joint, edits)], context())


def by_joints(joints: Sequence[Joint], **facts: Any) -> Spool:
    """A v4.0 spool as far as its joints are."""
    return recompute_progress(a_spool(total_uniones=len(joints), **facts), joints, SHOP)


def armed(n_union: int, **facts: Any) -> Joint:
    return a_joint(n_union, arm_fin=EARLIER, arm_worker=MR.label, **facts)


# ─── Ocupado_Por ──────────────────────────────────────────────────────────────────────────────────────────────


def test_an_emptied_holder_ends_the_occupation_as_by_pausar() -> None:
    result = typed(held(a_spool(), MR), Ocupado_Por="", Fecha_Ocupacion="")
    assert result.spool.occupation is None
    assert result.spool.arm is Estado.PAUSADO
    (event,) = result.events
    assert (event.tipo, event.worker_id, event.operacion) == (EventoTipo.EDICION_EXTERNA, 93, ARM)
    assert event.metadata == {
        "hoja": "Operaciones",
        "columna": "Ocupado_Por",
        "anterior": "MR(93)",
        "nuevo": "",
    }


def test_another_label_makes_the_spool_that_workers_for_the_same_operation() -> None:
    result = typed(held(an_armed_spool(), MR, SOLD), Ocupado_Por="JP(12)", Fecha_Ocupacion="2026-11-16T09:00:00")
    occupation = result.spool.occupation
    assert occupation is not None
    assert (occupation.label, occupation.operacion) == ("JP(12)", SOLD)
    assert occupation.since == datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
    assert occupation.lock == "12:lock:12:00"
    assert result.spool.soldador == "JP(12)"
    assert result.events[0].metadata["fecha_ocupacion"] == "2026-11-16T12:00:00+00:00"


def test_a_new_holder_whose_date_nobody_touched_begins_now() -> None:
    """What stands in the cell is when the holder before began: their times must not overlap."""
    result = typed(held(a_spool(), MR), Ocupado_Por="JP(12)")
    occupation = result.spool.occupation
    assert occupation is not None
    assert (occupation.label, occupation.since) == ("JP(12)", NOW)
    assert result.events[0].metadata["fecha_ocupacion"] == NOW.isoformat()


@pytest.mark.parametrize(
    ("spool", "operacion"),
    [
        (a_spool(), ARM),
        (a_spool(arm=Estado.PAUSADO, armador="JP(12)"), ARM),
        (an_armed_spool(), SOLD),
        (an_armed_spool(sold=Estado.PAUSADO, soldador="JP(12)"), SOLD),
        (a_rejected_spool(), REPARACION),
    ],
)
def test_a_label_on_a_free_spool_means_the_operation_that_is_open(spool: Spool, operacion: Operacion) -> None:
    occupation = typed(spool, Ocupado_Por="MR(93)").spool.occupation
    assert occupation is not None
    assert (occupation.operacion, occupation.since) == (operacion, NOW)


def test_nobody_holds_a_spool_since_tomorrow() -> None:
    occupation = typed(a_spool(), Ocupado_Por="MR(93)", Fecha_Ocupacion="2026-12-24T10:00:00").spool.occupation
    assert occupation is not None
    assert occupation.since == NOW


@pytest.mark.parametrize("label", ["ZZ(404)", "XX(93)", "Mauricio", "93"])
def test_a_label_that_nobody_has_puts_the_row_in_quarantine(label: str) -> None:
    with pytest.raises(Quarantined) as quarantined:
        typed(a_spool(), Ocupado_Por=label, OT="7")
    assert quarantined.value.column == "Ocupado_Por"
    assert label in quarantined.value.reason


def test_an_edit_acts_only_on_the_occupation_that_the_person_could_see() -> None:
    now_jp = held(a_spool(), JP)
    result = typed(now_jp, seen=seen_of(held(a_spool(), MR)), Ocupado_Por="")
    assert result.spool == now_jp
    (event,) = result.events
    assert event.metadata["conflicto"] is True
    assert (event.metadata["nuestro"], event.metadata["aceptado"]) == ("JP(12)", False)
    assert result.remarks[0].left_out


def test_the_same_holder_at_another_time_is_another_occupation() -> None:
    later = held(a_spool(), MR, since=EARLIER + timedelta(hours=1))
    assert typed(later, seen=seen_of(held(a_spool(), MR)), Ocupado_Por="", Fecha_Ocupacion="").spool == later


def test_a_workbook_without_a_date_is_about_the_holder_it_names() -> None:
    seen = {"Ocupado_Por": "MR(93)", "Fecha_Ocupacion": ""}
    assert typed(held(a_spool(), MR), seen=seen, Ocupado_Por="").spool.occupation is None


def test_the_repeated_hour_does_not_hide_an_occupation_from_the_person_who_saw_it() -> None:
    second_time = datetime(2026, 4, 5, 3, 30, tzinfo=UTC)
    assert typed(held(a_spool(), MR, since=second_time), Ocupado_Por="").spool.occupation is None


def test_nobody_is_put_on_a_blocked_spool() -> None:
    result = typed(a_blocked_spool(), Ocupado_Por="MR(93)")
    assert result.spool.occupation is None
    assert result.remarks[0].left_out
    assert written_back(result) == [("Ocupado_Por", "", "MR(93)")]


def test_since_when_may_be_corrected_but_not_emptied() -> None:
    spool = held(a_spool(), MR)
    corrected = typed(spool, Fecha_Ocupacion="2026-11-16T07:00:00").spool.occupation
    assert corrected is not None
    assert corrected.since == datetime(2026, 11, 16, 10, 0, tzinfo=UTC)
    emptied = typed(spool, Fecha_Ocupacion="")
    assert emptied.spool == spool
    assert [column for column, _, _ in written_back(emptied)] == ["Fecha_Ocupacion"]


def test_the_event_that_changes_the_holder_comes_before_the_others() -> None:
    result = typed(a_spool(), OT="9", Ocupado_Por="MR(93)", NV="8")
    assert [event.metadata["columna"] for event in result.events] == ["Ocupado_Por", "OT", "NV"]


# ─── dates of the whole spool ─────────────────────────────────────────────────────────────────────────────────


def test_fecha_armado_filled_completes_arm_that_day() -> None:
    spool = typed(a_spool(), Fecha_Armado="2026-11-10").spool
    assert (spool.arm, spool.fecha_armado) == (Estado.COMPLETADO, date(2026, 11, 10))


def test_both_dates_filled_send_the_spool_to_inspection_by_itself() -> None:
    result = typed(a_spool(), Fecha_Armado="2026-11-10", Fecha_Soldadura="2026-11-11")
    assert result.spool.metrologia is Metrologia.EN_COLA
    assert [event.tipo for event in result.events][-1] is EventoTipo.METROLOGIA_AUTO_TRIGGERED


def test_fecha_armado_emptied_reopens_arm_and_takes_the_spool_out_of_the_queue() -> None:
    spool = typed(a_finished_spool(), seen={"Fecha_Armado": "2026-11-10"}, Fecha_Armado="").spool
    assert (spool.arm, spool.fecha_armado, spool.metrologia) == (Estado.PAUSADO, None, Metrologia.PENDIENTE)
    assert spool.sold is Estado.COMPLETADO


def test_reopening_an_approved_spool_takes_the_approval_back() -> None:
    approved = a_finished_spool(metrologia=Metrologia.APROBADO, fecha_qc=HOY)
    spool = typed(approved, seen={"Fecha_Armado": "2026-11-10"}, Fecha_Armado="").spool
    assert (spool.metrologia, spool.fecha_qc) == (Metrologia.PENDIENTE, None)


def test_correcting_a_date_of_an_approved_spool_leaves_it_approved() -> None:
    approved = an_armed_spool(metrologia=Metrologia.APROBADO, fecha_qc=HOY)
    assert typed(approved, Fecha_Armado="2026-11-09").spool.metrologia is Metrologia.APROBADO


def test_a_date_takes_no_spool_out_of_anybodys_hands() -> None:
    """Only `Ocupado_Por` does; cancelling afterwards goes back to what the person said."""
    spool = typed(held(a_spool(), MR), Fecha_Armado="2026-11-10").spool
    assert spool.held_by(93, ARM)
    assert spool.fecha_armado == date(2026, 11, 10)
    assert cancelled(spool).arm is Estado.COMPLETADO


def test_emptying_the_holder_and_filling_the_date_completes_the_operation() -> None:
    spool = typed(held(a_spool(), MR), Ocupado_Por="", Fecha_Ocupacion="", Fecha_Armado="2026-11-10").spool
    assert (spool.occupation, spool.arm, spool.armador) == (None, Estado.COMPLETADO, "MR(93)")


@pytest.mark.parametrize("column", ["Fecha_Armado", "Fecha_Soldadura"])
def test_on_a_spool_worked_by_joints_the_joints_decide_the_dates(column: str) -> None:
    spool = by_joints([a_joint(1)])
    result = typed(spool, also={column: "2026-11-10"})
    assert result.spool == spool
    assert result.remarks[0].column == column
    assert written_back(result) == [(column, "", "2026-11-10")]


def test_fecha_qc_filled_approves_and_emptied_returns_to_the_queue() -> None:
    approved = typed(a_rejected_spool(), also={QC: "2026-11-15"}).spool
    assert (approved.metrologia, approved.fecha_qc, approved.ciclo) == (Metrologia.APROBADO, date(2026, 11, 15), 0)
    assert approved.reparacion is Reparacion.NO_REQUERIDA
    back = typed(approved, seen={QC: "2026-11-15"}, also={QC: ""}).spool
    assert (back.metrologia, back.fecha_qc) == (Metrologia.EN_COLA, None)


# ─── as typed, and ours ───────────────────────────────────────────────────────────────────────────────────────


def test_engineerings_columns_and_the_names_are_as_typed() -> None:
    result = typed(a_spool(), OT="7", NV="", Fecha_Materiales="", Armador="Pedro", Soldador="JP(12)")
    spool = result.spool
    assert (spool.ot, spool.nv, spool.fecha_materiales) == ("7", None, None)
    assert (spool.armador, spool.soldador) == ("Pedro", "JP(12)")
    assert len(result.events) == 5


@pytest.mark.parametrize("column", ["Pulgadas_ARM", "Pulgadas_SOLD", "Uniones_ARM_Completadas", "Estado_Detalle"])
def test_what_carrete_works_out_is_written_back(column: str) -> None:
    spool = a_spool()
    result = typed(spool, also={column: "99"})
    assert result.spool == spool
    assert result.remarks[0].column == column
    assert not result.remarks[0].left_out
    assert written_back(result) == [(column, "", "99")]


def test_bloqueado_written_over_is_rejected_again_with_the_count_at_two() -> None:
    seen = {"Estado_Detalle": "BLOQUEADO - Contactar supervisor"}
    result = typed(a_blocked_spool(), seen=seen, Estado_Detalle="ok, reparar")
    assert (result.spool.metrologia, result.spool.ciclo) == (Metrologia.RECHAZADO, 2)
    assert result.spool.reparacion is Reparacion.PENDIENTE
    assert [e.tipo for e in result.events] == [EventoTipo.EDICION_EXTERNA, EventoTipo.SUPERVISOR_OVERRIDE]


def test_bloqueado_that_the_person_could_not_see_stays() -> None:
    seen = {"Estado_Detalle": "RECHAZADO (Ciclo 2/3) - Pendiente reparación"}
    assert typed(a_blocked_spool(), seen=seen, Estado_Detalle="x").spool.metrologia is Metrologia.BLOQUEADO


# ─── Total_Uniones and joints ─────────────────────────────────────────────────────────────────────────────────


def test_more_joints_than_were_done_open_a_completed_spool_again() -> None:
    joints = [armed(1, sol_fin=EARLIER)]
    finished = by_joints(joints)
    assert finished.metrologia is Metrologia.EN_COLA
    spool = typed(finished, joints, Total_Uniones="2").spool
    assert (spool.arm, spool.sold, spool.metrologia) == (Estado.PAUSADO, Estado.PAUSADO, Metrologia.PENDIENTE)
    assert spool.fecha_armado is None


def test_fewer_joints_may_complete_it() -> None:
    joints = [armed(1, sol_fin=EARLIER)]
    result = typed(replace(by_joints(joints), total_uniones=2), joints, Total_Uniones="1")
    assert result.spool.sold is Estado.COMPLETADO


def test_an_approved_spool_is_only_reported_as_inconsistent() -> None:
    joints = [armed(1, sol_fin=EARLIER)]
    approved = replace(by_joints(joints), metrologia=Metrologia.APROBADO, fecha_qc=HOY)
    spool = typed(approved, joints, Total_Uniones="5").spool
    assert (spool.arm, spool.metrologia, spool.total_uniones) == (Estado.COMPLETADO, Metrologia.APROBADO, 5)


@pytest.mark.parametrize("text", ["cinco", "-1", "2.5", "999999"])
def test_a_spool_whose_total_is_no_number_keeps_it_is_reported_and_is_worked_as_a_whole(text: str) -> None:
    result = typed(a_spool(), Total_Uniones=text)
    assert (result.spool.total_uniones, result.spool.total_uniones_text) == (None, text)
    assert text in result.remarks[0].reason


def test_a_joint_ticked_by_hand_is_done_and_progress_follows() -> None:
    joints = [armed(1), a_joint(2)]
    result = joint_typed(by_joints(joints), joints, 2, ARM_FECHA_FIN="2026-11-14T12:00:00", ARM_WORKER="JP(12)")
    assert result.spool.arm is Estado.COMPLETADO
    assert result.spool.counts.milli_armed == 8_000
    assert [event.n_union for event in result.events] == [2, 2]
    assert result.events[0].metadata["hoja"] == "Uniones"
    (joint,) = result.joints
    assert (joint.arm_worker, joint.arm_fin) == ("JP(12)", datetime(2026, 11, 14, 15, 0, tzinfo=UTC))


def test_a_joint_whose_end_is_emptied_is_open_again() -> None:
    joints = [armed(1), armed(2)]
    result = joint_typed(by_joints(joints), joints, 2, ARM_FECHA_FIN="")
    assert (result.spool.arm, result.spool.fecha_armado) == (Estado.PAUSADO, None)


def test_a_joint_that_becomes_arm_only_needs_no_weld_any_more() -> None:
    joints = [armed(1, sol_fin=EARLIER), armed(2)]
    result = joint_typed(by_joints(joints), joints, 2, TIPO_UNION="FW")
    assert result.spool.sold is Estado.COMPLETADO
    assert result.events[-1].tipo is EventoTipo.METROLOGIA_AUTO_TRIGGERED


def test_an_invalid_diameter_is_kept_as_written_and_reported() -> None:
    joints = [armed(1)]
    result = joint_typed(by_joints(joints), joints, 1, DN_UNION="por definir")
    assert (result.joints[0].dn_milli, result.joints[0].dn_text) == (None, "por definir")
    assert result.remarks[0].n_union == 1
    assert result.spool.counts.milli_armed == 0


def test_a_thickness_is_exact_and_an_invalid_one_is_kept_as_written_and_reported() -> None:
    joints = [armed(1)]
    assert joint_typed(by_joints(joints), joints, 1, Espesor="6.35").joints[0].espesor_milli == 6_350
    result = joint_typed(by_joints(joints), joints, 1, Espesor="SCH 40")
    assert (result.joints[0].espesor_milli, result.joints[0].espesor_text) == (None, "SCH 40")
    assert [(remark.column, remark.n_union) for remark in result.remarks] == [("Espesor", 1)]


def test_a_new_joint_opens_what_was_complete() -> None:
    joints = [armed(1)]
    spool = replace(by_joints(joints), total_uniones=2)
    result = apply_edits(spool, joints, RowEdits(), [JointEdits(a_joint(2), new=True)], context())
    assert result.spool.counts.rows == 2
    assert [(e.accion, e.n_union) for e in result.events] == [("NUEVO", 2)]


def test_what_only_names_a_joint_moves_no_progress() -> None:
    joints = [armed(1)]
    spool = replace(by_joints(joints), fecha_armado=date(2026, 1, 1))
    assert joint_typed(spool, joints, 1, NDT_STATUS="OK", ID="7").spool == spool


def test_a_row_that_is_back_is_listed_again() -> None:
    result = apply_edits(a_spool(retired=True), [], RowEdits(back=True), [], context())
    assert not result.spool.retired
    assert result.events[0].accion == "REGRESAR"


def test_a_joint_that_is_back_counts_again() -> None:
    joints = [armed(1), armed(2, retired=True)]
    spool = by_joints(joints)
    assert spool.counts.rows == 1
    result = apply_edits(spool, joints, RowEdits(), [JointEdits(joints[1], back=True)], context())
    assert (result.spool.counts.rows, result.spool.arm) == (2, Estado.COMPLETADO)
    assert [(event.accion, event.n_union) for event in result.events] == [("REGRESAR", 2)]
