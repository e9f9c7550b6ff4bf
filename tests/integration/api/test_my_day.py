"""Mi día: what a person holds, what they did today and this week, what was rejected, what was decided."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from carrete.domain.commands import WorkItem
from carrete.domain.joints import Joint
from carrete.domain.reclamo import Resolution, resolved
from carrete.domain.spool import Metrologia, Operacion
from carrete.ledger.database import Database
from carrete.ledger.reclamos import save_reclamos
from tests.support.answers import SANTIAGO, done, invalid, just_now, refused
from tests.support.builders import TAG, a_finished_spool, a_joint, a_rejected_spool, a_spool, held, put
from tests.support.by_joint import begin, finish, ten_joints
from tests.support.people import JS, LP, MI, MR, SV, UNKNOWN_ID
from tests.support.quality import inspect, supervise
from tests.support.reclamos import a_reclamo
from tests.support.tablet import Tablet

OTHER, THIRD = "MK-1335-CW-25238-012", "MK-1335-CW-25238-013"


def mi_dia(tablet: Tablet, worker_id: int = MR.id) -> dict[str, Any]:
    return tablet.see("/api/mi-dia", worker_id=worker_id)


def today() -> datetime:
    return datetime.now(SANTIAGO)


def welded(joint: Joint, worker: str, at: datetime) -> Joint:
    return replace(joint, arm_inicio=at, arm_fin=at, arm_worker="LP(7)", sol_inicio=at, sol_fin=at, sol_worker=worker)


def test_what_i_hold_the_oldest_first(tablet: Tablet, ledger: Database) -> None:
    long_ago, now = datetime.now(UTC) - timedelta(hours=9), datetime.now(UTC)
    first, last = a_spool(OTHER, total_uniones=3), a_spool()
    put(ledger, [held(last, MR, since=now), held(first, MR, since=long_ago), held(a_spool(THIRD), LP)])
    day = mi_dia(tablet)
    assert [(row["tag_spool"], row["operacion"], row["version_workflow"]) for row in day["tengo"]] == [
        (OTHER, "ARM", "v4.0"),
        (TAG, "ARM", "v3.0"),
    ]
    assert (day["tengo_total"], day["tengo"][0]["minutos"]) == (2, 540)
    assert just_now(day["ahora"])


def test_what_i_did_today_by_operation_and_the_spools_behind_it(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(total_uniones=10), a_spool(OTHER)], joints=ten_joints())
    done(begin(tablet))
    done(finish(tablet, (1, 2, 3)))
    done(begin(tablet, operacion="SOLD"))
    done(finish(tablet, (1, 2), operacion="SOLD"))
    done(begin(tablet, worker_id=LP.id))
    done(finish(tablet, (4,), worker_id=LP.id))
    done(tablet.tap("tomar", OTHER))
    done(tablet.tap("completar", OTHER))
    day = mi_dia(tablet)
    assert day["hoy"] == [
        {"operacion": "ARM", "pulgadas": 1.175, "uniones": 3, "spools": 2},
        {"operacion": "SOLD", "pulgadas": 1.075, "uniones": 2, "spools": 1},
    ]
    assert day["semana"] == day["hoy"]
    assert day["hechos_hoy"] == [
        {"tag_spool": TAG, "operacion": "ARM", "pulgadas": 1.175, "uniones": 3},
        {"tag_spool": OTHER, "operacion": "ARM", "pulgadas": 0, "uniones": 0},
        {"tag_spool": TAG, "operacion": "SOLD", "pulgadas": 1.075, "uniones": 2},
    ]
    assert mi_dia(tablet, LP.id)["hoy"] == [{"operacion": "ARM", "pulgadas": 1.125, "uniones": 1, "spools": 1}]


def test_the_week_begins_on_monday_and_has_nothing_of_the_week_before(tablet: Tablet, ledger: Database) -> None:
    now = today()
    monday = (now - timedelta(days=now.weekday())).replace(hour=0, minute=0, second=0, microsecond=0)
    joints = [
        welded(a_joint(1), "MR(93)", monday.astimezone(UTC)),
        welded(a_joint(2), "MR(93)", (monday - timedelta(seconds=1)).astimezone(UTC)),
    ]
    put(ledger, [a_spool(total_uniones=2)], joints=joints)
    day = mi_dia(tablet)
    assert day["semana_desde"] == monday.date().isoformat()
    assert [(row["operacion"], row["uniones"]) for row in day["semana"]] == [("SOLD", 1)]


def test_repairs_and_inspections_are_mine_too_without_those_withdrawn(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_rejected_spool(), a_finished_spool(OTHER), a_finished_spool(THIRD)])
    done(tablet.tap("tomar", TAG, JS.id, "REPARACION"))
    done(tablet.tap("completar", TAG, JS.id, "REPARACION"))
    assert [(row["operacion"], row["spools"]) for row in mi_dia(tablet, JS.id)["hoy"]] == [("REPARACION", 1)]
    done(inspect(tablet, "APROBADO", OTHER))
    done(inspect(tablet, "APROBADO", THIRD))
    done(supervise(tablet, "corregir", THIRD, operacion="METROLOGIA"))
    assert mi_dia(tablet, MI.id)["hoy"] == [{"operacion": "METROLOGIA", "pulgadas": 0, "uniones": 0, "spools": 1}]
    assert mi_dia(tablet, MI.id)["hechos_hoy"] == []


def test_rejections_of_my_welds_by_joint_and_of_whole_spools(tablet: Tablet, ledger: Database) -> None:
    at = datetime.now(UTC) - timedelta(days=20)
    by_joint = a_finished_spool(total_uniones=2, soldador="LP(7)", armador=None)
    joints = [welded(a_joint(1), "JS(8)", at), welded(a_joint(2), "MR(93)", at)]
    put(ledger, [by_joint, a_finished_spool(OTHER), a_finished_spool(THIRD)], joints=joints)
    for tag in (TAG, OTHER):
        done(inspect(tablet, "RECHAZADO", tag))
    done(inspect(tablet, "APROBADO", THIRD))
    mine = mi_dia(tablet, JS.id)["rechazos"]
    assert [(row["tag_spool"], row["ciclo"], row["uniones"]) for row in mine] == [(OTHER, 1, None), (TAG, 1, 1)]
    assert just_now(mine[0]["en"])
    assert [row["tag_spool"] for row in mi_dia(tablet, MR.id)["rechazos"]] == [TAG]
    assert mi_dia(tablet, LP.id)["rechazos"] == []  # its fitter welded nothing


def test_a_rejection_that_a_supervisor_withdrew_is_not_shown(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_finished_spool(metrologia=Metrologia.EN_COLA)])
    done(inspect(tablet, "RECHAZADO"))
    assert len(mi_dia(tablet, JS.id)["rechazos"]) == 1
    done(supervise(tablet, "corregir", operacion="METROLOGIA"))
    assert mi_dia(tablet, JS.id)["rechazos"] == []


def test_reclamos_that_were_decided_in_the_last_days(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    now = datetime.now(UTC).replace(microsecond=0)
    new, old, waiting = (a_reclamo(id_, TAG, MR, [WorkItem(Operacion.ARM)]) for id_ in ("new", "old", "waiting"))
    decisions = [(new, now), (old, now - timedelta(days=9))]
    with ledger.writing() as tx:
        save_reclamos(tx, [new, old, waiting], [])
        save_reclamos(
            tx, [], [resolved(each, Resolution(at, SV.id, SV.label, at.date(), "No", ())) for each, at in decisions]
        )
    assert [row["id"] for row in mi_dia(tablet)["reclamos"]] == ["new"]
    assert mi_dia(tablet, LP.id)["reclamos"] == []


def test_what_others_wrote_about_the_spools_that_i_hold(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(), MR), held(a_spool(OTHER), LP), a_spool(THIRD)])
    for tag, worker in ((TAG, LP), (TAG, MR), (OTHER, SV), (THIRD, SV), (TAG, SV)):
        body = {"worker_id": worker.id, "texto": f"De {worker.label}"}
        done(tablet.post(f"/api/spools/{tag}/notas", body))
    notes = mi_dia(tablet)["notas"]
    assert [(note["tag_spool"], note["texto"]) for note in notes] == [(TAG, "De SV(21)"), (TAG, "De LP(7)")]


def test_a_person_with_nothing_sees_empty_lists(tablet: Tablet) -> None:
    day = mi_dia(tablet, LP.id)
    assert (day["worker"], day["worker_id"]) == ("LP(7)", LP.id)
    assert [day[name] for name in ("tengo", "hoy", "semana", "hechos_hoy", "rechazos", "reclamos")] == [[]] * 6


def test_without_identity_the_request_says_who(tablet: Tablet) -> None:
    invalid(tablet.get("/api/mi-dia"), "worker_id")
    refused(tablet.get("/api/mi-dia", worker_id=UNKNOWN_ID), 404, "WORKER_NO_ENCONTRADO")
