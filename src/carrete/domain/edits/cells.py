"""A person's edits of a workbook as the domain sees them, and the desk on which those of one spool are worked through.

Cells come in normal form: ISO dates, ISO wall-clock times, plain numbers, `""` for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from carrete.domain.events import Event, EventoTipo
from carrete.domain.joints import Joint
from carrete.domain.shop import Shop
from carrete.domain.shop_time import from_wall, wall
from carrete.domain.spool import Spool
from carrete.domain.workers import Worker

OPERACIONES = "Operaciones"
UNIONES = "Uniones"
VERSION = "version"
OURS_STANDS = "un supervisor reanudó la hoja con lo nuestro."
WORKED_OUT = "lo calcula Carrete; queda el nuestro."
NUEVO, EDITAR, REGRESAR, RETIRAR = "NUEVO", "EDITAR", "REGRESAR", "RETIRAR"
REPONER = "REPONER"  # a cell of people's own that a write of ours had hit says again what it said


@dataclass(frozen=True, slots=True)
class Edit:
    """One cell that a person changed: what stood there, what we have, what it says now."""

    column: str
    was: str
    ours: str
    new: str
    conflict: bool = False  # we changed it too, to something else


@dataclass(frozen=True, slots=True)
class RowEdits:
    """The edits of a spool's row, with the row as the person found it."""

    edits: tuple[Edit, ...] = ()
    seen: Mapping[str, str] = field(default_factory=dict)
    back: bool = False  # the row was gone and is there again
    gone: bool = False  # somebody took the row out of the workbook
    refused: Mapping[str, Any] | None = None  # a supervisor lets ours stand; what the trail says about that


@dataclass(frozen=True, slots=True)
class JointEdits:
    joint: Joint
    edits: tuple[Edit, ...] = ()
    new: bool = False
    back: bool = False
    gone: bool = False
    refused: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class EditContext:
    """What an edit may look at besides the spool."""

    now: datetime
    shop: Shop
    workers: Mapping[int, Worker]
    lock_for: Callable[[int, datetime], str]  # the lock value of this worker's occupation since then


@dataclass(frozen=True, slots=True)
class Remark:
    """Something about one cell that the person should be told: mostly that ours stays, and why."""

    column: str
    reason: str
    n_union: int | None = None
    left_out: bool = False  # what the person wanted did not happen and should be repaired in the sheet


@dataclass(frozen=True, slots=True)
class Edited:
    spool: Spool
    joints: tuple[Joint, ...] = ()  # those that changed or are new
    events: tuple[Event, ...] = ()
    remarks: tuple[Remark, ...] = ()
    waiting: frozenset[str] = frozenset()  # columns of a new row that are not taken until a person repairs them


class Quarantined(Exception):
    """The row cannot be taken as it is: all of it waits until the sheet is repaired."""

    def __init__(self, column: str, reason: str) -> None:
        super().__init__(reason)
        self.column = column
        self.reason = reason


class RowEditor:
    """Where the edits of one row are worked through: the spool so far, and what is to be said about it."""

    def __init__(self, spool: Spool, context: EditContext) -> None:
        self.spool = spool
        self.context = context
        self.events: list[Event] = []
        self.remarks: list[Remark] = []

    def accept(self, edit: Edit, spool: Spool, **facts: Any) -> None:
        self.spool = spool
        self.events.append(edition(edit, OPERACIONES, self.context.now, **facts))

    def keep_ours(
        self, edit: Edit, reason: str, n_union: int | None = None, *, left_out: bool = False, **facts: Any
    ) -> None:
        """Ours is written back, and the trail says what the person had wanted."""
        hoja = OPERACIONES if n_union is None else UNIONES
        self.events.append(edition(edit, hoja, self.context.now, n_union, aceptado=False, **facts))
        self.remarks.append(Remark(edit.column, reason, n_union, left_out=left_out))

    def came_back(self) -> None:
        self.spool = replace(self.spool, retired=False)
        self.events.append(row_event(OPERACIONES, REGRESAR, self.context.now))

    def went_away(self) -> None:
        """Out of the lists; whoever holds it may still end, and its history stays."""
        self.spool = replace(self.spool, retired=True)
        self.events.append(row_event(OPERACIONES, RETIRAR, self.context.now))


def edition(edit: Edit, hoja: str, now: datetime, n_union: int | None = None, **facts: Any) -> Event:
    metadata: dict[str, Any] = {"hoja": hoja, "columna": edit.column, "anterior": edit.was, "nuevo": edit.new}
    if edit.conflict:
        metadata |= {"conflicto": True, "nuestro": edit.ours}
    return Event(EventoTipo.EDICION_EXTERNA, now, EDITAR, n_union=n_union, metadata=metadata | facts)


def row_event(hoja: str, accion: str, now: datetime, n_union: int | None = None, **facts: Any) -> Event:
    return Event(EventoTipo.EDICION_EXTERNA, now, accion, n_union=n_union, metadata={"hoja": hoja} | facts)


# ─── normal forms ─────────────────────────────────────────────────────────────────────────────────────────────


def day(said: str) -> date | None:
    return date.fromisoformat(said) if said else None


def instant(said: str, zone: ZoneInfo) -> datetime | None:
    return from_wall(datetime.fromisoformat(said), zone) if said else None


def wall_text(moment: datetime, zone: ZoneInfo) -> str:
    return wall(moment, zone).replace(tzinfo=None).isoformat()
