"""What the one path asks of a gate. `OpenGate` is the gate of a server that runs without Redis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from carrete.domain.shop_time import lock_time
from carrete.ledger.tokens import fresh_token


def lock_value(worker_id: int, now: datetime, zone: ZoneInfo) -> str:
    """`93:uuid4:DD-MM-YYYY HH:MM:SS`. The time has colons: whoever splits it splits at most twice."""
    return f"{worker_id}:{fresh_token()}:{lock_time(now, zone)}"


@dataclass(frozen=True, slots=True)
class Passage:
    """One spool on its way through: the value that will be its lock if this action takes it."""

    tag: str
    value: str
    takes: bool


class Gate(Protocol):
    """Neither call refuses, raises or decides: whatever Redis does, the ledger answers."""

    async def enter(self, passages: Sequence[Passage]) -> None:
        """Before the ledger: line up with others who want the same spools."""
        ...

    async def leave(self, passages: Sequence[Passage]) -> None:
        """After the commit, before the answer: make the locks say what the ledger says."""
        ...


class OpenGate:
    """No Redis: the ledger's compare-and-set alone keeps two holders apart."""

    async def enter(self, passages: Sequence[Passage]) -> None:
        del passages

    async def leave(self, passages: Sequence[Passage]) -> None:
        del passages
