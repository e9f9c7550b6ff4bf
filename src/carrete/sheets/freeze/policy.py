"""Freezes a sheet with too large a change, and ends the freeze when the change is undone or a supervisor has decided.

A decision is carried out only on a read that still shows the change which the supervisor saw.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from carrete.ledger.database import Database
from carrete.sheets.clock import Clock
from carrete.sheets.freeze import limits
from carrete.sheets.rows import storage
from carrete.sheets.rows.classify import RowDiff
from carrete.sheets.rows.storage import Freeze, RowKey
from carrete.sheets.rows.view import SheetView, cell, readers
from carrete.sheets.structure import Located, wrong_columns
from carrete.workbook.bases import RowId
from carrete.workbook.columns import Header
from carrete.workbook.commits import Committer

GONE_AFTER_READS = 2


@dataclass(slots=True)
class FreezeState:
    """The freezes of all sheets during one read."""

    frozen: Mapping[str, Freeze]
    wrong: dict[str, str] = field(default_factory=dict)  # by sheet: which column is missing or repeated
    decided: dict[str, Freeze] = field(default_factory=dict)  # decisions that this read carries out
    again: bool = False  # another read is needed before a decision can be carried out


class FreezePolicy:
    """Decides for each read whether its sheet freezes, stays frozen or goes on."""

    def __init__(self, database: Database, lease: Committer, clock: Clock) -> None:
        self._database = database
        self._lease = lease
        self._clock = clock
        self._missing: dict[RowKey, int] = {}  # number of reads since that did not show the row

    def current_state(self) -> FreezeState:
        with self._database.reading() as tx:
            return FreezeState(storage.freezes(tx))

    def check_columns(self, located: Located, header: Header, freezes: FreezeState) -> None:
        sheet = located.plan.name
        frozen = freezes.frozen.get(sheet)
        if wrong := wrong_columns(located.plan, header, located.columns):
            freezes.wrong[sheet] = wrong
            self._freeze(sheet, limits.COLUMNS, wrong)
        elif frozen is not None and frozen.kind in (limits.COLUMNS, limits.TAB):
            self._end([sheet])

    def accepts(
        self,
        view: SheetView,
        before: SheetView | None,
        diffs: Sequence[RowDiff],
        known: Collection[RowId],
        freezes: FreezeState,
    ) -> bool:
        """Whether people's edits are imported from this read. While a column is missing, no other freeze begins, and
        edits are still imported unless there are too many."""
        sheet = view.plan.name
        frozen = freezes.frozen.get(sheet)
        missing = [row for row in known if row not in view.at and row not in view.doubles]
        self._count(sheet, missing)
        kind, reason = _too_much(view, before, diffs, len(missing), len(known))
        if sheet in freezes.wrong:
            return not reason
        if frozen is not None and frozen.decides(kind, reason):
            return self._carry_out(frozen, missing, freezes)
        if reason:
            self._freeze(sheet, kind, reason)
        elif frozen is not None and frozen.kind in (limits.VANISHED, limits.CHANGED):
            self._end([sheet])
        return not reason

    def _carry_out(self, frozen: Freeze, missing: Sequence[RowId], freezes: FreezeState) -> bool:
        """Marks the decision as under way: after a crash it is finished, and never replaced by the opposite one."""
        if any(self._missing[frozen.sheet, row] < GONE_AFTER_READS for row in missing):
            freezes.again = True
            return False
        self._lease.commit(lambda tx: tx.run("freeze_under_way", sheet=frozen.sheet))
        freezes.decided[frozen.sheet] = frozen
        return True

    def end_decided(self, freezes: FreezeState) -> None:
        if freezes.decided:
            self._end(list(freezes.decided))

    def deleted_rows(self, sheet: str) -> list[RowKey]:
        """Rows that were deleted: several reads in a row have not shown them."""
        return [key for key, reads in self._missing.items() if key[0] == sheet and reads >= GONE_AFTER_READS]

    def forget(self, gone: Sequence[RowKey]) -> None:
        for row_key in gone:
            self._missing.pop(row_key, None)

    def _count(self, sheet: str, missing: Sequence[RowId]) -> None:
        row_keys = {(sheet, row) for row in missing}
        for row_key in [key for key in self._missing if key[0] == sheet and key not in row_keys]:
            del self._missing[row_key]
        for row_key in row_keys:
            self._missing[row_key] = self._missing.get(row_key, 0) + 1

    def _freeze(self, sheet: str, kind: str, reason: str) -> None:
        now = self._clock.now()
        self._lease.commit(lambda tx: storage.freeze(tx, sheet, kind, reason, now))

    def _end(self, sheets: Sequence[str]) -> None:
        self._lease.commit(lambda tx: [tx.run("freeze_end", sheet=sheet) for sheet in sheets])


def _too_much(
    view: SheetView, before: SheetView | None, diffs: Sequence[RowDiff], missing: int, known: int
) -> tuple[str, str]:
    """The kind of the change, and the reason to freeze, which is empty if the change is small."""
    if reason := limits.vanished_reason(missing, known):
        return limits.VANISHED, reason
    verdicts = [diff.verdict for diff in diffs]
    return limits.CHANGED, limits.changed_reason(verdicts, known, len(readers(view)), _filled(before, diffs))


def _filled(before: SheetView | None, diffs: Sequence[RowDiff]) -> Callable[[str], int]:
    """Counts the cells of a column that were filled before this read."""

    def filled(name: str) -> int:
        if before is None or name not in before.header.indexes:
            return sum(bool((diff.stored.base or {}).get(name)) for diff in diffs)
        column_index = before.header.indexes[name]
        return sum(cell(before.raws[index], column_index) != "" for index in before.at.values())

    return filled
