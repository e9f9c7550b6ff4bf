"""What of refused work a supervisor can accept, and what accepting does to a spool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from carrete.domain.change import Change
from carrete.domain.commands import Resolver, WorkItem
from carrete.domain.joints import Joint
from carrete.domain.late_work import with_open_joints
from carrete.domain.reclamo import Reclamo, ReclamoCase, Resolution, resolve, resolved
from carrete.domain.refusals import (
    NotValid,
    OwnReclamo,
    ReclamoResolved,
    RoleMissing,
    WorkerInactive,
    WorkerUnknown,
    WorkNotAcceptable,
)
from carrete.domain.spool import Estado, Metrologia, Operacion, Reparacion, Spool
from carrete.domain.workers import Worker
from tests.support.builders import (
    EARLIER,
    HOY,
    NOW,
    SHOP,
    TAG,
    a_finished_spool,
    a_joint,
    a_rejected_spool,
    a_spool,
    an_armed_spool,
    held,
)
from tests.support.people import AY, JS, LP, MR, SV
from tests.support.reclamos import a_reclamo

ARM, SOLD, REPARACION = Operacion.ARM, Operacion.SOLD, Operacion.REPARACION
YESTERDAY = HOY - timedelta(days=1)
ARMED: dict[str, Any] = {"arm_fin": EARLIER, "arm_worker": "LP(7)"}


def decide(
    spool: Spool | None,
    joints: Sequence[Joint] = (),
    *,
    claimed: Sequence[WorkItem],
    accept: Sequence[WorkItem] | None = None,
    dia: date = HOY,
    worker: Worker = AY,
    supervisor: Worker | None = SV,
    now: datetime = NOW,
    reclamo: Reclamo | None = None,
) -> tuple[Resolution, Change]:
    reclamo = reclamo or a_reclamo("r-1", TAG, worker, claimed, at=EARLIER)
    accepted = tuple(claimed if accept is None else accept)
    command = Resolver(TAG, SV.id, "Visto", reclamo.id, worker.id, accepted, dia)
    return resolve(command, ReclamoCase(reclamo, spool, joints, supervisor, worker, now, SHOP, {}))


def change_of(*args: Any, **facts: Any) -> Change:
    return decide(*args, **facts)[1]


def why_not(*args: Any, **facts: Any) -> list[str]:
    with pytest.raises(WorkNotAcceptable) as refused:
        decide(*args, **facts)
    return [each["motivo"] for each in refused.value.context["trabajo"]]


def test_a_joint_counts_at_an_instant_of_the_chosen_day() -> None:
    """When the reclamo arrived, if that was the day; at noon of another day; never when a tablet says."""
    spool, joint, item = a_spool(total_uniones=1), a_joint(1), WorkItem(ARM, 1)
    days = {HOY: EARLIER, YESTERDAY: datetime(2026, 11, 15, 15, 0, tzinfo=UTC)}
    for dia, fin in days.items():
        (done,) = change_of(spool, [joint], claimed=[item], dia=dia).joints
        assert (done.arm_fin, done.arm_inicio, done.arm_worker) == (fin, None, AY.label)


def test_on_the_day_of_the_decision_it_counts_now() -> None:
    tomorrow = NOW + timedelta(days=1)
    spool, item = a_spool(total_uniones=1), WorkItem(ARM, 1)
    dia = HOY + timedelta(days=1)
    (done,) = change_of(spool, [a_joint(1)], claimed=[item], dia=dia, now=tomorrow).joints
    assert done.arm_fin == tomorrow


def test_a_weld_is_never_before_its_fit_up() -> None:
    joint = a_joint(1, arm_fin=NOW, arm_worker="LP(7)")
    (done,) = change_of(a_spool(total_uniones=1), [joint], claimed=[WorkItem(SOLD, 1)]).joints
    assert done.sol_fin == NOW > EARLIER
    assert why_not(a_spool(total_uniones=1), [joint], claimed=[WorkItem(SOLD, 1)], dia=YESTERDAY) == [
        "La unión 1 se armó el 16-11-2026: no pudo soldarse antes."
    ]


@pytest.mark.parametrize("holder", [LP, JS, AY])
@pytest.mark.parametrize("operacion", [ARM, SOLD])
def test_the_holder_of_a_spool_by_joint_stays_whatever_is_accepted(holder: Worker, operacion: Operacion) -> None:
    spool = held(a_spool(total_uniones=2, arm=Estado.PAUSADO), holder, operacion)
    items = [WorkItem(ARM, 1), WorkItem(ARM, 2), WorkItem(SOLD, 1), WorkItem(SOLD, 2)]
    after = change_of(spool, [a_joint(1), a_joint(2)], claimed=items).spool
    assert after.occupation == spool.occupation
    assert after.estado(operacion) is Estado.EN_PROGRESO
    assert after.metrologia is Metrologia.PENDIENTE


def test_a_name_that_is_there_stays_and_an_empty_one_is_the_claimants() -> None:
    joints, item = [a_joint(1), a_joint(2, **ARMED)], [WorkItem(ARM, 1)]
    assert change_of(a_spool(total_uniones=2, armador="LP(7)"), joints, claimed=item).spool.armador == "LP(7)"
    assert change_of(a_spool(total_uniones=2), joints, claimed=item).spool.armador == AY.label


def test_an_approval_stays() -> None:
    spool = a_finished_spool(total_uniones=2, metrologia=Metrologia.APROBADO, fecha_qc=HOY)
    after = change_of(spool, [a_joint(1), a_joint(2, **ARMED)], claimed=[WorkItem(ARM, 1)]).spool
    assert (after.metrologia, after.fecha_qc, after.counts.armed) == (Metrologia.APROBADO, HOY, 2)


def test_fit_up_and_weld_of_a_whole_spool_are_accepted_together() -> None:
    change = change_of(a_spool(), claimed=[WorkItem(SOLD), WorkItem(ARM)], dia=YESTERDAY)
    after = change.spool
    assert (after.arm, after.sold, after.metrologia) == (Estado.COMPLETADO, Estado.COMPLETADO, Metrologia.EN_COLA)
    assert (after.fecha_armado, after.fecha_soldadura, after.armador) == (YESTERDAY, YESTERDAY, AY.label)
    assert [(event.tipo.value, event.operacion) for event in change.events] == [
        ("REGISTRO_TARDIO", ARM),
        ("REGISTRO_TARDIO", SOLD),
        ("METROLOGIA_AUTO_TRIGGERED", Operacion.METROLOGIA),
    ]


@pytest.mark.parametrize(
    ("spool", "operacion", "why"),
    [
        (an_armed_spool(), ARM, "ARM ya la completó LP(7)."),
        (a_spool(), SOLD, f"El spool {TAG} aún no tiene armado iniciado."),
        (an_armed_spool(fecha_armado=HOY), SOLD, f"El spool {TAG} se armó el 16-11-2026: no pudo soldarse antes."),
        (a_spool(total_uniones=2), ARM, f"El spool {TAG} ahora se trabaja por uniones: hay que decir cuáles."),
        (a_spool(metrologia=Metrologia.BLOQUEADO), ARM, f"El spool {TAG} está bloqueado."),
        (a_finished_spool(), REPARACION, f"El spool {TAG} no espera una reparación."),
        (held(a_rejected_spool(), LP, REPARACION), REPARACION, f"El spool {TAG} no espera una reparación."),
        (None, ARM, f"No existe el spool {TAG}."),
    ],
)
def test_a_whole_operation_that_cannot_be(spool: Spool | None, operacion: Operacion, why: str) -> None:
    assert why_not(spool, claimed=[WorkItem(operacion)], dia=YESTERDAY) == [why]


def test_a_date_typed_while_another_holds_the_spool_counts_as_completed_by_somebody() -> None:
    spool = held(a_spool(fecha_armado=YESTERDAY), LP)
    assert why_not(spool, claimed=[WorkItem(ARM)]) == ["ARM ya la completó LP(7)."]


def test_a_repair_goes_back_to_the_queue() -> None:
    after = change_of(a_rejected_spool(ciclo=2), claimed=[WorkItem(REPARACION)]).spool
    assert (after.metrologia, after.reparacion, after.ciclo) == (Metrologia.EN_COLA, Reparacion.COMPLETADO, 2)


def test_somebody_without_the_role_is_not_accepted_and_somebody_who_left_is() -> None:
    spool, item = an_armed_spool(), [WorkItem(SOLD)]
    assert why_not(spool, claimed=item, worker=LP) == ["LP(7) no tiene el rol para SOLD."]
    assert change_of(spool, claimed=item, worker=replace(JS, activo=False)).spool.soldador == "JS(8)"


def test_either_all_that_is_accepted_is_registered_or_nothing() -> None:
    joints = [a_joint(1), a_joint(2, **ARMED)]
    items = [WorkItem(ARM, 1), WorkItem(ARM, 2), WorkItem(ARM, 3)]
    assert why_not(a_spool(total_uniones=2), joints, claimed=items) == [
        "La unión 2 ya la armó LP(7).",
        "La unión 3 no existe.",
    ]


def test_a_supervisor_who_works_on_the_floor_declines_the_own_reclamo_but_never_accepts_it() -> None:
    both = replace(SV, roles=SV.roles | MR.roles)
    claimed = [WorkItem(ARM)]
    with pytest.raises(OwnReclamo):
        decide(a_spool(), claimed=claimed, worker=both, supervisor=both)
    resolution, _ = decide(a_spool(), claimed=claimed, accept=(), worker=both, supervisor=both)
    assert resolution.accepted == ()


def test_who_may_decide_comes_before_whether_it_was_decided() -> None:
    item = [WorkItem(ARM)]
    decided = resolved(a_reclamo("r-1", TAG, AY, item), decide(a_spool(), claimed=item)[0])
    for supervisor, refusal in (
        (None, WorkerUnknown),
        (MR, RoleMissing),
        (replace(SV, activo=False), WorkerInactive),
        (SV, ReclamoResolved),
    ):
        with pytest.raises(refusal):
            decide(a_spool(), claimed=item, reclamo=decided, supervisor=supervisor)


@pytest.mark.parametrize(("days", "fine"), [(0, True), (1, False), (-31, True), (-32, False)])
def test_the_day_is_neither_to_come_nor_long_ago(days: int, fine: bool) -> None:
    dia = HOY + timedelta(days=days)
    if fine:
        assert decide(a_spool(), claimed=[WorkItem(ARM)], dia=dia)[0].dia == dia
        return
    with pytest.raises(NotValid):
        decide(a_spool(), claimed=[WorkItem(ARM)], dia=dia)


def test_one_accepted_twice_in_a_decision_is_registered_once() -> None:
    item = WorkItem(ARM, 1)
    resolution, change = decide(a_spool(total_uniones=1), [a_joint(1)], claimed=[item], accept=[item, item])
    assert (resolution.accepted, len(change.joints)) == ((item,), 1)
    assert [event.tipo.value for event in change.events] == ["REGISTRO_TARDIO"]


def test_what_is_declined_is_in_one_event_of_the_supervisor() -> None:
    items = [WorkItem(ARM, 1), WorkItem(SOLD, 1)]
    (event,) = change_of(a_spool(total_uniones=1), [a_joint(1)], claimed=items, accept=[]).events
    assert (event.tipo.value, event.worker, event.operacion) == ("RECLAMO_RECHAZADO", "SV(21)", None)
    assert [each["operacion"] for each in event.metadata["trabajo"]] == ["ARM", "SOLD"]


def test_a_repair_is_of_the_whole_spool_and_never_of_a_joint() -> None:
    """Each joint of a rejected spool is welded: its weld must not change hands."""
    joints = [a_joint(1, **ARMED, sol_fin=EARLIER, sol_worker="LP(7)")]
    for n_union in (1, 99):
        items = [WorkItem(REPARACION, n_union)]
        why = why_not(a_rejected_spool(total_uniones=1), joints, claimed=[WorkItem(REPARACION)], accept=items)
        assert why == ["La reparación es del spool completo."]


def test_joints_are_not_accepted_together_with_the_whole_spool_for_the_same_operation() -> None:
    """A v3.0 spool may have rows of joints, which do not count there."""
    joints, claimed = [a_joint(1), a_joint(2, **ARMED)], [WorkItem(ARM), WorkItem(SOLD)]
    both = [WorkItem(ARM), WorkItem(ARM, 1)]
    why = why_not(a_spool(), joints, claimed=claimed, accept=both)
    assert why == ["ARM se acepta para el spool completo o por uniones, no de ambas formas."]
    for accept in ([WorkItem(ARM)], [WorkItem(ARM, 1)], [WorkItem(ARM), WorkItem(SOLD, 2)]):
        late = [event for event in change_of(a_spool(), joints, claimed=claimed, accept=accept).events if event.n_union]
        assert len(late) == len([item for item in accept if item.n_union])


def test_a_whole_operation_is_offered_by_its_open_joints_where_the_spool_is_worked_by_joint_now() -> None:
    welded = a_joint(2, **ARMED, sol_fin=EARLIER, sol_worker="LP(7)")
    joints = [a_joint(1), welded, a_joint(3, **ARMED), a_joint(4, tipo="FW"), a_joint(5, retired=True)]
    by_joint = a_spool(total_uniones=4)
    offered = {ARM: [1, 4], SOLD: [1, 3], REPARACION: []}
    for operacion, open_joints in offered.items():
        whole = WorkItem(operacion)
        assert with_open_joints([whole], by_joint, joints, SHOP) == (
            whole,
            *(WorkItem(operacion, n) for n in open_joints),
        )
        assert (
            with_open_joints([whole], a_spool(), joints, SHOP) == with_open_joints([whole], None, (), SHOP) == (whole,)
        )
    assert with_open_joints([WorkItem(ARM, 1)], by_joint, joints, SHOP) == (WorkItem(ARM, 1),)
