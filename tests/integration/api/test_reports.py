"""What the supervisor reads: inches by day, worker and operation, first-pass yield, and what waits at each stage."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from carrete.domain.joints import Joint
from carrete.domain.spool import Estado, Metrologia, Operacion, Reparacion
from carrete.ledger.database import Database
from tests.support.answers import SANTIAGO, done, invalid
from tests.support.builders import (
    TAG,
    a_blocked_spool,
    a_finished_spool,
    a_joint,
    a_rejected_spool,
    a_spool,
    an_armed_spool,
    held,
    put,
)
from tests.support.by_joint import begin, finish, ten_joints
from tests.support.people import JS, LP, MR, NN
from tests.support.quality import inspect, supervise
from tests.support.tablet import Tablet

OTHER = "MK-1335-CW-25238-012"


def hoy() -> str:
    """Asked for when it is needed: midnight may come while the tests run."""
    return datetime.now(SANTIAGO).date().isoformat()


def pulgadas(tablet: Tablet, por: str, desde: str = "", hasta: str = "", **more: Any) -> list[dict[str, Any]]:
    period = {"desde": desde or hoy(), "hasta": hasta or hoy()}
    rows: list[dict[str, Any]] = tablet.see("/api/metrics/pulgadas", **period, por=por, **more)["rows"]
    return rows


def calidad(tablet: Tablet, por: str, desde: str = "", hasta: str = "", **more: Any) -> dict[str, Any]:
    return tablet.see("/api/metrics/calidad", desde=desde or hoy(), hasta=hasta or hoy(), por=por, **more)


def armed(joint: Joint, at: datetime, worker: str = "LP(7)") -> Joint:
    return replace(joint, arm_inicio=at, arm_fin=at, arm_worker=worker)


def welded(joint: Joint, at: datetime, worker: str = "JS(8)") -> Joint:
    return replace(armed(joint, at), sol_inicio=at, sol_fin=at, sol_worker=worker)


# ─── inches ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_was_finished_today_by_operation_worker_and_day(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(total_uniones=10)], joints=ten_joints())
    done(begin(tablet))
    done(finish(tablet, (1, 2, 3)))
    done(begin(tablet, worker_id=LP.id))
    done(finish(tablet, (4,), worker_id=LP.id))
    done(begin(tablet, operacion="SOLD"))
    done(finish(tablet, (1, 2), operacion="SOLD"))
    assert pulgadas(tablet, "operacion") == [
        {"operacion": "ARM", "pulgadas": 2.3, "uniones": 4, "spools": 1},
        {"operacion": "SOLD", "pulgadas": 1.075, "uniones": 2, "spools": 1},
    ]
    assert pulgadas(tablet, "worker") == [
        {"worker": "LP(7)", "pulgadas": 1.125, "uniones": 1, "spools": 1},
        {"worker": "MR(93)", "pulgadas": 2.25, "uniones": 5, "spools": 1},
    ]
    assert pulgadas(tablet, "dia") == [{"dia": hoy(), "pulgadas": 3.375, "uniones": 6, "spools": 1}]
    assert pulgadas(tablet, "dia", operacion="SOLD") == [{"dia": hoy(), "pulgadas": 1.075, "uniones": 2, "spools": 1}]


def test_a_joint_ticked_by_mistake_is_not_counted(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(total_uniones=10)], joints=ten_joints())
    done(begin(tablet))
    done(finish(tablet, (1, 2, 3)))
    done(supervise(tablet, "corregir", operacion="ARM", unions=[2]))
    assert pulgadas(tablet, "operacion") == [{"operacion": "ARM", "pulgadas": 0.475, "uniones": 2, "spools": 1}]


def test_a_spool_worked_as_a_whole_counts_as_a_spool_without_inches(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [an_armed_spool(), an_armed_spool(OTHER, fecha_armado=date(2026, 11, 11), armador="MR(93)")])
    rows = pulgadas(tablet, "worker", "2026-11-10", "2026-11-10")
    assert rows == [{"worker": "LP(7)", "pulgadas": 0, "uniones": 0, "spools": 1}]
    assert pulgadas(tablet, "operacion", "2026-11-01", "2026-11-30")[0]["spools"] == 2


def test_days_are_the_shops_also_when_the_hour_changes(tablet: Tablet, ledger: Database) -> None:
    """On 6 September 2026 Santiago goes from -04:00 to -03:00 at midnight: that day begins at 01:00."""
    instants = [
        datetime(2026, 9, 5, 3, 59, 59, tzinfo=UTC),  # the 4th, a second before midnight
        datetime(2026, 9, 5, 4, 0, 0, tzinfo=UTC),  # the 5th
        datetime(2026, 9, 6, 3, 59, 59, tzinfo=UTC),  # still the 5th
        datetime(2026, 9, 6, 4, 0, 0, tzinfo=UTC),  # the 6th, 01:00
        datetime(2026, 9, 7, 2, 59, 59, tzinfo=UTC),  # still the 6th
        datetime(2026, 9, 7, 3, 0, 0, tzinfo=UTC),  # the 7th
    ]
    joints = [armed(a_joint(n, dn_milli=1000), at) for n, at in enumerate(instants, 1)]
    put(ledger, [a_spool(total_uniones=6)], joints=joints)
    rows = pulgadas(tablet, "dia", "2026-09-05", "2026-09-06")
    assert [(row["dia"], row["uniones"]) for row in rows] == [("2026-09-05", 2), ("2026-09-06", 2)]
    everything = pulgadas(tablet, "dia", "2026-09-01", "2026-09-30")
    assert [row["dia"][-2:] for row in everything] == ["04", "05", "06", "07"]


def test_a_joint_without_diameter_counts_no_inches(tablet: Tablet, ledger: Database) -> None:
    at = datetime(2026, 11, 10, 15, tzinfo=UTC)
    put(ledger, [a_spool(total_uniones=1)], joints=[armed(a_joint(dn_milli=None, dn_text="?"), at)])
    rows = pulgadas(tablet, "dia", "2026-11-10", "2026-11-10")
    assert rows == [{"dia": "2026-11-10", "pulgadas": 0, "uniones": 1, "spools": 1}]


def test_what_nobody_did_has_no_rows(tablet: Tablet) -> None:
    assert pulgadas(tablet, "dia", "2020-01-01", "2020-12-31") == []


@pytest.mark.parametrize(
    ("query", "campo"),
    [
        ({"desde": "2026-11-02", "hasta": "2026-11-01", "por": "dia"}, "hasta"),
        ({"desde": "2020-01-01", "hasta": "2026-11-01", "por": "dia"}, "hasta"),
        ({"desde": "ayer", "hasta": "2026-11-01", "por": "dia"}, "desde"),
        ({"hasta": "2026-11-01", "por": "dia"}, "desde"),
        ({"desde": "2026-11-01", "hasta": "2026-11-01", "por": "mes"}, "por"),
        ({"desde": "2026-11-01", "hasta": "2026-11-01", "por": "dia", "operacion": "REPARACION"}, "operacion"),
    ],
)
@pytest.mark.parametrize("what", ["pulgadas", "calidad"])
def test_a_period_that_makes_no_sense(tablet: Tablet, what: str, query: dict[str, str], campo: str) -> None:
    invalid(tablet.get(f"/api/metrics/{what}", **query), campo)


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_the_ends_of_time_are_no_days_of_a_shop(tablet: Tablet, day: str) -> None:
    invalid(tablet.get("/api/metrics/pulgadas", desde=day, hasta=day, por="dia"), "desde")


# ─── first-pass yield ─────────────────────────────────────────────────────────────────────────────────────────


def test_first_pass_yield_and_rejections_by_day(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_finished_spool(), a_finished_spool(OTHER)])
    done(inspect(tablet, "APROBADO", OTHER))
    done(inspect(tablet, "RECHAZADO"))
    done(tablet.tap("TOMAR", operacion="REPARACION"))
    done(tablet.tap("COMPLETAR", operacion="REPARACION"))
    done(inspect(tablet, "APROBADO"))
    figures = {
        "inspecciones": 3,
        "rechazos": 1,
        "primeras": 2,
        "aprobadas_a_la_primera": 1,
        "rendimiento_a_la_primera": 0.5,
    }
    assert calidad(tablet, "dia") == {"rows": [{"dia": hoy(), **figures}], "total": figures}


def test_a_rejection_concerns_everybody_who_welded_the_spool(tablet: Tablet, ledger: Database) -> None:
    at = datetime(2026, 11, 10, 15, tzinfo=UTC)
    joints = [welded(a_joint(1), at, "JS(8)"), welded(a_joint(2), at, "MR(93)")]
    put(ledger, [a_finished_spool(total_uniones=2), a_finished_spool(OTHER)], joints=joints)
    done(inspect(tablet, "RECHAZADO"))
    done(inspect(tablet, "APROBADO", OTHER))
    body = calidad(tablet, "worker")
    assert [(row["worker"], row["rechazos"], row["rendimiento_a_la_primera"]) for row in body["rows"]] == [
        ("JS(8)", 1, 0.5),
        ("MR(93)", 1, 0.0),
    ]
    assert body["total"]["rechazos"] == 1
    assert [row["worker"] for row in calidad(tablet, "worker", operacion="ARM")["rows"]] == ["LP(7)"]


def test_an_inspection_taken_back_is_not_counted(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_finished_spool()])
    done(inspect(tablet, "RECHAZADO"))
    done(supervise(tablet, "corregir", operacion="METROLOGIA"))
    done(inspect(tablet, "APROBADO"))
    total = calidad(tablet, "dia")["total"]
    assert (total["inspecciones"], total["rechazos"], total["rendimiento_a_la_primera"]) == (1, 0, 1.0)


def test_without_inspections_there_is_no_yield(tablet: Tablet) -> None:
    body = calidad(tablet, "worker")
    assert (body["rows"], body["total"]["rendimiento_a_la_primera"]) == ([], None)


# ─── stages ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_how_many_spools_wait_are_worked_on_and_rest_at_each_stage(tablet: Tablet, ledger: Database) -> None:
    spools = [
        a_spool("no materials", fecha_materiales=None),
        a_spool("arm waits"),
        held(a_spool("arm in work"), MR),
        a_spool("arm paused", arm=Estado.PAUSADO, armador="LP(7)"),
        an_armed_spool("sold waits"),
        held(an_armed_spool("sold in work"), JS, Operacion.SOLD),
        an_armed_spool("sold paused", sold=Estado.PAUSADO, soldador="JS(8)"),
        a_finished_spool("in the queue"),
        a_finished_spool("in the queue too"),
        a_rejected_spool("rejected"),
        a_rejected_spool("repair paused", reparacion=Reparacion.PAUSADO),
        held(a_rejected_spool("in repair"), NN, Operacion.REPARACION),
        a_blocked_spool("blocked"),
        a_finished_spool("approved", metrologia=Metrologia.APROBADO),
        a_spool("retired", retired=True),
    ]
    put(ledger, spools)
    body = tablet.see("/api/dashboard/stages")
    stages = {row["operacion"]: (row["waiting"], row["in_work"], row["paused"]) for row in body["stages"]}
    assert stages == {"ARM": (1, 1, 1), "SOLD": (2, 1, 1), "METROLOGIA": (2, 0, 0), "REPARACION": (1, 1, 1)}
    assert {name: n for name, n in body.items() if name not in ("now", "stages")} == {
        "without_materials": 1,
        "rejected": 3,
        "blocked": 1,
        "done": 1,
    }


def test_the_stages_tell_the_time_of_the_shop(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [])
    now = datetime.fromisoformat(tablet.see("/api/dashboard/stages")["now"])
    assert now.utcoffset() == datetime.now(SANTIAGO).utcoffset()
    assert abs(datetime.now(UTC) - now) < timedelta(minutes=5)


def test_the_stages_follow_what_happens(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_finished_spool(TAG)])
    done(inspect(tablet, "APROBADO"))
    body = tablet.see("/api/dashboard/stages")
    assert (body["done"], sum(row["waiting"] for row in body["stages"])) == (1, 0)
