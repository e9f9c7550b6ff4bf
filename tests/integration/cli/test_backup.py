"""`carrete backup` into places where it cannot, or must not, write; and from where there is nothing to copy."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from carrete.ledger import open_database
from carrete.ledger.migrate import migrate
from carrete_chaos.disk import small_disk
from tests.integration.cli.conftest import Carrete
from tests.support.builders import a_spool, put
from tests.support.people import CREW
from tests.support.server import clean_environment
from tests.support.unprivileged import run_unprivileged


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    database = open_database(f"sqlite:///{folder / 'carrete.db'}")
    migrate(database)
    put(database, [a_spool(f"MK-{n}") for n in range(2_000)], CREW)
    database.close()
    return folder


def not_written(carrete: Carrete, file: Path, data: Path) -> str:
    """Exit 1, one sentence, and no file left behind; returns the sentence."""
    before = sorted(os.listdir(file.parent)) if file.parent.is_dir() else []
    result = carrete("backup", file, CARRETE_DATA=str(data))
    assert (result.exit_code, result.out) == (1, "")
    after = sorted(os.listdir(file.parent)) if file.parent.is_dir() else []
    assert after == before
    return result.sentence


def test_a_copy_is_for_its_owner_alone(carrete: Carrete, data: Path, tmp_path: Path) -> None:
    (folder := tmp_path / "copies").mkdir()
    result = carrete("backup", folder / "copy.db", CARRETE_DATA=str(data))
    assert result.exit_code == 0, result.err
    assert stat.S_IMODE((folder / "copy.db").stat().st_mode) == 0o600
    assert os.listdir(folder) == ["copy.db"]
    with sqlite3.connect(folder / "copy.db") as copy:
        assert copy.execute("SELECT count(*) FROM spool").fetchone() == (2_000,)
    copy.close()


def test_no_link_is_followed_and_none_is_replaced(carrete: Carrete, data: Path, tmp_path: Path) -> None:
    """A link that somebody has placed there, under the name itself or under the former name of the unfinished copy."""
    (precious := tmp_path / "precious").write_text("precious")
    (folder := tmp_path / "copies").mkdir()
    for target in (precious, tmp_path / "not-there-yet"):
        (folder / "copy.db").symlink_to(target)
        assert "exists already" in not_written(carrete, folder / "copy.db", data)
        (folder / "copy.db").unlink()
    (folder / "copy.db.partial").symlink_to(precious)
    assert carrete("backup", folder / "copy.db", CARRETE_DATA=str(data)).exit_code == 0
    assert precious.read_text() == "precious"
    assert not (tmp_path / "not-there-yet").exists()
    assert (folder / "copy.db.partial").is_symlink()


def test_a_link_that_appears_while_the_copy_is_made_is_not_replaced(
    carrete: Carrete, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder := tmp_path / "copies").mkdir()
    (precious := tmp_path / "precious").write_text("precious")
    real = os.link

    def planted(*arguments: object, **options: object) -> None:
        (folder / "copy.db").symlink_to(precious)
        real(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "link", planted)
    result = carrete("backup", folder / "copy.db", CARRETE_DATA=str(data))
    assert (result.exit_code, "exists already" in result.sentence) == (1, True)
    assert precious.read_text() == "precious"


def test_without_a_ledger_there_is_no_success_and_nothing_is_made(carrete: Carrete, tmp_path: Path) -> None:
    sentence = not_written(carrete, tmp_path / "copy.db", tmp_path / "nowhere")
    assert "There is no ledger at" in sentence
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("content", [b"", b"hola\n" * 1000])
def test_a_file_that_is_no_ledger_is_not_copied(carrete: Carrete, tmp_path: Path, content: bytes) -> None:
    (data := tmp_path / "data").mkdir(0o700)
    (data / "carrete.db").touch(0o600)
    (data / "carrete.db").write_bytes(content)
    assert "no ledger" in not_written(carrete, tmp_path / "copy.db", data)


def test_a_missing_folder_or_one_in_the_place_of_the_file_is_reported(
    carrete: Carrete, data: Path, tmp_path: Path
) -> None:
    assert "is no folder" in not_written(carrete, tmp_path / "nowhere" / "copy.db", data)
    (tmp_path / "there").mkdir()
    assert "is a folder" in not_written(carrete, tmp_path / "there", data)
    assert "name too long" in not_written(carrete, tmp_path / ("x" * 300), data).lower()


def test_a_full_disk_is_reported_and_leaves_nothing_behind(carrete: Carrete, data: Path, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", megabytes=1) as disk:
        assert disk is not None, "the tests mount a small disk, as root"
        disk.fill()
        sentence = not_written(carrete, disk.folder / "copy.db", data)
        assert "No space left" in sentence or "full" in sentence
        disk.empty()
        (disk.folder / "ballast").write_bytes(b"\0" * 900_000)
        assert "No space left" in not_written(carrete, disk.folder / "copy.db", data)


def test_a_disk_that_cannot_be_written_is_reported(carrete: Carrete, data: Path, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", megabytes=1) as disk:
        assert disk is not None, "the tests mount a small disk, as root"
        subprocess.run(["mount", "-o", "remount,ro", str(disk.folder)], check=True)
        assert "Read-only" in not_written(carrete, disk.folder / "copy.db", data)


def test_a_folder_that_this_user_may_not_write_is_reported(data: Path, tmp_path: Path) -> None:
    (forbidden := tmp_path / "forbidden").mkdir(0o555)
    command = [sys.executable, "-m", "carrete", "backup", str(forbidden / "copy.db")]
    ended = run_unprivileged(command, clean_environment(CARRETE_DATA=str(data)), tmp_path)
    assert ended.returncode == 1, ended
    sentence = f"carrete: {forbidden / 'copy.db'} cannot be written: Permission denied. Nothing was copied."
    assert sentence in ended.stderr.strip().splitlines()
