"""Every "no" of the v3.0 workflow: status, code, context, a Spanish sentence, and nothing left behind."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from carrete.domain.shop_time import iso
from carrete.domain.spool import Estado, Metrologia, Operacion, Reparacion
from carrete.ledger.database import Database
from tests.support.answers import SANTIAGO, done, refused
from tests.support.builders import (
    EARLIER,
    TAG,
    a_blocked_spool,
    a_finished_spool,
    a_joint,
    a_rejected_spool,
    a_spool,
    a_worker,
    an_armed_spool,
    events_in,
    held,
    put,
    spool_in,
)
from tests.support.people import IN, JS, LP, MI, MR, NN, UNKNOWN_ID
from tests.support.tablet import Tablet

ENDINGS = ["PAUSAR", "COMPLETAR", "CANCELAR"]
ACCIONES = ["TOMAR", *ENDINGS]


def test_taking_an_occupied_spool_names_who_has_it_for_what_since_when(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [before := held(a_spool(), MR)])
    problem = refused(
        *(tablet.tap("TOMAR", worker_id=LP.id), 409, "SPOOL_OCCUPIED"),
        owner_id=93,
        owner="MR(93)",
        since=iso(EARLIER, SANTIAGO),
        operacion="ARM",
    )
    assert problem["detail"] == f"El spool {TAG} lo tiene MR(93) para ARM."
    assert spool_in(ledger) == before
    assert events_in(ledger) == []


def test_what_you_hold_for_one_operation_is_occupied_for_another(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(), MR)])
    refused(tablet.tap("TOMAR", operacion="SOLD"), 409, "SPOOL_OCCUPIED", owner_id=93, operacion="ARM")


def test_only_the_holder_ends_it(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [before := held(a_spool(), MR)])
    for accion in ENDINGS:
        problem = refused(tablet.tap(accion, worker_id=LP.id), 403, "NO_AUTORIZADO", owner="MR(93)")
        assert "MR(93)" in problem["detail"]
    assert spool_in(ledger) == before
    assert events_in(ledger) == []


def test_a_free_spool_or_another_operation_than_the_one_held_was_not_begun(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(), held(a_spool("HELD"), MR)])
    for accion in ENDINGS:
        refused(tablet.tap(accion), 400, "OPERACION_NO_INICIADA")
        refused(tablet.tap(accion, "HELD", operacion="SOLD"), 400, "OPERACION_NO_INICIADA")
    assert events_in(ledger) == []


def test_an_unknown_spool_is_not_found(tablet: Tablet, ledger: Database) -> None:
    for accion in ACCIONES:
        problem = refused(tablet.tap(accion, "NO-HAY"), 404, "SPOOL_NO_ENCONTRADO", tag_spool="NO-HAY")
        assert "NO-HAY" in problem["detail"]


def test_an_unknown_worker_is_not_found(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    for accion in ACCIONES:
        refused(tablet.tap(accion, worker_id=UNKNOWN_ID), 404, "WORKER_NO_ENCONTRADO", worker_id=UNKNOWN_ID)


def test_an_inactive_worker_may_do_nothing_but_keeps_what_they_hold(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [before := held(a_spool(), IN)])
    for accion in ACCIONES:
        problem = refused(tablet.tap(accion, worker_id=IN.id), 403, "WORKER_INACTIVO", worker_id=IN.id)
        assert "IN(66)" in problem["detail"]
    assert spool_in(ledger) == before
    assert tablet.see_spool()["ocupado_por"] == "IN(66)"


def test_a_missing_role_says_which_would_do(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    for worker, operacion, needed in (
        (JS, "ARM", ["Armador", "Ayudante"]),
        (LP, "SOLD", ["Ayudante", "Soldador"]),
        (MI, "ARM", ["Armador", "Ayudante"]),
        (NN, "SOLD", ["Ayudante", "Soldador"]),
    ):
        for accion in ACCIONES:
            answer = tablet.tap(accion, worker_id=worker.id, operacion=operacion)
            problem = refused(answer, 403, "ROL_NO_AUTORIZADO", roles=needed)
            assert all(rol in problem["detail"] for rol in needed)


def test_a_blocked_spool_waits_for_the_supervisor(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_blocked_spool()])
    for accion in ACCIONES:
        problem = refused(tablet.tap(accion, operacion="REPARACION"), 403, "SPOOL_BLOQUEADO")
        assert "supervisor" in problem["detail"]


def test_a_spool_worked_by_joints_names_the_right_endpoint(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(total_uniones=10)], joints=[a_joint(n) for n in range(1, 9)])
    for accion, operacion in product(ACCIONES, ("ARM", "SOLD")):
        refused(
            *(tablet.tap(accion, operacion=operacion), 409, "WRONG_VERSION"),
            version_workflow="v4.0",
            union_count=10,
            use="/api/v4/occupation/iniciar" if accion == "TOMAR" else "/api/v4/occupation/finalizar",
        )


def test_what_is_complete_is_not_taken_again(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_finished_spool()])
    for operacion in ("ARM", "SOLD"):
        problem = refused(tablet.tap("TOMAR", operacion=operacion), 400, "OPERACION_YA_COMPLETADA")
        assert operacion in problem["detail"]


def test_nothing_begins_before_the_materials_are_there(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(fecha_materiales=None)])
    problem = refused(tablet.tap("TOMAR"), 400, "DEPENDENCIAS_NO_SATISFECHAS", falta="Fecha_Materiales")
    assert "Fecha_Materiales" in problem["detail"]


def test_nobody_welds_what_nobody_began_to_arm(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    refused(tablet.tap("TOMAR", operacion="SOLD"), 400, "DEPENDENCIAS_NO_SATISFECHAS", falta="Armador")


def test_there_is_no_repair_without_a_rejection(tablet: Tablet, ledger: Database) -> None:
    put(
        ledger,
        [
            a_spool("NOT-BEGUN"),
            a_finished_spool("QUEUED"),
            a_finished_spool("APPROVED", metrologia=Metrologia.APROBADO),
            a_finished_spool("REPAIRED", reparacion=Reparacion.COMPLETADO, ciclo=1),
        ],
    )
    for tag in ("NOT-BEGUN", "QUEUED", "APPROVED", "REPAIRED"):
        refused(tablet.tap("TOMAR", tag, operacion="REPARACION"), 400, "OPERACION_NO_DISPONIBLE")


def test_a_retired_spool_is_not_taken_but_its_holder_may_end_it(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool("GONE", retired=True), replace(held(a_spool("HELD"), MR), retired=True)])
    refused(tablet.tap("TOMAR", "GONE"), 404, "SPOOL_NO_ENCONTRADO")
    assert done(tablet.tap("PAUSAR", "HELD"))["ocupado_por"] is None
    assert tablet.see_list() == []


def test_the_first_check_that_fails_is_the_answer(tablet: Tablet, ledger: Database) -> None:
    """Rule 12 over HTTP: each step repairs the first fault, and the answer names the next one."""
    spool = held(a_blocked_spool(total_uniones=4, fecha_materiales=None), MR, Operacion.REPARACION)
    put(ledger, [spool])
    stale = {"version": "old"}
    refused(tablet.tap("TOMAR", "NO-HAY", UNKNOWN_ID, **stale), 404, "WORKER_NO_ENCONTRADO")
    refused(tablet.tap("TOMAR", "NO-HAY", IN.id, **stale), 404, "SPOOL_NO_ENCONTRADO")
    put(ledger, workers=[gone := a_worker(67, "Gabriel", "Osses", roles=(), activo=False)])
    refused(tablet.tap("TOMAR", TAG, gone.id, "SOLD", **stale), 403, "WORKER_INACTIVO")
    refused(tablet.tap("TOMAR", TAG, LP.id, "SOLD", **stale), 403, "ROL_NO_AUTORIZADO")
    refused(tablet.tap("TOMAR", TAG, LP.id, "ARM", **stale), 409, "WRONG_VERSION")
    refused(tablet.tap("TOMAR", TAG, LP.id, "REPARACION", **stale), 403, "SPOOL_BLOQUEADO")
    rejected = held(a_rejected_spool("R", fecha_materiales=None), MR, Operacion.REPARACION)
    put(ledger, [rejected, a_rejected_spool("F", fecha_materiales=None)])
    refused(tablet.tap("TOMAR", "R", LP.id, "REPARACION", **stale), 409, "SPOOL_OCCUPIED")
    refused(tablet.tap("PAUSAR", "R", LP.id, "REPARACION", **stale), 403, "NO_AUTORIZADO")
    refused(tablet.tap("TOMAR", "F", LP.id, "REPARACION", **stale), 409, "VERSION_CONFLICT")
    refused(tablet.tap("TOMAR", "F", LP.id, "REPARACION"), 400, "DEPENDENCIAS_NO_SATISFECHAS")


def test_a_paused_arming_by_somebody_gone_can_still_be_welded(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [an_armed_spool(arm=Estado.PAUSADO, armador="IN(66)")])
    done(tablet.tap("TOMAR", operacion="SOLD"))
