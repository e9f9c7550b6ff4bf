"""Records an event for each of people's own cells that a write of ours had overwritten and that was restored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from carrete.actions.record import save_changes
from carrete.domain.change import Change
from carrete.domain.edits.cells import REPONER
from carrete.domain.events import Event, EventoTipo
from carrete.ledger.database import Tx
from carrete.ledger.store import Changes, spools_to_change
from carrete.sheets.rows.classify import RowDiff
from carrete.sheets.rows.verdict import RestoredCell
from carrete.workbook.cells import Raw
from carrete.workbook.commits import Committer

WHY = "una escritura de Carrete cayó aquí mientras se movían filas o columnas; se repuso lo que decía"


@dataclass(frozen=True, slots=True)
class RestoredRow:
    """The cells of one row that one write has restored."""

    stamp: str
    sheet: str
    index: int
    row: tuple[str, int] | None  # None: the row has no key
    cells: Sequence[RestoredCell]

    def tag(self, cell: RestoredCell) -> str:
        """The spool of the event. For a row without a key it is the spool whose write went astray."""
        return self.row[0] if self.row else cell.tag


def restored_rows(diffs: Sequence[RowDiff]) -> list[RestoredRow]:
    """The cells that were restored by writes which this read shows for the first time."""
    landed = [diff for diff in diffs if diff.verdict.landed and diff.restored]
    return [_restored_row(diff) for diff in landed]


def _restored_row(diff: RowDiff) -> RestoredRow:
    sheet, row = diff.row_key
    return RestoredRow(diff.verdict.landed, sheet, diff.index, row, diff.restored)


def record_restored(lease: Committer, restored: list[RestoredRow], now: datetime) -> list[RestoredRow]:
    """Commits the events before the rows: if the process is killed in between, they are still recorded once."""
    if restored:
        lease.commit(lambda tx: _record(tx, restored, now))
    return restored


def _record(tx: Tx, restored: Sequence[RestoredRow], now: datetime) -> None:
    """One event for each cell. The journal entry is cleared, so that it is not recorded again."""
    events: dict[str, list[Event]] = {}
    for one in restored:
        for cell in one.cells:
            events.setdefault(one.tag(cell), []).append(_event(one, cell, now))
    spools = spools_to_change(tx, sorted(events))
    changes = [Change(spool, tuple(events[tag]), "", "") for tag, spool in spools.items()]
    save_changes(tx, Changes(now), changes)
    tx.many("write_told", [{"stamp": one.stamp} for one in restored])


def _event(one: RestoredRow, cell: RestoredCell, now: datetime) -> Event:
    values = {"anterior": shown(cell.ours), "nuevo": shown(cell.theirs)}
    metadata = {"hoja": one.sheet, "fila": one.index + 1, "columna": cell.column, **values, "motivo": WHY}
    n_union = one.row[1] if one.row else 0
    return Event(EventoTipo.EDICION_EXTERNA, now, REPONER, n_union=n_union or None, metadata=metadata)


def shown(raw: Raw) -> str:
    return "" if raw is None else str(raw)
