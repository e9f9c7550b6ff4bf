"""Plans to restore people's cells that a write of ours hit: in rows that are written anyway, and in others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from carrete.sheets.pull.puller import Puller
from carrete.sheets.push.plan import ORPHAN, REPAIR, BatchLimits, BatchPlan, RowPlan, is_free
from carrete.sheets.rows.storage import Parked, RowKey
from carrete.sheets.rows.strays import Repair
from carrete.sheets.structure import SELLO


class RepairPlanner:
    def __init__(self, puller: Puller) -> None:
        self._puller = puller

    def waiting(self, parked: Mapping[RowKey, Parked], not_cleared: Set[str]) -> set[str]:
        """The sheets with cells to restore, apart from rows that Google refuses. `not_cleared`: the sheets where Google
        refuses that stamps are cleared."""
        found: set[str] = set()
        for sheet, rows in self._puller.repairer.repairs.items():
            left = {i for i, repair in rows.items() if sheet in not_cleared and self._only_stamp(sheet, i, repair)}
            if any(is_free(parked, self._row_key(sheet, index), REPAIR) for index in rows.keys() - left):
                found.add(sheet)
        return found

    def add_to(
        self,
        plan: BatchPlan,
        sheets: Sequence[str],
        parked: Mapping[RowKey, Parked],
        limits: BatchLimits,
        not_cleared: Set[str],
    ) -> None:
        planned = {row.row_key: number for number, row in enumerate(plan.rows) if row.row_index is not None}
        for sheet in sheets:
            for index, repair in self._puller.repairer.repairs.get(sheet, {}).items():
                row_key = self._row_key(sheet, index)
                if (number := planned.get(row_key)) is not None:
                    row = plan.rows[number]
                    cells = {**repair.cells, **row.give_back}
                    plan.rows[number] = replace(row, give_back=cells, reported=repair.restored)
                elif stamp := self._only_stamp(sheet, index, repair):
                    plan.stamps += [] if sheet in not_cleared else [(sheet, *stamp)]
                elif is_free(parked, row_key, REPAIR):
                    _add(plan, RowPlan(row_key, REPAIR, index, {}, repair.cells, repair.restored), limits)

    def _row_key(self, sheet: str, index: int) -> RowKey:
        view = self._puller.views[sheet]
        row = view.ids[index]
        return (sheet, row) if isinstance(row, tuple) and view.at.get(row) == index else (sheet, ORPHAN)

    def _only_stamp(self, sheet: str, index: int, repair: Repair) -> tuple[str, str] | None:
        """The stamp, and the value it covers, when it is all that is left to restore in a row without a key. Such a
        stamp is found and replaced by its text, so it does not matter which row it is in by then."""
        at = self._puller.views[sheet].column_index(SELLO)
        if at is None or self._row_key(sheet, index)[1] != ORPHAN or repair.cells.keys() != {at}:
            return None
        stamp = self._puller.repairer.stamp_at(sheet, index)
        return (stamp, str(repair.cells[at])) if stamp else None


def _add(plan: BatchPlan, row: RowPlan, limits: BatchLimits) -> None:
    if len(plan.rows) >= limits.rows or not plan.has_room():
        plan.more = True
        return
    plan.rows.append(row)
    plan.add_size_of({str(at): str(raw) for at, raw in row.give_back.items()})
