"""The whole life of a spool through HTTP, in both workflows, with the line that people read at each step."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import httpx

from carrete.domain.shop_time import today
from carrete.ledger.database import Database
from tests.support.answers import done, refused
from tests.support.builders import SHOP, TAG, a_spool, put
from tests.support.by_joint import begin, finish, ten_joints
from tests.support.people import JS, LP, MI, MR, NN, SV
from tests.support.quality import inspect, supervise
from tests.support.tablet import Tablet

EN_COLA = "En Cola Metrología"
BLOQUEADO = "BLOQUEADO - Contactar supervisor"


def step(tablet: Tablet, answer: httpx.Response, line: str) -> dict[str, Any]:
    """The action succeeded, and its answer and the card show the same line."""
    body = done(answer)
    assert (body["estado_detalle"], tablet.see_spool()["estado_detalle"]) == (line, line)
    return body


def repaired(tablet: Tablet, ciclo: int) -> None:
    step(
        tablet,
        tablet.tap("TOMAR", worker_id=NN.id, operacion="REPARACION"),
        f"EN_REPARACION (Ciclo {ciclo}/3) - Ocupado: NN(44)",
    )
    step(
        tablet,
        tablet.tap("PAUSAR", worker_id=NN.id, operacion="REPARACION"),
        f"REPARACION_PAUSADA (Ciclo {ciclo}/3)",
    )
    step(
        tablet,
        tablet.tap("TOMAR", worker_id=LP.id, operacion="REPARACION"),
        f"EN_REPARACION (Ciclo {ciclo}/3) - Ocupado: LP(7)",
    )
    step(tablet, tablet.tap("COMPLETAR", worker_id=LP.id, operacion="REPARACION"), "PENDIENTE_METROLOGIA")


def to_three_rejections_and_approval(tablet: Tablet) -> None:
    for ciclo in (1, 2):
        step(tablet, inspect(tablet, "RECHAZADO"), f"RECHAZADO (Ciclo {ciclo}/3) - Pendiente reparación")
        repaired(tablet, ciclo)
    step(tablet, inspect(tablet, "RECHAZADO"), BLOQUEADO)
    refused(inspect(tablet, "APROBADO"), 403, "SPOOL_BLOQUEADO")
    refused(tablet.tap("TOMAR", operacion="REPARACION"), 403, "SPOOL_BLOQUEADO")
    step(tablet, supervise(tablet, "desbloquear"), "RECHAZADO (Ciclo 2/3) - Pendiente reparación")
    repaired(tablet, 2)
    body = step(tablet, inspect(tablet, "APROBADO"), "METROLOGIA_APROBADO ✓")
    assert (body["operacion"], body["action_taken"], body["ocupado_por"]) == ("METROLOGIA", "APROBADO", None)
    card = tablet.see_spool()
    assert (card["metrologia"], card["reparacion"], card["ciclo"]) == ("APROBADO", "NO_REQUERIDA", 0)
    assert card["fecha_qc_metrologia"] is not None


INSPECTIONS = [
    *(("METROLOGIA_RECHAZADO", "MI(12)"), ("TOMAR_REPARACION", "NN(44)"), ("PAUSAR_REPARACION", "NN(44)")),
    *(("TOMAR_REPARACION", "LP(7)"), ("COMPLETAR_REPARACION", "LP(7)")),
]
END_OF_TRAIL = [
    *(*INSPECTIONS, *INSPECTIONS, ("METROLOGIA_RECHAZADO", "MI(12)"), ("SUPERVISOR_OVERRIDE", "SV(21)")),
    *(*INSPECTIONS[1:], ("METROLOGIA_APROBADO", "MI(12)")),
]


def trail(tablet: Tablet) -> list[tuple[str, str | None]]:
    return [(event["evento_tipo"], event["worker"]) for event in tablet.see_history()["events"]]


def test_the_life_of_a_v3_spool_with_three_rejections(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    line = "MR(93) trabajando ARM (ARM en progreso, SOLD pendiente)"
    step(tablet, tablet.tap("TOMAR"), line)
    step(tablet, tablet.tap("PAUSAR"), "Disponible - ARM pausado, SOLD pendiente")
    step(tablet, tablet.tap("TOMAR", worker_id=LP.id), "LP(7) trabajando ARM (ARM en progreso, SOLD pendiente)")
    step(tablet, tablet.tap("CANCELAR", worker_id=LP.id), "Disponible - ARM pausado, SOLD pendiente")
    step(tablet, tablet.tap("TOMAR"), line)
    step(tablet, tablet.tap("COMPLETAR"), "Disponible - ARM completado, SOLD pendiente")
    step(
        tablet,
        tablet.tap("TOMAR", worker_id=JS.id, operacion="SOLD"),
        "JS(8) trabajando SOLD (ARM completado, SOLD en progreso)",
    )
    step(
        tablet,
        supervise(tablet, "liberar", motivo="Juana se fue a casa"),
        "Disponible - ARM completado, SOLD pausado",
    )
    step(
        tablet,
        tablet.tap("TOMAR", operacion="SOLD"),
        "MR(93) trabajando SOLD (ARM completado, SOLD en progreso)",
    )
    step(tablet, tablet.tap("COMPLETAR", operacion="SOLD"), EN_COLA)
    to_three_rejections_and_approval(tablet)
    assert trail(tablet) == [
        *(("TOMAR_SPOOL", "MR(93)"), ("PAUSAR_SPOOL", "MR(93)"), ("TOMAR_SPOOL", "LP(7)"), ("CANCELAR_ARM", "LP(7)")),
        *(("TOMAR_SPOOL", "MR(93)"), ("COMPLETAR_ARM", "MR(93)"), ("TOMAR_SPOOL", "JS(8)")),
        *(("LIBERAR_SPOOL", "SV(21)"), ("TOMAR_SPOOL", "MR(93)"), ("COMPLETAR_SOLD", "MR(93)")),
        *(("METROLOGIA_AUTO_TRIGGERED", None), *END_OF_TRAIL),
    ]
    sessions = [(s["worker"], s["operacion"], s["resultado"]) for s in tablet.see_history()["sessions"]]
    assert sessions[:5] == [
        *(("MR(93)", "ARM", "PAUSADO"), ("LP(7)", "ARM", "CANCELADO"), ("MR(93)", "ARM", "COMPLETADO")),
        *(("JS(8)", "SOLD", "LIBERADO"), ("MR(93)", "SOLD", "COMPLETADO")),
    ]
    assert sessions[5:] == [("NN(44)", "REPARACION", "PAUSADO"), ("LP(7)", "REPARACION", "COMPLETADO")] * 3


def test_the_life_of_a_v4_spool_with_three_rejections(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(total_uniones=10)], joints=ten_joints())
    step(tablet, begin(tablet), "MR(93) trabajando ARM (ARM en progreso, SOLD pendiente)")
    step(tablet, finish(tablet, range(1, 8)), "Disponible - ARM pausado, SOLD pendiente")
    step(
        tablet,
        begin(tablet, worker_id=JS.id, operacion="SOLD"),
        "JS(8) trabajando SOLD (ARM pausado, SOLD en progreso)",
    )
    step(
        tablet,
        finish(tablet, range(1, 7), worker_id=JS.id, operacion="SOLD"),
        "Disponible - ARM pausado, SOLD pausado",
    )
    step(tablet, begin(tablet), "MR(93) trabajando ARM (ARM en progreso, SOLD pausado)")
    step(tablet, finish(tablet, (8, 9, 10)), "Disponible - ARM completado, SOLD pausado")
    step(tablet, begin(tablet, operacion="SOLD"), "MR(93) trabajando SOLD (ARM completado, SOLD en progreso)")
    body = step(tablet, finish(tablet, (8, 9, 10), operacion="SOLD"), EN_COLA)
    assert body["metrologia_triggered"] is True
    to_three_rejections_and_approval(tablet)
    events = trail(tablet)
    assert events[-len(END_OF_TRAIL) :] == END_OF_TRAIL
    assert events.count(("METROLOGIA_AUTO_TRIGGERED", None)) == 1


def test_what_a_supervisor_did_says_who_why_and_what_it_was(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    taken = done(tablet.tap("TOMAR"))
    body = done(supervise(tablet, "liberar", motivo="  Se fue\n a casa "))
    assert (body["operacion"], body["action_taken"], body["ocupado_por"]) == ("ARM", "LIBERAR", None)
    event = tablet.see_history()["events"][-1]
    assert (event["evento_tipo"], event["worker_id"], event["operacion"]) == ("LIBERAR_SPOOL", SV.id, "ARM")
    assert event["metadata"] == {
        "motivo": "Se fue a casa",
        "ocupado_por": "MR(93)",
        "ocupado_por_id": MR.id,
        "desde": taken["fecha_ocupacion"],
    }
    refused(tablet.tap("PAUSAR"), 400, "OPERACION_NO_INICIADA")


def test_an_inspection_says_how_many_rejections_came_before(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    for operacion in ("ARM", "SOLD"):
        done(tablet.tap("TOMAR", operacion=operacion))
        done(tablet.tap("COMPLETAR", operacion=operacion))
    done(inspect(tablet, "RECHAZADO"))
    repaired(tablet, 1)
    done(inspect(tablet, "APROBADO"))
    events = [e for e in tablet.see_history()["events"] if e["worker_id"] == MI.id]
    assert [e["metadata"] for e in events] == [
        {"rechazos_previos": 0, "ciclo": 1},
        {"rechazos_previos": 1, "ciclo": 0},
    ]
    assert tablet.see_spool(TAG)["fecha_qc_metrologia"] == today(datetime.now(UTC), SHOP.zone).isoformat()
