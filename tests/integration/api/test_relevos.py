"""A hand-over through the API, in both workflows and in a repair, and every refusal that is decided by the rules."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from carrete.domain.spool import Operacion
from carrete.ledger.database import Database
from tests.support.answers import done, invalid, just_now, refused, replayed
from tests.support.builders import (
    TAG,
    a_joint,
    a_rejected_spool,
    a_spool,
    an_armed_spool,
    events_in,
    held,
    put,
    spool_in,
)
from tests.support.every_post import everything_in
from tests.support.people import AY, IN, JS, LP, MR, NN, SV, UNKNOWN_ID
from tests.support.tablet import Tablet


def offer(tablet: Tablet, to: int | None = LP.id, who: int = MR.id, **more: Any) -> httpx.Response:
    if to is not None:
        more["receptor_id"] = to
    return tablet.tap("relevo/ofrecer", worker_id=who, **more)


def accept(tablet: Tablet, who: int = LP.id, **more: Any) -> httpx.Response:
    return tablet.tap("relevo/aceptar", worker_id=who, **more)


def hand_over(tablet: Tablet, **more: Any) -> dict[str, Any]:
    done(offer(tablet, **more))
    return done(accept(tablet, **more))


def test_the_receiver_has_the_spool_and_the_history_shows_both_sessions(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    done(tablet.tap("TOMAR"))
    offered = done(offer(tablet))
    assert (offered["action_taken"], offered["ocupado_por"]) == ("OFRECER", "MR(93)")
    assert (offered["unions_processed"], offered["pulgadas"]) == (0, 0)
    relevo = offered["relevo"]
    assert (relevo["de"], relevo["receptor"], relevo["operacion"]) == ("MR(93)", "LP(7)", "ARM")
    assert just_now(relevo["ofrecido_en"])
    assert tablet.see_events() == ["TOMAR_SPOOL"]
    body = done(accept(tablet))
    assert (body["action_taken"], body["ocupado_por"]) == ("ACEPTAR", "LP(7)")
    assert just_now(body["fecha_ocupacion"])
    assert body["message"] == f"MR(93) entregó el spool {TAG} a LP(7) para ARM."
    assert body["estado_detalle"] == "LP(7) trabajando ARM (ARM en progreso, SOLD pendiente)"
    history = tablet.see_history()
    assert [event["evento_tipo"] for event in history["events"]] == ["TOMAR_SPOOL", "RELEVO"]
    last = history["events"][-1]
    assert (last["worker"], last["accion"], last["operacion"]) == ("LP(7)", "RELEVO", "ARM")
    expected = {"de": "MR(93)", "de_id": MR.id, "ofrecido_en": relevo["ofrecido_en"]}
    assert last["metadata"] == expected
    sessions = [(each["worker"], each["resultado"]) for each in history["sessions"]]
    assert sessions == [("MR(93)", "RELEVO"), ("LP(7)", "EN_PROGRESO")]
    assert tablet.see_spool()["armador"] == "LP(7)"


def test_lock_version_and_outbox_follow_the_new_holder(tablet: Tablet, ledger: Database, database_url: str) -> None:
    put(ledger, [held(a_spool(), MR)])
    with ledger.writing() as tx:
        tx.run("outbox_see")
    before = spool_in(ledger)
    hand_over(tablet)
    after = spool_in(ledger)
    assert after.occupation is not None
    assert before.occupation is not None
    assert after.occupation.lock.startswith(f"{LP.id}:")
    assert after.occupation.lock != before.occupation.lock
    assert after.version != before.version
    (queued,) = everything_in(database_url)["outbox"]
    assert after.version in queued


def test_joints_ticked_at_the_offer_count_for_the_giver(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(total_uniones=3)], joints=[a_joint(n) for n in (1, 2, 3)])
    done(tablet.post("/api/v4/occupation/iniciar", {"tag_spool": TAG, "worker_id": MR.id, "operacion": "ARM"}))
    offered = done(offer(tablet, selected_unions=[1, 2]))
    assert (offered["unions_processed"], offered["pulgadas"], offered["ocupado_por"]) == (2, 8.0, "MR(93)")
    body = done(accept(tablet))
    assert body["ocupado_por"] == "LP(7)"
    card = tablet.see_spool()
    assert (card["arm"], card["armador"]) == ("EN_PROGRESO", "MR(93)")
    finish = {"tag_spool": TAG, "worker_id": LP.id, "operacion": "ARM", "selected_unions": [3]}
    ended = done(tablet.post("/api/v4/occupation/finalizar", finish))
    assert (ended["action_taken"], ended["pulgadas"]) == ("COMPLETAR", 4.0)
    sessions = [(s["worker"], s["resultado"], s["pulgadas"]) for s in tablet.see_history()["sessions"]]
    assert sessions == [("MR(93)", "RELEVO", 8.0), ("LP(7)", "COMPLETADO", 4.0)]
    assert tablet.see_events() == [
        "INICIAR_SPOOL",
        "UNION_ARM_REGISTRADA",
        "UNION_ARM_REGISTRADA",
        "RELEVO",
        "UNION_ARM_REGISTRADA",
        "SPOOL_ARM_COMPLETADO",
    ]
    today = tablet.see_history()["events"][0]["at"][:10]
    inches = tablet.see("/api/metrics/pulgadas", desde=today, hasta=today, por="worker")["rows"]
    assert {row["worker"]: row["pulgadas"] for row in inches} == {"MR(93)": 8.0, "LP(7)": 4.0}


def test_joints_that_leave_nothing_to_hand_over_are_for_finalizar(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(total_uniones=2), MR)], joints=[a_joint(1), a_joint(2)])
    problem = refused(offer(tablet, selected_unions=[1, 2]), 400, "OPERACION_YA_COMPLETADA")
    assert "FINALIZAR" in problem["detail"]
    assert events_in(ledger) == []
    refused(accept(tablet), 409, "SPOOL_OCCUPIED")


def test_a_receiver_who_cancels_leaves_what_the_giver_left(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(), MR)])
    hand_over(tablet)
    done(tablet.tap("CANCELAR", worker_id=LP.id))
    card = tablet.see_spool()
    assert (card["arm"], card["armador"], card["ocupado_por"]) == ("PAUSADO", "MR(93)", None)


def test_a_repair_is_handed_over_to_anybody(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_rejected_spool(), MR, Operacion.REPARACION)])
    done(offer(tablet, to=NN.id, operacion="REPARACION"))
    body = done(accept(tablet, who=NN.id, operacion="REPARACION"))
    assert body["estado_detalle"] == "EN_REPARACION (Ciclo 1/3) - Ocupado: NN(44)"


def test_an_offer_to_everybody_qualified_goes_to_the_first_who_accepts(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(), MR)])
    assert done(offer(tablet, to=None))["relevo"]["receptor"] is None
    refused(accept(tablet, who=JS.id), 403, "ROL_NO_AUTORIZADO")
    done(accept(tablet, who=AY.id))
    refused(accept(tablet, who=LP.id), 409, "SPOOL_OCCUPIED", owner="ÁY(5)")


def test_a_new_offer_replaces_the_one_before(tablet: Tablet, ledger: Database, database_url: str) -> None:
    put(ledger, [held(a_spool(), MR)])
    done(offer(tablet, to=LP.id))
    done(offer(tablet, to=AY.id))
    refused(accept(tablet, who=LP.id), 409, "SPOOL_OCCUPIED", owner="MR(93)")
    done(accept(tablet, who=AY.id))
    rows = "".join(everything_in(database_url)["relevo"])
    assert (rows.count("REEMPLAZADA"), rows.count("ACEPTADA")) == (1, 1)


@pytest.mark.parametrize("change", ["PAUSAR", "COMPLETAR", "CANCELAR", "LIBERAR"])
def test_whatever_ends_the_occupation_ends_the_offer(tablet: Tablet, ledger: Database, change: str) -> None:
    put(ledger, [held(a_spool(), MR)])
    done(offer(tablet))
    if change == "LIBERAR":
        done(tablet.post("/api/occupation/liberar", {"tag_spool": TAG, "supervisor_id": SV.id, "motivo": "Se fue"}))
    else:
        done(tablet.tap(change))
    code = "OPERACION_NO_INICIADA"
    refused(accept(tablet), 400, code)
    if change != "COMPLETAR":
        done(tablet.tap("TOMAR"))  # the same person again: another occupation
        refused(accept(tablet), 409, "SPOOL_OCCUPIED", owner="MR(93)")


def test_a_change_that_keeps_the_holder_voids_the_offer_too(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(total_uniones=3), MR)], joints=[a_joint(n) for n in (1, 2, 3)])
    done(offer(tablet))
    done(offer(tablet, to=AY.id, selected_unions=[1]))
    done(tablet.tap("relevo/retirar"))
    refused(accept(tablet, who=AY.id), 409, "SPOOL_OCCUPIED")
    assert spool_in(ledger).counts.armed == 1


def test_an_offer_is_withdrawn_or_declined(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(), MR)])
    done(offer(tablet))
    assert done(tablet.tap("relevo/retirar"))["relevo"]["receptor"] == "LP(7)"
    refused(accept(tablet), 409, "SPOOL_OCCUPIED")
    assert done(tablet.tap("relevo/retirar"))["relevo"] is None
    done(offer(tablet))
    refused(tablet.tap("relevo/rechazar", worker_id=AY.id), 403, "NO_AUTORIZADO", owner="MR(93)")
    done(tablet.tap("relevo/rechazar", worker_id=LP.id))
    refused(accept(tablet), 409, "SPOOL_OCCUPIED")
    refused(tablet.tap("relevo/rechazar", worker_id=LP.id), 400, "RELEVO_VENCIDO")
    assert events_in(ledger) == []
    assert tablet.see_spool()["ocupado_por"] == "MR(93)"


def test_an_offer_that_is_not_allowed_is_refused_in_the_order_of_rule_12(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(), MR), a_spool("LIBRE")])
    refused(offer(tablet, who=UNKNOWN_ID), 404, "WORKER_NO_ENCONTRADO")
    refused(offer(tablet, tag="NO-HAY"), 404, "SPOOL_NO_ENCONTRADO")
    refused(offer(tablet, who=IN.id), 403, "WORKER_INACTIVO")
    refused(offer(tablet, who=JS.id), 403, "ROL_NO_AUTORIZADO")
    refused(offer(tablet, who=AY.id), 403, "NO_AUTORIZADO", owner="MR(93)")
    refused(offer(tablet, tag="LIBRE"), 400, "OPERACION_NO_INICIADA")
    refused(offer(tablet, version="viejo"), 409, "VERSION_CONFLICT")
    refused(offer(tablet, to=UNKNOWN_ID), 404, "WORKER_NO_ENCONTRADO")
    refused(offer(tablet, to=IN.id), 403, "WORKER_INACTIVO")
    refused(offer(tablet, to=JS.id), 403, "ROL_NO_AUTORIZADO")
    invalid(offer(tablet, to=MR.id), "receptor_id")
    refused(offer(tablet, selected_unions=[1]), 400, "UNION_NO_DISPONIBLE")


def test_a_hand_over_is_the_same_in_both_workflows(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(an_armed_spool(), MR, Operacion.SOLD), held(a_spool("V4", total_uniones=1), MR)])
    hand_over_of = [(TAG, "SOLD", JS.id), ("V4", "ARM", LP.id)]
    for tag, operacion, to in hand_over_of:
        done(offer(tablet, to=to, tag=tag, operacion=operacion))
        assert done(accept(tablet, who=to, tag=tag, operacion=operacion))["event_seq"] > 0
    assert tablet.see_spool()["soldador"] == "JS(8)"


def test_the_same_key_hands_over_once(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(), MR)])
    first = offer(tablet, key="oferta")
    again = offer(tablet, key="oferta")
    assert replayed(again)
    assert again.json() == first.json()
    one, other = accept(tablet, key="acepta"), accept(tablet, key="acepta")
    assert (done(one), replayed(other)) == (done(other), True)
    assert [event.event.tipo for event in events_in(ledger)] == ["RELEVO"]
    double_tap = done(accept(tablet, key="otra"))
    assert double_tap["event_seq"] == done(one)["event_seq"]
    assert double_tap["relevo"] is None


def test_a_refusal_is_final_for_its_key(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(), MR)])
    refused(accept(tablet, key="temprano"), 409, "SPOOL_OCCUPIED")
    done(offer(tablet))
    assert replayed(accept(tablet, key="temprano"))
    assert tablet.see_spool()["ocupado_por"] == "MR(93)"


def test_a_chain_of_the_giver_that_comes_after_the_hand_over_becomes_a_reclamo(
    tablet: Tablet, ledger: Database
) -> None:
    put(ledger, [held(a_spool(), MR)])
    hand_over(tablet)
    chain = {"tag_spool": TAG, "worker_id": MR.id, "pasos": [{"accion": "COMPLETAR", "operacion": "ARM"}]}
    problem = refused(tablet.post("/api/occupation/cadena", chain), 403, "NO_AUTORIZADO", owner="LP(7)")
    assert problem["reclamo"]
    step = {"accion": "ACEPTAR", "operacion": "ARM"}
    refused(tablet.post("/api/occupation/cadena", {**chain, "pasos": [step]}), 422, "DATOS_INVALIDOS")
