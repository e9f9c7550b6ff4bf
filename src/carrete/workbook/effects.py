"""What an import does to each row, cell by cell: the same for a preview and for the import itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from zoneinfo import ZoneInfo

from carrete.domain.joints import Joint
from carrete.domain.shop_time import whole_second
from carrete.domain.spool import Spool
from carrete.workbook.columns import OPERACIONES, UNIONES
from carrete.workbook.incoming import IncomingSpool
from carrete.workbook.rows import Cells, joint_cells, local, spool_cells

WHEN_APPLIED = "(al aplicar)"  # instead of the instant of the import, which a preview cannot know
_IN_WORKBOOK, _RETIRED = "en la planilla", "retirada"


class RowKind(StrEnum):
    NEW = "nuevo"
    CHANGED = "cambio"
    RETIRED = "retiro"
    REFUSED = "rechazo"  # cells, or a whole row, that are left out
    NOTICE = "aviso"  # nothing is left out, but a person should know


@dataclass(frozen=True, slots=True)
class CellChange:
    column: str  # "" for the row as a whole
    before: str
    after: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RowChange:
    sheet: str
    row: int  # as the spreadsheet program numbers it; 0 for a row that the file does not have
    key: str
    kind: RowKind
    cells: tuple[CellChange, ...]

    @property
    def has_effect(self) -> bool:
        return self.kind in (RowKind.NEW, RowKind.CHANGED, RowKind.RETIRED)


@dataclass(frozen=True, slots=True)
class SpoolEffect:
    """What a merge saves of one spool and its joints. Cells are compared only for a preview or a report."""

    incoming: IncomingSpool
    before: Spool | None
    after: Spool
    joints_before: Mapping[int, Joint]
    joints_after: tuple[Joint, ...]  # those that are saved

    def row_changes(self, zone: ZoneInfo, now: datetime) -> Iterator[RowChange]:
        yield from self._spool_change(zone, now)
        for joint in self.joints_after:
            yield from self._joint_change(joint, zone)

    def _spool_change(self, zone: ZoneInfo, now: datetime) -> Iterator[RowChange]:
        before = spool_cells(self.before, zone) if self.before else {}
        after = spool_cells(self.after, zone)
        if self._takes_now(now, zone, after):
            after["Fecha_Ocupacion"] = WHEN_APPLIED
        was_retired = self.before is not None and self.before.retired
        cells = (*_retirement(was_retired, self.after.retired), *changed_cells(before, after))
        kind = _kind(new=self.before is None, was_retired=was_retired, retired=self.after.retired)
        if cells or kind is RowKind.NEW:
            number = self.incoming.row.number if self.incoming.row else 0
            yield RowChange(OPERACIONES.name, number, self.after.tag, kind, cells)

    def _takes_now(self, now: datetime, zone: ZoneInfo, after: Cells) -> bool:
        """Whether the import itself begins the occupation, and the file has no date for it. A worker may have taken the
        spool in the very second of the import: then the instant is known."""
        held = self.after.occupation
        if held is None or (self.before is not None and self.before.occupation == held):
            return False
        return held.since == whole_second(now) and after["Fecha_Ocupacion"] == local(held.since, zone)

    def _joint_change(self, joint: Joint, zone: ZoneInfo) -> Iterator[RowChange]:
        known = self.joints_before.get(joint.n_union)
        before = joint_cells(known, zone) if known else {}
        was_retired = known is not None and known.retired
        cells = (*_retirement(was_retired, joint.retired), *changed_cells(before, joint_cells(joint, zone)))
        kind = _kind(new=known is None, was_retired=was_retired, retired=joint.retired)
        if cells or kind is RowKind.NEW:
            values = self.incoming.joints.get(joint.n_union)
            number = values.number if values else 0
            yield RowChange(UNIONES.name, number, f"{joint.tag} {joint.n_union}", kind, cells)


def changed_cells(before: Mapping[str, str], after: Cells) -> tuple[CellChange, ...]:
    return tuple(
        CellChange(name, before.get(name, ""), value) for name, value in after.items() if before.get(name, "") != value
    )


def _retirement(before: bool, after: bool) -> tuple[CellChange, ...]:
    if before == after:
        return ()
    return (CellChange("", _RETIRED if before else _IN_WORKBOOK, _RETIRED if after else _IN_WORKBOOK),)


def _kind(*, new: bool, was_retired: bool, retired: bool) -> RowKind:
    if new:
        return RowKind.NEW
    return RowKind.RETIRED if retired and not was_retired else RowKind.CHANGED
