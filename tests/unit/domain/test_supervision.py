"""A supervisor's command on a spool that engineering has edited: the joints decide, and no worker is stuck."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from carrete.domain.change import Change
from carrete.domain.commands import Command, Corregir, Iniciar, Liberar
from carrete.domain.decide import Case, decide
from carrete.domain.joints import Joint, count
from carrete.domain.progress import recompute_progress
from carrete.domain.refusals import Refusal
from carrete.domain.spool import Estado, Metrologia, Operacion, Reparacion, Spool
from tests.support.builders import EARLIER, HOY, NOW, SHOP, a_finished_spool, a_joint, a_rejected_spool, a_spool, held
from tests.support.floor import LOCK
from tests.support.people import JS, LP, MR, SV

ARM, SOLD, METROLOGIA = Operacion.ARM, Operacion.SOLD, Operacion.METROLOGIA
WHY = "Turno terminado"
ARMED: dict[str, Any] = {"arm_inicio": EARLIER, "arm_fin": EARLIER, "arm_worker": "LP(7)"}
WELDED: dict[str, Any] = {**ARMED, "sol_inicio": EARLIER, "sol_fin": EARLIER, "sol_worker": "JS(8)"}


def decided(command: Command, spool: Spool, joints: list[Joint]) -> Change:
    people = {worker.id: worker for worker in (MR, LP, JS, SV)}
    case = Case(replace(spool, counts=count(joints, SHOP)), people[command.worker_id], NOW, SHOP, LOCK, joints)
    return decide(command, case)


def released(spool: Spool, joints: list[Joint]) -> Change:
    return decided(Liberar(spool.tag, SV.id, WHY), spool, joints)


def withdrawn(spool: Spool, joints: list[Joint]) -> Spool:
    return decided(Corregir(spool.tag, SV.id, WHY, METROLOGIA), spool, joints).spool


def test_a_spool_whose_last_weld_was_dated_in_the_sheet_goes_on_to_inspection_when_it_is_freed() -> None:
    """Otherwise nothing would be left to weld on a spool that is not done: nobody could ever take it again."""
    spool = held(a_spool(total_uniones=2, arm=Estado.COMPLETADO), JS, SOLD)
    change = released(spool, [a_joint(1, **WELDED), a_joint(2, **WELDED)])
    assert (change.spool.sold, change.spool.metrologia) == (Estado.COMPLETADO, Metrologia.EN_COLA)
    assert [event.tipo for event in change.events] == ["LIBERAR_SPOOL", "METROLOGIA_AUTO_TRIGGERED"]
    assert change.spool.fecha_soldadura is not None


def test_a_spool_whose_last_joint_was_armed_in_the_sheet_has_its_armado_complete_when_it_is_freed() -> None:
    spool = held(a_spool(total_uniones=2), LP)
    after = released(spool, [a_joint(1, **ARMED), a_joint(2, **ARMED)]).spool
    assert (after.arm, after.sold, after.occupation) == (Estado.COMPLETADO, Estado.PENDIENTE, None)


@pytest.mark.parametrize("done", [{}, ARMED])
def test_freed_before_all_is_done_it_is_paused_and_can_be_taken_again(done: dict[str, Any]) -> None:
    joints = [a_joint(1, **done), a_joint(2)]
    after = released(held(a_spool(total_uniones=2), LP), joints).spool
    assert after.arm is Estado.PAUSADO
    assert decided(Iniciar(after.tag, MR.id, ARM), after, joints).spool.occupation


def test_an_approval_given_meanwhile_is_not_withdrawn_by_freeing_the_spool() -> None:
    spool = held(a_spool(total_uniones=1, metrologia=Metrologia.APROBADO, fecha_qc=HOY), LP)
    after = released(spool, [a_joint(1, **ARMED)]).spool
    assert (after.metrologia, after.fecha_qc, after.arm) == (Metrologia.APROBADO, HOY, Estado.COMPLETADO)


def test_a_repair_that_is_freed_leaves_the_joints_as_they_are() -> None:
    joints = [a_joint(1, **WELDED)]
    after = released(held(a_rejected_spool(total_uniones=1), JS, Operacion.REPARACION), joints).spool
    assert (after.reparacion, after.metrologia) == (Reparacion.PAUSADO, Metrologia.RECHAZADO)
    assert (after.arm, after.sold) == (Estado.COMPLETADO, Estado.COMPLETADO)


def test_an_approval_withdrawn_after_joints_were_added_sends_the_spool_back_to_work() -> None:
    """Two of three joints are welded: nothing of that goes to the queue of the inspector."""
    joints = [a_joint(1, **WELDED), a_joint(2, **WELDED), a_joint(3)]
    approved = a_finished_spool(total_uniones=3, metrologia=Metrologia.APROBADO, fecha_qc=HOY)
    kept = recompute_progress(approved, joints, SHOP)
    assert (kept.arm, kept.metrologia) == (Estado.COMPLETADO, Metrologia.APROBADO), "only reported until then"
    after = withdrawn(kept, joints)
    assert (after.arm, after.sold, after.metrologia) == (Estado.PAUSADO, Estado.PAUSADO, Metrologia.PENDIENTE)
    assert (after.fecha_armado, after.fecha_soldadura, after.fecha_qc) == (None, None, None)


def test_an_approval_withdrawn_from_a_spool_whose_joints_are_all_done_puts_it_in_the_queue() -> None:
    joints = [a_joint(1, **WELDED), a_joint(2, **ARMED, tipo="FW")]
    after = withdrawn(a_finished_spool(total_uniones=2, metrologia=Metrologia.APROBADO, fecha_qc=HOY), joints)
    assert (after.arm, after.sold, after.metrologia) == (Estado.COMPLETADO, Estado.COMPLETADO, Metrologia.EN_COLA)


def test_a_rejection_withdrawn_from_a_spool_imported_without_joint_dates_leaves_it_with_the_inspector() -> None:
    """It had come to inspection before we knew it: an import does not open it, and neither does a correction."""
    after = withdrawn(a_rejected_spool(total_uniones=2), [a_joint(1), a_joint(2)])
    assert (after.arm, after.metrologia, after.ciclo) == (Estado.COMPLETADO, Metrologia.EN_COLA, 0)


def test_nothing_of_a_refused_correction_happens() -> None:
    with pytest.raises(Refusal):
        withdrawn(a_finished_spool(total_uniones=1), [a_joint(1, **WELDED)])
