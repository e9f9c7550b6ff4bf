"""What is overdue, in lists, cards, the board and a list of its own; and how long the stages take."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from carrete.domain.spool import Estado, Spool
from carrete.ledger.database import Database
from tests.support.answers import SANTIAGO, done, invalid
from tests.support.builders import TAG, a_finished_spool, a_spool, an_armed_spool, held, put
from tests.support.people import MR
from tests.support.quality import inspect
from tests.support.tablet import Tablet

HELD, PAUSED, QUEUED, FRESH = "MK-HELD", "MK-PAUSED", "MK-QUEUED", "MK-FRESH"


def ago(hours: float) -> datetime:
    return (datetime.now(UTC) - timedelta(hours=hours)).replace(microsecond=0)


def put_since(ledger: Database, *spools: tuple[Spool, float]) -> None:
    """Each spool, in its stage for so many hours."""
    for spool, hours in spools:
        put(ledger, [spool], in_stage_since=ago(hours))


@pytest.fixture
def late(ledger: Database) -> None:
    put_since(
        ledger,
        (held(a_spool(HELD), MR, since=ago(13.5)), 0),
        (an_armed_spool(PAUSED, sold=Estado.PAUSADO, soldador="JS(8)"), 100),
        (a_finished_spool(QUEUED), 49),
        (a_finished_spool(FRESH), 47),
    )


def atrasos(tablet: Tablet) -> list[tuple[str, str, float, int]]:
    rows = tablet.see("/api/dashboard/atrasos")["atrasos"]
    return [(row["tag_spool"], row["atraso"]["tipo"], row["atraso"]["horas"], row["atraso"]["limite"]) for row in rows]


@pytest.mark.usefixtures("late")
def test_what_is_overdue_comes_with_the_longest_first(tablet: Tablet) -> None:
    assert atrasos(tablet) == [
        (PAUSED, "PAUSADO", 100.0, 72),
        (QUEUED, "EN_COLA", 49.0, 48),
        (HELD, "OCUPADO", 13.5, 12),
    ]
    assert tablet.see("/api/dashboard/atrasos")["totales"] == {"OCUPADO": 1, "PAUSADO": 1, "EN_COLA": 1}


@pytest.mark.usefixtures("late")
def test_lists_cards_and_the_board_say_the_same(tablet: Tablet) -> None:
    by_tag = {spool["tag_spool"]: spool["atraso"] for spool in tablet.see("/api/spools")["spools"]}
    assert {tag: late["tipo"] for tag, late in by_tag.items() if late} == {
        HELD: "OCUPADO",
        PAUSED: "PAUSADO",
        QUEUED: "EN_COLA",
    }
    (row,) = tablet.see("/api/dashboard/occupied")["occupied"]
    assert row["atraso"] == by_tag[HELD] == tablet.see(f"/api/spools/{HELD}")["atraso"]
    assert (row["atraso"]["operacion"], row["atraso"]["desde"]) == ("ARM", row["since"])


@pytest.mark.usefixtures("late")
def test_the_copy_of_a_tablet_does_not_say_what_will_be_overdue(tablet: Tablet) -> None:
    copy = tablet.see("/api/offline/spools", worker_id=MR.id)["spools"]
    assert {spool["tag_spool"]: spool["atraso"] for spool in copy} == {HELD: None, PAUSED: None}


@pytest.mark.usefixtures("late")
def test_nothing_is_released_and_an_action_ends_the_delay(tablet: Tablet) -> None:
    atrasos(tablet)
    assert tablet.see(f"/api/spools/{HELD}")["ocupado_por"] == MR.label
    done(tablet.tap("pausar", HELD))
    assert [tag for tag, *_ in atrasos(tablet)] == [PAUSED, QUEUED]


def etapas(tablet: Tablet, **period: str) -> dict[str, Any]:
    today = datetime.now(SANTIAGO).date()
    last_week = {"desde": (today - timedelta(days=6)).isoformat(), "hasta": today.isoformat()}
    return tablet.see("/api/metrics/etapas", **{**last_week, **period})


def of(answer: dict[str, Any], operacion: str) -> dict[str, Any]:
    (stage,) = [stage for stage in answer["etapas"] if stage["operacion"] == operacion]
    found: dict[str, Any] = stage
    return found


def test_waits_and_sessions_that_ended_in_the_period(tablet: Tablet, ledger: Database) -> None:
    put_since(ledger, (a_spool(TAG), 30), (held(a_spool(HELD), MR, since=ago(5)), 0), (a_finished_spool(QUEUED), 50))
    done(tablet.tap("tomar"))
    done(tablet.tap("completar", HELD))
    done(inspect(tablet, "APROBADO", QUEUED))
    found = etapas(tablet)
    assert of(found, "ARM")["espera"] == {"veces": 1, "mediana_horas": 30.0, "total_horas": 30.0}
    assert of(found, "ARM")["trabajo"] == {"veces": 1, "mediana_horas": 5.0, "total_horas": 5.0}
    assert of(found, "METROLOGIA")["espera"] == {"veces": 1, "mediana_horas": 50.0, "total_horas": 50.0}
    assert of(found, "ARM")["ahora"] == {"esperan": 0, "mediana_horas": None, "en_trabajo": 1}
    assert of(found, "SOLD")["ahora"]["esperan"] == 1
    assert found["cuello"] == {"operacion": "SOLD", "esperan": 1, "mediana_horas": 0.0}
    assert [group["spools"] for group in found["en_curso"]] == [2, 0, 0, 0, 0, 0]
    assert found["por_semana"][-1]["spools"] == 1


def test_the_bottleneck_is_named_with_how_many_wait_and_for_how_long(tablet: Tablet, ledger: Database) -> None:
    queued = [(a_finished_spool(f"MK-{n}"), 24.0 * n) for n in range(1, 4)]
    put_since(ledger, *queued, (an_armed_spool(PAUSED), 10), *((a_spool(f"NEW-{n}"), 900.0) for n in range(5)))
    assert etapas(tablet)["cuello"] == {"operacion": "METROLOGIA", "esperan": 3, "mediana_horas": 48.0}


def test_an_empty_shop_has_no_bottleneck(tablet: Tablet) -> None:
    found = etapas(tablet)
    assert found["cuello"] is None
    assert all(stage["espera"]["mediana_horas"] is None for stage in found["etapas"])


def test_a_period_that_cannot_be_is_refused(tablet: Tablet) -> None:
    invalid(tablet.get("/api/metrics/etapas", desde="2026-11-02", hasta="2026-11-01"), "hasta")
    invalid(tablet.get("/api/metrics/etapas", desde="2025-01-01", hasta="2026-11-01"), "hasta")
