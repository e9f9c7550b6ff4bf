"""What the trail says once people's own cells, which a write of ours had hit, say again what they said."""

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
from carrete.sheets.lease import DryRun, Lease
from carrete.sheets.rows.classify import RowDiff
from carrete.sheets.rows.verdict import GivenBack
from carrete.workbook.cells import Raw

WHY = "una escritura de Carrete cayó aquí mientras se movían filas o columnas; se repuso lo que decía"


@dataclass(frozen=True, slots=True)
class Restored:
    """The cells of one row that were given back by one write."""

    stamp: str
    sheet: str
    index: int
    row: tuple[str, int] | None  # None: it has no key
    cells: Sequence[GivenBack]

    def tag(self, cell: GivenBack) -> str:
        """Of a row without a key: the spool whose write went astray."""
        return self.row[0] if self.row else cell.tag


def restored_by(judged: Sequence[RowDiff]) -> list[Restored]:
    """What the writes gave back that this read shows for the first time in their own rows."""
    landed = [one for one in judged if one.verdict.landed and one.given_back]
    return [Restored(one.verdict.landed, one.place[0], one.index, one.place[1], one.given_back) for one in landed]


def say_given_back(lease: Lease | DryRun, restored: list[Restored], now: datetime) -> list[Restored]:
    """Before the rows themselves are put down: whatever is cut off in between, the trail says it once."""
    if restored:
        lease.commit(lambda tx: _say(tx, restored, now))
    return restored


def _say(tx: Tx, restored: Sequence[Restored], now: datetime) -> None:
    """One event for each cell. The journal forgets what is said now."""
    events: dict[str, list[Event]] = {}
    for one in restored:
        for cell in one.cells:
            events.setdefault(one.tag(cell), []).append(_event(one, cell, now))
    spools = spools_to_change(tx, sorted(events))
    changes = [Change(spool, tuple(events[tag]), "", "") for tag, spool in spools.items()]
    save_changes(tx, Changes(now), changes)
    tx.many("write_told", [{"stamp": one.stamp} for one in restored])


def _event(one: Restored, cell: GivenBack, now: datetime) -> Event:
    values = {"anterior": shown(cell.ours), "nuevo": shown(cell.theirs)}
    metadata = {"hoja": one.sheet, "fila": one.index + 1, "columna": cell.column, **values, "motivo": WHY}
    n_union = one.row[1] if one.row else 0
    return Event(EventoTipo.EDICION_EXTERNA, now, REPONER, n_union=n_union or None, metadata=metadata)


def shown(raw: Raw) -> str:
    return "" if raw is None else str(raw)
