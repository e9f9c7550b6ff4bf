"""A ledger that cannot be reached: 503 that says so, nothing half done, and work goes on by itself when it is back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import httpx
import psycopg
import pytest
from structlog.testing import capture_logs

from carrete.api import by_joint
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.migrate import migrate
from carrete.settings import Settings
from tests.support.answers import done, refused, replayed
from tests.support.builders import TAG, a_spool, events_in, put, spool_in
from tests.support.by_joint import begin, finish
from tests.support.postgres import PostgresServer, running_postgres
from tests.support.tablet import Tablet, tablet_in_process

BACK_S_MAX = 8.0

Gone = Callable[[], AbstractContextManager[None]]


@pytest.fixture(scope="module")
def mortal_postgres() -> Iterator[PostgresServer]:
    """A server of its own: stopping it disturbs nobody else."""
    with running_postgres() as server:
        yield server


@pytest.fixture
def database_url(engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    url = f"sqlite:///{tmp_path / 'carrete.db'}"
    if engine == "postgres":
        server: PostgresServer = request.getfixturevalue("mortal_postgres")
        url = server.url(server.create())
    database = open_database(url)
    migrate(database)
    database.close()
    return url


@pytest.fixture
def version_wait_s_min() -> float:
    return by_joint.WAIT_S_MIN


@pytest.fixture
def tablet(configured: Settings, ledger: Database, version_wait_s_min: float) -> Iterator[Tablet]:
    with tablet_in_process(configured, version_wait_s_min=version_wait_s_min) as opened:
        yield opened


@pytest.fixture
def gone(engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> Gone:
    """Inside the block there is no ledger: its file is moved away, or PostgreSQL is stopped."""

    @contextmanager
    def moved_away() -> Iterator[None]:
        elsewhere = move(tmp_path, tmp_path / "elsewhere")
        yield
        move(elsewhere, tmp_path)

    @contextmanager
    def stopped() -> Iterator[None]:
        server: PostgresServer = request.getfixturevalue("mortal_postgres")
        server.stop()
        try:
            yield
        finally:
            server.start()

    return moved_away if engine == "sqlite" else stopped


def move(folder: Path, target: Path) -> Path:
    """The ledger's file with its log, as a person who knows SQLite would."""
    target.mkdir(exist_ok=True)
    for file in folder.glob("carrete.db*"):
        file.rename(target / file.name)
    return target


def unavailable(answer: httpx.Response) -> None:
    refused(answer, 503, "LEDGER_UNAVAILABLE")
    assert int(answer.headers["retry-after"]) >= 1
    assert "Traceback" not in answer.text
    assert ("la acción" in answer.json()["detail"]) == (answer.request.method == "POST"), "a reader did nothing"
    for place in ("carrete.db", "/tmp", "127.0.0.1", "localhost", "5432"):
        assert place not in answer.text


def eventually_done(ask: Callable[[], httpx.Response]) -> httpx.Response:
    """The same again until it is no longer a 503, as a tablet would."""
    until = time.monotonic() + BACK_S_MAX
    while (answer := ask()).status_code == 503 and time.monotonic() < until:
        time.sleep(0.1)
    done(answer)
    return answer


def test_without_a_ledger_it_says_503_and_works_again_by_itself(tablet: Tablet, ledger: Database, gone: Gone) -> None:
    put(ledger, [a_spool()])
    tablet.see("/api/spools")
    with gone():
        unavailable(tablet.tap("TOMAR", key="k"))
        unavailable(tablet.batch("TOMAR", ["A"]))
        unavailable(tablet.get("/api/health/ready"))
        assert tablet.see("/api/health")["status"] == "ok"
    again = eventually_done(lambda: tablet.tap("TOMAR", key="k"))
    assert not replayed(again), "a 503 was kept as the key's outcome"
    for path in ("/api/health/ready", "/api/spools", "/api/dashboard/occupied"):
        eventually_done(lambda path=path: tablet.get(path))  # type: ignore[misc]
    assert tablet.see_events() == ["TOMAR_SPOOL"]


@pytest.mark.parametrize("version_wait_s_min", [0.2])
def test_without_a_ledger_the_diagnostic_tries_three_times_and_says_v3_with_the_reason(
    tablet: Tablet, ledger: Database, gone: Gone
) -> None:
    assert (by_joint.TRIES_MAX, by_joint.WAIT_S_MIN, by_joint.WAIT_S_MAX) == (3, 2, 10), "rule 1"
    put(ledger, [a_spool(total_uniones=3)])
    path = f"/api/diagnostic/{TAG}/version"
    assert tablet.see(path)["version"] == "v4.0"
    with gone():
        begun = time.monotonic()
        with capture_logs() as logged:
            body = tablet.see(path)
        assert time.monotonic() - begun >= 0.2 + 0.4, "between three tries there are two waits, the second one longer"
    why = body.pop("detection_logic")
    assert body == {"tag_spool": TAG, "version": "v3.0", "union_count": 0, "uniones_rows": None, "consistent": None}
    assert why == "el registro no responde; se supone v3.0", "where the ledger is, is nobody's business"
    tries = [line for line in logged if line["event"] == "version not detected"]
    assert [(line["log_level"], line["attempt"], line["tag"]) for line in tries] == [
        ("warning", number, TAG) for number in (1, 2, 3)
    ]
    assert all(line["reason"] for line in tries)
    eventually_done(lambda: tablet.get("/api/health/ready"))
    assert tablet.see(path)["version"] == "v4.0"


@pytest.mark.parametrize("engine", ["sqlite"])
def test_without_a_ledger_joints_are_503_too(tablet: Tablet, ledger: Database, engine: str, gone: Gone) -> None:
    put(ledger, [a_spool(total_uniones=3)])
    with gone():
        unavailable(begin(tablet))
        unavailable(finish(tablet, [1]))
        unavailable(tablet.get(f"/api/v4/uniones/{TAG}/metricas"))
        unavailable(tablet.get(f"/api/v4/uniones/{TAG}/disponibles", operacion="ARM"))


@pytest.mark.parametrize("engine", ["postgres"])
def test_connections_that_were_cut_off_are_made_anew(
    tablet: Tablet, ledger: Database, engine: str, database_url: str
) -> None:
    put(ledger, [a_spool()])
    done(tablet.tap("TOMAR"))
    tablet.see("/api/spools")
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND application_name = 'carrete'"
        )
    first = tablet.tap("PAUSAR", key="k")
    if first.status_code == 503:
        unavailable(first)
    eventually_done(lambda: tablet.tap("PAUSAR", key="k"))
    assert tablet.see_list() == [a_spool().tag]
    assert tablet.see_events() == ["TOMAR_SPOOL", "PAUSAR_SPOOL"]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_new_file_in_the_old_ones_place_is_not_written_into_blindly(
    tablet: Tablet, ledger: Database, engine: str, tmp_path: Path
) -> None:
    """Somebody deletes the file and touches a new one: there is no ledger in it, so nothing is acknowledged."""
    put(ledger, [a_spool()])
    done(tablet.tap("TOMAR"))
    elsewhere = move(tmp_path, tmp_path / "elsewhere")
    (tmp_path / "carrete.db").touch()
    unavailable(tablet.tap("PAUSAR"))
    unavailable(tablet.get("/api/spools"))
    for file in tmp_path.glob("carrete.db*"):
        file.unlink()
    move(elsewhere, tmp_path)
    eventually_done(lambda: tablet.tap("PAUSAR"))
    assert spool_in(ledger).occupation is None
    assert len(events_in(ledger)) == 2
