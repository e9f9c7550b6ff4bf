"""Cells that a write of ours hit, planned to be given back: in rows that are written anyway, and in others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from carrete.sheets.pull.puller import Puller
from carrete.sheets.push.plan import ORPHAN, REPAIR, Limits, Plan, RowPlan, is_free
from carrete.sheets.rows.storage import Parked, RowKey
from carrete.sheets.rows.strays import Repair
from carrete.sheets.structure import SELLO


class RepairPlanner:
    def __init__(self, puller: Puller) -> None:
        self._puller = puller

    def waiting(self, parked: Mapping[RowKey, Parked], refused: Set[str]) -> set[str]:
        """The sheets with cells to give back, apart from those that Google refuses to take. `refused`: the sheets where
        it refuses that stamps are cleared."""
        found: set[str] = set()
        for sheet, rows in self._puller.repairer.repairs.items():
            left = {i for i, repair in rows.items() if sheet in refused and self._only_stamp(sheet, i, repair)}
            if any(is_free(parked, self._place(sheet, index), REPAIR) for index in rows.keys() - left):
                found.add(sheet)
        return found

    def add_to(
        self, plan: Plan, sheets: Sequence[str], parked: Mapping[RowKey, Parked], limits: Limits, refused: Set[str]
    ) -> None:
        planned = {row.place: number for number, row in enumerate(plan.rows) if row.index is not None}
        for sheet in sheets:
            for index, repair in self._puller.repairer.repairs.get(sheet, {}).items():
                place = self._place(sheet, index)
                if (number := planned.get(place)) is not None:
                    row = plan.rows[number]
                    plan.rows[number] = replace(row, give_back={**repair.cells, **row.give_back}, told=repair.restored)
                elif stamp := self._only_stamp(sheet, index, repair):
                    plan.stamps += [] if sheet in refused else [(sheet, *stamp)]
                elif is_free(parked, place, REPAIR):
                    _add(plan, RowPlan(place, REPAIR, index, {}, repair.cells, repair.restored), limits)

    def _place(self, sheet: str, index: int) -> RowKey:
        view = self._puller.views[sheet]
        row = view.ids[index]
        return (sheet, row) if isinstance(row, tuple) and view.at.get(row) == index else (sheet, ORPHAN)

    def _only_stamp(self, sheet: str, index: int, repair: Repair) -> tuple[str, str] | None:
        """The last that is left in a row without a key: a stamp, in the column of stamps. It is taken away by what it
        says, so that it does not matter where it stands by then."""
        at = self._puller.views[sheet].column_index(SELLO)
        if at is None or self._place(sheet, index)[1] != ORPHAN or repair.cells.keys() != {at}:
            return None
        stamp = self._puller.repairer.stamp_at(sheet, index)
        return (stamp, str(repair.cells[at])) if stamp else None


def _add(plan: Plan, row: RowPlan, limits: Limits) -> None:
    if len(plan.rows) >= limits.rows or not plan.has_room():
        plan.more = True
        return
    plan.rows.append(row)
    plan.weigh({str(at): str(raw) for at, raw in row.give_back.items()})
