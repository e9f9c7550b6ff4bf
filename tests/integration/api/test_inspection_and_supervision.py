"""Inspecting and supervising: every refusal with its code, and what a correction opens again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from carrete.domain.spool import Estado, Metrologia, Operacion, Reparacion, Spool
from carrete.ledger.database import Database
from tests.support.answers import done, invalid, refused, replayed
from tests.support.builders import (
    EARLIER,
    HOY,
    TAG,
    a_blocked_spool,
    a_finished_spool,
    a_rejected_spool,
    a_spool,
    an_armed_spool,
    events_in,
    held,
    put,
    spool_in,
)
from tests.support.by_joint import metrics, ten_joints
from tests.support.people import AY, IN, JS, LP, MI, MR, NN, SV, UNKNOWN_ID
from tests.support.quality import inspect, supervise
from tests.support.tablet import Tablet

APPROVED = a_finished_spool(metrologia=Metrologia.APROBADO, fecha_qc=HOY)
PAUSED_REPAIR = a_rejected_spool(reparacion=Reparacion.PAUSADO, ciclo=2)


@pytest.mark.parametrize("resultado", ["APROBADO", "RECHAZADO"])
@pytest.mark.parametrize(
    ("spool", "status", "code"),
    [
        (a_spool(), 400, "DEPENDENCIAS_NO_SATISFECHAS"),
        (an_armed_spool(), 400, "DEPENDENCIAS_NO_SATISFECHAS"),
        (APPROVED, 400, "OPERACION_YA_COMPLETADA"),
        (a_rejected_spool(), 400, "OPERACION_NO_DISPONIBLE"),
        (PAUSED_REPAIR, 400, "OPERACION_NO_DISPONIBLE"),
        (held(a_rejected_spool(), NN, Operacion.REPARACION), 409, "SPOOL_OCCUPIED"),
        (held(an_armed_spool(), JS, Operacion.SOLD), 409, "SPOOL_OCCUPIED"),
        (a_blocked_spool(), 403, "SPOOL_BLOQUEADO"),
        (a_finished_spool(retired=True), 404, "SPOOL_NO_ENCONTRADO"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_inspected_now(
    tablet: Tablet, ledger: Database, spool: Spool, status: int, code: str, resultado: str
) -> None:
    put(ledger, [spool])
    refused(inspect(tablet, resultado), status, code)
    assert (spool_in(ledger), events_in(ledger)) == (spool, [])


@pytest.mark.parametrize(
    ("worker_id", "status", "code"),
    [
        (UNKNOWN_ID, 404, "WORKER_NO_ENCONTRADO"),
        (IN.id, 403, "WORKER_INACTIVO"),
        (MR.id, 403, "ROL_NO_AUTORIZADO"),
        (SV.id, 403, "ROL_NO_AUTORIZADO"),
    ],
)
def test_only_an_inspector_inspects(tablet: Tablet, ledger: Database, worker_id: int, status: int, code: str) -> None:
    put(ledger, [a_finished_spool()])
    refused(inspect(tablet, "APROBADO", worker_id=worker_id), status, code)


def test_inspecting_while_somebody_holds_it_names_the_holder(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_rejected_spool(), NN, Operacion.REPARACION)])
    problem = refused(inspect(tablet, "APROBADO"), 409, "SPOOL_OCCUPIED", owner="NN(44)", operacion="REPARACION")
    assert "NN(44)" in problem["detail"]


def test_an_inspection_repeated_under_its_key_counts_one_rejection(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_finished_spool()])
    first = done(inspect(tablet, "RECHAZADO", key="k"))
    again = inspect(tablet, "RECHAZADO", key="k")
    assert (done(again), replayed(again), spool_in(ledger).ciclo) == (first, True, 1)
    refused(inspect(tablet, "APROBADO", key="k"), 422, "IDEMPOTENCY_KEY_REUSED")


def test_repairing_what_is_not_rejected_and_ending_anothers_repair(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_finished_spool()])
    refused(tablet.tap("TOMAR", operacion="REPARACION"), 400, "OPERACION_NO_DISPONIBLE")
    done(inspect(tablet, "RECHAZADO"))
    done(tablet.tap("TOMAR", operacion="REPARACION"))
    for accion in ("PAUSAR", "COMPLETAR", "CANCELAR"):
        refused(tablet.tap(accion, worker_id=AY.id, operacion="REPARACION"), 403, "NO_AUTORIZADO", owner="MR(93)")


@pytest.mark.parametrize("accion", ["liberar", "desbloquear", "corregir"])
class TestWhoSupervises:
    @pytest.mark.parametrize(
        ("supervisor_id", "status", "code"),
        [(UNKNOWN_ID, 404, "WORKER_NO_ENCONTRADO"), (IN.id, 403, "WORKER_INACTIVO")],
    )
    def test_a_person_who_cannot_sign_in_does_none_of_it(
        self, tablet: Tablet, ledger: Database, accion: str, supervisor_id: int, status: int, code: str
    ) -> None:
        put(ledger, [held(a_spool(), LP)])
        more: dict[str, Any] = {"operacion": "ARM"} if accion == "corregir" else {}
        refused(supervise(tablet, accion, supervisor_id=supervisor_id, **more), status, code)
        assert spool_in(ledger).occupation is not None

    @pytest.mark.parametrize("supervisor_id", [MR.id, MI.id])
    def test_only_a_supervisor_does(self, tablet: Tablet, ledger: Database, accion: str, supervisor_id: int) -> None:
        put(ledger, [held(a_spool(), LP)])
        more: dict[str, Any] = {"operacion": "ARM"} if accion == "corregir" else {}
        refused(supervise(tablet, accion, supervisor_id=supervisor_id, **more), 403, "ROL_NO_AUTORIZADO")
        assert spool_in(ledger).occupation is not None

    @pytest.mark.parametrize("motivo", ["", "   ", "\n\t", "x" * 501, None, 7])
    def test_nothing_without_a_reason(self, tablet: Tablet, ledger: Database, accion: str, motivo: Any) -> None:
        put(ledger, [held(a_spool(), LP)])
        more: dict[str, Any] = {"operacion": "ARM"} if accion == "corregir" else {}
        invalid(supervise(tablet, accion, motivo=motivo, **more), "motivo")

    def test_an_unknown_spool(self, tablet: Tablet, ledger: Database, accion: str) -> None:
        more: dict[str, Any] = {"operacion": "ARM"} if accion == "corregir" else {}
        refused(supervise(tablet, accion, "NO-HAY", **more), 404, "SPOOL_NO_ENCONTRADO")

    def test_a_token_that_is_no_longer_the_present_one(self, tablet: Tablet, ledger: Database, accion: str) -> None:
        spools = {
            "liberar": held(a_spool(), LP),
            "desbloquear": a_blocked_spool(),
            "corregir": an_armed_spool(),
        }
        put(ledger, [spools[accion]])
        more: dict[str, Any] = {"operacion": "ARM"} if accion == "corregir" else {}
        refused(supervise(tablet, accion, version="old", **more), 409, "VERSION_CONFLICT")
        done(supervise(tablet, accion, version=spools[accion].version, **more))


def test_freeing_what_nobody_holds(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    refused(supervise(tablet, "liberar"), 400, "OPERACION_NO_INICIADA")


def test_a_retired_spool_can_be_freed_but_not_worked_on(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(retired=True), LP)])
    done(supervise(tablet, "liberar"))
    refused(supervise(tablet, "corregir", operacion="ARM"), 404, "SPOOL_NO_ENCONTRADO")


def test_only_a_blocked_spool_is_unblocked(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_rejected_spool()])
    refused(supervise(tablet, "desbloquear"), 400, "OPERACION_NO_DISPONIBLE")


# ─── corrections of a spool worked as a whole ─────────────────────────────────────────────────────────────────


def test_reopening_welding_takes_the_spool_out_of_the_queue(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_finished_spool()])
    body = done(supervise(tablet, "corregir", operacion="SOLD"))
    assert (body["operacion"], body["action_taken"]) == ("SOLD", "CORREGIR")
    card = tablet.see_spool()
    assert (card["arm"], card["sold"], card["metrologia"]) == ("COMPLETADO", "PAUSADO", "PENDIENTE")
    assert (card["fecha_armado"], card["fecha_soldadura"]) == ("2026-11-10", None)
    done(tablet.tap("TOMAR", operacion="SOLD"))


def test_reopening_fitting_reopens_all_that_was_built_on_it(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [APPROVED])
    done(supervise(tablet, "corregir", operacion="ARM"))
    card = tablet.see_spool()
    assert (card["arm"], card["sold"], card["metrologia"]) == ("PAUSADO", "PAUSADO", "PENDIENTE")
    assert [card[f"fecha_{what}"] for what in ("armado", "soldadura", "qc_metrologia")] == [None] * 3
    event = tablet.see_history()["events"][-1]
    assert (event["evento_tipo"], event["worker"], event["accion"]) == ("CORRECCION", "SV(21)", "CORREGIR")
    assert event["metadata"]["motivo"] == "Turno terminado"
    assert event["metadata"]["antes"] == {
        "arm": "COMPLETADO",
        "sold": "COMPLETADO",
        "metrologia": "APROBADO",
        "reparacion": "NO_REQUERIDA",
        "ciclo": 0,
        "fecha_armado": "2026-11-10",
        "fecha_soldadura": "2026-11-12",
        "fecha_qc_metrologia": HOY.isoformat(),
    }


@pytest.mark.parametrize(
    ("spool", "ciclo", "reparacion"),
    [
        (APPROVED, 0, "NO_REQUERIDA"),
        (a_rejected_spool(), 0, "NO_REQUERIDA"),
        (a_rejected_spool(ciclo=2), 1, "COMPLETADO"),
        (PAUSED_REPAIR, 1, "COMPLETADO"),
    ],
    ids=["approved", "rejected once", "rejected twice", "repair paused"],
)
def test_an_inspection_made_by_mistake_never_was(
    tablet: Tablet, ledger: Database, spool: Spool, ciclo: int, reparacion: str
) -> None:
    put(ledger, [spool])
    done(supervise(tablet, "corregir", operacion="METROLOGIA"))
    card = tablet.see_spool()
    assert (card["metrologia"], card["ciclo"], card["reparacion"]) == ("EN_COLA", ciclo, reparacion)
    assert card["fecha_qc_metrologia"] is None
    done(inspect(tablet, "APROBADO"))


@pytest.mark.parametrize(
    ("spool", "operacion"),
    [
        (a_spool(), "ARM"),
        (a_spool(arm=Estado.PAUSADO, armador="LP(7)"), "ARM"),
        (an_armed_spool(), "SOLD"),
        (an_armed_spool(), "METROLOGIA"),
        (a_finished_spool(), "METROLOGIA"),
    ],
)
def test_there_must_be_something_to_reopen(tablet: Tablet, ledger: Database, spool: Spool, operacion: str) -> None:
    put(ledger, [spool])
    refused(supervise(tablet, "corregir", operacion=operacion), 400, "OPERACION_NO_DISPONIBLE")
    assert spool_in(ledger) == spool


def test_nobody_corrects_under_the_hands_of_a_worker(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(an_armed_spool(), JS, Operacion.SOLD)])
    refused(supervise(tablet, "corregir", operacion="ARM"), 409, "SPOOL_OCCUPIED", owner="JS(8)")


def test_a_blocked_spool_is_unblocked_before_it_is_corrected(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_blocked_spool()])
    refused(supervise(tablet, "corregir", operacion="METROLOGIA"), 403, "SPOOL_BLOQUEADO")


@pytest.mark.parametrize(("operacion", "unions"), [("ARM", []), ("METROLOGIA", [1]), ("REPARACION", None)])
def test_corrections_that_make_no_sense(tablet: Tablet, operacion: str, unions: list[int] | None) -> None:
    more: dict[str, Any] = {} if unions is None else {"unions": unions}
    refused(supervise(tablet, "corregir", operacion=operacion, **more), 422, "DATOS_INVALIDOS")


# ─── corrections joint by joint ───────────────────────────────────────────────────────────────────────────────


def a_finished_v4(ledger: Database, **facts: Any) -> None:
    worked: dict[str, Any] = {"arm_inicio": EARLIER, "arm_fin": EARLIER, "arm_worker": "LP(7)"}
    welded: dict[str, Any] = {"sol_inicio": EARLIER, "sol_fin": EARLIER, "sol_worker": "JS(8)"}
    joints = [replace(j, **worked, **({} if j.tipo == "FW" else welded)) for j in ten_joints()]
    put(ledger, [a_finished_spool(total_uniones=10, **facts)], joints=joints)


def test_a_joint_ticked_by_mistake_opens_alone(tablet: Tablet, ledger: Database) -> None:
    a_finished_v4(ledger)
    done(supervise(tablet, "corregir", operacion="SOLD", unions=[2, 4]))
    card = tablet.see_spool()
    assert (card["arm"], card["sold"], card["metrologia"]) == ("COMPLETADO", "PAUSADO", "PENDIENTE")
    assert metrics(tablet) == (10, 7, 27.6, 25.475)
    assert [j["n_union"] for j in card["uniones"] if not j["sol_worker"]] == [2, 4, 7]
    was = tablet.see_history()["events"][-1]["metadata"]["unions"]
    assert [(j["n_union"], j["dn_union"], j["sol_worker"]) for j in was] == [(2, 0.7, "JS(8)"), (4, 1.125, "JS(8)")]


def test_a_joint_that_is_no_longer_armed_is_not_welded_either(tablet: Tablet, ledger: Database) -> None:
    a_finished_v4(ledger, metrologia=Metrologia.APROBADO, fecha_qc=HOY)
    done(supervise(tablet, "corregir", operacion="ARM", unions=[1]))
    card = tablet.see_spool()
    assert (card["arm"], card["sold"], card["metrologia"]) == ("PAUSADO", "PAUSADO", "PENDIENTE")
    assert metrics(tablet)[:2] == (9, 8)
    assert card["fecha_qc_metrologia"] is None


def test_without_joints_named_all_of_them_open(tablet: Tablet, ledger: Database) -> None:
    a_finished_v4(ledger)
    done(supervise(tablet, "corregir", operacion="SOLD"))
    assert metrics(tablet)[:2] == (10, 0)
    done(supervise(tablet, "corregir", operacion="ARM"))
    assert metrics(tablet) == (0, 0, 0, 0)
    assert tablet.see_spool()["estado_detalle"] == "Disponible - ARM pendiente, SOLD pendiente"
    refused(supervise(tablet, "corregir", operacion="ARM"), 400, "OPERACION_NO_DISPONIBLE")


@pytest.mark.parametrize(("unions", "bad"), [([2, 2], [2]), ([2, 99], [99]), ([7], [7])])
def test_joints_that_cannot_be_opened_leave_all_as_it_was(
    tablet: Tablet, ledger: Database, unions: list[int], bad: list[int]
) -> None:
    a_finished_v4(ledger)
    problem = refused(supervise(tablet, "corregir", operacion="SOLD", unions=unions), 400, "UNION_NO_DISPONIBLE")
    assert problem["unions"] == bad
    assert problem["detail"] == f"No se puede reabrir SOLD en el spool {TAG} para: {bad[0]}."
    assert metrics(tablet)[1] == 9
    assert events_in(ledger) == []


def test_a_spool_worked_as_a_whole_has_no_joints_to_open(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_finished_spool()])
    problem = refused(supervise(tablet, "corregir", operacion="ARM", unions=[1]), 400, "UNION_NO_DISPONIBLE")
    assert problem["detail"].startswith("No se puede reabrir ARM")


# ─── what the card offers ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("spool", "worker_id", "offered"),
    [
        (a_finished_spool(), MI.id, [("INSPECCIONAR", "METROLOGIA")]),
        (a_finished_spool(), SV.id, [("CORREGIR", "ARM"), ("CORREGIR", "SOLD")]),
        (held(a_spool(), LP), SV.id, [("LIBERAR", "ARM")]),
        (a_blocked_spool(), SV.id, [("DESBLOQUEAR", "METROLOGIA")]),
        (APPROVED, SV.id, [("CORREGIR", "ARM"), ("CORREGIR", "SOLD"), ("CORREGIR", "METROLOGIA")]),
    ],
)
def test_the_card_offers_inspection_and_the_supervisors_hand(
    tablet: Tablet, ledger: Database, spool: Spool, worker_id: int, offered: list[tuple[str, str]]
) -> None:
    put(ledger, [spool])
    card = tablet.see_spool(TAG, worker_id=worker_id)
    assert [(offer["accion"], offer["operacion"]) for offer in card["acciones"]] == offered
