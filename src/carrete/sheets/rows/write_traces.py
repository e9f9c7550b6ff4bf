"""What tells of a write of ours wherever it stands: its stamp, and the version that it carried. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from carrete.sheets.rows.verdict import Write
from carrete.sheets.rows.view import View
from carrete.workbook.columns import VERSION

_TOKEN = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def rows_with(view: View, writes: Sequence[Write]) -> set[int]:
    """The rows of that read where anything of these writes stands, by index."""
    texts = {write.stamp for write in writes} | set(by_token(writes))
    if not texts:
        return set()
    return {i for i, row in enumerate(view.raws) if any(raw.__class__ is str and raw in texts for raw in row)}


def by_token(writes: Iterable[Write]) -> dict[str, Write]:
    """A version is one of a kind, like a stamp: it tells of a write whose stamp somebody took away. The last one. What
    a person had put into that column, and a write gave back, is no version."""
    said = ((write, write.put[VERSION][1]) for write in writes if VERSION in write.put)
    return {raw: write for write, raw in said if isinstance(raw, str) and _TOKEN.fullmatch(raw)}
