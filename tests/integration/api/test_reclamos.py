"""Reclamos: refused work is kept, a supervisor decides about it once, and its author is told."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from carrete.domain.joints import Joint
from carrete.domain.shop_time import today
from carrete.domain.spool import Estado, Metrologia, Operacion, Reparacion
from carrete.domain.workers import Rol, Worker
from carrete.ledger.database import Database
from carrete.ledger.queries import joints_of
from tests.support.answers import SANTIAGO, done, invalid, refused, replayed
from tests.support.builders import (
    EARLIER,
    TAG,
    a_blocked_spool,
    a_joint,
    a_rejected_spool,
    a_spool,
    a_worker,
    an_armed_spool,
    events_in,
    every_event,
    held,
    put,
    spool_in,
)
from tests.support.people import AY, IN, JS, LP, MI, MR, SV, UNKNOWN_ID
from tests.support.reclamos import RECLAMOS, accepted, cadena, paso, pending, resolver
from tests.support.tablet import Json, Tablet

ARMED: dict[str, Any] = {"arm_fin": EARLIER, "arm_worker": "LP(7)"}
VISTO = f"{RECLAMOS}/avisos/visto"


def hoy(days: int = 0) -> str:
    return (today(datetime.now(UTC), SANTIAGO) + timedelta(days=days)).isoformat()


def joints_in(ledger: Database, tag: str = TAG) -> dict[int, Joint]:
    with ledger.reading() as tx:
        return {joint.n_union: joint for joint in joints_of(tx, tag)}


def everything(ledger: Database) -> tuple[Any, ...]:
    with ledger.reading() as tx:
        return tx.all("spools_all"), tx.all("joints_all"), every_event(tx), tx.all("outbox_length")


def a_refused_chain(tablet: Tablet, *pasos: Json, tag: str = TAG, worker: Any = MR) -> str:
    answer = cadena(tablet, *pasos, tag=tag, worker=worker)
    assert answer.status_code >= 400, answer.text
    return str(answer.json()["reclamo"])


def taken_by_another(tablet: Tablet, ledger: Database) -> str:
    """MR worked joints 1, 2 and 3 offline; meanwhile LP took the spool and has it."""
    joints = [a_joint(n, dn_milli=milli) for n, milli in ((1, 1_125), (2, 2_500), (3, 333), (4, 10_000))]
    put(ledger, [a_spool(total_uniones=4)], joints=joints)
    done(tablet.post("/api/v4/occupation/iniciar", {"tag_spool": TAG, "worker_id": LP.id, "operacion": "ARM"}))
    return a_refused_chain(tablet, paso("INICIAR"), paso("FINALIZAR", "ARM", 1, 2, 3))


def finish(tablet: Tablet, worker: Any, *unions: int) -> Json:
    body = {"tag_spool": TAG, "worker_id": worker.id, "operacion": "ARM", "selected_unions": list(unions)}
    return done(tablet.post("/api/v4/occupation/finalizar", body))


# ─── accepting joint by joint ─────────────────────────────────────────────────────────────────────────────────


def test_two_of_three_joints_are_accepted_because_another_did_the_third(tablet: Tablet, ledger: Database) -> None:
    """The holder keeps the spool, inches are right to the thousandth, and nothing counts twice."""
    reclamo = taken_by_another(tablet, ledger)
    finish(tablet, LP, 3)
    done(tablet.post("/api/v4/occupation/iniciar", {"tag_spool": TAG, "worker_id": LP.id, "operacion": "ARM"}))
    holder = spool_in(ledger).occupation
    (shown,) = pending(tablet)
    assert [(each["n_union"], each["aceptable"], each["motivo"]) for each in shown["trabajo"]] == [
        (1, True, None),
        (2, True, None),
        (3, False, "La unión 3 ya la armó LP(7)."),
    ]
    answer = accepted(tablet, reclamo, ("ARM", 2), ("ARM", 1), dia=hoy())
    assert (answer["aceptados"], answer["pulgadas"], answer["metrologia_triggered"]) == (2, 3.625, False)
    spool = spool_in(ledger)
    assert (spool.occupation, spool.counts.armed, spool.counts.milli_armed) == (holder, 3, 3_958)
    assert {n: joint.arm_worker for n, joint in joints_in(ledger).items()} == {
        **{1: "MR(93)", 2: "MR(93)"},
        **{3: "LP(7)", 4: None},
    }
    figures = tablet.see("/api/metrics/pulgadas", desde=hoy(), hasta=hoy(), por="worker")["rows"]
    assert [(row["worker"], row["pulgadas"], row["uniones"]) for row in figures] == [
        ("LP(7)", 0.333, 1),
        ("MR(93)", 3.625, 2),
    ]
    finish(tablet, LP, 4)
    assert spool_in(ledger).arm is Estado.COMPLETADO


def test_what_was_accepted_and_what_was_not_is_in_the_trail(tablet: Tablet, ledger: Database) -> None:
    reclamo = taken_by_another(tablet, ledger)
    before = len(events_in(ledger, TAG))
    accepted(tablet, reclamo, ("ARM", 1), ("ARM", 3), dia=hoy())
    first, second, declined = (stored.event for stored in events_in(ledger, TAG)[before:])
    for event, n_union in ((first, 1), (second, 3)):
        assert (event.tipo, event.n_union, event.worker, event.worker_id) == (
            "REGISTRO_TARDIO",
            n_union,
            "MR(93)",
            MR.id,
        )
        assert (event.metadata["reclamo"], event.metadata["aceptado_por"]) == (reclamo, "SV(21)")
        assert event.metadata["motivo"] == "Visto en el taller"
        assert str(event.fecha_operacion) == hoy()
    assert first.metadata["registro"] == {"unions": [1, 3], "pulgadas": 1.458}
    assert (declined.tipo, declined.worker, declined.metadata["trabajo"]) == (
        "RECLAMO_RECHAZADO",
        "SV(21)",
        [{"operacion": "ARM", "n_union": 2}],
    )
    assert {stored.ocupado_por for stored in events_in(ledger, TAG)[before:]} == {"LP(7)"}


def test_the_history_shows_late_work_once_and_leaves_the_holders_session_open(tablet: Tablet, ledger: Database) -> None:
    reclamo = taken_by_another(tablet, ledger)
    accepted(tablet, reclamo, ("ARM", 1), ("ARM", 2), dia=hoy())
    finish(tablet, LP, 4)
    late, own = tablet.see_history()["sessions"]
    assert (late["worker"], late["resultado"], late["pulgadas"]) == ("MR(93)", "REGISTRO_TARDIO", 3.625)
    assert (own["worker"], own["resultado"], own["pulgadas"]) == ("LP(7)", "PAUSADO", 10)


def test_fit_up_and_weld_of_one_joint_are_accepted_together_or_only_the_fit_up(
    tablet: Tablet, ledger: Database
) -> None:
    joints = [a_joint(n, dn_milli=2_000 + n) for n in (1, 2)]
    put(ledger, [held(a_spool(total_uniones=2), LP)], joints=joints)
    steps = [paso("INICIAR"), paso("FINALIZAR", "ARM", 1, 2), paso("INICIAR", "SOLD"), paso("FINALIZAR", "SOLD", 1, 2)]
    reclamo = a_refused_chain(tablet, *steps, worker=AY)
    before = everything(ledger)
    answer = refused(resolver(tablet, reclamo, ("SOLD", 1), ("ARM", 2), dia=hoy()), 400, "TRABAJO_NO_ACEPTABLE")
    assert answer["trabajo"] == [{"operacion": "SOLD", "n_union": 1, "motivo": "La unión 1 no está armada."}]
    assert everything(ledger) == before
    answer = accepted(tablet, reclamo, ("SOLD", 1), ("ARM", 2), ("ARM", 1), dia=hoy())
    assert (answer["aceptados"], answer["pulgadas"]) == (3, 6.004)
    counts = spool_in(ledger).counts
    assert (counts.milli_armed, counts.milli_welded) == (4_003, 2_001)


def test_the_last_joints_send_the_spool_to_inspection(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(total_uniones=1)], joints=[a_joint(1, **ARMED)])
    reclamo = a_refused_chain(tablet, paso("FINALIZAR", "SOLD", 1))
    answer = accepted(tablet, reclamo, ("SOLD", 1), dia=hoy())
    assert answer["metrologia_triggered"] is True
    spool = spool_in(ledger)
    assert (spool.metrologia, spool.soldador, spool.occupation) == (Metrologia.EN_COLA, "MR(93)", None)
    assert tablet.see_events()[-2:] == ["REGISTRO_TARDIO", "METROLOGIA_AUTO_TRIGGERED"]


@pytest.mark.parametrize(
    ("joint", "motivo"),
    [
        (a_joint(1), "La unión 1 no está armada."),
        (a_joint(1, **ARMED, tipo="FW"), "La unión 1 es FW: no se suelda."),
        (a_joint(1, **ARMED, sol_fin=EARLIER, sol_worker="JS(8)"), "La unión 1 ya la soldó JS(8)."),
        (a_joint(1, **ARMED, retired=True), "La unión 1 no existe."),
        (a_joint(2, **ARMED), "La unión 1 no existe."),
    ],
)
def test_a_weld_that_cannot_be_is_not_accepted(tablet: Tablet, ledger: Database, joint: Joint, motivo: str) -> None:
    put(ledger, [held(a_spool(total_uniones=3), LP)], joints=[joint])
    reclamo = a_refused_chain(tablet, paso("INICIAR", "SOLD"), paso("FINALIZAR", "SOLD", 1))
    before = everything(ledger)
    problem = refused(resolver(tablet, reclamo, ("SOLD", 1), dia=hoy()), 400, "TRABAJO_NO_ACEPTABLE")
    assert [each["motivo"] for each in problem["trabajo"]] == [motivo]
    assert everything(ledger) == before
    assert pending(tablet)[0]["trabajo"][0]["motivo"] == motivo


def test_nothing_is_accepted_that_was_not_claimed(tablet: Tablet, ledger: Database) -> None:
    reclamo = taken_by_another(tablet, ledger)
    for items in [("ARM", 4)], [("ARM", 1), ("SOLD", 1)], [("ARM", None)]:
        problem = refused(resolver(tablet, reclamo, *items, dia=hoy()), 400, "TRABAJO_NO_ACEPTABLE")
        assert "Eso no está en el reclamo." in problem["detail"]
    assert len(pending(tablet)) == 1


# ─── the day ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("days", [0, -1, -31])
def test_the_work_counts_on_the_day_that_the_supervisor_chooses(tablet: Tablet, ledger: Database, days: int) -> None:
    reclamo = taken_by_another(tablet, ledger)
    accepted(tablet, reclamo, ("ARM", 1), dia=hoy(days))
    rows = tablet.see("/api/metrics/pulgadas", desde=hoy(-40), hasta=hoy(), por="dia")["rows"]
    assert [(row["dia"], row["pulgadas"], row["uniones"]) for row in rows] == [(hoy(days), 1.125, 1)]


@pytest.mark.parametrize("days", [1, -32])
def test_not_on_a_day_to_come_nor_long_before_it_arrived(tablet: Tablet, ledger: Database, days: int) -> None:
    reclamo = taken_by_another(tablet, ledger)
    invalid(resolver(tablet, reclamo, ("ARM", 1), dia=hoy(days)), "dia")
    assert len(pending(tablet)) == 1


def test_a_joint_is_not_welded_on_a_day_before_it_was_fitted(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(total_uniones=1), LP)], joints=[a_joint(1, **{**ARMED, "arm_fin": datetime.now(UTC)})])
    reclamo = a_refused_chain(tablet, paso("INICIAR", "SOLD"), paso("FINALIZAR", "SOLD", 1))
    problem = refused(resolver(tablet, reclamo, ("SOLD", 1), dia=hoy(-1)), 400, "TRABAJO_NO_ACEPTABLE")
    assert "no pudo soldarse antes" in problem["detail"]
    accepted(tablet, reclamo, ("SOLD", 1), dia=hoy())
    joint = joints_in(ledger)[1]
    assert joint.sol_fin is not None
    assert joint.arm_fin is not None
    assert joint.sol_fin >= joint.arm_fin


# ─── the whole spool ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("ending", ["PAUSAR", "CANCELAR", "COMPLETAR"])
def test_a_whole_spool_that_another_holds_is_complete_however_they_end(
    tablet: Tablet, ledger: Database, ending: str
) -> None:
    put(ledger, [a_spool()])
    done(tablet.tap("TOMAR", worker_id=LP.id))
    reclamo = a_refused_chain(tablet, paso("TOMAR"), paso("COMPLETAR"))
    accepted(tablet, reclamo, ("ARM", None), dia=hoy(-1))
    spool = spool_in(ledger)
    assert spool.held_by(LP.id, Operacion.ARM)
    assert (spool.armador, str(spool.fecha_armado)) == ("MR(93)", hoy(-1))
    done(tablet.tap(ending, worker_id=LP.id))
    spool = spool_in(ledger)
    assert (spool.arm, spool.occupation, spool.armador) == (Estado.COMPLETADO, None, "MR(93)")
    assert str(spool.fecha_armado) == hoy(-1), "the day that the supervisor chose stays"
    rows = tablet.see("/api/metrics/pulgadas", desde=hoy(-1), hasta=hoy(), por="worker")["rows"]
    assert [(row["worker"], row["spools"]) for row in rows] == [("MR(93)", 1)]


def test_a_whole_spool_is_accepted_after_it_was_freed(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [an_armed_spool()])
    reclamo = a_refused_chain(tablet, paso("COMPLETAR", "SOLD"))
    answer = accepted(tablet, reclamo, ("SOLD", None), dia=hoy())
    assert (answer["aceptados"], answer["metrologia_triggered"]) == (1, True)
    spool = spool_in(ledger)
    assert (spool.sold, spool.soldador, str(spool.fecha_soldadura)) == (Estado.COMPLETADO, "MR(93)", hoy())


def test_what_another_completed_meanwhile_stays_theirs(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    done(cadena(tablet, paso("TOMAR"), paso("COMPLETAR"), worker=LP))
    reclamo = a_refused_chain(tablet, paso("TOMAR"), paso("COMPLETAR"))
    problem = refused(resolver(tablet, reclamo, ("ARM", None), dia=hoy()), 400, "TRABAJO_NO_ACEPTABLE")
    assert problem["detail"] == "ARM ya la completó LP(7)."
    assert spool_in(ledger).armador == "LP(7)"


def test_a_whole_spool_that_nobody_began_to_fit_is_not_accepted_as_welded(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    reclamo = a_refused_chain(tablet, paso("TOMAR", "SOLD"), paso("COMPLETAR", "SOLD"))
    refused(resolver(tablet, reclamo, ("SOLD", None), dia=hoy()), 400, "TRABAJO_NO_ACEPTABLE")


def test_a_claim_for_a_spool_that_is_worked_by_joint_now_is_accepted_by_joint(tablet: Tablet, ledger: Database) -> None:
    joints = [a_joint(1), a_joint(2), a_joint(3, **ARMED), a_joint(4, retired=True)]
    put(ledger, [a_spool(total_uniones=3)], joints=joints)
    reclamo = a_refused_chain(tablet, paso("TOMAR"), paso("COMPLETAR"))
    refused(resolver(tablet, reclamo, ("ARM", None), dia=hoy()), 400, "TRABAJO_NO_ACEPTABLE")
    (shown,) = pending(tablet)
    assert [(each["n_union"], each["aceptable"]) for each in shown["trabajo"]] == [(None, False), (1, True), (2, True)]
    assert accepted(tablet, reclamo, ("ARM", 2), dia=hoy())["aceptados"] == 1
    assert tablet.see_events() == ["REGISTRO_TARDIO"]
    assert [n for n, joint in joints_in(ledger).items() if joint.armed] == [2, 3]
    (solved,) = tablet.see(RECLAMOS, estado="resuelto")["reclamos"]
    assert [(each["n_union"], each["aceptado"]) for each in solved["trabajo"]] == [(None, False), (2, True)]


def test_one_operation_is_not_accepted_whole_and_by_joint_at_once(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(total_uniones=0), LP)], joints=[a_joint(1), a_joint(2)])
    reclamo = a_refused_chain(tablet, paso("COMPLETAR"))
    before = everything(ledger)
    both = (("ARM", None), ("ARM", 1), ("ARM", 2))
    problem = refused(resolver(tablet, reclamo, *both, dia=hoy()), 400, "TRABAJO_NO_ACEPTABLE")
    assert [each["n_union"] for each in problem["trabajo"]] == [1, 2]
    assert everything(ledger) == before
    accepted(tablet, reclamo, ("ARM", None), dia=hoy())


def test_a_repair_is_accepted_while_it_waits_and_not_while_another_does_it(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_rejected_spool()])
    reclamo = a_refused_chain(tablet, paso("COMPLETAR", "REPARACION"))
    done(tablet.tap("TOMAR", worker_id=LP.id, operacion="REPARACION"))
    refused(resolver(tablet, reclamo, ("REPARACION", None), dia=hoy()), 400, "TRABAJO_NO_ACEPTABLE")
    done(tablet.tap("CANCELAR", worker_id=LP.id, operacion="REPARACION"))
    accepted(tablet, reclamo, ("REPARACION", None), dia=hoy())
    spool = spool_in(ledger)
    assert (spool.metrologia, spool.reparacion) == (Metrologia.EN_COLA, Reparacion.COMPLETADO)


def test_a_repair_is_never_accepted_by_joint(tablet: Tablet, ledger: Database) -> None:
    welded = {**ARMED, "sol_fin": EARLIER, "sol_worker": "LP(7)"}
    put(ledger, [a_rejected_spool(total_uniones=1)], joints=[a_joint(1, **welded)])
    reclamo = a_refused_chain(tablet, paso("COMPLETAR", "REPARACION"))
    before = everything(ledger)
    for n_union in (1, 99):
        refused(resolver(tablet, reclamo, ("REPARACION", n_union), dia=hoy()), 400, "TRABAJO_NO_ACEPTABLE")
    assert everything(ledger) == before


# ─── once, and by whom ────────────────────────────────────────────────────────────────────────────────────────


def test_a_reclamo_is_decided_once(tablet: Tablet, ledger: Database) -> None:
    reclamo = taken_by_another(tablet, ledger)
    first = resolver(tablet, reclamo, ("ARM", 1), dia=hoy(), key="k")
    done(first)
    again = resolver(tablet, reclamo, ("ARM", 1), dia=hoy(), key="k")
    assert replayed(again)
    assert again.json() == first.json()
    before = everything(ledger)
    refused(resolver(tablet, reclamo, ("ARM", 2), dia=hoy()), 409, "RECLAMO_YA_RESUELTO", resuelto_por="SV(21)")
    refused(resolver(tablet, reclamo, dia=hoy()), 409, "RECLAMO_YA_RESUELTO")
    refused(resolver(tablet, reclamo, ("ARM", 2), dia=hoy(), key="k"), 422, "IDEMPOTENCY_KEY_REUSED")
    assert everything(ledger) == before


def test_declining_needs_a_reason_and_leaves_the_work_unregistered(tablet: Tablet, ledger: Database) -> None:
    reclamo = taken_by_another(tablet, ledger)
    body = {"supervisor_id": SV.id, "aceptar": [], "dia": hoy(), "motivo": "   "}
    invalid(tablet.post(f"{RECLAMOS}/{reclamo}/resolver", body), "motivo")
    answer = done(resolver(tablet, reclamo, dia=hoy()))
    assert (answer["aceptados"], answer["pulgadas"]) == (0, 0)
    assert Counter(tablet.see_events()) == {"INICIAR_SPOOL": 1, "RECLAMO_RECHAZADO": 1}
    assert spool_in(ledger).counts.armed == 0
    assert pending(tablet) == []


def test_only_a_supervisor_decides(tablet: Tablet, ledger: Database) -> None:
    reclamo = taken_by_another(tablet, ledger)
    for who in (MR, LP, MI):
        refused(resolver(tablet, reclamo, ("ARM", 1), dia=hoy(), who=who), 403, "ROL_NO_AUTORIZADO")
    for unknown in ("no-hay", "%00", "a%00b"):
        refused(resolver(tablet, unknown, ("ARM", 1), dia=hoy()), 404, "RECLAMO_NO_ENCONTRADO")
    assert len(pending(tablet)) == 1


def test_without_identity_the_supervisor_must_exist(tablet: Tablet, ledger: Database) -> None:
    reclamo = taken_by_another(tablet, ledger)
    body = {"supervisor_id": UNKNOWN_ID, "aceptar": [], "dia": hoy(), "motivo": "No"}
    refused(tablet.post(f"{RECLAMOS}/{reclamo}/resolver", body), 404, "WORKER_NO_ENCONTRADO")


def test_a_supervisor_with_a_floor_role_cannot_accept_the_own_work(tablet: Tablet, ledger: Database) -> None:
    both = a_worker(22, "Sofía", "Veliz", roles=(Rol.SUPERVISOR, Rol.ARMADOR))
    put(ledger, [a_spool("PROPIO")], workers=(both,))
    done(tablet.post("/api/occupation/tomar", {"tag_spool": "PROPIO", "worker_id": LP.id, "operacion": "ARM"}))
    reclamo = a_refused_chain(tablet, paso("TOMAR"), paso("COMPLETAR"), tag="PROPIO", worker=both)
    before = everything(ledger)
    refused(resolver(tablet, reclamo, ("ARM", None), dia=hoy(), who=both), 403, "RECLAMO_PROPIO")
    assert everything(ledger) == before
    accepted(tablet, reclamo, ("ARM", None), dia=hoy())


def test_work_of_somebody_without_the_role_or_on_a_blocked_spool_can_only_be_declined(
    tablet: Tablet, ledger: Database
) -> None:
    put(ledger, [a_spool("SIN-ROL"), a_blocked_spool("BLOQUEADO")])
    steps = [paso("TOMAR"), paso("COMPLETAR")]
    for tag, worker in (("SIN-ROL", JS), ("BLOQUEADO", MR)):
        reclamo = a_refused_chain(tablet, *steps, tag=tag, worker=worker)
        refused(resolver(tablet, reclamo, ("ARM", None), dia=hoy()), 400, "TRABAJO_NO_ACEPTABLE")
        done(resolver(tablet, reclamo, dia=hoy()))


def test_work_of_somebody_who_has_left_since_can_be_accepted(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    reclamo = a_refused_chain(tablet, paso("TOMAR"), paso("COMPLETAR"), worker=IN)
    accepted(tablet, reclamo, ("ARM", None), dia=hoy())
    assert spool_in(ledger).armador == "IN(66)"


def test_a_reclamo_on_a_spool_that_does_not_exist_can_be_declined(tablet: Tablet, ledger: Database) -> None:
    reclamo = a_refused_chain(tablet, paso("TOMAR"), paso("COMPLETAR"), tag="NO-HAY")
    (shown,) = pending(tablet)
    assert (shown["tag_spool"], shown["trabajo"][0]["motivo"]) == ("NO-HAY", "No existe el spool NO-HAY.")
    refused(resolver(tablet, reclamo, ("ARM", None), dia=hoy()), 400, "TRABAJO_NO_ACEPTABLE")
    done(resolver(tablet, reclamo, dia=hoy()))
    assert events_in(ledger) == []


def test_steps_of_chains_count_as_actions_and_takes(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(), held(a_spool("OTRO"), LP)])

    def counted() -> dict[str, float]:
        lines = [line.rsplit(" ", 1) for line in tablet.get("/metrics").text.splitlines() if "_total{" in line]
        return {name: float(value) for name, value in lines}

    before = counted()
    done(cadena(tablet, paso("TOMAR"), paso("COMPLETAR")))
    a_refused_chain(tablet, paso("TOMAR"), paso("COMPLETAR"), tag="OTRO")
    new = {name: value - before.get(name, 0) for name, value in counted().items()}
    assert new['carrete_takes_total{outcome="OK"}'] == new['carrete_takes_total{outcome="SPOOL_OCCUPIED"}'] == 1
    assert sum(value for name, value in new.items() if name.startswith("carrete_actions_total")) == 3


# ─── of single taps ───────────────────────────────────────────────────────────────────────────────────────────


def claim(
    tablet: Tablet, clave: str, *pasos: Json, key: str | None = None, tag: str = TAG, who: Worker = MR, **more: Any
) -> Any:
    body = {"tag_spool": tag, "worker_id": who.id, "pasos": list(pasos), "clave": clave, **more}
    return tablet.post(RECLAMOS, body, key=key)


def test_a_refused_single_tap_is_claimed_with_its_key_once(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(), LP)])
    refused(tablet.tap("COMPLETAR", key="toque"), 403, "NO_AUTORIZADO")
    first = done(claim(tablet, "toque", paso("COMPLETAR"), key="k-1"))
    again = done(claim(tablet, "toque", paso("COMPLETAR"), key="k-2"))
    assert first["reclamo"] == again["reclamo"]
    (shown,) = pending(tablet)
    assert (shown["id"], shown["code"], shown["worker"]) == (first["reclamo"], "NO_AUTORIZADO", "MR(93)")
    assert shown["detail"] == f"El spool {TAG} lo tiene LP(7); sólo LP(7) puede terminarlo."
    assert replayed(claim(tablet, "toque", paso("COMPLETAR"), key="k-1"))


def test_one_spool_of_a_refused_batch_is_claimed(tablet: Tablet, ledger: Database) -> None:
    tags = [f"LOTE-{n:02}" for n in range(40)]
    put(ledger, [held(a_spool(tag), LP if n % 2 else MR) for n, tag in enumerate(tags)])
    assert done(tablet.batch("COMPLETAR", tags, key="lote"))["succeeded"] == 20
    for tag in (tags[1], tags[39]):
        done(claim(tablet, "lote", paso("COMPLETAR"), tag=tag, tag_spools=tags))
    refused(claim(tablet, "lote", paso("COMPLETAR"), tag=tags[0], tag_spools=tags), 400, "RECLAMO_SIN_RECHAZO")
    assert [each["tag_spool"] for each in pending(tablet)] == [tags[1], tags[39]]


def test_what_was_done_or_never_sent_or_is_no_work_cannot_be_claimed(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(), held(a_spool("DE-OTRO"), LP)])
    done(tablet.tap("TOMAR", key="tomado"))
    done(tablet.tap("COMPLETAR", key="hecho"))
    refused(tablet.tap("PAUSAR", "DE-OTRO", key="pausa"), 403, "NO_AUTORIZADO")
    refused(claim(tablet, "hecho", paso("COMPLETAR")), 400, "RECLAMO_SIN_RECHAZO")
    refused(claim(tablet, "nunca", paso("COMPLETAR")), 400, "RECLAMO_SIN_RECHAZO")
    refused(claim(tablet, "pausa", paso("PAUSAR"), tag="DE-OTRO"), 400, "RECLAMO_SIN_RECHAZO")
    assert pending(tablet) == []


def test_a_refusal_proves_only_its_own_persons_work_on_its_own_spool(tablet: Tablet, ledger: Database) -> None:
    joints = [a_joint(n, tag=tag) for tag in (TAG, "OTRO") for n in (1, 2, 3)]
    put(ledger, [held(a_spool(total_uniones=3), LP), a_spool("OTRO", total_uniones=3)], joints=joints)
    body = {"tag_spool": TAG, "worker_id": MR.id, "operacion": "ARM", "selected_unions": [1]}
    refused(tablet.post("/api/v4/occupation/finalizar", body, key="toque"), 403, "NO_AUTORIZADO")
    own = paso("FINALIZAR", "ARM", 1)

    def forged(*pasos: Json, **more: Any) -> None:
        refused(claim(tablet, "toque", *pasos, **more), 400, "RECLAMO_SIN_RECHAZO")

    forged(paso("FINALIZAR", "ARM", 1, 2, 3), tag="OTRO", who=AY)
    forged(own, tag="OTRO")
    forged(own, who=AY)
    forged(paso("FINALIZAR", "ARM", 1, 2))
    forged(paso("FINALIZAR", "SOLD", 1))
    forged(paso("COMPLETAR"))
    forged(own, own)
    forged(own, tag_spools=[TAG])
    forged(own, version="otra")
    assert pending(tablet) == []
    made = done(claim(tablet, "toque", own))["reclamo"]
    forged(own, who=AY)
    assert [(each["id"], each["worker"]) for each in pending(tablet)] == [(made, "MR(93)")]


def test_the_refusal_of_a_take_proves_no_work(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(), LP)])
    refused(tablet.tap("TOMAR", key="toma"), 409, "SPOOL_OCCUPIED")
    for step in (paso("COMPLETAR"), paso("FINALIZAR", "ARM", 1)):
        refused(claim(tablet, "toma", step), 400, "RECLAMO_SIN_RECHAZO")


def test_a_tap_with_a_version_and_a_day_is_claimed_with_them(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(), LP)])
    more: Json = {"version": spool_in(ledger).version, "fecha_operacion": hoy(-1)}
    refused(tablet.tap("COMPLETAR", key="toque", **more), 403, "NO_AUTORIZADO")
    others: tuple[Json, ...] = ({}, {**more, "version": "otra"}, {**more, "fecha_operacion": hoy()})
    for other in others:
        refused(claim(tablet, "toque", paso("COMPLETAR"), **other), 400, "RECLAMO_SIN_RECHAZO")
    done(claim(tablet, "toque", paso("COMPLETAR"), **more))


def test_a_batch_is_claimed_with_all_its_spools_in_their_order(tablet: Tablet, ledger: Database) -> None:
    tags = [f"{TAG}-{n:02}" for n in range(50)]
    put(ledger, [held(a_spool(tag), LP) for tag in tags])
    done(tablet.batch("COMPLETAR", tags, key="lote"))
    others: tuple[Json, ...] = (
        {},
        {"tag_spools": tags[:3]},
        {"tag_spools": tags[::-1]},
        {"tag_spools": [*tags[:49], "X"]},
    )
    for more in others:
        refused(claim(tablet, "lote", paso("COMPLETAR"), tag=tags[1], **more), 400, "RECLAMO_SIN_RECHAZO")
    refused(claim(tablet, "lote", paso("COMPLETAR"), tag="X", tag_spools=tags), 400, "RECLAMO_SIN_RECHAZO")
    invalid(claim(tablet, "lote", paso("COMPLETAR"), tag_spools=[]), "tag_spools")
    done(claim(tablet, "lote", paso("COMPLETAR"), tag=tags[1], tag_spools=tags))
    (shown,) = pending(tablet)
    assert (shown["tag_spool"], shown["code"]) == (tags[1], "NO_AUTORIZADO")


# ─── lists and notices ────────────────────────────────────────────────────────────────────────────────────────


def test_lists_by_state_and_person_page_by_page(tablet: Tablet, ledger: Database) -> None:
    tags = [f"S-{n}" for n in range(5)]
    put(ledger, [held(a_spool(tag), JS, Operacion.SOLD) for tag in tags])
    ids = [a_refused_chain(tablet, paso("TOMAR"), paso("COMPLETAR"), tag=tag, worker=MR) for tag in tags[:4]]
    his = a_refused_chain(tablet, paso("TOMAR"), paso("COMPLETAR"), tag=tags[4], worker=LP)
    assert [each["id"] for each in pending(tablet)] == [*ids, his]
    assert [each["id"] for each in pending(tablet, worker_id=LP.id)] == [his]
    page = tablet.see(RECLAMOS, limit=3)
    rest = tablet.see(RECLAMOS, limit=3, cursor=page["next_cursor"])
    assert [len(page["reclamos"]), len(rest["reclamos"])] == [3, 2]
    assert (page["total"], rest["next_cursor"]) == (5, None)
    for each in ids[:2]:
        done(resolver(tablet, each, dia=hoy()))
    solved = tablet.see(RECLAMOS, estado="resuelto", limit=1)
    assert ([each["id"] for each in solved["reclamos"]], solved["total"]) == ([ids[1]], 2)
    older = tablet.see(RECLAMOS, estado="resuelto", cursor=solved["next_cursor"])
    assert [each["id"] for each in older["reclamos"]] == [ids[0]]
    assert older["reclamos"][0]["resolucion"]["por"] == "SV(21)"


def test_without_identity_a_notice_needs_its_person(tablet: Tablet) -> None:
    invalid(tablet.get(f"{RECLAMOS}/avisos"), "worker_id")


def test_the_worker_is_told_until_they_have_seen_it(tablet: Tablet, ledger: Database) -> None:
    reclamo = taken_by_another(tablet, ledger)
    avisos = f"{RECLAMOS}/avisos"
    assert tablet.see(avisos, worker_id=MR.id)["avisos"] == []
    accepted(tablet, reclamo, ("ARM", 1), ("ARM", 2), dia=hoy())
    (notice,) = tablet.see(avisos, worker_id=MR.id)["avisos"]
    assert [(each["n_union"], each["aceptado"]) for each in notice["trabajo"]] == [(1, True), (2, True), (3, False)]
    resolution = notice["resolucion"]
    assert (resolution["motivo"], resolution["dia"], resolution["pulgadas"]) == ("Visto en el taller", hoy(), 3.625)
    assert tablet.see(avisos, worker_id=LP.id)["avisos"] == []
    assert done(tablet.post(VISTO, {"worker_id": LP.id, "ids": [reclamo]}))["vistos"] == 0
    assert done(tablet.post(VISTO, {"worker_id": MR.id, "ids": [reclamo, "no-hay"]}))["vistos"] == 1
    assert tablet.see(avisos, worker_id=MR.id)["avisos"] == []
    invalid(tablet.post(VISTO, {"worker_id": MR.id, "ids": ["a\0"]}), "ids.0")
    invalid(claim(tablet, "a\0", paso("COMPLETAR")), "clave")


@pytest.mark.parametrize(
    ("changes", "campo"),
    [
        ({"dia": "ayer"}, "dia"),
        ({"dia": None}, "dia"),
        ({"motivo": ""}, "motivo"),
        ({"motivo": "x" * 501}, "motivo"),
        ({"aceptar": [{"operacion": "METROLOGIA"}]}, "aceptar.0.operacion"),
        ({"aceptar": [{"n_union": 1}]}, "aceptar.0.operacion"),
        ({"aceptar": None}, "aceptar"),
        ({"otro": 1}, "otro"),
    ],
)
def test_a_decision_that_makes_no_sense_is_not_valid(
    tablet: Tablet, ledger: Database, changes: dict[str, Any], campo: str
) -> None:
    reclamo = taken_by_another(tablet, ledger)
    body = {"supervisor_id": SV.id, "aceptar": [], "dia": hoy(), "motivo": "No", **changes}
    invalid(tablet.post(f"{RECLAMOS}/{reclamo}/resolver", body), campo)
    assert len(pending(tablet)) == 1
