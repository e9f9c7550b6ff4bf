"""What the tablets saw: one entry per action, whatever it took to get its answer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
class Typed:
    """A cell of the workbook and what somebody typed there, in normal form."""

    sheet: str
    n_union: int  # 0: the row of the spool itself
    column: str
    value: str


@dataclass(frozen=True, slots=True)
class Edit:
    """What a person really did in the workbook, and when; and what the cell said before."""

    tag: str
    typed: Typed
    at: float
    over: str = ""


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
    typed: Typed | None = None  # of an EDICION_EXTERNA
    was: str = ""  # what that person saw there
    accepted: bool = True  # False: ours was written back


@dataclass(frozen=True, slots=True)
class StoredKey:
    status: int
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Replaced:
    """A person's cell that had been read, and that a write of ours then replaced."""

    edit: Edit
    at: float


Place = tuple[str, str, int]  # sheet, tag, joint (0: the spool itself)
Cells = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SheetAtRest:
    """The workbook when everything is quiet, beside the ledger: all cells in normal form."""

    rows: Mapping[Place, Cells]
    ledger: Mapping[Place, Cells]
    listed: frozenset[Place]  # `/api/sync/status` says that they wait for a person
    events: Sequence[str]  # ids in `Metadata`, from top to bottom
    ledger_events: Sequence[str]  # ids that should be there, in order
    replaced: Sequence[Replaced] = ()
    trouble: Sequence[str] = ()  # sheets that stopped, leftovers in rows without a key


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
    edits: Sequence[Edit] = ()  # what people did in the workbook
    sheet: SheetAtRest | None = None  # None when no workbook is part of the run
