"""What is derived from the server's key: the pepper, tap keys, and the key pair to which tablets seal a PIN."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode

import pytest

from carrete.identity.server_keys import SEALED_CHARS_MAX, NotSealedForUs, ServerKeys, seal

KEYS, OTHERS = ServerKeys(b"k" * 32), ServerKeys(b"o" * 32)
CONTENT = '{"pin":"482915","session":"s-1","at":"2026-11-16T13:30:00Z"}'


def test_the_same_file_gives_the_same_keys() -> None:
    again = ServerKeys(b"k" * 32)
    assert (again.pepper, again.tap_key("s-1"), again.seal_public_key(), again.fingerprint) == (
        KEYS.pepper,
        KEYS.tap_key("s-1"),
        KEYS.seal_public_key(),
        KEYS.fingerprint,
    )


def test_another_file_gives_other_keys() -> None:
    assert KEYS.pepper != OTHERS.pepper
    assert KEYS.tap_key("s-1") != OTHERS.tap_key("s-1")
    assert KEYS.seal_public_key() != OTHERS.seal_public_key()
    assert KEYS.fingerprint != OTHERS.fingerprint


def test_no_two_keys_of_a_server_are_the_same_and_none_is_the_file() -> None:
    keys = [KEYS.pepper, KEYS.tap_key("s-1"), KEYS.tap_key("s-2"), b"k" * 32]
    assert len(set(keys)) == len(keys)
    assert all(len(key) == 32 for key in keys)


def test_a_sealed_text_is_read_by_the_server_that_it_was_sealed_for() -> None:
    sealed = seal(KEYS.seal_public_key(), CONTENT)
    assert KEYS.unseal(sealed) == CONTENT
    with pytest.raises(NotSealedForUs):
        OTHERS.unseal(sealed)


def test_the_public_key_is_a_raw_point() -> None:
    text = KEYS.seal_public_key()
    raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    assert (len(raw), raw[0]) == (65, 4)
    assert "=" not in text


def test_a_text_is_sealed_differently_each_time() -> None:
    assert seal(KEYS.seal_public_key(), CONTENT) != seal(KEYS.seal_public_key(), CONTENT)


@pytest.mark.parametrize("at", [0, 1, 64, 65, 76, 77, -1])
def test_a_changed_byte_is_noticed(at: int) -> None:
    text = seal(KEYS.seal_public_key(), CONTENT)
    raw = bytearray(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    raw[at] ^= 1
    with pytest.raises(NotSealedForUs):
        KEYS.unseal(urlsafe_b64encode(raw).decode())


@pytest.mark.parametrize("text", ["", "AAAA", "á" * 40, "*" * 200, "A" * 200, "A" * (SEALED_CHARS_MAX + 1), "A"])
def test_anything_else_is_refused_without_an_error(text: str) -> None:
    with pytest.raises(NotSealedForUs):
        KEYS.unseal(text)
