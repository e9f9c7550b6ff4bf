"""The file of the server's keys: only its passphrase opens it, and it puts keys only where keys belong."""

from __future__ import annotations

import errno
import json
import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from carrete.backups import keys
from carrete.backups.errors import BackupFailed
from carrete.backups.keys import (
    WrongPassphrase,
    decrypted,
    encrypted,
    keys_backup,
    present_keys,
    restore_keys,
    write_keys_file,
)

PHRASE = "caballo correcto batería grapa"
AT = datetime(2026, 11, 16, 14, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def cheap_guesses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "_SCRYPT", {"n": 2**10, "r": 8, "p": 1})


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    (folder / "tls").mkdir(parents=True)
    for name in ("identity.key", "signing.key", "google-key.json", "tls/authority.key", "tls/authority.crt"):
        (folder / name).write_bytes(os.urandom(32))
    for other in ("carrete.db", "tls/server.key", "tls/server.crt", "carrete.toml"):
        (folder / other).write_text("no key of ours")
    return folder


def test_every_key_goes_in_and_comes_out_as_it_was(data: Path, tmp_path: Path) -> None:
    held = present_keys(data)
    assert set(held) == {"identity.key", "signing.key", "google-key.json", "tls/authority.key", "tls/authority.crt"}
    file = write_keys_file(data, tmp_path / "backups", PHRASE, AT)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not any(key in file.read_bytes() for key in held.values())
    new = tmp_path / "new machine"
    assert set(restore_keys(new, decrypted(file.read_bytes(), PHRASE), AT)) == set(held)
    assert present_keys(new) == held
    assert stat.S_IMODE((new / "tls" / "authority.key").stat().st_mode) == 0o600


def test_the_same_phrase_from_another_keyboard_opens_it_and_any_other_does_not(data: Path) -> None:
    content = encrypted(present_keys(data), PHRASE, AT)
    assert decrypted(content, f"  {PHRASE.replace('í', 'í')} ") == present_keys(data)
    for wrong in (PHRASE.upper(), PHRASE[:-1], ""):
        with pytest.raises(WrongPassphrase):
            decrypted(content, wrong)


def test_a_file_that_was_changed_anywhere_is_refused(data: Path) -> None:
    content = encrypted(present_keys(data), PHRASE, AT)
    for at in (5, len(keys.MAGIC) + 20, len(content) // 2, len(content) - 1):
        broken = bytearray(content)
        broken[at] ^= 1
        with pytest.raises(BackupFailed):
            decrypted(bytes(broken), PHRASE)
    for cut in (0, 10, 100, len(content) - 1):
        with pytest.raises(BackupFailed):
            decrypted(content[:cut], PHRASE)


def test_a_hostile_file_cannot_ask_for_all_memory(data: Path) -> None:
    head, line, rest = encrypted(present_keys(data), PHRASE, AT).split(b"\n", 2)
    greedy = json.dumps({**json.loads(line), "n": 2**30}).encode()
    with pytest.raises(BackupFailed, match="damaged"):
        decrypted(b"\n".join((head, greedy, rest)), PHRASE)


@pytest.mark.parametrize("name", ["../identity.key", "/etc/x.key", "carrete.db", "tls/../../x.key", "a/b.key", ""])
def test_a_file_puts_nothing_anywhere_else(tmp_path: Path, name: str) -> None:
    (folder := tmp_path / "data").mkdir()
    with pytest.raises(BackupFailed):
        restore_keys(folder, decrypted(encrypted({name: b"planted"}, PHRASE, AT), PHRASE), AT)
    assert list(tmp_path.rglob("*")) == [folder]


def test_a_key_that_was_there_is_kept_beside_the_one_that_takes_its_place(data: Path) -> None:
    before = (data / "identity.key").read_bytes()
    wanted = {**present_keys(data), "identity.key": b"\7" * 32}
    assert restore_keys(data, wanted, AT) == ["identity.key"]
    assert (data / "identity.key").read_bytes() == b"\7" * 32
    assert (data / "identity.key.before-20261116T140000Z").read_bytes() == before
    assert "identity.key.before-20261116T140000Z" not in present_keys(data)


def test_the_list_says_whether_the_file_has_the_keys_of_now(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    assert keys_backup(data, folder) is None
    write_keys_file(data, folder, PHRASE, AT)
    found = keys_backup(data, folder)
    assert found is not None
    assert (found.made_at, found.up_to_date) == (AT, True)
    (data / "later.key").write_bytes(os.urandom(32))
    found = keys_backup(data, folder)
    assert found is not None
    assert not found.up_to_date


def test_a_new_passphrase_leaves_no_file_that_the_old_one_opens(data: Path, tmp_path: Path) -> None:
    """Only files of other keys stay: an older copy of the ledger may need them."""
    folder = tmp_path / "backups"
    first = write_keys_file(data, folder, "la frase que alguien leyó", AT)
    (data / "identity.key").write_bytes(os.urandom(32))
    second = write_keys_file(data, folder, "la frase que alguien leyó", AT + timedelta(days=1))
    third = write_keys_file(data, folder, PHRASE, AT + timedelta(days=2))
    assert sorted(folder.iterdir()) == [first, third]
    assert not second.exists()


def test_a_key_that_came_since_does_not_let_the_old_passphrase_live_on(data: Path, tmp_path: Path) -> None:
    folder, google = tmp_path / "backups", data / "google-key.json"
    later = google.read_bytes()
    google.unlink()
    write_keys_file(data, folder, "la frase que alguien leyó", AT)
    google.write_bytes(later)
    newest = write_keys_file(data, folder, PHRASE, AT + timedelta(days=1))
    assert list(folder.iterdir()) == [newest]


def test_a_key_that_cannot_be_read_is_in_no_backup_and_the_list_says_so(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when root put the Google key there."""
    folder = tmp_path / "backups"
    write_keys_file(data, folder, PHRASE, AT)
    monkeypatch.setattr(Path, "read_bytes", closed_to_us)
    found = keys_backup(data, folder)
    assert found is not None
    assert not found.up_to_date
    with pytest.raises(BackupFailed, match="cannot be read: Permission denied"):
        write_keys_file(data, folder, PHRASE, AT + timedelta(days=1))


def closed_to_us(path: Path) -> bytes:
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def test_without_keys_there_is_no_file(tmp_path: Path) -> None:
    (data := tmp_path / "data").mkdir()
    with pytest.raises(BackupFailed, match="no keys"):
        write_keys_file(data, tmp_path / "backups", PHRASE, AT)
    assert not list(tmp_path.rglob("*.enc"))


def test_two_files_of_keys_in_the_same_second_are_both_written_and_the_second_one_stays(
    data: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "backups"
    first = write_keys_file(data, folder, "la frase que alguien leyó", AT)
    second = write_keys_file(data, folder, PHRASE, AT)
    assert first != second
    assert list(folder.glob("*.enc")) == [second]
