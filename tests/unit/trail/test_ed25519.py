"""Our own check of signatures says what the library says, and what RFC 8032 says."""

from __future__ import annotations

from random import Random

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from carrete.domain.trail import ed25519
from carrete.domain.trail.ed25519 import is_signature


def test_signatures_of_the_library_are_right_and_changed_ones_are_not() -> None:
    chance = Random(8032)
    for _ in range(20):
        key = Ed25519PrivateKey.from_private_bytes(chance.randbytes(32))
        public, message = key.public_key().public_bytes_raw(), chance.randbytes(chance.randrange(100))
        signature = key.sign(message)
        assert is_signature(signature, message, public)
        assert not is_signature(signature, message + b"x", public)
        place = chance.randrange(64)
        changed = bytes([*signature[:place], signature[place] ^ 1, *signature[place + 1 :]])
        assert not is_signature(changed, message, public)


def test_the_first_example_of_the_standard() -> None:
    public = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    signature = bytes.fromhex(
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
        "d25bf5f0595bbe24655141438e7a100b"
    )
    assert is_signature(signature, b"", public)
    assert not is_signature(signature[:32] + b"\xff" * 32, b"", public), "a scalar beyond the order is refused"
    assert not is_signature(b"", b"", public)


def test_each_further_signature_of_a_key_costs_a_third_of_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exported trail of some years has more than ten thousand seals, and the whole check has a minute."""
    key, sums = Ed25519PrivateKey.from_private_bytes(b"k" * 32), 0
    plain = ed25519._sum

    def counted(a: tuple[int, int, int, int], b: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
        nonlocal sums
        sums += 1
        return plain(a, b)

    monkeypatch.setattr(ed25519, "_sum", counted)
    public = key.public_key().public_bytes_raw()
    assert is_signature(key.sign(b"1"), b"1", public)
    sums = 0
    assert is_signature(key.sign(b"2"), b"2", public)
    assert sums < 320
