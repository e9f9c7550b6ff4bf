"""Rule 2: engineering edits `Total_Uniones` or a joint, and ARM and SOLD are worked out anew."""

from __future__ import annotations

from dataclasses import replace

import pytest

from carrete.domain.joints import Joint
from carrete.domain.progress import recompute_progress
from carrete.domain.spool import Estado, Metrologia, Operacion, Reparacion, Spool
from tests.support.builders import HOY, NOW, SHOP, a_finished_spool, a_joint, a_spool, a_worker, held

PENDIENTE, EN_PROGRESO = Estado.PENDIENTE, Estado.EN_PROGRESO
PAUSADO, COMPLETADO = Estado.PAUSADO, Estado.COMPLETADO


def joints(armed: int, welded: int, of: int, tipo: str = "BW") -> list[Joint]:
    return [
        a_joint(n, tipo=tipo, arm_fin=NOW if n <= armed else None, sol_fin=NOW if n <= welded else None)
        for n in range(1, of + 1)
    ]


def anew(spool: Spool, rows: list[Joint]) -> Spool:
    return recompute_progress(spool, rows, SHOP)


@pytest.mark.parametrize(
    ("armed", "welded", "arm", "sold"),
    [
        (0, 0, PENDIENTE, PENDIENTE),
        (3, 0, PAUSADO, PENDIENTE),
        (6, 6, PAUSADO, PAUSADO),
        (10, 0, COMPLETADO, PENDIENTE),
        (10, 9, COMPLETADO, PAUSADO),
        (10, 10, COMPLETADO, COMPLETADO),
    ],
)
def test_progress_is_what_is_done_against_what_is_needed(armed: int, welded: int, arm: Estado, sold: Estado) -> None:
    spool = anew(a_spool(total_uniones=10), joints(armed, welded, of=10))
    assert (spool.arm, spool.sold) == (arm, sold)


def test_a_spool_whose_last_joint_is_done_enters_the_queue_dated_that_day() -> None:
    spool = anew(a_spool(total_uniones=2), joints(2, 2, of=2))
    assert spool.metrologia is Metrologia.EN_COLA
    assert (spool.fecha_armado, spool.fecha_soldadura) == (HOY, HOY)


def test_more_joints_needed_than_done_falls_back_and_leaves_the_queue() -> None:
    spool = anew(a_finished_spool(total_uniones=3), joints(2, 2, of=2))
    assert (spool.arm, spool.sold, spool.metrologia) == (PAUSADO, PAUSADO, Metrologia.PENDIENTE)
    assert (spool.fecha_armado, spool.fecha_soldadura) == (None, None)


def test_a_joint_opened_again_falls_back_to_pending_when_nothing_is_done() -> None:
    spool = anew(a_finished_spool(total_uniones=1), joints(0, 0, of=1))
    assert (spool.arm, spool.sold) == (PENDIENTE, PENDIENTE)


def test_an_approved_spool_keeps_its_states() -> None:
    approved = a_finished_spool(total_uniones=3, metrologia=Metrologia.APROBADO, fecha_qc=HOY)
    spool = anew(approved, joints(2, 2, of=2))
    assert replace(spool, counts=approved.counts) == approved


def test_welding_that_needs_nothing_completes_with_fitting() -> None:
    open_ = anew(a_spool(total_uniones=2), joints(1, 0, of=2, tipo="FW"))
    assert (open_.arm, open_.sold) == (PAUSADO, PENDIENTE)
    done = anew(a_spool(total_uniones=2), joints(2, 0, of=2, tipo="FW"))
    assert (done.arm, done.sold, done.metrologia) == (COMPLETADO, COMPLETADO, Metrologia.EN_COLA)


def test_what_somebody_holds_stays_in_progress() -> None:
    spool = anew(held(a_spool(total_uniones=2), a_worker()), joints(2, 0, of=2))
    assert (spool.arm, spool.occupation is not None) == (EN_PROGRESO, True)


def test_a_spool_made_v3_keeps_what_its_dates_say() -> None:
    dated = a_spool(total_uniones=None, arm=COMPLETADO, fecha_armado=HOY, armador="LP(7)")
    spool = anew(dated, joints(2, 0, of=2))
    assert (spool.arm, spool.fecha_armado) == (COMPLETADO, HOY)


def test_a_spool_made_v3_with_joints_begun_is_paused() -> None:
    assert anew(a_spool(total_uniones=None, arm=PAUSADO), joints(1, 0, of=2)).arm is PAUSADO
    assert anew(a_spool(total_uniones=None), joints(1, 0, of=2)).arm is PAUSADO


def test_a_rejected_spool_that_is_open_again_needs_no_repair() -> None:
    rejected = a_finished_spool(
        total_uniones=3, metrologia=Metrologia.RECHAZADO, reparacion=Reparacion.PENDIENTE, ciclo=1
    )
    spool = anew(rejected, joints(2, 2, of=2))
    assert (spool.metrologia, spool.reparacion) == (Metrologia.PENDIENTE, Reparacion.NO_REQUERIDA)


def test_a_repair_that_somebody_holds_is_left_to_them() -> None:
    rejected = a_finished_spool(total_uniones=3, metrologia=Metrologia.RECHAZADO, ciclo=1)
    repairing = held(replace(rejected, reparacion=Reparacion.PENDIENTE), a_worker(), Operacion.REPARACION)
    assert anew(repairing, joints(2, 2, of=2)).reparacion is Reparacion.EN_PROGRESO
