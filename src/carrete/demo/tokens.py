"""Tokens for the demo: UUID4 as everywhere in the ledger, but the same in every demo shop."""

from __future__ import annotations

from random import Random
from uuid import UUID


def token(rng: Random) -> str:
    return str(UUID(int=rng.getrandbits(128), version=4))
