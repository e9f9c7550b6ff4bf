"""Files of Carrete can be read by its own user and by nobody else, also those that were there before."""

from __future__ import annotations

import configparser
import os
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from carrete.ledger import open_database
from carrete.ledger.migrate import migrate
from carrete.private_files import tighten
from tests.integration.cli.conftest import Carrete
from tests.support.server import RunningServer, clean_environment, running_server
from tests.support.unprivileged import run_unprivileged

REPOSITORY = Path(__file__).parents[3]
CLOSED = "other users could read or change these files; they no longer can"


@pytest.fixture
def usual_umask() -> Iterator[None]:
    """The usual umask of most machines, whatever this one has."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def open_ones(folder: Path) -> dict[str, str]:
    """Everything in the folder, and the folder itself, that any other user may read, write or enter."""
    found = [folder, *folder.rglob("*")]
    return {str(path): oct(mode(path)) for path in found if mode(path) & 0o077}


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_server_makes_nothing_that_others_can_read(workers: str, tmp_path: Path, usual_umask: None) -> None:
    (data := tmp_path / "data").mkdir()
    url = f"sqlite:///{data / 'carrete.db'}"
    settings = {"REDIS_URL": "embedded"}
    with running_server(url, data, "--workers", workers, "--demo", settings=settings) as server:
        until_redis_runs(server)
        names = {path.name for path in data.rglob("*")}
        assert {"carrete.db", "carrete.db-wal", "redis.sock", "redis.log", "keeper.lock", "appendonlydir"} <= names
        assert open_ones(data) == {}
        assert mode(data) == 0o700
        assert mode(data / "carrete.db") == 0o600
        assert mode(data / "redis.sock") == 0o600


def until_redis_runs(server: RunningServer) -> None:
    with server.client() as client:
        until = time.monotonic() + 20
        while client.get("/api/health/redis").json()["status"] != "healthy":
            assert time.monotonic() < until, server.complaints
            time.sleep(0.05)


def test_files_that_others_could_read_are_closed_at_the_start_and_reported_once(
    tmp_path: Path, usual_umask: None
) -> None:
    (data := tmp_path / "data").mkdir()
    url = f"sqlite:///{data / 'carrete.db'}"
    with running_server(url, data, settings={"REDIS_URL": "embedded"}) as server:
        until_redis_runs(server)
    (data / "backup.db").touch()
    (data / "serve.log").touch()
    for path in (data, *data.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    settings = {"REDIS_URL": "embedded"}
    with running_server(url, data, settings=settings) as server:
        until_redis_runs(server)
        assert open_ones(data) == {}
        assert server.complaints.count(CLOSED) == 1
        assert '"level":"warning"' in server.complaints
    with running_server(url, data, settings=settings) as server:
        assert CLOSED not in server.complaints, "nothing was open any more"


def test_a_ledger_elsewhere_is_closed_with_its_sidecars_but_not_its_folder(
    carrete: Carrete, tmp_path: Path, usual_umask: None
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir(0o755)
    (beside := shared / "somebody-elses.txt").touch(0o644)
    ledger = shared / "shop.db"
    database = open_database(f"sqlite:///{ledger}")
    migrate(database)
    sidecars = [ledger, shared / "shop.db-wal", shared / "shop.db-shm"]
    for path in sidecars:
        path.chmod(0o666)
    result = carrete("worker", "list", DATABASE_URL=f"sqlite:///{ledger}", CARRETE_DATA=str(tmp_path / "data"))
    database.close()
    assert result.exit_code == 0
    assert [mode(path) for path in sidecars if path.exists()] == [0o600] * sum(path.exists() for path in sidecars)
    assert (mode(shared), mode(beside)) == (0o755, 0o644)


def test_a_new_ledger_behind_a_link_is_private_too(tmp_path: Path, usual_umask: None) -> None:
    (ledger := tmp_path / "carrete.db").symlink_to(tmp_path / "other-disk.db")
    migrate(database := open_database(f"sqlite:///{ledger}"))
    database.close()
    assert mode(tmp_path / "other-disk.db") == 0o600


def test_a_link_in_the_data_folder_changes_nothing_elsewhere(tmp_path: Path, usual_umask: None) -> None:
    (elsewhere := tmp_path / "elsewhere.txt").touch(0o644)
    (folder := tmp_path / "folder").mkdir(0o755)
    (data := tmp_path / "data").mkdir(0o755)
    (data / "carrete.db").symlink_to(elsewhere)
    (data / "old.log").symlink_to(elsewhere)
    (data / "redis").symlink_to(folder)
    assert tighten(data, data / "carrete.db") == [data]
    assert (mode(elsewhere), mode(folder)) == (0o644, 0o755)


def test_a_folder_that_is_everybodys_stays_so_and_the_doctor_complains(
    carrete: Carrete, tmp_path: Path, usual_umask: None
) -> None:
    (data := tmp_path / "tmp").mkdir()
    data.chmod(0o1777)
    result = carrete("doctor", CARRETE_DATA=str(data))
    assert mode(data) == 0o1777
    assert result.exit_code == 1
    assert f"BAD   files: other users of this machine can read {data}" in result.out
    assert "ok    files: only this user" in carrete("doctor", CARRETE_DATA=str(tmp_path / "own")).out


def test_an_exported_workbook_is_for_other_people(carrete: Carrete, tmp_path: Path, usual_umask: None) -> None:
    assert carrete("export", tmp_path / "out.xlsx", CARRETE_DATA=str(tmp_path / "data")).exit_code == 0
    assert mode(tmp_path / "out.xlsx") == 0o644
    assert open_ones(tmp_path / "data") == {}


def test_the_unit_makes_files_for_its_user_alone() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.read(REPOSITORY / "deploy" / "systemd" / "carrete@.service")
    assert unit["Service"]["UMask"] == "0077"
    assert unit["Service"]["StateDirectoryMode"] == "0700"


def test_files_of_another_user_are_reported_without_a_traceback(tmp_path: Path, usual_umask: None) -> None:
    (data := tmp_path / "data").mkdir()
    data.chmod(0o777)
    os.chown(data, 65534, 65534)
    command = [sys.executable, "-m", "carrete", "doctor"]
    ended = run_unprivileged(command, clean_environment(CARRETE_DATA=str(data)), tmp_path)
    assert ended.returncode == 1, ended
    assert f"BAD   files: other users of this machine can read {data}" in ended.stdout
    assert "Traceback" not in ended.stderr
