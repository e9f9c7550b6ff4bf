"""How much a row of a read resembles a row of the snapshot, without the cells that a write of ours hit. Pure."""

from __future__ import annotations

from collections.abc import Collection

from carrete.sheets.rows.columns_moved import STAMP
from carrete.sheets.rows.snapshot import Layout, SeenRow, holds, same_value
from carrete.sheets.rows.view import cell, is_formula
from carrete.sheets.structure import SELLO
from carrete.workbook.cells import RawRow


def likeness(layout: Layout, seen: SeenRow, raw: RawRow, hit: Collection[int]) -> int:
    """The number of equal cells minus twice the number of different ones. Two formulas count as equal, because
    references change by themselves; so does a cell with a known stray. `hit`: indexes of columns that do not count."""
    score = 0
    for at, id_ in enumerate(layout.ids):
        if at in hit or id_ not in seen.layout.indexes or id_ == SELLO:
            continue
        was, now = seen.value(id_), cell(raw, at)
        if id_ in seen.strays and holds(now, seen.strays[id_][0]):
            score += now != ""
        elif same_value(was, now) or (is_formula(was) and is_formula(now)):
            score += was != ""
        else:
            score -= 2
    return score


def strays_present(layout: Layout, seen: SeenRow, raw: RawRow) -> int:
    """The number of known strays that this row still holds."""
    indexes = layout.indexes
    return sum(id_ in indexes and holds(cell(raw, indexes[id_]), ours) for id_, (ours, _) in seen.strays.items())


def carries_stamp(layout: Layout, seen: SeenRow, raw: RawRow) -> bool:
    """Whether the row contains a stamp that proves it to be this row of the snapshot: that of one of its strays in any
    cell, or its own. A stamp is unique."""
    own = seen.value(SELLO)
    if isinstance(own, str) and STAMP.fullmatch(own) and cell(raw, layout.indexes.get(SELLO)) == own:
        return True
    stamps = {stamp for _, stamp in seen.strays.values()}
    return any(isinstance(each, str) and each in stamps for each in raw)
