"""The three-way merge of one row, cell by cell: the base, the ledger, and the sheet now.

Pure, and the same for a file and for the live sheet. All three come in normal form, so `!=` means different.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from carrete.domain.edits.cells import Edit
from carrete.workbook.columns import Owner


class Side(Enum):
    """Which side has changed a cell since its base."""

    SAME = "same"  # nothing to do
    OURS = "ours"  # only the ledger changed: the sheet gets its value
    PERSON = "person"  # only the sheet changed: a person edited it
    AGREED = "agreed"  # both changed to the same value
    BOTH = "both"  # they changed to different values: the person wins, and both values are recorded
    UNSEEN = "unseen"  # they differ, and without a base it is unknown which one changed


def changed_side(base: str | None, ledger: str, sheet: str) -> Side:
    if base is None:
        return Side.SAME if sheet == ledger else Side.UNSEEN
    if sheet == base:
        return Side.SAME if ledger == base else Side.OURS
    if sheet == ledger:
        return Side.AGREED
    return Side.PERSON if ledger == base else Side.BOTH


@dataclass(frozen=True, slots=True)
class Merged:
    """The edits of one row."""

    edits: tuple[Edit, ...] = ()  # by a person
    unseen: tuple[Edit, ...] = ()  # differences without a base in columns of the floor: the ledger wins, with a notice


NOTHING = Merged()


def merge(
    base: Mapping[str, str] | None,
    ledger: Mapping[str, str],
    sheet: Mapping[str, str],
    owners: Mapping[str, Owner],
) -> Merged:
    """Looks only at the cells that the sheet has. Without a base the owner of the column decides."""
    if base is not None and all(base.get(name) == value for name, value in sheet.items()):
        return NOTHING
    edits: list[Edit] = []
    unseen: list[Edit] = []
    for name, value in sheet.items():
        was, ours = base.get(name) if base is not None else None, ledger[name]
        side = changed_side(was, ours, value)
        if side in (Side.PERSON, Side.BOTH):
            edits.append(Edit(name, was or "", ours, value, conflict=side is Side.BOTH))
        elif side is Side.UNSEEN and _sheet_wins(owners[name], ours, value):
            edits.append(Edit(name, ours, ours, value))
        elif side is Side.UNSEEN and _ledger_wins(owners[name], value):
            unseen.append(Edit(name, ours, ours, value))
    return Merged(tuple(edits), tuple(unseen))


def _sheet_wins(owner: Owner, ours: str, value: str) -> bool:
    """Whether a difference without a base is a person's edit. An optional column that was added later is blank."""
    if owner is Owner.CONFIRMED:
        return bool(value) and not ours
    return owner is Owner.PEOPLE or (owner is Owner.PLANNED and bool(value))


def _ledger_wins(owner: Owner, value: str) -> bool:
    """Whether the ledger's value stays against that of the sheet, which is worth a notice."""
    return owner is Owner.FLOOR or (owner is Owner.CONFIRMED and bool(value))
