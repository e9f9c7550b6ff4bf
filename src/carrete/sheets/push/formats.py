"""Number formats that Google refuses: a column with a type in a Google table takes values, but no number format.

A refused request that sets formats is tried once more without them. If Google then accepts it, the formats were the
cause: those columns are written without formats, and a notice says so, until the sheet's columns change or a day has
passed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeAlias

from carrete.ledger.database import Tx
from carrete.sheets.rows import storage
from carrete.sheets.rows.storage import RowKey
from carrete.workbook.columns import Header
from carrete.workbook.report import Problem

APPENDED = ""  # stands for all columns of an appended row
TRIED_AGAIN = timedelta(days=1)
EVENTS_TRIED_AGAIN = timedelta(minutes=10)
NO_FORMAT = "Google no acepta nuestro formato de fecha aquí (una tabla con tipos de columna): se escribe sin formato."

Column: TypeAlias = tuple[str, str]  # sheet and column
Witness: TypeAlias = RowKey | frozenset[int]  # what was refused: a row, or events by their seqs


@dataclass(slots=True)
class _RefusedColumns:
    columns: set[str]
    column_indexes: Mapping[str, int]  # of all columns of the sheet when the refusal was proven
    since: datetime


@dataclass(slots=True)
class Formats:
    _refused: dict[str, _RefusedColumns] = field(default_factory=dict)  # by sheet
    _tried: dict[Witness, set[Column]] = field(default_factory=dict)  # columns that are written without, to find out
    _events_since: datetime | None = None  # since when events are refused also without formats

    # ─── columns that are written without a format ────────────────────────────────────────────────────────────

    def without(self) -> dict[str, set[str]]:
        """By sheet: the columns that are written without a number format."""
        found = {sheet: set(one.columns) for sheet, one in self._refused.items()}
        for sheet, column in (each for tried in self._tried.values() for each in tried):
            found.setdefault(sheet, set()).add(column)
        return found

    def notices(self) -> list[Problem]:
        columns = [(sheet, column) for sheet, one in self._refused.items() for column in one.columns]
        return [Problem(sheet, 0, column, NO_FORMAT) for sheet, column in sorted(columns)]

    # ─── trying without ───────────────────────────────────────────────────────────────────────────────────────

    def try_without(self, witness: Witness, columns: Set[Column], now: datetime) -> bool:
        """Whether the next batch tries something new. If not, the formats were not the cause of this refusal."""
        events = isinstance(witness, frozenset)
        if not columns:
            self._tried.pop(witness, None)
            self._events_since = now if events else self._events_since
            return False
        if events and self._events_since and now - self._events_since < EVENTS_TRIED_AGAIN:
            return False
        self._tried[witness] = self._tried.get(witness, set()) | columns
        return True

    def went_through(
        self, rows: Set[RowKey], events: frozenset[int], headers: Mapping[str, Header], now: datetime
    ) -> list[Column]:
        """After Google accepted a batch: the columns that are now known to take no format. A trial whose witness was
        not in the batch proves nothing, and ends once a batch with other rows, or other events, was accepted."""
        found: set[Column] = set()
        for witness in list(self._tried):
            if isinstance(witness, frozenset):
                proven, over = witness <= events, bool(events)
            else:
                proven, over = witness in rows, bool(rows)
            tried = self._tried.pop(witness) if over else set()
            found |= tried if proven else set()
        found -= {(sheet, column) for sheet, one in self._refused.items() for column in one.columns}
        for sheet, column in found:
            one = self._refused.setdefault(sheet, _RefusedColumns(set(), dict(headers[sheet].indexes), now))
            one.columns.add(column)
        return sorted(found)

    def forget_old(self, headers: Mapping[str, Header], now: datetime) -> bool:
        """Whether any refusals were forgotten, so that their formats are tried again."""
        old = [
            sheet
            for sheet, one in self._refused.items()
            if now - one.since > TRIED_AGAIN or (sheet in headers and headers[sheet].indexes != one.column_indexes)
        ]
        for sheet in old:
            del self._refused[sheet]
        return bool(old)

    # ─── in the ledger ────────────────────────────────────────────────────────────────────────────────────────

    def save(self, tx: Tx) -> None:
        refused = {
            sheet: {"columns": sorted(one.columns), "places": one.column_indexes, "since": storage.moment(one.since)}
            for sheet, one in self._refused.items()
        }
        tx.run("setting_put", name=storage.FORMATS_REFUSED, value=json.dumps(refused, ensure_ascii=False))

    @classmethod
    def load(cls, tx: Tx) -> Formats:
        refused = json.loads(storage.setting(tx, storage.FORMATS_REFUSED) or "{}")
        return cls(
            {
                sheet: _RefusedColumns(set(one["columns"]), one["places"], datetime.fromisoformat(one["since"]))
                for sheet, one in refused.items()
            }
        )
