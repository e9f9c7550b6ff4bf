"""What a file or a sheet contains about one spool, in the form that the merge takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from carrete.domain import estado_detalle
from carrete.domain.workers import labelled_id
from carrete.workbook.columns import OPERACIONES, UNIONES
from carrete.workbook.rows import Cells


@dataclass(frozen=True, slots=True)
class RowValues:
    """One row in normal form, without unreadable cells and absent columns."""

    number: int  # of the row, as the spreadsheet program counts
    token: str  # the version token in the row, "" without one
    cells: Cells


@dataclass(frozen=True, slots=True)
class IncomingSpool:
    """One spool: its own row, the rows of its joints, or only some of them."""

    tag: str
    row: RowValues | None
    joints: Mapping[int, RowValues]
    gone: bool = False  # its row was deleted; only a live sheet can tell that from a row that is not shown
    gone_joints: frozenset[int] = frozenset()
    refused: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by sheet: why edits are refused

    def worker_ids(self) -> list[int]:
        """The workers that its row names as holder, in `Ocupado_Por` or in `Estado_Detalle`."""
        if self.row is None:
            return []
        holder = estado_detalle.parse(self.row.cells.get("Estado_Detalle")).holder or ""
        labels = (self.row.cells.get("Ocupado_Por", ""), holder)
        return [worker_id for label in labels if (worker_id := labelled_id(label)) is not None]

    def row_number(self, n_union: int | None) -> tuple[str, int]:
        """Sheet and number of the row of this joint, or of the spool's own row."""
        if n_union is not None:
            return UNIONES.name, self.joints[n_union].number
        return OPERACIONES.name, self.row.number if self.row else 0
