"""A copy where nothing can be signed: the copy is made, no key is, and the missing head is said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from carrete.backups import copying
from carrete.backups.errors import BackupFailed
from carrete.ledger.database import Database
from carrete.trail.signing_key import KEY_FILE, SigningKey
from tests.integration.cli.conftest import Carrete, CommandResult
from tests.support.sealed_shop import SealedShop
from tests.support.server import clean_environment


@pytest.fixture
def shop(database: Database, database_url: str, tmp_path: Path) -> SealedShop:
    made = SealedShop(database, database_url, tmp_path / "server").staffed()
    made.work(1)
    return made


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """The data folder of a machine that is not the server."""
    (folder := tmp_path / "elsewhere").mkdir(0o700)
    return folder


@pytest.fixture
def backup(carrete: Carrete, shop: SealedShop, tools: str) -> Carrete:
    def run(file: Path, data: Path) -> CommandResult:
        return carrete("backup", file, DATABASE_URL=shop.settings.database_url, CARRETE_DATA=str(data), PATH=tools)

    return run


def test_a_machine_without_the_servers_key_makes_none(backup: Carrete, elsewhere: Path, tmp_path: Path) -> None:
    made = backup(tmp_path / "mine.copy", elsewhere)
    assert (made.exit_code, (tmp_path / "mine.copy").is_file()) == (0, True), made
    assert made.sentence == f"carrete: the copy has no signed head: there is no key {elsewhere / KEY_FILE}."
    assert (os.listdir(elsewhere), (tmp_path / "mine.copy.json").exists()) == ([], False)


def test_a_key_that_the_ledger_does_not_know_signs_nothing(backup: Carrete, elsewhere: Path, tmp_path: Path) -> None:
    """Such a signature would be of no use to anybody who checks the copy."""
    SigningKey.load(elsewhere)
    made = backup(tmp_path / "mine.copy", elsewhere)
    assert (made.exit_code, (tmp_path / "mine.copy").is_file()) == (0, True), made
    assert "the copy has no signed head: the ledger does not know the key" in made.sentence
    assert not (tmp_path / "mine.copy.json").exists()


def test_the_key_that_the_ledger_knows_signs(backup: Carrete, shop: SealedShop, tmp_path: Path) -> None:
    made = backup(tmp_path / "mine.copy", shop.settings.data)
    assert (made.exit_code, made.err) == (0, "")
    assert json.loads((tmp_path / "mine.copy.json").read_text("utf-8"))["head"]["seq"] == 8


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_ledger_from_before_the_chain_is_copied_all_the_same(
    backup: Carrete, shop: SealedShop, tmp_path: Path
) -> None:
    with shop.database.writing() as tx:
        tx.execute("DROP TABLE trail_key")
    made = backup(tmp_path / "mine.copy", shop.settings.data)
    assert (made.exit_code, (tmp_path / "mine.copy").is_file()) == (0, True), made
    assert "the copy has no signed head: which keys the ledger knows cannot be read" in made.sentence


def nightly_copy(shop: SealedShop, folder: Path, tools: str) -> dict[str, Any]:
    task = {
        "parent": os.getpid(),
        "ledger_url": shop.settings.ledger_url,
        "folder": str(folder),
        "data": str(shop.settings.data),
        "zone": "UTC",
    }
    command = [sys.executable, "-m", "carrete.backups.child"]
    environment = clean_environment(PATH=tools)
    ended = subprocess.run(command, input=json.dumps(task).encode(), capture_output=True, env=environment, check=True)
    made: dict[str, Any] = json.loads(ended.stdout)
    return made


def test_a_nightly_copy_makes_no_key_in_the_place_of_one_that_was_deleted_while_the_server_runs(
    shop: SealedShop, tools: str, tmp_path: Path
) -> None:
    key = shop.settings.data / KEY_FILE
    key.unlink()
    made = nightly_copy(shop, tmp_path / "nightly", tools)
    assert (made["unsigned"], key.exists()) == (f"there is no key {key}.", False)
    notes = json.loads((tmp_path / "nightly" / f"{made['file']}.json").read_text("utf-8"))
    assert "head" not in notes


def test_a_nightly_copy_is_signed_only_by_a_key_that_the_ledger_knows(
    shop: SealedShop, tools: str, tmp_path: Path
) -> None:
    assert nightly_copy(shop, tmp_path / "nightly", tools)["unsigned"] == ""
    (shop.settings.data / KEY_FILE).write_bytes(b"\1" * 32)
    assert "the ledger does not know the key" in nightly_copy(shop, tmp_path / "nightly", tools)["unsigned"]


def test_notes_of_an_earlier_copy_do_not_stay_beside_a_new_one_that_has_none(
    backup: Carrete, shop: SealedShop, elsewhere: Path, tmp_path: Path
) -> None:
    """They would say of the new copy when the earlier one was made, and what its head was."""
    file, beside = tmp_path / "mine.copy", tmp_path / "mine.copy.json"
    assert backup(file, shop.settings.data).exit_code == 0
    file.unlink()
    assert beside.is_file()
    assert backup(file, elsewhere).exit_code == 0
    assert (file.is_file(), beside.exists()) == (True, False)


def test_a_file_of_somebody_else_that_appears_beside_the_copy_meanwhile_is_not_removed(
    shop: SealedShop, tools: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, beside = tmp_path / "mine.copy", tmp_path / "mine.copy.json"
    real = copying._copied

    def slow(*arguments: Any, **options: Any) -> Any:
        beside.write_text('{"mine": "precious"}', "utf-8")
        return real(*arguments, **options)

    monkeypatch.setattr(copying, "_copied", slow)
    with pytest.raises(BackupFailed, match="exists already"):
        copying.back_up_to(shop.settings.ledger_url, file, shop.now)
    assert (file.exists(), beside.read_text("utf-8")) == (False, '{"mine": "precious"}')
