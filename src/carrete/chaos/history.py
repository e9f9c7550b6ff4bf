"""What the tablets saw: one entry per action, whatever it took to get its answer."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Done:
    """Answered 200: the token that the spool had afterwards."""

    version: str
    accion: str


@dataclass(frozen=True, slots=True)
class Refused:
    status: int
    code: str
    owner_id: int | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nobody answered for certain. It may have happened, once, or not at all."""

    why: str = ""


Outcome = Done | Refused | Unknown


@dataclass(frozen=True, slots=True)
class Call:
    """One action under one key, from its first attempt to the answer that ended it."""

    key: str
    worker_id: int
    accion: str  # the last part of the path: tomar, finalizar, …
    tag: str
    operacion: str
    began: float
    ended: float  # infinity while nobody knows
    outcome: Outcome
    attempts: int = 1

    @property
    def takes(self) -> bool:
        return self.accion in ("tomar", "iniciar")


def unanswered(key: str, worker_id: int, accion: str, tag: str, operacion: str, began: float, attempts: int) -> Call:
    return Call(key, worker_id, accion, tag, operacion, began, math.inf, Unknown(), attempts)


@dataclass(frozen=True, slots=True)
class Fact:
    """One event of the ledger."""

    seq: int
    tag: str
    tipo: str
    worker_id: int | None
    operacion: str | None
    version: str
    holder: str | None  # who held the spool after it


@dataclass(frozen=True, slots=True)
class StoredKey:
    status: int
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that a verdict may rest on: the tablets' calls, and the ledger at rest."""

    calls: list[Call]
    facts: list[Fact]
    keys: dict[str, StoredKey]
    holders: dict[str, int]  # of the occupied spools
    locks: dict[str, str] | None = None  # Redis at rest; None when it is not part of the run
    lock_values: dict[str, str] = field(default_factory=dict)  # what the ledger says they should be
    streamed: list[int] | None = None  # what a viewer of the live stream saw; None when there was none
