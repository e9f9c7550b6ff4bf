"""Saves what a read shows of each row: its values, its stamp, its strays, and which of our writes arrived."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from carrete.ledger.database import Tx
from carrete.sheets.rows import storage
from carrete.sheets.rows.classify import RowDiff
from carrete.sheets.rows.row_state import RowStates
from carrete.sheets.rows.storage import RowKey
from carrete.workbook.rows import Cells


def save_taken(
    tx: Tx,
    states: RowStates,
    taken: Sequence[RowDiff],
    bases: Mapping[RowKey, Cells],
    waiting: Set[RowKey],
    when: str,
) -> None:
    """Rows that were imported. Of a new row that waits for a person, only the cells that were imported are saved: the
    others are imported once they are corrected."""
    cells = {diff.row_key: {} if diff.row_key in waiting else diff.remembered for diff in taken}
    rows = {
        diff.row_key: ({**bases.get(diff.row_key, {}), **cells[diff.row_key]}, diff.verdict.stamp) for diff in taken
    }
    stored = {diff.row_key: diff.stored for diff in taken}
    changed = {key: row for key, row in rows.items() if (stored[key].base, stored[key].stamp) != row}
    storage.save_rows(tx, changed, when)
    _save_strays(tx, states, taken)
    tx.many("write_landed", [{"stamp": diff.verdict.landed} for diff in taken if diff.verdict.landed])
    storage.queue_rows(tx, [diff.row_key for diff in taken if _to_be_pushed(diff, states)], when)


def save_left_out(tx: Tx, states: RowStates, left_out: Sequence[RowDiff], when: str) -> None:
    """Rows that wait for a person: only our own writes are saved, because a later stray may overwrite the stamp that
    shows them."""
    landed = [diff for diff in left_out if diff.verdict.landed]
    storage.save_rows(tx, {diff.row_key: (diff.verdict.base or {}, diff.verdict.stamp) for diff in landed}, when)
    tx.many("write_landed", [{"stamp": diff.verdict.landed} for diff in landed])
    _save_strays(tx, states, left_out)


def _save_strays(tx: Tx, states: RowStates, diffs: Sequence[RowDiff]) -> None:
    strays = {diff.row_key: diff.verdict.strays for diff in diffs}
    storage.save_strays(tx, {key: found for key, found in strays.items() if found != states.get(key).strays})


def _to_be_pushed(diff: RowDiff, states: RowStates) -> bool:
    verdict, state = diff.verdict, states.get(diff.row_key)
    repaired = bool(state.irregular) or state.waiting is not None
    return bool(verdict.strays or verdict.landed or verdict.misplaced or verdict.older or repaired)
