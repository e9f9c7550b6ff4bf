"""The file of the server's key: made once, private, whole, and tied to its ledger."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest

from carrete import private_files
from carrete.identity import server_keys
from carrete.identity.server_keys import KEY_FILE, ServerKeys, WrongIdentityKey
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.migrate import migrate
from carrete.settings import WrongSetting
from tests.support.builders import put
from tests.support.people import CREW, MR
from tests.support.signing_in import give_pin


def load(database: Database, folder: Path) -> ServerKeys:
    with database.writing() as tx:
        return ServerKeys.load(folder, tx)


def test_a_new_ledger_gets_a_key_that_only_its_user_may_read(database: Database, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    keys = load(database, folder)
    path = folder / KEY_FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(path.read_bytes()) == 32
    assert [each.name for each in folder.iterdir()] == [KEY_FILE], "no draft is left"
    assert load(database, folder).pepper == keys.pepper, "and keeps it"


def test_the_ledger_does_not_have_the_key(database: Database, tmp_path: Path) -> None:
    keys = load(database, tmp_path)
    with database.reading() as tx:
        (kept,) = tx.one("setting", name="identity_key") or (None,)
    secrets = [(tmp_path / KEY_FILE).read_bytes(), keys.pepper]
    assert kept == keys.fingerprint
    assert all(secret.hex() not in str(kept) for secret in secrets)


def test_without_its_key_a_ledger_is_not_served(database: Database, tmp_path: Path) -> None:
    load(database, tmp_path)
    (tmp_path / KEY_FILE).unlink()
    with pytest.raises(WrongSetting, match=r"is missing: copy it .*`carrete admin new-key`"):
        load(database, tmp_path)
    assert not (tmp_path / KEY_FILE).exists(), "no other key is made in its place"


def test_the_key_of_another_ledger_is_refused(database: Database, tmp_path: Path) -> None:
    load(database, tmp_path)
    (tmp_path / KEY_FILE).write_bytes(b"x" * 32)
    with pytest.raises(WrongIdentityKey, match="is not the key of this ledger"):
        load(database, tmp_path)


@pytest.mark.parametrize("content", [b"", b"x" * 31, b"x" * 33])
def test_a_damaged_key_is_refused(database: Database, tmp_path: Path, content: bytes) -> None:
    (tmp_path / KEY_FILE).write_bytes(content)
    with pytest.raises(WrongIdentityKey, match=f"has {len(content)} bytes"):
        load(database, tmp_path)


def test_a_folder_that_cannot_be_written_is_named(database: Database, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(WrongIdentityKey, match="cannot be written"):
        load(database, tmp_path / "data")


def test_processes_that_start_at_once_have_one_key(database_url: str, tmp_path: Path) -> None:
    found: list[bytes] = []
    together = threading.Barrier(4)

    def start() -> None:
        database = open_database(database_url)
        migrate(database)
        together.wait()
        found.append(load(database, tmp_path / "data").pepper)
        database.close()

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(found) == 4
    assert len(set(found)) == 1


def test_two_machines_that_start_at_once_do_not_both_serve(database_url: str, tmp_path: Path) -> None:
    """Each has a data folder of its own: only the first one's key becomes the ledger's."""
    outcomes: list[str] = []
    together = threading.Barrier(2)

    def start(folder: Path) -> None:
        database = open_database(database_url)
        migrate(database)
        together.wait()
        try:
            load(database, folder)
            outcomes.append("serves")
        except WrongIdentityKey:
            outcomes.append("refused")
        database.close()

    threads = [threading.Thread(target=start, args=(tmp_path / name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(outcomes) == ["refused", "serves"]


def test_the_first_of_two_that_make_a_key_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = server_keys._write_durably

    def slower(path: Path, content: bytes) -> None:
        write(path, content)
        (tmp_path / KEY_FILE).write_bytes(b"f" * 32)

    monkeypatch.setattr(server_keys, "_write_durably", slower)
    assert server_keys._read_or_make(tmp_path / KEY_FILE) == b"f" * 32


def test_a_new_key_ends_all_pins(database: Database, tmp_path: Path) -> None:
    put(database, workers=CREW)
    give_pin(database, MR.id)
    before = load(database, tmp_path)
    with database.writing() as tx:
        after = ServerKeys.replace(tmp_path, tx)
    with database.reading() as tx:
        assert tx.all("pin_owners") == []
    assert after.pepper != before.pepper
    assert load(database, tmp_path).pepper == after.pepper


def test_a_key_that_others_could_read_is_closed_at_the_start(tmp_path: Path) -> None:
    path = tmp_path / KEY_FILE
    path.write_bytes(b"x" * 32)
    path.chmod(0o644)
    private_files.tighten(tmp_path, None)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
