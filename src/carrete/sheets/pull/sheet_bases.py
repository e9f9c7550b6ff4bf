"""The bases of one merge of the live sheet: what each row contained, our own writes included."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from carrete.ledger.database import Tx
from carrete.sheets.rows.storage import RowKey
from carrete.workbook.bases import Bases, RowId
from carrete.workbook.rows import Cells


@dataclass(slots=True)
class SheetBaseStore:
    """A `BaseStore` in memory: the puller itself saves the new bases, with the stamps of their rows."""

    bases: Mapping[RowKey, Cells]
    when: str
    new_bases: dict[RowKey, Cells] = field(default_factory=dict)

    def load(self, tx: Tx, sheet: str, tags: Iterable[str]) -> Mapping[RowId, Bases]:
        del tx
        wanted = set(tags)
        found: dict[RowId, Bases] = {}
        for (name, row), base in self.bases.items():
            if name == sheet and row[0] in wanted:
                cells = json.dumps(base)
                found[row] = Bases({"": (cells, self.when)}, cells)
        return found

    def save(self, tx: Tx, rows: Sequence[Mapping[str, Any]]) -> None:
        del tx
        for row in rows:
            self.new_bases[row["sheet"], (row["tag"], row["n_union"])] = json.loads(row["cells"])
