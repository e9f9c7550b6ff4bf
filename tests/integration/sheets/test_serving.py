"""The lane inside `carrete serve`: workers are not affected by Google, supervisors see the state of the workbook."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from carrete.ledger import open_database
from carrete.sheets.rows import storage
from carrete.sheets.timings import LaneTimings
from tests.support.builders import a_spool, put
from tests.support.local import LOCAL
from tests.support.people import CREW
from tests.support.server import RunningServer, running_server
from tests.support.sheet_server import SheetServer

SPOOLS = 61
LATENCY_S = 0.25


@pytest.fixture(scope="module")
def google(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SheetServer]:
    with SheetServer(tmp_path_factory.mktemp("google"), SPOOLS) as google:
        google.connect(LaneTimings(requests_apart_s_min=0.05, coalesce_s=0.1))
        yield google


@pytest.fixture(scope="module")
def served(google: SheetServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    settings = {k: v for k, v in google.settings.items() if k not in ("DATABASE_URL", "CARRETE_DATA")}
    url = google.settings["DATABASE_URL"]
    with running_server(url, tmp_path_factory.mktemp("serve"), settings=settings) as server:
        google.wait_for(lambda: httpx.get(f"{server.url}/api/spools", **LOCAL).json()["total"] == SPOOLS)
        google.wait_for(lambda: status(server)["state"] == "al_dia")
        google.emulator.options.latency_s = (LATENCY_S, LATENCY_S)
        yield server


def status(server: RunningServer) -> dict[str, Any]:
    found: dict[str, Any] = httpx.get(f"{server.url}/api/sync/status", **LOCAL).json()
    return found


def take(client: httpx.Client, tag: str) -> float:
    begun = time.perf_counter()
    answer = client.post("/api/occupation/tomar", json={"tag_spool": tag, "worker_id": 93, "operacion": "ARM"})
    assert answer.status_code == 200, answer.text
    return time.perf_counter() - begun


def test_a_shift_start_is_as_quick_as_without_google_and_in_the_sheet_in_four_writes(
    served: RunningServer, google: SheetServer, tmp_path: Path
) -> None:
    tags = [f"A-{n}" for n in range(1, 51)]
    url = f"sqlite:///{tmp_path / 'plain.db'}"
    with running_server(url, tmp_path) as plain, plain.client() as without, served.client() as with_google:
        database = open_database(url)
        put(database, [a_spool(tag) for tag in tags], CREW)
        database.close()
        before = google.writes()
        took: dict[str, list[float]] = {"without": [], "with": []}
        for tag in tags:
            took["without"].append(take(without, tag))
            took["with"].append(take(with_google, tag))
            time.sleep(0.08)
    google.wait_for(lambda: sum(row.get("Ocupado_Por") == "MR(93)" for row in google.rows()) >= 50)
    google.wait_for(lambda: len(google.rows("Metadata")) == SPOOLS + 50)
    ratio = statistics.median(took["with"]) / statistics.median(took["without"])
    print(f"\na take with Google at {LATENCY_S * 1000:.0f} ms a call: {ratio:.2f} of one without")
    assert google.writes() - before <= 4
    events = [row["ID"] for row in google.rows("Metadata")]
    assert len(events) == len(set(events))


def test_ten_takes_at_once_do_not_wait_for_google(served: RunningServer, google: SheetServer) -> None:
    tags = [f"A-{n}" for n in range(51, 61)]
    with served.client() as client, ThreadPoolExecutor(10) as pool:
        begun = time.perf_counter()
        took = list(pool.map(lambda tag: take(client, tag), tags))
        wall = time.perf_counter() - begun
    print(
        f"\nten takes at once, Google at 250 ms a call: {wall * 1000:.0f} ms in all, {max(took) * 1000:.0f} ms the last"
    )
    google.wait_for(lambda: sum(row.get("Ocupado_Por") == "MR(93)" for row in google.rows()) >= 60)


def test_what_a_person_types_is_answered_by_the_api_soon_after(served: RunningServer, google: SheetServer) -> None:
    at = next(n for n, row in enumerate(google.rows(), 2) if row["TAG_SPOOL"] == f"A-{SPOOLS}")
    google.person("edit", cell=f"C{at}", value="desde la planilla")
    google.wait_for(
        lambda: httpx.get(f"{served.url}/api/spools/A-{SPOOLS}", **LOCAL).json()["nv"] == "desde la planilla"
    )


def test_a_supervisor_sees_a_stopped_sheet_and_decides(served: RunningServer, google: SheetServer) -> None:
    """A sheet that the workbook does not have, so that the lane leaves the decision where it is."""
    database = open_database(google.settings["DATABASE_URL"])
    since = "2026-11-16T13:30:00+00:00"
    with database.writing() as tx:
        storage.freeze(tx, "Roles", "FILAS", "40 de 100 filas desaparecieron a la vez", datetime.fromisoformat(since))
    seen = status(served)
    assert seen["state"] == "detenida"
    assert (seen["frozen"][0]["hoja"], seen["frozen"][0]["desde"]) == ("Roles", "2026-11-16T10:30:00-03:00")
    body = {"hoja": "Roles", "detencion": seen["frozen"][0]["id"], "decision": "REANUDAR", "supervisor_id": 93}
    assert httpx.post(f"{served.url}/api/sync/freeze", json=body, **LOCAL).json()["code"] == "ROL_NO_AUTORIZADO"
    assert httpx.post(f"{served.url}/api/sync/freeze", json={**body, "supervisor_id": 21}, **LOCAL).status_code == 200
    assert status(served)["frozen"][0]["decision"] == "REANUDAR"
    other = httpx.post(
        f"{served.url}/api/sync/freeze", json={**body, "supervisor_id": 21, "decision": "CONFIRMAR"}, **LOCAL
    )
    assert (other.status_code, other.json()["code"]) == (409, "DETENCION_DISTINTA"), "somebody decided already"
    with database.writing() as tx:
        storage.freeze(tx, "Roles", "COLUMNAS", "falta la columna Rol", datetime.fromisoformat(since))
    stale = httpx.post(f"{served.url}/api/sync/freeze", json={**body, "supervisor_id": 21}, **LOCAL)
    assert (stale.status_code, stale.json()["code"]) == (409, "DETENCION_DISTINTA")
    assert "falta la columna Rol" in stale.json()["detail"]
    (now,) = status(served)["frozen"]
    assert now["decision"] == "", "the decision was about something else"
    in_vain = httpx.post(
        f"{served.url}/api/sync/freeze", json={**body, "supervisor_id": 21, "detencion": now["id"]}, **LOCAL
    )
    assert (in_vain.status_code, in_vain.json()["code"]) == (409, "DECISION_NO_DISPONIBLE")
    with database.writing() as tx:
        tx.run("freeze_end", sheet="Roles")
    database.close()
    again = httpx.post(f"{served.url}/api/sync/freeze", json={**body, "supervisor_id": 21}, **LOCAL)
    assert (again.status_code, again.json()["code"]) == (404, "NADA_DETENIDO")


def test_the_lane_counts_for_prometheus(served: RunningServer, google: SheetServer) -> None:
    google.wait_for(lambda: "carrete_sheet_last_sync_seconds" in httpx.get(f"{served.url}/metrics", **LOCAL).text)
    metrics = httpx.get(f"{served.url}/metrics", **LOCAL).text
    held_up = ("carrete_sheet_events_waiting", "carrete_sheet_parked 0.0", "carrete_sheet_stopped 0.0")
    ours = ("carrete_sheet_leading 1.0", "carrete_sheet_writes_total", "carrete_sheet_last_sync_seconds")
    for series in (*ours, *held_up):
        assert series in metrics


def test_without_a_workbook_the_status_says_so(tmp_path: Path) -> None:
    with running_server(f"sqlite:///{tmp_path / 'x.db'}", tmp_path) as server:
        assert status(server)["state"] == "sin_planilla"
        answer = httpx.post(f"{server.url}/api/sync/retry", json={"supervisor_id": 404}, **LOCAL)
        assert answer.json()["code"] == "WORKER_NO_ENCONTRADO"


def test_a_bad_key_stops_the_start_with_one_sentence(tmp_path: Path) -> None:
    with (
        pytest.raises(AssertionError, match="no se puede leer"),
        running_server(
            f"sqlite:///{tmp_path / 'x.db'}",
            tmp_path,
            settings={"GOOGLE_SHEET_ID": "x", "GOOGLE_APPLICATION_CREDENTIALS": "/no/hay"},
        ),
    ):
        pass
