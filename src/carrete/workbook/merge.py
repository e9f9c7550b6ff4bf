"""Three sides of one row, cell by cell: what the workbook last said (base), the ledger, the sheet now.

Pure, and the same for a file and for a live sheet. All sides come in normal form, so `!=` means different.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from carrete.domain.edits.cells import Edit
from carrete.workbook.columns import Owner


class Side(Enum):
    SAME = "same"  # nothing to do
    OURS = "ours"  # the ledger went on, the sheet did not: push
    PERSON = "person"  # a person edited it
    AGREED = "agreed"  # both went to the same value
    BOTH = "both"  # both went elsewhere: the person wins, both values are written down
    UNSEEN = "unseen"  # they differ and nothing tells who moved


def decided(base: str | None, ledger: str, sheet: str) -> Side:
    if base is None:
        return Side.SAME if sheet == ledger else Side.UNSEEN
    if sheet == base:
        return Side.SAME if ledger == base else Side.OURS
    if sheet == ledger:
        return Side.AGREED
    return Side.PERSON if ledger == base else Side.BOTH


@dataclass(frozen=True, slots=True)
class Merged:
    """What a person did to one row, and what differs without anybody knowing why."""

    edits: tuple[Edit, ...] = ()
    unseen: tuple[Edit, ...] = ()  # the floor's: ours stays, and it is said


NOTHING = Merged()


def merge(
    base: Mapping[str, str] | None,
    ledger: Mapping[str, str],
    sheet: Mapping[str, str],
    owners: Mapping[str, Owner],
) -> Merged:
    """Only the cells that the sheet says are looked at. Without a base the owner of the column decides."""
    if base is not None and all(base.get(name) == said for name, said in sheet.items()):
        return NOTHING
    edits: list[Edit] = []
    unseen: list[Edit] = []
    for name, said in sheet.items():
        was, ours = base.get(name) if base is not None else None, ledger[name]
        side = decided(was, ours, said)
        if side in (Side.PERSON, Side.BOTH):
            edits.append(Edit(name, was or "", ours, said, conflict=side is Side.BOTH))
        elif side is Side.UNSEEN and owners[name] is Owner.PEOPLE:
            edits.append(Edit(name, ours, ours, said))
        elif side is Side.UNSEEN and owners[name] is Owner.FLOOR:
            unseen.append(Edit(name, ours, ours, said))
    return Merged(tuple(edits), tuple(unseen))
