"""Chains: what a worker tapped on one spool without a connection is done as a whole, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from carrete.domain.spool import Estado, Metrologia, Operacion
from carrete.ledger.database import Database
from carrete.ledger.queries import joints_of
from tests.support.answers import done, invalid, refused, replayed
from tests.support.builders import (
    NOW,
    TAG,
    a_blocked_spool,
    a_joint,
    a_rejected_spool,
    a_spool,
    an_armed_spool,
    events_in,
    every_event,
    held,
    put,
    spool_in,
)
from tests.support.people import AY, IN, JS, LP, MI, MR, UNKNOWN_ID
from tests.support.reclamos import CADENA, cadena, paso
from tests.support.tablet import Tablet

ARMED: dict[str, Any] = {"arm_fin": NOW, "arm_worker": "LP(7)"}


def everything(ledger: Database) -> tuple[Any, ...]:
    with ledger.reading() as tx:
        return tx.all("spools_all"), tx.all("joints_all"), every_event(tx), tx.all("outbox_length")


def reclamos(ledger: Database) -> int:
    with ledger.reading() as tx:
        return tx.count("reclamos_waiting_count", worker_id=-1)


def three_joints(ledger: Database) -> None:
    put(ledger, [a_spool(total_uniones=3)], joints=[a_joint(n, dn_milli=n * 1_125) for n in (1, 2, 3)])


def test_a_take_and_its_ending_leave_the_events_of_the_single_taps(tablet: Tablet, ledger: Database) -> None:
    three_joints(ledger)
    answer = done(cadena(tablet, paso("INICIAR"), paso("FINALIZAR", "ARM", 1, 3)))
    assert (answer["action_taken"], answer["ocupado_por"], answer["unions_processed"]) == ("PAUSAR", None, 2)
    assert (answer["pulgadas"], answer["metrologia_triggered"]) == (4.5, False)
    assert tablet.see_events() == ["INICIAR_SPOOL", *["UNION_ARM_REGISTRADA"] * 2, "SPOOL_ARM_PAUSADO"]
    stored = events_in(ledger, TAG)
    assert {each.event.worker for each in stored} == {"MR(93)"}
    assert [(p["paso"], p["accion"], p["action_taken"], p["event_seq"]) for p in answer["pasos"]] == [
        (1, "INICIAR", "INICIAR", stored[0].seq),
        (2, "FINALIZAR", "PAUSAR", stored[-1].seq),
    ]
    assert answer["event_seq"] == stored[-1].seq
    assert [each.ocupado_por for each in stored] == ["MR(93)", None, None, None]
    spool = spool_in(ledger)
    assert (spool.occupation, spool.arm, spool.version) == (None, Estado.PAUSADO, answer["version"])


def test_an_occupation_that_is_still_open_at_the_end_is_the_workers(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    answer = done(cadena(tablet, paso("TOMAR"), paso("PAUSAR"), paso("TOMAR")))
    assert (answer["ocupado_por"], answer["action_taken"]) == ("MR(93)", "TOMAR")
    held_now = spool_in(ledger).occupation
    assert held_now is not None
    assert held_now.worker_id == MR.id
    done(tablet.tap("COMPLETAR"))


def test_a_helper_fits_and_welds_a_whole_spool_offline(tablet: Tablet, ledger: Database) -> None:
    """Each step sees the result of the one before: joints are welded that an earlier step has fitted."""
    three_joints(ledger)
    steps = [paso("INICIAR"), paso("FINALIZAR", "ARM", 1, 2, 3), paso("INICIAR", "SOLD")]
    answer = done(cadena(tablet, *steps, paso("FINALIZAR", "SOLD", 3, 2, 1), worker=AY))
    assert (answer["action_taken"], answer["metrologia_triggered"], answer["pulgadas"]) == ("COMPLETAR", True, 6.75)
    spool = spool_in(ledger)
    assert (spool.metrologia, spool.counts.milli_armed, spool.counts.milli_welded) == (
        Metrologia.EN_COLA,
        6_750,
        6_750,
    )
    with ledger.reading() as tx:
        assert all(joint.armed and joint.welded and joint.sol_worker == AY.label for joint in joints_of(tx, TAG))


def test_v30_steps_and_a_repair_go_as_chains_too(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool("ENTERO"), a_rejected_spool("RECHAZADO")])
    steps = [paso("TOMAR"), paso("CANCELAR"), paso("TOMAR"), paso("COMPLETAR")]
    assert done(cadena(tablet, *steps, tag="ENTERO"))["action_taken"] == "COMPLETAR"
    assert spool_in(ledger, "ENTERO").arm is Estado.COMPLETADO
    repair = [paso("TOMAR", "REPARACION"), paso("PAUSAR", "REPARACION"), paso("TOMAR", "REPARACION")]
    done(cadena(tablet, *repair, paso("COMPLETAR", "REPARACION"), tag="RECHAZADO"))
    assert spool_in(ledger, "RECHAZADO").metrologia is Metrologia.EN_COLA


def test_taking_what_one_holds_already_is_a_step_without_an_event(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    first = done(tablet.tap("TOMAR"))
    again = done(cadena(tablet, paso("TOMAR")))
    assert (again["event_seq"], again["version"]) == (first["event_seq"], first["version"])
    put(ledger, [a_spool("OTRO")])
    assert done(cadena(tablet, paso("TOMAR"), paso("TOMAR"), tag="OTRO"))["version"] == spool_in(ledger, "OTRO").version
    both = done(cadena(tablet, paso("TOMAR"), paso("PAUSAR")))
    assert [each["event_seq"] for each in both["pasos"]] == [first["event_seq"], both["event_seq"]]
    assert tablet.see_events() == ["TOMAR_SPOOL", "PAUSAR_SPOOL"]


def test_a_chain_whose_ending_is_refused_leaves_no_take_behind(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(total_uniones=2)], joints=[a_joint(1), a_joint(2, **ARMED)])
    before = everything(ledger)
    problem = refused(
        cadena(tablet, paso("INICIAR"), paso("FINALIZAR", "ARM", 1, 2)), 400, "UNION_NO_DISPONIBLE", unions=[2], paso=2
    )
    assert everything(ledger) == before
    assert problem["reclamo"]
    assert reclamos(ledger) == 1


def test_a_chain_on_a_spool_that_another_took_meanwhile_is_refused_at_its_first_step(
    tablet: Tablet, ledger: Database
) -> None:
    put(ledger, [held(a_spool(), LP)])
    problem = refused(cadena(tablet, paso("TOMAR"), paso("COMPLETAR")), 409, "SPOOL_OCCUPIED", owner="LP(7)", paso=1)
    assert problem["reclamo"]
    assert spool_in(ledger).occupation is not None


def test_without_work_in_it_a_refused_chain_makes_no_reclamo(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool("TOMADO"), LP), held(a_spool("POR-UNION", total_uniones=1), LP)])
    for tag, steps in {
        "TOMADO": [paso("TOMAR"), paso("PAUSAR"), paso("TOMAR"), paso("CANCELAR")],
        "POR-UNION": [paso("INICIAR"), paso("FINALIZAR", "ARM")],
    }.items():
        refused(cadena(tablet, *steps, tag=tag), 409, "SPOOL_OCCUPIED", paso=1, reclamo=None)
    assert reclamos(ledger) == 0


@pytest.mark.parametrize("refusal", ["ok", "refused"])
def test_the_same_key_gives_the_same_answer_and_one_reclamo(tablet: Tablet, ledger: Database, refusal: str) -> None:
    put(ledger, [a_spool() if refusal == "ok" else held(a_spool(), LP)])
    first = cadena(tablet, paso("TOMAR"), paso("COMPLETAR"), key="k")
    before = everything(ledger)
    again = cadena(tablet, paso("TOMAR"), paso("COMPLETAR"), key="k")
    assert replayed(again)
    assert (first.status_code, first.json()) == (again.status_code, again.json())
    assert everything(ledger) == before
    assert reclamos(ledger) == (0 if refusal == "ok" else 1)
    refused(cadena(tablet, paso("TOMAR"), key="k"), 422, "IDEMPOTENCY_KEY_REUSED")


def test_a_long_chain_is_answered_the_same_after_its_answer_was_packed(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    steps = [paso("TOMAR"), paso("PAUSAR")] * 10
    first = cadena(tablet, *steps, key="k")
    assert len(done(first)["pasos"]) == 20
    again = cadena(tablet, *steps, key="k")
    assert replayed(again)
    assert again.json() == first.json()


@pytest.mark.parametrize(
    ("spool", "worker", "steps", "status", "code"),
    [
        (a_spool(), JS, [paso("TOMAR"), paso("COMPLETAR")], 403, "ROL_NO_AUTORIZADO"),
        (a_spool(), IN, [paso("TOMAR"), paso("COMPLETAR")], 403, "WORKER_INACTIVO"),
        (a_spool(), MR, [paso("INICIAR"), paso("FINALIZAR", "ARM", 1)], 409, "WRONG_VERSION"),
        (a_spool(total_uniones=1), MR, [paso("TOMAR"), paso("COMPLETAR")], 409, "WRONG_VERSION"),
        (a_blocked_spool(), MR, [paso("TOMAR"), paso("COMPLETAR")], 403, "SPOOL_BLOQUEADO"),
        (an_armed_spool(), MR, [paso("TOMAR"), paso("COMPLETAR")], 400, "OPERACION_YA_COMPLETADA"),
        (a_spool(), MR, [paso("COMPLETAR")], 400, "OPERACION_NO_INICIADA"),
        (a_spool(), MR, [paso("TOMAR", "SOLD"), paso("COMPLETAR", "SOLD")], 400, "DEPENDENCIAS_NO_SATISFECHAS"),
        (a_spool("OTRO"), MR, [paso("TOMAR"), paso("COMPLETAR")], 404, "SPOOL_NO_ENCONTRADO"),
    ],
)
def test_work_that_is_refused_for_any_reason_becomes_a_reclamo(
    tablet: Tablet, ledger: Database, spool: Any, worker: Any, steps: list[Any], status: int, code: str
) -> None:
    put(ledger, [spool])
    problem = refused(cadena(tablet, *steps, worker=worker), status, code)
    assert problem["reclamo"]
    assert reclamos(ledger) == 1


def test_a_chain_of_an_unknown_worker_makes_no_reclamo(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    body = {"tag_spool": TAG, "worker_id": UNKNOWN_ID, "pasos": [paso("TOMAR"), paso("COMPLETAR")]}
    refused(tablet.post(CADENA, body), 404, "WORKER_NO_ENCONTRADO", paso=1, reclamo=None)
    assert reclamos(ledger) == 0


def test_the_version_that_the_tablet_saw_is_about_the_first_step(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    version = spool_in(ledger).version
    steps = [paso("TOMAR"), paso("PAUSAR")]
    body = {"tag_spool": TAG, "worker_id": MR.id, "pasos": steps}
    done(tablet.post(CADENA, {**body, "version": version}))
    refused(tablet.post(CADENA, {**body, "version": version}), 409, "VERSION_CONFLICT", paso=1, reclamo=None)


def test_each_steps_own_time_is_in_its_events(tablet: Tablet, ledger: Database) -> None:
    three_joints(ledger)
    first, last = "2026-11-16T08:02:11.123-03:00", "2026-11-16T12:30:00Z"
    done(cadena(tablet, paso("INICIAR", hecho_en=first), paso("FINALIZAR", "ARM", 1, hecho_en=last)))
    assert [each.event.metadata.get("hecho_en") for each in events_in(ledger, TAG)] == [
        "2026-11-16T11:02:11+00:00",
        *["2026-11-16T12:30:00+00:00"] * 2,
    ]
    done(cadena(tablet, paso("INICIAR", hecho_en="a las ocho"), paso("FINALIZAR", "ARM", 2)))
    assert "hecho_en" not in events_in(ledger, TAG)[-1].event.metadata


@pytest.mark.parametrize(
    ("steps", "campo"),
    [
        ([], "pasos"),
        ([paso("TOMAR")] * 21, "pasos"),
        ([{"accion": "TOMAR"}], "pasos.0.operacion"),
        ([paso("LIBERAR")], "pasos.0.accion"),
        ([paso("TOMAR", "METROLOGIA")], "pasos.0.operacion"),
        ([paso("TOMAR", uniones=[1])], "pasos.0"),
        ([{"accion": "FINALIZAR", "operacion": "ARM"}], "pasos.0"),
        ([paso("INICIAR", "REPARACION")], "pasos.0"),
        ([paso("FINALIZAR", "ARM", *range(1_001))], "pasos.0.uniones"),
        ([paso("TOMAR", cuando="ayer")], "pasos.0.cuando"),
        ([paso("TOMAR", hecho_en=1)], "pasos.0.hecho_en"),
    ],
)
def test_a_chain_that_makes_no_sense_is_not_valid(
    tablet: Tablet, ledger: Database, steps: list[Any], campo: str
) -> None:
    put(ledger, [a_spool()])
    invalid(cadena(tablet, *steps), campo)
    assert tablet.see_events() == []


def test_an_inspector_has_nothing_to_do_in_a_chain(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    refused(cadena(tablet, paso("TOMAR"), worker=MI), 403, "ROL_NO_AUTORIZADO", roles=["Armador", "Ayudante"])
    assert not spool_in(ledger).held_by(MI.id, Operacion.ARM)
