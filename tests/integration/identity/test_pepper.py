"""A backup does not reveal PINs even to a thief who tries them all, because the pepper is in no table."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import verify_secret

from carrete.identity import people, pins
from carrete.identity.pins import PinHasher
from carrete.identity.server_keys import KEY_FILE, ServerKeys
from carrete.ledger.database import Database
from tests.support.builders import put
from tests.support.every_post import everything_in
from tests.support.people import CREW, MR, SV

PIN = "482915"
TRYING_S = 5.0
CANDIDATES = ("739264", "918273", "104857", PIN, "662071")
IDENTITY_TABLES = ("pin", "setting", "device", "session", "api_token", "enrolment_code", "access_event", "badge")


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cost of one attempt does not protect here: 900,000 PINs are tried in hours at any cost that a tablet can
    bear."""
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


def found_by_trying(stored: str) -> tuple[str | None, int]:
    """What a thief finds who tries PIN after PIN, and how many were tried. The right one is the thousandth."""
    tried = [f"{n:06d}" for n in range(10**6)]
    Random(1).shuffle(tried)
    at = tried.index(PIN)
    tried[at], tried[999] = tried[999], PIN
    until = time.monotonic() + TRYING_S
    for number, pin in enumerate(tried, 1):
        if number > 1_000 and time.monotonic() > until:
            return None, number
        try:
            verify_secret(stored.encode(), pin.encode(), Type.ID)
        except VerificationError:
            continue
        return pin, number
    return None, len(tried)


def test_trying_pin_after_pin_finds_it_without_pepper_and_never_with_it() -> None:
    """All 10^6 take half a minute and more even at the least cost that Argon2 has: as many are tried as 5 s allow, and
    the right one is among them in both cases."""
    without = WithoutPepper(b"")
    assert found_by_trying(without.hash_blocking(PIN)) == (PIN, 1_000)
    without.close()
    real = PinHasher(ServerKeys(bytes(range(32))).pepper)
    found, tried = found_by_trying(stored := real.hash_blocking(PIN))
    assert found is None
    assert tried > 1_000
    assert real.verify_blocking(stored, PIN)
    real.close()


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
