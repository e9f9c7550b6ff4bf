"""How much a row of a read is like a row as it was last seen: what a write of ours hit does not count. Pure."""

from __future__ import annotations

from collections.abc import Collection

from carrete.sheets.rows.snapshot import Layout, Seen, holds, same
from carrete.sheets.rows.view import cell, is_formula
from carrete.sheets.structure import SELLO
from carrete.workbook.cells import RawRow


def likeness(layout: Layout, seen: Seen, raw: RawRow, hit: Collection[int]) -> int:
    """Cells that say the same, less twice those that do not; a formula may have changed by itself. A cell that is
    known to hold something of ours is as good as one that says the same. `hit`: columns that do not count."""
    score = 0
    for at, id_ in enumerate(layout.ids):
        if at in hit or id_ not in seen.layout.places or id_ == SELLO:
            continue
        was, now = seen.said(id_), cell(raw, at)
        if id_ in seen.strays and holds(now, seen.strays[id_][0]):
            score += now != ""
        elif same(was, now) or (is_formula(was) and is_formula(now)):
            score += was != ""
        else:
            score -= 2
    return score


def standing(layout: Layout, seen: Seen, raw: RawRow) -> int:
    """How much of what is ours still stands in that row."""
    places = layout.places
    return sum(id_ in places and holds(cell(raw, places[id_]), ours) for id_, (ours, _) in seen.strays.items())


def carries_stamp(seen: Seen, raw: RawRow) -> bool:
    """Whether the stamp of a write that hit that row stands there: it is one of a kind."""
    stamps = {stamp for _, stamp in seen.strays.values()}
    return any(isinstance(each, str) and each in stamps for each in raw)
