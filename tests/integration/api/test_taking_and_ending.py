"""TOMAR, PAUSAR, COMPLETAR and CANCELAR through HTTP: every field of the answer, and what is true afterwards."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from carrete.domain.spool import Estado, Metrologia, Reparacion
from carrete.ledger.database import Database
from tests.support.answers import SANTIAGO, done, is_uuid4, just_now, refused
from tests.support.builders import (
    MATERIALES,
    TAG,
    a_rejected_spool,
    a_spool,
    an_armed_spool,
    events_in,
    held,
    put,
    spool_in,
)
from tests.support.people import AY, JS, LP, MR
from tests.support.tablet import Tablet

ANSWER = {
    *("success", "tag_spool", "operacion", "action_taken", "message", "ocupado_por", "fecha_ocupacion"),
    *("estado_detalle", "version", "event_seq", "recibo"),
}


def test_taking_a_free_spool_answers_every_field_of_the_contract(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [before := a_spool()])
    body = done(tablet.tap("TOMAR"))
    assert set(body) == ANSWER
    assert body["success"] is True
    assert (body["tag_spool"], body["operacion"], body["action_taken"]) == (TAG, "ARM", "TOMAR")
    assert body["ocupado_por"] == "MR(93)"
    assert just_now(body["fecha_ocupacion"])
    assert body["estado_detalle"] == "MR(93) trabajando ARM (ARM en progreso, SOLD pendiente)"
    assert body["message"] == f"MR(93) tiene el spool {TAG} para ARM."
    assert is_uuid4(body["version"])
    assert body["version"] != before.version
    (event,) = tablet.see_history()["events"]
    assert body["event_seq"] == event["seq"]


def test_the_spool_then_says_who_has_it_for_what_since_when(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    body = done(tablet.tap("TOMAR"))
    spool = tablet.see_spool()
    assert (spool["ocupado_por"], spool["ocupado_por_id"], spool["operacion_actual"]) == ("MR(93)", 93, "ARM")
    assert (spool["arm"], spool["armador"], spool["sold"], spool["soldador"]) == (
        *("EN_PROGRESO", "MR(93)"),
        *("PENDIENTE", None),
    )
    for field in ("fecha_ocupacion", "version", "estado_detalle"):
        assert spool[field] == body[field]


def test_pausing_frees_the_spool_and_keeps_its_progress(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    taken = done(tablet.tap("TOMAR"))
    body = done(tablet.tap("PAUSAR"))
    assert set(body) == ANSWER
    assert (body["action_taken"], body["ocupado_por"], body["fecha_ocupacion"]) == ("PAUSAR", None, None)
    assert body["estado_detalle"] == "Disponible - ARM pausado, SOLD pendiente"
    assert body["message"] == f"ARM en pausa; el spool {TAG} queda disponible."
    assert body["version"] != taken["version"]
    assert body["event_seq"] > taken["event_seq"]
    spool = tablet.see_spool()
    assert (spool["arm"], spool["armador"], spool["ocupado_por_id"], spool["operacion_actual"]) == (
        *("PAUSADO", "MR(93)"),
        *(None, None),
    )
    assert tablet.see_events() == ["TOMAR_SPOOL", "PAUSAR_SPOOL"]


def test_a_paused_spool_is_taken_on_by_any_qualified_worker(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    done(tablet.tap("TOMAR"))
    done(tablet.tap("PAUSAR"))
    assert done(tablet.tap("TOMAR", worker_id=LP.id))["ocupado_por"] == "LP(7)"
    assert tablet.see_spool()["armador"] == "LP(7)"


def test_completing_dates_the_operation_today_in_the_shop(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    done(tablet.tap("TOMAR"))
    body = done(tablet.tap("COMPLETAR"))
    assert set(body) == ANSWER
    assert (body["action_taken"], body["ocupado_por"], body["fecha_ocupacion"]) == ("COMPLETAR", None, None)
    assert body["estado_detalle"] == "Disponible - ARM completado, SOLD pendiente"
    spool = tablet.see_spool()
    assert (spool["arm"], spool["fecha_armado"]) == ("COMPLETADO", datetime.now(SANTIAGO).date().isoformat())
    assert tablet.see_events() == ["TOMAR_SPOOL", "COMPLETAR_ARM"]


def test_completing_may_be_dated_on_an_earlier_day_or_today(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool("A"), a_spool("B")])
    today = datetime.now(SANTIAGO).date()
    for tag, day in (("A", today), ("B", today - timedelta(days=3))):
        done(tablet.tap("TOMAR", tag))
        done(tablet.tap("COMPLETAR", tag, fecha_operacion=day.isoformat()))
        assert tablet.see_spool(tag)["fecha_armado"] == day.isoformat()
        assert events_in(ledger, tag)[-1].event.fecha_operacion == day


def test_completing_arm_and_sold_sends_the_spool_to_inspection_by_itself(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [an_armed_spool()])
    done(tablet.tap("TOMAR", worker_id=JS.id, operacion="SOLD"))
    body = done(tablet.tap("COMPLETAR", worker_id=JS.id, operacion="SOLD"))
    assert body["estado_detalle"] == "En Cola Metrología"
    spool = tablet.see_spool()
    assert (spool["sold"], spool["soldador"], spool["metrologia"]) == ("COMPLETADO", "JS(8)", "EN_COLA")
    events = tablet.see_history()["events"]
    assert [e["evento_tipo"] for e in events] == ["TOMAR_SPOOL", "COMPLETAR_SOLD", "METROLOGIA_AUTO_TRIGGERED"]
    assert body["event_seq"] == events[-1]["seq"]


def test_cancelling_leaves_the_spool_as_it_was_before(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [before := a_spool(arm=Estado.PAUSADO, armador="LP(7)")])
    done(tablet.tap("TOMAR"))
    body = done(tablet.tap("CANCELAR"))
    assert set(body) == ANSWER
    assert (body["action_taken"], body["ocupado_por"], body["fecha_ocupacion"]) == ("CANCELAR", None, None)
    spool = tablet.see_spool()
    assert (spool["arm"], spool["armador"]) == ("PAUSADO", "LP(7)")
    assert spool["version"] != before.version
    assert tablet.see_events() == ["TOMAR_SPOOL", "CANCELAR_ARM"]


def test_welding_may_begin_while_arming_is_paused(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(arm=Estado.PAUSADO, armador="LP(7)")])
    body = done(tablet.tap("TOMAR", worker_id=JS.id, operacion="SOLD"))
    assert body["estado_detalle"] == "JS(8) trabajando SOLD (ARM pausado, SOLD en progreso)"


@pytest.mark.parametrize("total_uniones", [None, 4], ids=["v3.0", "v4.0"])
def test_a_repair_goes_the_same_way_in_both_workflows(
    tablet: Tablet, ledger: Database, total_uniones: int | None
) -> None:
    put(ledger, [a_rejected_spool(total_uniones=total_uniones)])

    def tap(accion: str) -> str:
        return str(done(tablet.tap(accion, TAG, AY.id, "REPARACION"))["estado_detalle"])

    assert tap("TOMAR") == "EN_REPARACION (Ciclo 1/3) - Ocupado: ÁY(5)"
    assert tap("PAUSAR") == "REPARACION_PAUSADA (Ciclo 1/3)"
    tap("TOMAR")
    assert tap("CANCELAR") == "REPARACION_PAUSADA (Ciclo 1/3)"
    tap("TOMAR")
    assert tap("COMPLETAR") == "PENDIENTE_METROLOGIA"
    spool = spool_in(ledger)
    assert (spool.metrologia, spool.reparacion) == (Metrologia.EN_COLA, Reparacion.COMPLETADO)
    assert tablet.see_events() == [
        *("TOMAR_REPARACION", "PAUSAR_REPARACION", "TOMAR_REPARACION", "CANCELAR_REPARACION"),
        *("TOMAR_REPARACION", "COMPLETAR_REPARACION"),
    ]


def test_a_double_tap_succeeds_and_writes_nothing(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    first = done(tablet.tap("TOMAR"))
    second = done(tablet.tap("TOMAR"))
    assert second == first
    assert tablet.see_events() == ["TOMAR_SPOOL"]


def test_a_double_tap_on_an_ending_is_refused_because_nobody_holds_it_any_more(
    tablet: Tablet, ledger: Database
) -> None:
    put(ledger, [held(a_spool(), MR)])
    done(tablet.tap("PAUSAR"))
    refused(tablet.tap("PAUSAR"), 400, "OPERACION_NO_INICIADA")
    assert tablet.see_events() == ["PAUSAR_SPOOL"]


def test_a_worker_may_hold_many_spools(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool("A"), a_spool("B"), a_spool("C")])
    for tag in "ABC":
        done(tablet.tap("TOMAR", tag))
    assert tablet.see_list(worker_id=93) == ["A", "B", "C"]


def test_the_token_the_client_saw_lets_it_act(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [before := a_spool()])
    taken = done(tablet.tap("TOMAR", version=before.version))
    done(tablet.tap("PAUSAR", version=taken["version"]))


def test_an_old_token_is_a_conflict_and_changes_nothing(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [free := a_spool("FREE"), taken := held(a_spool("TAKEN"), MR)])
    for accion, now in (("TOMAR", free), ("PAUSAR", taken), ("COMPLETAR", taken), ("CANCELAR", taken)):
        old = "00000000-0000-4000-8000-000000000000"
        answer = tablet.tap(accion, now.tag, version=old)
        refused(answer, 409, "VERSION_CONFLICT", expected=old, current=now.version)
        assert int(answer.headers["retry-after"]) >= 1
        assert spool_in(ledger, now.tag) == now
    assert events_in(ledger) == []


def test_the_materials_date_is_shown_as_it_stands(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    assert tablet.see_spool()["fecha_materiales"] == MATERIALES.isoformat()
