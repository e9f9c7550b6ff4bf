"""A backup gives no PIN away to somebody who tries them all, because the pepper is in no table."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from carrete.identity import people, pins
from carrete.identity.pins import PinHasher
from carrete.identity.server_keys import KEY_FILE, ServerKeys
from carrete.ledger.database import Database
from tests.support.builders import put
from tests.support.every_post import everything_in
from tests.support.people import CREW, MR, SV

PIN = "482915"
CANDIDATES = ("739264", "918273", "104857", PIN, "662071")
IDENTITY_TABLES = ("pin", "setting", "device", "session", "api_token", "enrolment_code", "access_event", "badge")


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cost of a try is not what protects here: 900,000 PINs are tried in hours at any cost that a tablet bears."""
    monkeypatch.setattr(pins, "_MEMORY_KIB", 8)
    monkeypatch.setattr(pins, "_PASSES", 1)


class WithoutPepper(PinHasher):
    """The fault that the test must find."""

    def _peppered(self, pin: str) -> bytes:
        return pin.encode()


def give_pins(database: Database, hasher: PinHasher) -> None:
    put(database, workers=CREW)
    with database.writing() as tx:
        for person in (MR, SV):
            people.give_pin(tx, person.id, hasher.hash_blocking(PIN), people.ChangeAuthor(datetime.now(UTC)))
    hasher.close()


def stolen(database_url: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """The rows of a copy of the ledger, as text."""
    monkeypatch.setattr("tests.support.every_post.TABLES", IDENTITY_TABLES)
    return everything_in(database_url)


def cracked(copy: dict[str, list[str]]) -> list[str]:
    """The PINs that a thief finds who has the whole ledger, and our source."""
    texts = {text for rows in copy.values() for row in rows for text in row.strip("()").replace("'", "").split(", ")}
    return [
        pin
        for stored in _argon2_texts(copy)
        for pin in CANDIDATES
        if any(_is(stored, form) for form in _forms(pin, texts))
    ]


def _argon2_texts(copy: dict[str, list[str]]) -> Iterator[str]:
    for row in copy["pin"]:
        yield next(part.strip("'") for part in row.strip("()").split(", ") if "$argon2id$" in part)


def _forms(pin: str, texts: set[str]) -> Iterator[bytes]:
    """The PIN as it is, and with everything that the ledger has as its pepper."""
    yield pin.encode()
    for text in {"", *texts}:
        for pepper in {text.encode(), hashlib.sha256(text.encode()).digest(), _from_hex(text)}:
            yield hmac.digest(pepper, pin.encode(), "sha256")
            if len(pepper) == 32:
                yield hmac.digest(ServerKeys(pepper).pepper, pin.encode(), "sha256")


def _from_hex(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


def _is(stored: str, form: bytes) -> bool:
    try:
        return PasswordHasher().verify(stored, form)
    except (VerificationError, InvalidHashError):
        return False


def test_a_copy_of_the_ledger_without_the_key_file_gives_no_pin_away(
    database: Database, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "data"
    with database.writing() as tx:
        keys = ServerKeys.load(folder, tx)
    give_pins(database, PinHasher(keys.pepper))
    copy = stolen(database_url, monkeypatch)
    assert len(copy["pin"]) == 2
    assert copy["setting"], "the fingerprint of the key is in the copy"
    assert cracked(copy) == []
    right = PinHasher(ServerKeys((folder / KEY_FILE).read_bytes()).pepper)
    assert [right.verify_blocking(stored, PIN) for stored in _argon2_texts(copy)] == [True, True]
    right.close()


def test_pins_that_were_kept_without_pepper_are_found_in_the_copy(
    database: Database, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_pins(database, WithoutPepper(b""))
    assert cracked(stolen(database_url, monkeypatch)) == [PIN, PIN]


def test_equal_pins_have_different_hashes(
    database: Database, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_pins(database, PinHasher(bytes(32)))
    first, second = _argon2_texts(stolen(database_url, monkeypatch))
    assert first != second


def test_the_key_is_not_in_the_ledger(
    database: Database, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.writing() as tx:
        keys = ServerKeys.load(tmp_path / "data", tx)
    give_pins(database, PinHasher(keys.pepper))
    everything = repr(stolen(database_url, monkeypatch)).lower()
    for secret in ((tmp_path / "data" / KEY_FILE).read_bytes(), keys.pepper, keys.tap_key("s-1")):
        assert secret.hex() not in everything
