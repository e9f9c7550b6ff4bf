"""What people typed into rows that wait for a person: not imported yet, so only the sheet and this table have it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

from carrete.ledger.database import Tx
from carrete.sheets.rows.storage import RowKey, raw_from, raw_json, row_params
from carrete.workbook.cells import Raw


@dataclass(frozen=True, slots=True)
class UnimportedInput:
    """What a person typed into one cell."""

    raw: Raw
    stamp: str = ""  # the stamp that the row carried then: that write has not overwritten the input
    hit: bool = False  # a write of ours has overwritten the input


UnimportedInputs: TypeAlias = Mapping[str, UnimportedInput]  # by column
NO_INPUTS: UnimportedInputs = MappingProxyType({})


def load_unimported(tx: Tx) -> dict[RowKey, UnimportedInputs]:
    found: dict[RowKey, dict[str, UnimportedInput]] = {}
    for sheet, tag, n, col, typed, stamp, hit in tx.all("words_all"):
        found.setdefault((sheet, (tag, n)), {})[col] = UnimportedInput(raw_from(json.loads(typed)), stamp, bool(hit))
    return dict(found)


def save_unimported(tx: Tx, inputs: Mapping[RowKey, UnimportedInputs]) -> None:
    """Replaces everything that was stored for these rows."""
    for row_key, by_column in inputs.items():
        tx.run("words_forget", **row_params(row_key))
        tx.many("word_put", [{**row_params(row_key), **_columns(col, one)} for col, one in by_column.items()])


def _columns(col: str, one: UnimportedInput) -> dict[str, Any]:
    """JSON in ASCII: a cell may hold half of a surrogate pair, which no database stores as text."""
    return {"col": col, "typed": json.dumps(raw_json(one.raw)), "stamp": one.stamp, "hit": int(one.hit)}
