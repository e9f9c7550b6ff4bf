"""The v4.0 workflow over HTTP: INICIAR, FINALIZAR, what can be ticked, what adds up, and every refusal."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from carrete.domain.joints import Joint
from carrete.domain.spool import Estado, Metrologia, Operacion, Spool
from carrete.domain.workers import Worker
from carrete.ledger.database import Database
from carrete.ledger.queries import joints_of
from carrete.settings import Settings
from tests.support.answers import done, invalid, just_now, refused, replayed
from tests.support.builders import (
    EARLIER,
    NOW,
    TAG,
    a_blocked_spool,
    a_finished_spool,
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
from tests.support.by_joint import begin, finish, metrics, ten_joints, to_tick
from tests.support.people import AY, IN, JS, LP, MI, MR, UNKNOWN_ID
from tests.support.tablet import Tablet, in_path, tablet_in_process

ARMED: dict[str, Any] = {"arm_inicio": EARLIER, "arm_fin": EARLIER, "arm_worker": "LP(7)"}
WELDED: dict[str, Any] = {**ARMED, "sol_inicio": EARLIER, "sol_fin": EARLIER, "sol_worker": "JS(8)"}
OTHER = "MK-1335-CW-25238-012"


def joints_in(ledger: Database, tag: str = TAG) -> list[Joint]:
    with ledger.reading() as tx:
        return joints_of(tx, tag)


def everything(ledger: Database) -> tuple[Any, ...]:
    """Everything that a refused call must leave unchanged."""
    with ledger.reading() as tx:
        return tx.all("spools_all"), tx.all("joints_all"), every_event(tx), tx.all("outbox_length")


# ─── ten joints, one of them FW ───────────────────────────────────────────────────────────────────────────────


def test_ten_joints_one_of_them_fw_from_the_first_to_inspection(tablet: Tablet, ledger: Database) -> None:
    """Next to it stands a spool of the same OT with the same joint numbers, which must stay untouched."""
    put(
        ledger,
        [a_spool(total_uniones=10), a_spool(OTHER, total_uniones=10)],
        joints=[*ten_joints(), *ten_joints(OTHER)],
    )
    untouched = joints_in(ledger, OTHER)

    done(begin(tablet, worker_id=LP.id))
    body = done(finish(tablet, range(1, 8), worker_id=LP.id))
    assert (body["action_taken"], body["unions_processed"], body["pulgadas"]) == ("PAUSAR", 7, 9.1)
    assert body["estado_detalle"] == "Disponible - ARM pausado, SOLD pendiente"
    assert metrics(tablet) == (7, 0, 9.1, 0)

    assert to_tick(tablet, operacion="SOLD") == [1, 2, 3, 4, 5, 6]
    done(begin(tablet, worker_id=JS.id, operacion="SOLD"))
    body = done(finish(tablet, range(1, 7), worker_id=JS.id, operacion="SOLD"))
    assert (body["action_taken"], body["pulgadas"], body["metrologia_triggered"]) == ("PAUSAR", 8.8, False)
    assert metrics(tablet) == (7, 6, 9.1, 8.8)
    refused(begin(tablet, worker_id=JS.id, operacion="SOLD"), 400, "DEPENDENCIAS_NO_SATISFECHAS", falta="ARM")

    done(begin(tablet, worker_id=AY.id))
    body = done(finish(tablet, [8, 9, 10], worker_id=AY.id))
    assert (body["action_taken"], body["pulgadas"], body["metrologia_triggered"]) == ("COMPLETAR", 18.5, False)
    assert metrics(tablet) == (10, 6, 27.6, 8.8)

    done(begin(tablet, worker_id=MR.id, operacion="SOLD"))
    body = done(finish(tablet, [8, 9, 10], worker_id=MR.id, operacion="SOLD"))
    assert (body["action_taken"], body["pulgadas"], body["metrologia_triggered"]) == ("COMPLETAR", 18.5, True)
    assert body["estado_detalle"] == "En Cola Metrología"
    assert metrics(tablet) == (10, 9, 27.6, 27.3)

    card = tablet.see_spool()
    assert (card["arm"], card["sold"], card["metrologia"]) == ("COMPLETADO", "COMPLETADO", "EN_COLA")
    assert (card["armador"], card["soldador"], card["inconsistencias"]) == (AY.label, "MR(93)", [])
    assert card["fecha_armado"] == card["fecha_soldadura"] is not None
    assert Counter(tablet.see_events()) == {
        **{"INICIAR_SPOOL": 4, "UNION_ARM_REGISTRADA": 10, "UNION_SOLD_REGISTRADA": 9},
        **{"SPOOL_ARM_PAUSADO": 1, "SPOOL_SOLD_PAUSADO": 1, "SPOOL_ARM_COMPLETADO": 1, "SPOOL_SOLD_COMPLETADO": 1},
        "METROLOGIA_AUTO_TRIGGERED": 1,
    }
    assert tablet.see_list(accion="INSPECCIONAR") == [TAG]
    assert joints_in(ledger, OTHER) == untouched
    assert (metrics(tablet, OTHER), tablet.see_events(OTHER)) == ((0, 0, 0, 0), [])


def test_the_answers_say_everything_the_contract_promises(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(total_uniones=2)], joints=[a_joint(1, dn_milli=375), a_joint(2)])
    taken = done(begin(tablet))
    assert just_now(taken.pop("fecha_ocupacion"))
    assert taken.pop("recibo")["seq"] == taken["event_seq"]
    assert taken == {
        **{"success": True, "tag_spool": TAG, "operacion": "ARM", "action_taken": "INICIAR", "ocupado_por": "MR(93)"},
        "message": f"MR(93) tiene el spool {TAG} para ARM.",
        "estado_detalle": "MR(93) trabajando ARM (ARM en progreso, SOLD pendiente)",
        "version": spool_in(ledger).version,
        "event_seq": events_in(ledger)[-1].seq,
    }
    assert all(not joint.armed for joint in joints_in(ledger)), "INICIAR touches no joint"
    answer = finish(tablet, [1])
    finished = done(answer)
    assert finished.pop("recibo")["seq"] == finished["event_seq"]
    assert finished == {
        **{"success": True, "tag_spool": TAG, "operacion": "ARM", "action_taken": "PAUSAR", "ocupado_por": None},
        "fecha_ocupacion": None,
        "message": f"1 unión, 0.375 pulgadas. ARM en pausa en el spool {TAG}.",
        "estado_detalle": "Disponible - ARM pausado, SOLD pendiente",
        "version": spool_in(ledger).version,
        "event_seq": events_in(ledger)[-1].seq,
        **{"unions_processed": 1, "pulgadas": 0.375, "metrologia_triggered": False},
    }
    assert '"pulgadas":0.375' in answer.text, "a JSON number, exact to three places"


def test_each_joint_is_dated_from_the_take_to_now_and_has_a_token_of_its_own(tablet: Tablet, ledger: Database) -> None:
    before = [a_joint(n) for n in (1, 2, 3)]
    put(ledger, [held(a_spool(total_uniones=3), MR)], joints=before)
    done(finish(tablet, [1, 3]))
    one, two, three = joints_in(ledger)
    assert two == before[1]
    assert (one.arm_inicio, one.arm_worker, three.arm_worker) == (EARLIER, "MR(93)", "MR(93)")
    assert one.arm_fin == three.arm_fin is not None
    assert len({joint.version for joint in (*before, one, three)}) == 5


def test_the_history_has_a_session_for_each_stretch_with_its_inches(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(total_uniones=3)], joints=[a_joint(n, dn_milli=100 * n) for n in (1, 2, 3)])
    for unions in ([1, 2], [], [3]):
        done(begin(tablet))
        done(finish(tablet, unions))
    history = tablet.see_history()
    shown = [(s["worker"], s["operacion"], s["resultado"], s["pulgadas"]) for s in history["sessions"]]
    assert shown == [
        ("MR(93)", "ARM", "PAUSADO", 0.3),
        ("MR(93)", "ARM", "CANCELADO", 0),
        ("MR(93)", "ARM", "COMPLETADO", 0.3),
    ]
    joints = [(e["n_union"], e["metadata"]) for e in history["events"] if e["evento_tipo"] == "UNION_ARM_REGISTRADA"]
    assert joints == [(n, {"dn_union": n / 10, "tipo_union": "BW"}) for n in (1, 2, 3)]


def test_nothing_ticked_frees_the_spool_as_it_was(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(total_uniones=3)], joints=[a_joint(n) for n in (1, 2, 3)])
    before = replace(spool_in(ledger), version="")
    done(begin(tablet))
    body = done(finish(tablet, []))
    assert (body["action_taken"], body["unions_processed"], body["pulgadas"]) == ("CANCELADO", 0, 0)
    assert (body["ocupado_por"], body["metrologia_triggered"]) == (None, False)
    assert tablet.see_events() == ["INICIAR_SPOOL", "SPOOL_CANCELADO"]
    assert replace(spool_in(ledger), version="") == before


def test_a_second_tap_of_iniciar_succeeds_and_writes_nothing(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(total_uniones=3)], joints=[a_joint(1)])
    first, second = done(begin(tablet)), done(begin(tablet))
    assert first == second
    assert tablet.see_events() == ["INICIAR_SPOOL"]


def test_all_joints_fw_go_to_inspection_with_the_last_one_armed(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(total_uniones=2)], joints=[a_joint(1, tipo="FW"), a_joint(2, tipo="fw")])
    for n in (1, 2):
        done(begin(tablet))
        body = done(finish(tablet, [n]))
    assert (body["action_taken"], body["metrologia_triggered"]) == ("COMPLETAR", True)
    assert tablet.see_events().count("METROLOGIA_AUTO_TRIGGERED") == 1
    assert (tablet.see_spool()["sold"], metrics(tablet)) == ("COMPLETADO", (2, 0, 8, 0))


def test_the_same_key_finishes_once_and_another_body_under_it_is_refused(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(total_uniones=3), MR)], joints=[a_joint(n) for n in (1, 2, 3)])
    first = finish(tablet, [1], key="tap")
    again = finish(tablet, [1], key="tap")
    assert (again.content, replayed(first), replayed(again)) == (first.content, False, True)
    refused(finish(tablet, [2], key="tap"), 422, "IDEMPOTENCY_KEY_REUSED")
    assert metrics(tablet)[0] == 1


def test_a_refusal_is_final_under_its_key(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(total_uniones=3)], joints=[a_joint(1)])
    refused(finish(tablet, [1], key="early"), 400, "OPERACION_NO_INICIADA")
    done(begin(tablet))
    answer = finish(tablet, [1], key="early")
    refused(answer, 400, "OPERACION_NO_INICIADA")
    assert replayed(answer)
    assert metrics(tablet)[0] == 0


# ─── what is refused, and leaves nothing behind ───────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("operacion", "unions", "named"),
    [
        ("ARM", [1, 99], [99]),
        ("ARM", [1, 1], [1]),
        ("ARM", [1, 2], [2]),
        ("ARM", [6], [6]),
        ("ARM", [1, 7], [7]),
        ("SOLD", [2, 1], [1]),
        ("SOLD", [2, 3], [3]),
        ("SOLD", [2, 4], [4]),
        ("SOLD", [2, 2, 0, -5], [-5, 0, 2]),
    ],
    ids=[
        *("unknown", "repeated", "done", "retired", "of another spool"),
        *("not armed", "welded already", "only armed, never welded", "all at once"),
    ],
)
def test_what_cannot_be_ticked_is_named_and_nothing_is_written(
    tablet: Tablet, ledger: Database, operacion: str, unions: list[int], named: list[int]
) -> None:
    joints = [
        *(a_joint(1), a_joint(2, **ARMED), a_joint(3, **WELDED), a_joint(4, tipo="FW", **ARMED), a_joint(5, **ARMED)),
        *(a_joint(6, retired=True), a_joint(7, OTHER), a_joint(2, OTHER)),
    ]
    spool = a_spool(total_uniones=5, arm=Estado.PAUSADO, sold=Estado.PAUSADO)
    put(ledger, [held(spool, MR, Operacion(operacion)), a_spool(OTHER, total_uniones=2)], joints=joints)
    before = everything(ledger)
    problem = refused(finish(tablet, unions, operacion=operacion), 400, "UNION_NO_DISPONIBLE", unions=named)
    assert all(str(n) in problem["detail"] for n in named)
    assert everything(ledger) == before
    done(finish(tablet, [1] if operacion == "ARM" else [2], operacion=operacion))


def test_what_is_no_selection_is_not_valid(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(total_uniones=1), MR)], joints=[a_joint(1)])
    for wrong in (None, 1, "1", ["1"], [1.5], [True], [None], [2**31], list(range(1_001))):
        body = {"tag_spool": TAG, "worker_id": 93, "operacion": "ARM", "selected_unions": wrong}
        answer = tablet.post("/api/v4/occupation/finalizar", body)
        problem = refused(answer, 422, "DATOS_INVALIDOS")
        assert problem["errors"][0]["campo"].startswith("selected_unions")
    body = {"tag_spool": TAG, "worker_id": 93, "operacion": "ARM"}
    invalid(tablet.post("/api/v4/occupation/finalizar", body), "selected_unions")
    for operacion in ("REPARACION", "METROLOGIA", "arm"):
        invalid(begin(tablet, operacion=operacion), "operacion")
        invalid(finish(tablet, [], operacion=operacion), "operacion")
        invalid(tablet.get(f"/api/v4/uniones/{TAG}/disponibles", operacion=operacion), "operacion")
    invalid(begin(tablet, selected_unions=[1]), "selected_unions")
    done(begin(tablet, worker_nombre="from an old client"))


def test_the_first_check_that_fails_is_the_answer(tablet: Tablet, ledger: Database) -> None:
    """Rule 12: each step repairs the first fault, and the answer names the next one."""
    put(ledger, workers=[gone := a_worker(67, "Gabriel", "Osses", roles=(), activo=False)])
    whole = held(a_blocked_spool("WHOLE", fecha_materiales=None), MR, Operacion.REPARACION)
    blocked = held(a_blocked_spool("BLOCKED", total_uniones=4, fecha_materiales=None), MR, Operacion.REPARACION)
    put(ledger, [whole, blocked, held(a_spool("HELD", total_uniones=4, fecha_materiales=None), LP), a_spool("FREE")])
    old: dict[str, Any] = {"version": "an older token"}
    for call, last in ((begin, "SPOOL_OCCUPIED"), (lambda *a, **b: finish(a[0], [99], *a[1:], **b), "NO_AUTORIZADO")):
        refused(call(tablet, "NO-HAY", UNKNOWN_ID, **old), 404, "WORKER_NO_ENCONTRADO", worker_id=UNKNOWN_ID)
        refused(call(tablet, "NO-HAY", gone.id, **old), 404, "SPOOL_NO_ENCONTRADO", tag_spool="NO-HAY")
        refused(call(tablet, "WHOLE", gone.id, **old), 403, "WORKER_INACTIVO", worker_id=gone.id)
        refused(call(tablet, "WHOLE", MI.id, **old), 403, "ROL_NO_AUTORIZADO", roles=["Armador", "Ayudante"])
        refused(call(tablet, "WHOLE", **old), 409, "WRONG_VERSION")
        refused(call(tablet, "BLOCKED", **old), 403, "SPOOL_BLOQUEADO")
        refused(call(tablet, "HELD", **old), 409 if last == "SPOOL_OCCUPIED" else 403, last, owner="LP(7)")
    put(ledger, [a_spool("NEXT", total_uniones=4, fecha_materiales=None)], joints=[a_joint(1, "NEXT")])
    refused(finish(tablet, [99], "NEXT", **old), 400, "OPERACION_NO_INICIADA")
    refused(begin(tablet, "NEXT", **old), 409, "VERSION_CONFLICT", current=spool_in(ledger, "NEXT").version)
    refused(begin(tablet, "NEXT"), 400, "DEPENDENCIAS_NO_SATISFECHAS", falta="Fecha_Materiales")
    put(ledger, [held(a_spool("MINE", total_uniones=4), MR)], joints=[a_joint(1, "MINE")])
    refused(finish(tablet, [99], "MINE", operacion="SOLD", **old), 400, "OPERACION_NO_INICIADA")
    answer = finish(tablet, [99], "MINE", **old)
    refused(answer, 409, "VERSION_CONFLICT")
    assert int(answer.headers["retry-after"]) >= 1
    refused(finish(tablet, [99], "MINE"), 400, "UNION_NO_DISPONIBLE", unions=[99])
    done(finish(tablet, [1], "MINE", version=spool_in(ledger, "MINE").version))


def test_what_is_complete_is_not_begun_again(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_finished_spool(total_uniones=1)], joints=[a_joint(1, **WELDED)])
    for operacion in ("ARM", "SOLD"):
        refused(begin(tablet, operacion=operacion), 400, "OPERACION_YA_COMPLETADA")


def test_a_retired_spool_is_not_begun_but_its_holder_may_finish(tablet: Tablet, ledger: Database) -> None:
    gone = replace(held(a_spool("HELD", total_uniones=1), MR), retired=True)
    put(ledger, [a_spool(total_uniones=1, retired=True), gone], joints=[a_joint(1, "HELD")])
    refused(begin(tablet), 404, "SPOOL_NO_ENCONTRADO")
    assert done(finish(tablet, [1], "HELD"))["action_taken"] == "COMPLETAR"


def test_each_workflow_names_the_right_call_of_the_other(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool("V4", total_uniones=10), a_spool("V3"), a_spool("ZERO", total_uniones=0)])
    put(ledger, [a_spool("TEXT", total_uniones_text="diez")], joints=[a_joint(1, "V3")])
    for tag in ("V3", "ZERO", "TEXT"):
        facts: dict[str, Any] = {"version_workflow": "v3.0", "union_count": 0}
        refused(begin(tablet, tag), 409, "WRONG_VERSION", **facts, use="/api/occupation/tomar")
        refused(finish(tablet, [1], tag), 409, "WRONG_VERSION", **facts, use="/api/occupation/completar")
    facts = {"version_workflow": "v4.0", "union_count": 10}
    refused(tablet.tap("TOMAR", "V4"), 409, "WRONG_VERSION", **facts, use="/api/v4/occupation/iniciar")
    for accion in ("PAUSAR", "COMPLETAR", "CANCELAR"):
        refused(tablet.tap(accion, "V4"), 409, "WRONG_VERSION", **facts, use="/api/v4/occupation/finalizar")
    assert everything(ledger)[2] == []


# ─── lists ────────────────────────────────────────────────────────────────────────────────────────────────────


def every_stage() -> tuple[list[Spool], list[Joint]]:
    """Spools of both workflows, free and held, with nothing, something or everything armed and welded."""
    stages: dict[str, tuple[Spool, list[Joint]]] = {
        "NEW": (a_spool(), [a_joint(1), a_joint(2)]),
        "NO-MATERIAL": (a_spool(fecha_materiales=None), [a_joint(1, **ARMED), a_joint(2)]),
        "BEGUN": (a_spool(arm=Estado.PAUSADO), [a_joint(1, **ARMED), a_joint(2)]),
        "FW-ARMED": (a_spool(arm=Estado.PAUSADO), [a_joint(1, tipo="FW", **ARMED), a_joint(2)]),
        "ARMED": (an_armed_spool(), [a_joint(1, **ARMED), a_joint(2, **WELDED)]),
        "QUEUED": (a_finished_spool(), [a_joint(1, **WELDED), a_joint(2, **WELDED)]),
        "REJECTED": (a_rejected_spool(), [a_joint(1, **WELDED), a_joint(2, **WELDED)]),
        "BLOCKED": (a_blocked_spool(), [a_joint(1, **WELDED), a_joint(2)]),
        "RETIRED": (a_spool(retired=True), [a_joint(1), a_joint(2)]),
        "H-ARM": (held(a_spool(total_uniones=2), MR), [a_joint(1), a_joint(2)]),
        "H-ARM-LP": (held(a_spool(total_uniones=2), LP), [a_joint(1), a_joint(2)]),
        "H-SOLD": (held(a_spool(total_uniones=2), MR, Operacion.SOLD), [a_joint(1, **ARMED), a_joint(2)]),
        "H-NO-ROLE": (held(a_spool(total_uniones=2), JS), [a_joint(1), a_joint(2)]),
        "H-GONE": (replace(held(a_spool(total_uniones=2), MR), retired=True), [a_joint(1)]),
    }
    spools = [replace(spool, tag=tag, total_uniones=2) for tag, (spool, _) in stages.items()]
    joints = [replace(joint, tag=tag) for tag, (_, rows) in stages.items() for joint in rows]
    return [*spools, a_spool("V3"), held(a_spool("V3-HELD"), MR)], joints


@pytest.mark.parametrize("worker", [MR, LP, JS, AY, MI, IN], ids=lambda worker: worker.label)
@pytest.mark.parametrize("operacion", ["ARM", "SOLD"])
def test_the_lists_show_exactly_the_spools_on_which_the_action_succeeds(
    tablet: Tablet, ledger: Database, operacion: str, worker: Worker
) -> None:
    spools, joints = every_stage()
    put(ledger, spools, joints=joints)
    for accion in ("INICIAR", "FINALIZAR"):
        query: dict[str, Any] = {"accion": accion, "operacion": operacion, "worker_id": worker.id}
        listed = set(tablet.see_list(**query))
        succeeded = set()
        for spool in spools:
            free_before = spool.occupation is None
            answer = (
                begin(tablet, spool.tag, worker.id, operacion)
                if accion == "INICIAR"
                else finish(tablet, [], spool.tag, worker.id, operacion)
            )
            if answer.status_code == 200 and (accion == "FINALIZAR" or free_before):
                succeeded.add(spool.tag)
                if accion == "INICIAR":
                    done(finish(tablet, [], spool.tag, worker.id, operacion))
        assert listed == succeeded, accion


# ─── what can be ticked, what adds up, which workflow ─────────────────────────────────────────────────────────


def test_a_joint_without_a_diameter_is_listed_says_so_and_counts_nothing(tablet: Tablet, ledger: Database) -> None:
    joints = [a_joint(1, dn_milli=375), a_joint(2, dn_milli=None), a_joint(3, dn_milli=None, dn_text="s/i", tipo="??")]
    put(ledger, [a_spool(total_uniones=3)], joints=joints)
    body = tablet.see(f"/api/v4/uniones/{TAG}/disponibles", operacion="ARM")
    assert body == {
        "unions": [
            {"n_union": 1, "dn_union": 0.375, "tipo_union": "BW"},
            {
                **{"n_union": 2, "dn_union": None, "tipo_union": "BW"},
                "datos_incompletos": "Falta DN_UNION; cuenta 0 pulgadas.",
            },
            {
                **{"n_union": 3, "dn_union": None, "tipo_union": "??"},
                "datos_incompletos": "DN_UNION no es un diámetro: «s/i»; cuenta 0 pulgadas.",
            },
        ],
        "count": 3,
    }
    done(begin(tablet))
    assert done(finish(tablet, [1, 2, 3]))["pulgadas"] == 0.375
    assert to_tick(tablet, operacion="SOLD") == [1, 2, 3], "a type nobody has heard of needs welding"
    done(begin(tablet, operacion="SOLD"))
    assert done(finish(tablet, [2, 3], operacion="SOLD"))["pulgadas"] == 0
    assert metrics(tablet) == (3, 2, 0.375, 0)


def test_many_small_diameters_add_up_exactly(tablet: Tablet, ledger: Database) -> None:
    """A thousand diameters of a tenth of an inch are exactly a hundred inches."""
    numbers = range(1, 1_001)
    put(ledger, [held(a_spool(total_uniones=1_000), MR)], joints=[a_joint(n, dn_milli=100) for n in numbers])
    answer = finish(tablet, numbers)
    assert (done(answer)["action_taken"], done(answer)["unions_processed"]) == ("COMPLETAR", 1_000)
    assert json.loads(answer.text, parse_float=str)["pulgadas"] == "100.0"
    assert metrics(tablet) == (1_000, 0, 100, 0)


def test_unknown_spools_and_tags_with_slashes(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool("A/B", total_uniones=1)], joints=[a_joint(1, "A/B")])
    for path in ("v4/uniones/{}/disponibles?operacion=ARM", "v4/uniones/{}/metricas", "diagnostic/{}/version"):
        done(tablet.get("/api/" + path.format(in_path("A/B"))))
        refused(tablet.get("/api/" + path.format("NO-HAY")), 404, "SPOOL_NO_ENCONTRADO", tag_spool="NO-HAY")
        invalid(tablet.get("/api/" + path.format("%00")), "tag")
    invalid(tablet.get("/api/v4/uniones/A%2FB/disponibles"), "operacion")


@pytest.mark.parametrize(
    ("facts", "rows", "expected"),
    [
        ({"total_uniones": 3}, 3, ("v4.0", 3, 3, True, "Total_Uniones = 3 > 0: v4.0")),
        ({"total_uniones": 3}, 2, ("v4.0", 3, 2, False, "Total_Uniones = 3 > 0: v4.0")),
        ({}, 0, ("v3.0", 0, 0, True, "Total_Uniones vacío: v3.0")),
        ({"total_uniones": 0}, 0, ("v3.0", 0, 0, True, "Total_Uniones 0: v3.0")),
        ({}, 2, ("v3.0", 0, 2, False, "Total_Uniones vacío: v3.0")),
        ({"total_uniones_text": "tres"}, 0, ("v3.0", 0, 0, False, "Total_Uniones no es un número («tres»): v3.0")),
    ],
)
def test_the_diagnostic_says_which_workflow_why_and_whether_the_rows_agree(
    tablet: Tablet, ledger: Database, facts: dict[str, Any], rows: int, expected: tuple[Any, ...]
) -> None:
    gone = [a_joint(99, retired=True)]
    put(ledger, [a_spool(**facts)], joints=[*(a_joint(n) for n in range(1, rows + 1)), *gone])
    flow, unions, found, consistent, why = expected
    assert tablet.see(f"/api/diagnostic/{TAG}/version") == {
        **{"tag_spool": TAG, "version": flow, "union_count": unions, "detection_logic": why},
        **{"uniones_rows": found, "consistent": consistent},
    }
    card = tablet.see_spool()
    assert (card["version_workflow"], bool(card["inconsistencias"])) == (flow, not consistent)


def test_which_types_are_only_armed_is_a_setting(ledger: Database, configured: Settings) -> None:
    put(ledger, [a_spool(total_uniones=3)], joints=[a_joint(n, tipo=t) for n, t in enumerate(("FW", "BR", "BW"), 1)])
    with tablet_in_process(configured.model_copy(update={"arm_only_types": frozenset({"BR"})})) as tablet:
        done(begin(tablet))
        done(finish(tablet, [1, 2, 3]))
        assert to_tick(tablet, operacion="SOLD") == [1, 3]
        done(begin(tablet, operacion="SOLD"))
        refused(finish(tablet, [2], operacion="SOLD"), 400, "UNION_NO_DISPONIBLE", unions=[2])
        assert done(finish(tablet, [1, 3], operacion="SOLD"))["metrologia_triggered"] is True


def test_the_card_of_an_approved_spool_says_what_is_open(tablet: Tablet, ledger: Database) -> None:
    approved = a_finished_spool(total_uniones=3, metrologia=Metrologia.APROBADO, fecha_qc=NOW.date())
    put(ledger, [approved], joints=[a_joint(n, **WELDED) for n in (1, 2)])
    card = tablet.see_spool()
    assert (card["arm"], card["metrologia"]) == ("COMPLETADO", "APROBADO")
    assert card["inconsistencias"] == [
        *("Total_Uniones dice 3 y hay 2 filas en Uniones.", "Aprobado con ARM en 2 de 3."),
        "Aprobado con SOLD en 2 de 3.",
    ]
