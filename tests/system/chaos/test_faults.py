"""What a campaign does for a ledger that a fault took away, and what it keeps when it could not go on."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from carrete_bench.postgres import TemporaryPostgres, embedded_binaries, temporary_postgres
from carrete_chaos import running
from carrete_chaos.cluster import ClusterFailed
from carrete_chaos.faults import ensure_running
from tests.support.gated import eventually


@pytest.fixture
def database() -> Iterator[TemporaryPostgres]:
    binaries = embedded_binaries()
    assert binaries is not None
    with temporary_postgres(binaries) as server:
        yield server


def crash_a_backend(database: TemporaryPostgres) -> None:
    """PostgreSQL ends every connection and recovers, as after a write without room."""
    with psycopg.connect(database.url) as connection:
        os.kill(connection.info.backend_pid, signal.SIGKILL)


def end(database: TemporaryPostgres) -> None:
    os.kill(database.pid, signal.SIGQUIT)
    eventually(lambda: not database.alive, 20)


@pytest.mark.parametrize("lost", [crash_a_backend, end])
def test_after_a_full_disk_the_next_fault_finds_a_ledger(
    database: TemporaryPostgres, lost: Callable[[TemporaryPostgres], None]
) -> None:
    lost(database)
    ensure_running(database)
    with psycopg.connect(database.url) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_campaign_that_could_not_go_on_keeps_the_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(cluster: object, *_: object) -> None:
        (cluster.folder / "api-0.log").write_text("the last words of a server")  # type: ignore[attr-defined]
        raise ClusterFailed("an API process ended by itself")

    monkeypatch.setattr(running, "run", fails)
    with pytest.raises(ClusterFailed) as failed:
        running.campaign("S", 1, "postgres")
    (note,) = failed.value.__notes__
    kept = Path(note.removeprefix("The logs are in "))
    try:
        assert (kept / "api-0.log").read_text() == "the last words of a server"
        assert "ready to accept connections" in (kept / "postgres.log").read_text()
    finally:
        shutil.rmtree(kept)
