"""What the running lane knows about the rows of a sheet between two reads: one `RowState` per row with something to
remember. Most rows of a sheet have none, so that a read without changes costs nothing here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar

from carrete.ledger.database import Tx
from carrete.sheets.rows import storage
from carrete.sheets.rows.classify import RowDiff
from carrete.sheets.rows.storage import RowKey
from carrete.sheets.rows.unimported import NO_INPUTS, UnimportedInput, UnimportedInputs, load_unimported
from carrete.sheets.rows.view import SheetView
from carrete.sheets.structure import STAMPED
from carrete.workbook.bases import RowId
from carrete.workbook.cells import Raw
from carrete.workbook.report import Problem

T = TypeVar("T")
_EMPTY: Mapping[Any, Any] = MappingProxyType({})  # one for all rows: there are thousands of them


@dataclass(slots=True)
class RowState:
    """What the lane knows of one row beyond its values in the last read."""

    strays: Mapping[str, str] = field(default_factory=lambda: _EMPTY)  # by column: our values that do not belong here
    unimported: UnimportedInputs = field(default_factory=lambda: NO_INPUTS)  # input that was not imported yet
    waiting: tuple[Problem, ...] | None = None  # why the row was left out; such a row is never written
    irregular: tuple[Problem, ...] = ()  # about cells that are neither read nor written
    doubted: bool = False  # the last answer may have been stale: the row is not written until it was read again
    misplaced: bool = False  # the row carries the stamp of another row
    give_back: Mapping[int, Raw] = field(default_factory=lambda: _EMPTY)  # by column index: people's values to restore
    changed_at: float = float("-inf")  # monotonic time of the last change
    replaced: Mapping[str, str] = field(default_factory=lambda: _EMPTY)  # by column: the values before that change
    typed_over: Mapping[str, str] = field(default_factory=lambda: _EMPTY)  # by column: those that a person replaced

    def must_be_confirmed(self, diff: RowDiff, recent: float) -> bool:
        """A change that undoes one made after `recent`, or that comes with an older stamp, may be a stale answer of
        Google. Such a change is accepted only when the next read shows it too. The row stays doubted until that read
        is saved: if its commit fails, the read after it decides."""
        if self.doubted:
            return False
        undoes = self.changed_at > recent and self._undoes_last_change(diff)
        self.doubted = bool(diff.edits) and (undoes or diff.verdict.older)
        return self.doubted

    def _undoes_last_change(self, diff: RowDiff) -> bool:
        """Whether every edited cell has the value that it had before its last change; Google may then have answered
        with an old state. A stamp that this read shows for the first time proves that the state is new. With the stored
        stamp it is at least as new as our last write, so only later edits by people can look undone."""
        if diff.verdict.landed:
            return False
        before = self.typed_over if diff.has_stored_stamp else self.replaced
        return all(before.get(name) == value for name, value in diff.edits.items())

    def update(self, diff: RowDiff, problems: tuple[Problem, ...] | None, now: float) -> None:
        """After the commit of this read of the row. `problems` is None unless the row waits for a person."""
        self.doubted = False
        self.strays = diff.verdict.strays or _EMPTY
        self.waiting = problems
        if problems is not None:
            return
        self.irregular = diff.irregular()
        self.misplaced = diff.verdict.misplaced
        self.give_back = (diff.moved.theirs if diff.moved else None) or _EMPTY
        replaced, typed_over = diff.replaced, diff.typed_over
        if replaced or typed_over:  # nothing is replaced if a person undid a write of ours before a read showed it
            self.changed_at, self.replaced, self.typed_over = now, replaced or _EMPTY, typed_over or _EMPTY

    def unimported_after(self, diff: RowDiff, *, waits: bool) -> dict[str, UnimportedInput]:
        """Input in a row that waits for a person exists nowhere but in the sheet. If a write of ours overwrites it, the
        input is stored until it is back in its cell, or until a person types over our value."""
        verdict, base = diff.verdict, diff.verdict.base or {}
        stamp = diff.reading.stamp
        inputs = {name: UnimportedInput(raw, stamp) for name, raw in diff.typed.items()} if waits else {}
        if verdict.landed and diff.stored.base is None:
            return inputs  # our own write added this row: it held no input before
        for name, before in self.unimported.items():
            still_hit = before.hit and not verdict.landed and base.get(name) == verdict.values.get(name)
            newly_hit = name in diff.hit and (name in verdict.strays or before.stamp != diff.hit_by)
            if newly_hit or still_hit:
                inputs[name] = UnimportedInput(before.raw, stamp, hit=True)
        return inputs

    def leave_sheet(self) -> None:
        """The last read does not show this row."""
        self.waiting, self.irregular, self.doubted = None, (), False


class RowStates:
    """The states of the rows of the stamped sheets, and the rows of which the ledger stores what they contained."""

    def __init__(self) -> None:
        self._known: dict[str, dict[RowId, None]] = {plan.name: {} for plan in STAMPED}  # rows that the ledger stores
        self._by_sheet: dict[str, dict[RowId, RowState]] = {plan.name: {} for plan in STAMPED}
        self.waiting = StateView(self, lambda state: state.waiting)
        self.doubted = StateView(self, lambda state: state.doubted or None)
        self.misplaced = StateView(self, lambda state: state.misplaced or None)
        self.give_back = StateView(self, lambda state: state.give_back or None)
        self.strays = StateView(self, lambda state: state.strays or None)
        self.unimported = StateView(self, lambda state: state.unimported or None)

    def load(self, tx: Tx) -> None:
        for sheet in self._known:
            self._known[sheet] = dict.fromkeys(sorted(storage.row_ids(tx, sheet)))
        for row_key, strays in storage.load_strays(tx).items():
            self.stored(row_key).strays = strays
        for row_key, inputs in load_unimported(tx).items():
            self.stored(row_key).unimported = inputs

    def get(self, row_key: RowKey) -> RowState:
        """To look at, not to change: a row without a state gets a new one that is not stored."""
        return self._by_sheet.get(row_key[0], {}).get(row_key[1]) or RowState()

    def stored(self, row_key: RowKey) -> RowState:
        """To change: a row without a state gets one."""
        sheet, row = row_key
        states = self._by_sheet[sheet]
        state = states.get(row)
        if state is None:
            state = states[row] = RowState()
        return state

    def items(self) -> Iterator[tuple[RowKey, RowState]]:
        for sheet, states in self._by_sheet.items():
            for row, state in states.items():
                yield (sheet, row), state

    def know(self, row_key: RowKey) -> None:
        """The ledger stores now what this row contained."""
        self._known[row_key[0]][row_key[1]] = None

    def is_known(self, row_key: RowKey) -> bool:
        return row_key[1] in self._known.get(row_key[0], {})

    def known_rows(self, sheet: str) -> list[RowId]:
        return list(self._known[sheet])

    def to_look_at_again(self, view: SheetView) -> list[RowId]:
        """Rows that are examined in every read, changed or not."""
        states = self._by_sheet[view.plan.name]
        rows = [r for r, state in states.items() if (state.waiting is not None or state.doubted) and r in view.at]
        return sorted(rows, key=view.at.__getitem__)

    def problems(self) -> list[Problem]:
        """First of rows that were left out, then of cells that are skipped; each as a person reads the sheet."""
        states = [state for of_sheet in self._by_sheet.values() for state in of_sheet.values()]
        waiting = [problem for state in states if state.waiting for problem in state.waiting]
        irregular = [problem for state in states if state.irregular for problem in state.irregular]
        return [*sorted(waiting, key=_position), *sorted(irregular, key=_position)]

    def take_over(self, view: SheetView, recent: float) -> None:
        """After a read was accepted: forgets what no longer holds for rows that it does not show, and changes that
        were made before `recent`."""
        states, nothing = self._by_sheet[view.plan.name], RowState()
        for row, state in list(states.items()):
            if row not in view.at:
                state.leave_sheet()
            if (state.replaced or state.typed_over) and state.changed_at <= recent:
                state.changed_at, state.replaced, state.typed_over = float("-inf"), _EMPTY, _EMPTY
            if state == nothing:
                del states[row]

    def never_imported(self, view: SheetView) -> list[RowKey]:
        """Rows with input that was never imported, and that the sheet no longer has."""
        sheet = view.plan.name
        rows = [row for row, state in self._by_sheet[sheet].items() if state.unimported]
        absent = [row for row in rows if row not in view.at and row not in view.doubles]
        return [(sheet, row) for row in absent if row not in self._known[sheet]]

    def forget(self, row_key: RowKey) -> None:
        """The row was taken out of the sheet."""
        self._known[row_key[0]].pop(row_key[1], None)
        self.stored(row_key).unimported = NO_INPUTS


def _position(problem: Problem) -> tuple[str, int]:
    return problem.sheet, problem.row


class StateView(Mapping[RowKey, T]):
    """The rows for which `value` is not None, each with that value."""

    def __init__(self, states: RowStates, value: Callable[[RowState], T | None]) -> None:
        self._states = states
        self._value = value

    def __getitem__(self, row_key: RowKey) -> T:
        value = self._value(self._states.get(row_key))
        if value is None:
            raise KeyError(row_key)
        return value

    def __iter__(self) -> Iterator[RowKey]:
        return (row_key for row_key, state in self._states.items() if self._value(state) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None
