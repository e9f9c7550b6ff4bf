"""Rule 3 and 4: who may take which spool, for what, and when."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from carrete.domain.commands import Tomar
from carrete.domain.events import EventoTipo
from carrete.domain.spool import Before, Estado, Metrologia, Operacion, Reparacion
from carrete.domain.workers import Rol
from tests.support.builders import (
    EARLIER,
    NOW,
    a_blocked_spool,
    a_finished_spool,
    a_rejected_spool,
    a_spool,
    a_worker,
    an_armed_spool,
    held,
)
from tests.support.floor import EVERYTHING, LOCK, ask, refusal

ARM, SOLD, REPARACION = Operacion.ARM, Operacion.SOLD, Operacion.REPARACION
MR = a_worker()
LP = a_worker(7, "Luis", "Pérez")


def test_a_taken_spool_says_who_has_it_for_what_since_when() -> None:
    spool = ask(Tomar, a_spool(), MR).spool
    assert spool.occupation is not None
    assert (spool.occupation.worker_id, spool.occupation.label) == (93, "MR(93)")
    assert (spool.occupation.operacion, spool.occupation.since) == (ARM, NOW)
    assert spool.occupation.lock == LOCK
    assert (spool.arm, spool.sold) == (Estado.EN_PROGRESO, Estado.PENDIENTE)


def test_taking_writes_one_event_with_worker_operation_and_time() -> None:
    (event,) = ask(Tomar, a_spool(), MR).events
    assert event.tipo is EventoTipo.TOMAR_SPOOL
    assert (event.worker_id, event.worker, event.operacion, event.accion) == (93, "MR(93)", ARM, "TOMAR")
    assert event.at == NOW


def test_the_taker_of_arm_is_named_armador_and_of_sold_soldador() -> None:
    assert ask(Tomar, a_spool(), MR).spool.armador == "MR(93)"
    welding = ask(Tomar, an_armed_spool(armador="LP(7)"), MR, SOLD).spool
    assert (welding.armador, welding.soldador) == ("LP(7)", "MR(93)")


def test_the_last_taker_is_the_one_named() -> None:
    paused = a_spool(arm=Estado.PAUSADO, armador="LP(7)")
    assert ask(Tomar, paused, MR).spool.armador == "MR(93)"


def test_the_sentence_names_the_worker_and_the_spool() -> None:
    change = ask(Tomar, a_spool("MK-1"), MR)
    assert "MR(93)" in change.message
    assert "MK-1" in change.message
    assert change.accion == "TOMAR"


@pytest.mark.parametrize(
    ("operacion", "allowed"),
    [
        (ARM, {Rol.ARMADOR, Rol.AYUDANTE}),
        (SOLD, {Rol.SOLDADOR, Rol.AYUDANTE}),
        (REPARACION, set(Rol)),
    ],
)
@pytest.mark.parametrize("rol", list(Rol))
def test_each_role_may_take_exactly_its_operations(operacion: Operacion, allowed: set[Rol], rol: Rol) -> None:
    spool = a_rejected_spool() if operacion is REPARACION else a_spool(armador="LP(7)")
    worker = a_worker(roles=[rol])
    if rol in allowed:
        assert ask(Tomar, spool, worker, operacion).spool.occupation is not None
    else:
        no = refusal(Tomar, spool, worker, operacion)
        assert no.code == "ROL_NO_AUTORIZADO"
        assert set(no.context["roles"]) == {rol.value for rol in allowed}


def test_somebody_without_any_role_may_repair_but_neither_fit_nor_weld() -> None:
    nobody = a_worker(roles=())
    assert ask(Tomar, a_rejected_spool(), nobody, REPARACION).spool.occupation is not None
    assert refusal(Tomar, a_spool(), nobody, ARM).code == "ROL_NO_AUTORIZADO"
    assert refusal(Tomar, a_spool(armador="LP(7)"), nobody, SOLD).code == "ROL_NO_AUTORIZADO"


@pytest.mark.parametrize(("kind", "operacion"), list(product(EVERYTHING, (ARM, SOLD, REPARACION))))
def test_an_inactive_worker_may_do_nothing_not_even_end_what_they_hold(kind: type, operacion: Operacion) -> None:
    gone = a_worker(activo=False)
    spool = held(a_rejected_spool() if operacion is REPARACION else a_spool(), gone, operacion)
    no = refusal(kind, spool, gone, operacion)
    assert no.code == "WORKER_INACTIVO"
    assert "MR(93)" in no.detail


def test_what_an_inactive_worker_holds_stays_theirs() -> None:
    spool = held(a_spool(), a_worker(activo=False))
    assert refusal(Tomar, spool, LP).code == "SPOOL_OCCUPIED"


@pytest.mark.parametrize("kind", EVERYTHING)
def test_an_unknown_worker_may_do_nothing(kind: type) -> None:
    assert refusal(kind, a_spool(), None).code == "WORKER_NO_ENCONTRADO"


@pytest.mark.parametrize("kind", EVERYTHING)
def test_an_unknown_spool_is_not_found(kind: type) -> None:
    assert refusal(kind, None, MR).code == "SPOOL_NO_ENCONTRADO"


def test_a_retired_spool_cannot_be_taken() -> None:
    assert refusal(Tomar, a_spool(retired=True), MR).code == "SPOOL_NO_ENCONTRADO"


@pytest.mark.parametrize("operacion", [ARM, SOLD, REPARACION])
def test_nothing_is_taken_before_its_materials_have_come(operacion: Operacion) -> None:
    spool = a_rejected_spool() if operacion is REPARACION else a_spool(armador="LP(7)")
    no = refusal(Tomar, replace(spool, fecha_materiales=None), MR, operacion)
    assert no.code == "DEPENDENCIAS_NO_SATISFECHAS"
    assert "Fecha_Materiales" in no.detail


def test_welding_waits_for_a_fitter_to_begin() -> None:
    no = refusal(Tomar, a_spool(armador=None), MR, SOLD)
    assert no.code == "DEPENDENCIAS_NO_SATISFECHAS"


@pytest.mark.parametrize("arm", [Estado.PENDIENTE, Estado.PAUSADO, Estado.COMPLETADO])
def test_welding_may_begin_as_soon_as_armador_is_set(arm: Estado) -> None:
    assert ask(Tomar, a_spool(arm=arm, armador="LP(7)"), MR, SOLD).spool.sold is Estado.EN_PROGRESO


def test_a_completed_operation_cannot_be_taken_again() -> None:
    assert refusal(Tomar, an_armed_spool(), MR, ARM).code == "OPERACION_YA_COMPLETADA"
    assert refusal(Tomar, a_finished_spool(), MR, SOLD).code == "OPERACION_YA_COMPLETADA"


def test_a_paused_operation_can_be_taken_by_anybody_qualified() -> None:
    assert ask(Tomar, a_spool(arm=Estado.PAUSADO, armador="LP(7)"), MR).spool.arm is Estado.EN_PROGRESO


def test_a_spool_somebody_else_holds_is_refused_and_names_them() -> None:
    spool = held(a_spool("MK-1"), LP, since=EARLIER)
    no = refusal(Tomar, spool, MR)
    assert no.code == "SPOOL_OCCUPIED"
    assert "LP(7)" in no.detail
    assert no.context == {
        "owner_id": 7,
        "owner": "LP(7)",
        "since": "2026-11-16T08:00:00-03:00",
        "operacion": "ARM",
    }


def test_a_second_tap_on_what_you_hold_succeeds_and_writes_nothing() -> None:
    spool = held(a_spool(), MR)
    change = ask(Tomar, spool, MR)
    assert change.events == ()
    assert change.spool == spool, "since, lock and token stay those of the first tap"


def test_what_you_hold_for_one_operation_you_cannot_take_for_another() -> None:
    no = refusal(Tomar, held(a_spool(), MR, ARM), MR, SOLD)
    assert no.code == "SPOOL_OCCUPIED"
    assert no.context["operacion"] == "ARM"


def test_a_worker_may_hold_many_spools() -> None:
    """A decision sees one spool only: what else the worker holds cannot matter."""
    taken = [ask(Tomar, a_spool(f"MK-{n}"), MR).spool for n in range(5)]
    assert {spool.occupation.worker_id for spool in taken if spool.occupation} == {93}


def test_a_rejected_spool_can_be_taken_for_repair() -> None:
    change = ask(Tomar, a_rejected_spool(), MR, REPARACION)
    assert change.spool.reparacion is Reparacion.EN_PROGRESO
    assert [event.tipo for event in change.events] == [EventoTipo.TOMAR_REPARACION]


def test_a_paused_repair_can_be_taken_again() -> None:
    paused = a_rejected_spool(reparacion=Reparacion.PAUSADO)
    assert ask(Tomar, paused, MR, REPARACION).spool.reparacion is Reparacion.EN_PROGRESO


def test_a_repair_names_neither_armador_nor_soldador_anew() -> None:
    spool = ask(Tomar, a_rejected_spool(), MR, REPARACION).spool
    assert (spool.armador, spool.soldador) == ("LP(7)", "JS(8)")


@pytest.mark.parametrize(
    ("metrologia", "reparacion"),
    [
        (Metrologia.PENDIENTE, Reparacion.NO_REQUERIDA),
        (Metrologia.EN_COLA, Reparacion.NO_REQUERIDA),
        (Metrologia.EN_COLA, Reparacion.COMPLETADO),
        (Metrologia.APROBADO, Reparacion.NO_REQUERIDA),
    ],
)
def test_without_a_rejection_there_is_nothing_to_repair(metrologia: Metrologia, reparacion: Reparacion) -> None:
    spool = a_finished_spool(metrologia=metrologia, reparacion=reparacion)
    assert refusal(Tomar, spool, MR, REPARACION).code == "OPERACION_NO_DISPONIBLE"


@pytest.mark.parametrize("operacion", [ARM, SOLD, REPARACION])
def test_a_blocked_spool_waits_for_the_supervisor(operacion: Operacion) -> None:
    no = refusal(Tomar, a_blocked_spool(), MR, operacion)
    assert no.code == "SPOOL_BLOQUEADO"
    assert "supervisor" in no.detail


@pytest.mark.parametrize("kind", EVERYTHING)
@pytest.mark.parametrize("operacion", [ARM, SOLD])
def test_a_spool_with_joints_sends_the_worker_to_the_other_workflow(kind: type, operacion: Operacion) -> None:
    no = refusal(kind, a_spool(total_uniones=10), MR, operacion)
    right = "iniciar" if kind is Tomar else "finalizar"
    assert no.code == "WRONG_VERSION"
    assert no.context == {
        "version_workflow": "v4.0",
        "union_count": 10,
        "use": f"/api/v4/occupation/{right}",
    }


def test_a_repair_goes_the_same_way_with_and_without_joints() -> None:
    spool = a_rejected_spool(total_uniones=10)
    assert ask(Tomar, spool, MR, REPARACION).spool.reparacion is Reparacion.EN_PROGRESO


def test_taking_remembers_where_the_operation_was() -> None:
    spool = ask(Tomar, a_spool(arm=Estado.PAUSADO, armador="LP(7)"), MR).spool
    assert spool.occupation is not None
    assert spool.occupation.before == Before("PAUSADO", "LP(7)")


def test_taking_with_the_token_last_seen_succeeds_and_with_an_older_one_does_not() -> None:
    spool = a_spool()
    assert ask(Tomar, spool, MR, version=spool.version).spool.occupation is not None
    no = refusal(Tomar, spool, MR, version="another")
    assert no.code == "VERSION_CONFLICT"
    assert no.context == {"expected": "another", "current": spool.version}
