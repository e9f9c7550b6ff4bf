"""A witness: a copy of the chain's head that is kept where whoever has the database cannot change it."""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable
from typing import NamedTuple

from carrete.domain.trail.canonical import ChainHead
from carrete.domain.trail.ed25519 import is_signature

KEY_BYTES = 32
NOTE_TYPE = "NOTA"  # of an event, and of the action that writes it: it keeps the token that its spool has already
SEAL_SOURCE = "sello guardado en el registro"
Sign = Callable[[ChainHead], str]  # signs a head with the shop's key, as base64url


class Witness(NamedTuple):
    """`made_at` is an instant at which nothing of what it covers had been changed yet (ISO 8601, UTC), "" when that is
    not known; `known_at` one at which the witness existed already. `event_id` names the event that stands at its seq,
    where the witness tells it, and `event` says its type, spool and person; `event_seq` and `version` name the last
    event of the acknowledged action and its token; `what` says in plain words what was acknowledged, and
    `is_note` whether it was a note."""

    seq: int
    hash: str
    source: str
    made_at: str = ""
    known_at: str = ""
    event_id: str = ""
    event_seq: int = 0
    version: str = ""
    what: str = ""
    event: str = ""
    is_note: bool = False


class SignedHead(NamedTuple):
    """`at` is "" in a receipt, which says nothing of the time."""

    head: ChainHead
    signature: str
    at: str = ""


class MissingKey(NamedTuple):
    """A public key that the ledger had and has no more. `source` and `seq` name what was signed with it."""

    fingerprint: str
    source: str
    seq: int


def key_fingerprint(public_key: bytes) -> str:
    return hashlib.sha256(public_key).hexdigest()


def seal_message(fingerprint: str, head: ChainHead, at: str = "") -> bytes:
    """The bytes that are signed: five lines, each with a line feed at its end."""
    return f"carrete-seal-1\n{fingerprint}\n{head.seq}\n{head.hash}\n{at}\n".encode()


def encoded(raw: bytes) -> str:
    """base64url without padding."""
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def public_key_of(text: object) -> bytes | None:
    """The 32 bytes of a stored public key, None for anything else."""
    try:
        key = decoded(str(text))
    except ValueError:
        return None
    return key if len(key) == KEY_BYTES else None


def signed_by(seal: SignedHead, public_keys: Iterable[bytes]) -> str | None:
    """The fingerprint of the key that signed it, None when none of them did."""
    try:
        signature = decoded(seal.signature)
        for key in public_keys:
            fingerprint = key_fingerprint(key)
            if is_signature(signature, seal_message(fingerprint, seal.head, seal.at), key):
                return fingerprint
    except ValueError:  # no base64url, or a time that cannot be encoded: nobody signed that
        return None
    return None
