"""The embedded Redis: it starts and stops with us, and processes with the same data folder share it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis as redis_py
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from structlog.testing import capture_logs

from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.redis.embedded_server import socket_path
from tests.integration.gate.conftest import TAG, fill
from tests.support.gated import GatedFloor, a_gated_floor, eventually
from tests.support.server import RunningServer, descendants_of, is_alive, running_server


@pytest.fixture
def embedded(ledger: Database, ledger_url: str, tmp_path: Path) -> Iterator[GatedFloor]:
    with a_gated_floor(ledger_url, "embedded", tmp_path, background=True) as floor:
        yield floor


def ask(folder: Path, *command: Any) -> Any:
    client: Any = redis_py.Redis(
        unix_socket_path=str(socket_path(folder)), decode_responses=True, socket_timeout=2, retry=Retry(NoBackoff(), 0)
    )
    try:
        return client.execute_command(*command)
    finally:
        client.close()


def redis_pid(folder: Path) -> int | None:
    """The process id of the Redis that answers on the socket of this data folder, or None."""
    try:
        return int(ask(folder, "INFO", "server")["process_id"])
    except (RedisError, OSError):
        return None


def other_redis(folder: Path, than: int | None) -> bool:
    return redis_pid(folder) not in (None, than)


def test_it_listens_under_the_data_folder_and_nowhere_else(embedded: GatedFloor, tmp_path: Path) -> None:
    assert embedded.take(TAG, 1) == "OK"
    assert socket_path(tmp_path) == tmp_path / "redis.sock"
    assert ask(tmp_path, "CONFIG", "GET", "port")["port"] == "0"
    assert ask(tmp_path, "CONFIG", "GET", "appendonly")["appendonly"] == "yes"
    assert str(ask(tmp_path, "GET", f"spool_lock:{TAG}")).startswith("1:")
    assert redis_pid(tmp_path) in descendants_of(os.getpid())


def test_it_is_started_again_when_it_is_killed(embedded: GatedFloor, tmp_path: Path) -> None:
    embedded.take(TAG, 1)
    first = redis_pid(tmp_path)
    assert first is not None
    os.kill(first, signal.SIGKILL)
    assert embedded.take("MK-2", 2) == "OK"
    embedded.rest_until(lambda: other_redis(tmp_path, first) and not embedded.gate.breaker.is_open, 5.0)
    embedded.rest_until(lambda: ask(tmp_path, "EXISTS", f"spool_lock:{TAG}", "spool_lock:MK-2") == 2, 5.0)


def test_it_stops_with_us_and_its_file_survives(ledger: Database, ledger_url: str, tmp_path: Path) -> None:
    with a_gated_floor(ledger_url, "embedded", tmp_path, background=True) as floor:
        floor.take(TAG, 1)
        ask(tmp_path, "SET", "a note", "of yesterday")
        pid = redis_pid(tmp_path)
        assert pid is not None
    assert not is_alive(pid)
    with a_gated_floor(ledger_url, "embedded", tmp_path, background=True):
        assert ask(tmp_path, "GET", "a note") == "of yesterday"
        assert str(ask(tmp_path, "GET", f"spool_lock:{TAG}")).startswith("1:")


def test_a_data_folder_with_a_very_long_name_works(ledger: Database, ledger_url: str, tmp_path: Path) -> None:
    folder = tmp_path / ("turno-de-noche-" * 8) / ("nave-2-" * 8)
    with a_gated_floor(ledger_url, "embedded", folder, background=True) as floor:
        assert floor.take(TAG, 1) == "OK"
        assert str(ask(folder, "GET", f"spool_lock:{TAG}")).startswith("1:")
        assert (folder / "redis").is_dir()
    assert len(os.fsencode(socket_path(folder))) <= 100


def test_it_is_tried_again_when_what_hindered_it_is_gone(ledger: Database, ledger_url: str, tmp_path: Path) -> None:
    """A file has the name of its folder, and is moved away while the server runs."""
    (tmp_path / "redis").write_text("somebody's notes")
    floor = GatedFloor(ledger_url, "embedded", tmp_path)
    try:
        floor.run(a_moment_after(floor.services.start))
        assert floor.take(TAG, 1) == "OK"
        (tmp_path / "redis").unlink()
        floor.rest_until(lambda: not floor.gate.breaker.is_open, 5.0)
        floor.rest_until(lambda: bool(ask(tmp_path, "GET", f"spool_lock:{TAG}")), 5.0)
    finally:
        floor.close()


def test_it_starts_without_a_file_that_it_cannot_load(ledger: Database, ledger_url: str, tmp_path: Path) -> None:
    """Some bytes of its file are damaged: the file is moved aside, and the locks are rebuilt from the ledger."""
    with a_gated_floor(ledger_url, "embedded", tmp_path, background=True) as floor:
        floor.take(TAG, 1)
    (file,) = (tmp_path / "redis" / "appendonlydir").glob("*.incr.aof")
    file.write_bytes(b"*3\r\n$3\r\nnonsense" + file.read_bytes())
    with capture_logs() as logged, a_gated_floor(ledger_url, "embedded", tmp_path, background=True):
        assert str(ask(tmp_path, "GET", f"spool_lock:{TAG}")).startswith("1:")
    assert (tmp_path / "redis" / "appendonlydir.aside" / file.name).exists()
    assert sum("ended and is started again" in line["event"] for line in logged) == 1, "the log says it once"


async def a_moment_after(start: Callable[[], None]) -> None:
    start()
    await asyncio.sleep(0.1)


def test_two_in_one_folder_share_it_and_the_second_takes_over_when_the_first_stops(
    ledger: Database, ledger_url: str, tmp_path: Path
) -> None:
    first = GatedFloor(ledger_url, "embedded", tmp_path)
    first.start()
    try:
        with a_gated_floor(ledger_url, "embedded", tmp_path, background=True) as second:
            first_pid = redis_pid(tmp_path)
            first.take(TAG, 1)
            assert second.take(TAG, 2) == "SPOOL_OCCUPIED"
            assert redis_pid(tmp_path) == first_pid
            first.close()
            assert second.end(TAG, 1) == "OK"
            second.rest_until(lambda: other_redis(tmp_path, first_pid) and not second.gate.breaker.is_open, 5.0)
            assert second.take(TAG, 2) == "OK"
            second.rest_until(lambda: str(ask(tmp_path, "GET", f"spool_lock:{TAG}")).startswith("2:"), 5.0)
    finally:
        first.close()


class TestServersOfTheirOwn:
    @pytest.fixture
    def url(self, tmp_path: Path, ledger_url: str) -> str:
        database = open_database(ledger_url)
        fill(database)
        database.close()
        return ledger_url

    def test_one_killed_leaves_no_redis_behind(self, url: str, tmp_path: Path) -> None:
        with running_server(url, tmp_path, settings={"REDIS_URL": "embedded"}) as server:
            eventually(lambda: redis_pid(tmp_path) is not None, 5.0)
            pid = redis_pid(tmp_path)
            assert pid is not None
            assert pid in server.descendants()
            server.kill()
            eventually(lambda: not is_alive(pid), 2.0)

    def test_of_two_in_one_folder_the_other_takes_over_when_the_keeper_is_killed(
        self, url: str, tmp_path: Path
    ) -> None:
        settings = {"REDIS_URL": "embedded"}
        with running_server(url, tmp_path, settings=settings) as one:
            eventually(lambda: redis_pid(tmp_path) is not None, 5.0)
            with running_server(url, tmp_path, settings=settings) as other, other.tablet() as tablet:
                first_pid = redis_pid(tmp_path)
                assert first_pid in one.descendants()
                assert not other.descendants()
                assert tablet.tap("TOMAR", TAG, 1).status_code == 200
                one.kill()
                assert tablet.tap("TOMAR", TAG, 2).status_code == 409
                eventually(lambda: other_redis(tmp_path, first_pid), 5.0)
                assert redis_pid(tmp_path) in other.descendants()
                eventually(lambda: healthy(other), 5.0)
                eventually(lambda: bool(ask(tmp_path, "GET", f"spool_lock:{TAG}")), 5.0)
                pid = redis_pid(tmp_path)
                assert pid is not None
                other.terminate()
                eventually(lambda: not is_alive(pid), 2.0)


def healthy(server: RunningServer) -> bool:
    with server.tablet() as tablet:
        return bool(tablet.see("/api/health/redis")["status"] == "healthy")
