"""A spool that the ledger sees for the first time is what its row says."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from carrete.domain.edits.adoption import adopt
from carrete.domain.edits.cells import EditContext, Edited
from carrete.domain.events import EventoTipo
from carrete.domain.occupation import cancelled, completed
from carrete.domain.spool import Estado, Metrologia, Operacion, Reparacion
from tests.support.builders import EARLIER, NOW, SHOP, TAG, a_joint, a_worker

MR = a_worker()
SCENE = EditContext(NOW, SHOP, {93: MR}, lambda i, since: f"{i}:lock")
BOTH = {"Fecha_Armado": "2026-11-10", "Fecha_Soldadura": "2026-11-12"}


def first_sight(*joints: Any, **cells: str) -> Edited:
    return adopt(TAG, cells, joints, SCENE)


def test_it_is_one_event_however_much_it_brings() -> None:
    result = first_sight(a_joint(1), a_joint(2), OT="7", Total_Uniones="2")
    (event,) = result.events
    assert (event.tipo, event.accion, event.metadata["uniones"]) == (EventoTipo.EDICION_EXTERNA, "NUEVO", 2)


def test_dates_complete_a_spool_worked_as_a_whole() -> None:
    spool = first_sight(**BOTH).spool
    assert (spool.arm, spool.sold, spool.metrologia) == (Estado.COMPLETADO, Estado.COMPLETADO, Metrologia.EN_COLA)


def test_joints_decide_a_spool_worked_by_joints_and_a_contradicting_date_is_reported() -> None:
    result = first_sight(a_joint(1, arm_fin=EARLIER), a_joint(2), Total_Uniones="2", Fecha_Armado="2026-11-10")
    assert (result.spool.arm, result.spool.fecha_armado) == (Estado.PAUSADO, None)
    assert [remark.column for remark in result.remarks] == ["Fecha_Armado"]


def test_begun_and_not_dated_is_paused() -> None:
    assert first_sight(Armador="MR(93)").spool.arm is Estado.PAUSADO
    assert first_sight(Estado_Detalle="Disponible - ARM pausado, SOLD pendiente").spool.arm is Estado.PAUSADO
    assert first_sight().spool.arm is Estado.PENDIENTE


def test_a_holder_comes_along_with_the_operation_the_text_names() -> None:
    text = "MR(93) trabajando SOLD (ARM completado, SOLD en progreso)"
    cells = {"Fecha_Armado": "2026-11-10", "Ocupado_Por": "MR(93)", "Fecha_Ocupacion": "2026-11-16T08:00:00"}
    result = first_sight(**cells, Estado_Detalle=text)
    held = result.spool.occupation
    assert held is not None
    assert (held.operacion, held.since, held.lock) == (
        Operacion.SOLD,
        datetime(2026, 11, 16, 11, tzinfo=UTC),
        "93:lock",
    )
    (event,) = result.events
    assert (event.worker_id, event.operacion) == (93, Operacion.SOLD)
    assert event.metadata["fecha_ocupacion"] == "2026-11-16T11:00:00+00:00"


def test_a_holder_without_a_date_or_a_text_holds_arm_since_now() -> None:
    held = first_sight(Ocupado_Por="MR(93)").spool.occupation
    assert held is not None
    assert (held.operacion, held.since) == (Operacion.ARM, NOW)


def test_cancelling_an_occupation_that_came_along_leaves_no_trace_of_it() -> None:
    spool = first_sight(Ocupado_Por="MR(93)", Armador="MR(93)").spool
    assert spool.arm is Estado.EN_PROGRESO
    after = cancelled(spool)
    assert (after.arm, after.armador) == (Estado.PENDIENTE, None)


def test_the_armador_that_the_row_names_stays_named() -> None:
    assert first_sight(Ocupado_Por="MR(93)", Armador="LP(7)").spool.armador == "LP(7)"


@pytest.mark.parametrize("label", ["ZZ(1)", "XX(93)", "Mauricio"])
def test_a_holder_whom_nobody_knows_holds_nothing_and_the_cell_is_named(label: str) -> None:
    result = first_sight(Ocupado_Por=label, Fecha_Ocupacion="2026-11-12T10:00:00", OT="7", Armador="MR(93)")
    assert (result.spool.occupation, result.spool.ot, result.spool.arm) == (None, "7", Estado.PAUSADO)
    (remark,) = result.remarks
    assert (remark.column, remark.left_out) == ("Ocupado_Por", True)
    assert f"«{label}»" in remark.reason
    assert "entró libre" in remark.reason
    assert result.waiting == {"Ocupado_Por", "Fecha_Ocupacion"}
    assert [event.worker_id for event in result.events] == [None]


def test_a_repair_by_somebody_unknown_is_a_paused_one() -> None:
    result = first_sight(Estado_Detalle="EN_REPARACION (Ciclo 2/3) - Ocupado: ZZ(1)")
    assert (result.spool.occupation, result.spool.reparacion) == (None, Reparacion.PAUSADO)
    assert [remark.column for remark in result.remarks] == ["Estado_Detalle"]
    assert result.waiting == frozenset(), "the text is ours and is written back"


@pytest.mark.parametrize(
    ("text", "metrologia", "reparacion", "ciclo"),
    [
        ("RECHAZADO (Ciclo 2/3) - Pendiente reparación", Metrologia.RECHAZADO, Reparacion.PENDIENTE, 2),
        ("REPARACION_PAUSADA (Ciclo 2/3)", Metrologia.RECHAZADO, Reparacion.PAUSADO, 2),
        ("EN_REPARACION (Ciclo 1/3)", Metrologia.RECHAZADO, Reparacion.PAUSADO, 1),
        ("BLOQUEADO - Contactar supervisor", Metrologia.BLOQUEADO, Reparacion.PENDIENTE, 3),
        ("PENDIENTE_METROLOGIA", Metrologia.EN_COLA, Reparacion.COMPLETADO, 1),
        ("En Cola Metrología", Metrologia.EN_COLA, Reparacion.NO_REQUERIDA, 0),
        ("METROLOGIA_APROBADO ✓", Metrologia.APROBADO, Reparacion.NO_REQUERIDA, 0),
    ],
)
def test_the_text_says_where_inspection_is(
    text: str, metrologia: Metrologia, reparacion: Reparacion, ciclo: int
) -> None:
    spool = first_sight(**BOTH, Estado_Detalle=text).spool
    assert (spool.metrologia, spool.reparacion, spool.ciclo) == (metrologia, reparacion, ciclo)


def test_who_repairs_is_read_from_the_text_alone() -> None:
    spool = first_sight(**BOTH, Estado_Detalle="EN_REPARACION (Ciclo 2/3) - Ocupado: MR(93)").spool
    assert spool.held_by(93, Operacion.REPARACION)
    assert (spool.metrologia, spool.reparacion, spool.ciclo) == (Metrologia.RECHAZADO, Reparacion.EN_PROGRESO, 2)


def test_a_text_that_says_rejected_counts_more_than_a_date_of_approval() -> None:
    cells = {**BOTH, "Fecha_QC_Metrología": "2026-11-13", "Estado_Detalle": "BLOQUEADO - Contactar supervisor"}
    result = first_sight(**cells)
    assert (result.spool.metrologia, result.spool.fecha_qc) == (Metrologia.BLOQUEADO, None)
    assert [remark.column for remark in result.remarks] == ["Fecha_QC_Metrología"]


def test_an_approved_spool_keeps_its_dates_even_without_joints() -> None:
    spool = first_sight(**BOTH, **{"Total_Uniones": "5", "Fecha_QC_Metrología": "2026-11-13"}).spool
    assert (spool.metrologia, spool.arm, spool.fecha_armado) == (
        Metrologia.APROBADO,
        Estado.COMPLETADO,
        date(2026, 11, 10),
    )


def test_a_blocked_spool_is_adopted_as_free_and_that_is_reported() -> None:
    result = first_sight(**BOTH, Estado_Detalle="BLOQUEADO - Contactar supervisor", Ocupado_Por="MR(93)")
    assert result.spool.occupation is None
    assert result.remarks[0].left_out


@pytest.mark.parametrize("total", ["", "2"])
@pytest.mark.parametrize(
    "text",
    [
        "RECHAZADO (Ciclo 2/3) - Pendiente reparación",
        "EN_REPARACION (Ciclo 2/3)",
        "REPARACION_PAUSADA (Ciclo 2/3)",
        "BLOQUEADO - Contactar supervisor",
        "PENDIENTE_METROLOGIA",
        "En Cola Metrología",
        "METROLOGIA_APROBADO ✓",
    ],
)
def test_what_came_to_inspection_is_armed_and_welded_even_if_nobody_dated_it(text: str, total: str) -> None:
    spool = first_sight(a_joint(1), Estado_Detalle=text, Total_Uniones=total).spool
    assert (spool.arm, spool.sold) == (Estado.COMPLETADO, Estado.COMPLETADO)
    assert spool.metrologia is not Metrologia.PENDIENTE
    assert (spool.fecha_armado, spool.fecha_soldadura) == (None, None)


def test_a_spool_rejected_without_dates_is_inspected_again_after_its_repair() -> None:
    spool = first_sight(Estado_Detalle="EN_REPARACION (Ciclo 2/3) - Ocupado: MR(93)").spool
    after = completed(spool, Operacion.REPARACION, NOW.date())
    assert (after.metrologia, after.reparacion) == (Metrologia.EN_COLA, Reparacion.COMPLETADO)


def test_the_dates_of_what_came_to_inspection_stay_as_typed_where_its_joints_give_none() -> None:
    spool = first_sight(a_joint(1), **BOTH, Total_Uniones="2", Estado_Detalle="En Cola Metrología").spool
    assert (spool.fecha_armado, spool.fecha_soldadura) == (date(2026, 11, 10), date(2026, 11, 12))
