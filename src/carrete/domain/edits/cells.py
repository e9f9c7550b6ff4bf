"""A person's edits of a workbook row, and the editor that collects their effects on one spool.

Cells are in normal form: ISO dates, ISO wall-clock times, plain numbers, `""` for an empty cell.
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
REPONER = "REPONER"  # a person's own cell, which one of our writes had overwritten, got its value back


@dataclass(frozen=True, slots=True)
class Edit:
    """One cell that a person changed: its value before (`was`), the ledger's (`ours`), and the new one."""

    column: str
    was: str
    ours: str
    new: str
    conflict: bool = False  # the ledger changed it too, to another value


@dataclass(frozen=True, slots=True)
class RowEdits:
    """The edits of a spool's row, with the values that the person saw before them."""

    edits: tuple[Edit, ...] = ()
    seen: Mapping[str, str] = field(default_factory=dict)
    back: bool = False  # a row that had been removed is in the workbook again
    gone: bool = False  # a person removed the row from the workbook
    refused: Mapping[str, Any] | None = None  # a supervisor rejected the edits; facts for the events


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
    """What the effect of an edit depends on, besides the spool."""

    now: datetime
    shop: Shop
    workers: Mapping[int, Worker]
    lock_for: Callable[[int, datetime], str]  # the lock value of this worker's occupation from that instant


@dataclass(frozen=True, slots=True)
class Remark:
    """A note about one cell for the person, mostly that the ledger's value stays, and why."""

    column: str
    reason: str
    n_union: int | None = None
    left_out: bool = False  # the edit had no effect: the person should repair the cell


@dataclass(frozen=True, slots=True)
class Edited:
    spool: Spool
    joints: tuple[Joint, ...] = ()  # those that changed or are new
    events: tuple[Event, ...] = ()
    remarks: tuple[Remark, ...] = ()
    waiting: frozenset[str] = frozenset()  # columns of a new row that have no effect until a person repairs them


class Quarantined(Exception):
    """The row cannot be imported: all of it waits until a person repairs the sheet."""

    def __init__(self, column: str, reason: str) -> None:
        super().__init__(reason)
        self.column = column
        self.reason = reason


class RowEditor:
    """Applies the edits of one row: the spool so far, its events, and remarks for the person."""

    def __init__(self, spool: Spool, context: EditContext) -> None:
        self.spool = spool
        self.context = context
        self.events: list[Event] = []
        self.remarks: list[Remark] = []

    def accept(self, edit: Edit, spool: Spool, **facts: Any) -> None:
        self.spool = spool
        self.events.append(edit_event(edit, OPERACIONES, self.context.now, **facts))

    def keep_ours(
        self, edit: Edit, reason: str, n_union: int | None = None, *, left_out: bool = False, **facts: Any
    ) -> None:
        """The ledger's value is written back, and an event records the value that the person typed."""
        hoja = OPERACIONES if n_union is None else UNIONES
        self.events.append(edit_event(edit, hoja, self.context.now, n_union, aceptado=False, **facts))
        self.remarks.append(Remark(edit.column, reason, n_union, left_out=left_out))

    def restore_row(self) -> None:
        self.spool = replace(self.spool, retired=False)
        self.events.append(row_event(OPERACIONES, REGRESAR, self.context.now))

    def retire_row(self) -> None:
        """Lists no longer show the spool. Its holder may still end the work, and its history stays."""
        self.spool = replace(self.spool, retired=True)
        self.events.append(row_event(OPERACIONES, RETIRAR, self.context.now))


def edit_event(edit: Edit, hoja: str, now: datetime, n_union: int | None = None, **facts: Any) -> Event:
    metadata: dict[str, Any] = {"hoja": hoja, "columna": edit.column, "anterior": edit.was, "nuevo": edit.new}
    if edit.conflict:
        metadata |= {"conflicto": True, "nuestro": edit.ours}
    return Event(EventoTipo.EDICION_EXTERNA, now, EDITAR, n_union=n_union, metadata=metadata | facts)


def row_event(hoja: str, accion: str, now: datetime, n_union: int | None = None, **facts: Any) -> Event:
    return Event(EventoTipo.EDICION_EXTERNA, now, accion, n_union=n_union, metadata={"hoja": hoja} | facts)


# ─── normal forms ─────────────────────────────────────────────────────────────────────────────────────────────


def day(cell: str) -> date | None:
    return date.fromisoformat(cell) if cell else None


def instant(cell: str, zone: ZoneInfo) -> datetime | None:
    return from_wall(datetime.fromisoformat(cell), zone) if cell else None


def wall_text(moment: datetime, zone: ZoneInfo) -> str:
    return wall(moment, zone).replace(tzinfo=None).isoformat()
