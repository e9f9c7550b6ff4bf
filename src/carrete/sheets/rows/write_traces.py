"""Finds a write of ours in any cell: by its stamp, or by the version token that it contained. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from carrete.sheets.rows.verdict import Write
from carrete.sheets.rows.view import SheetView
from carrete.workbook.columns import VERSION

_TOKEN = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def rows_with(view: SheetView, writes: Sequence[Write]) -> set[int]:
    """Indexes of the rows that contain a stamp or a version token of these writes."""
    texts = {write.stamp for write in writes} | set(by_token(writes))
    if not texts:
        return set()
    return {i for i, row in enumerate(view.raws) if any(raw.__class__ is str and raw in texts for raw in row)}


def by_token(writes: Iterable[Write]) -> dict[str, Write]:
    """The last write with each version token. A token is unique like a stamp, so it shows a write whose stamp was
    deleted. A restored text of a person in that column is no token."""
    written = ((write, write.put[VERSION][1]) for write in writes if VERSION in write.put)
    return {raw: write for write, raw in written if isinstance(raw, str) and _TOKEN.fullmatch(raw)}
