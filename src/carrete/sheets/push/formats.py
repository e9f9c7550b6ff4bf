"""Number formats that Google refuses: a column of a Google table that has a type takes values, and no format.

A refused request that carries formats is tried once more without them. If it is then taken, the formats were to blame:
that is remembered for those columns, and said. It is forgotten when the sheet's columns change, and after a day.
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

APPENDED = ""  # stands for all columns of a row that is put below the last one
TRIED_AGAIN = timedelta(days=1)
EVENTS_TRIED_AGAIN = timedelta(minutes=10)
NO_FORMAT = "Google no acepta nuestro formato de fecha aquí (una tabla con tipos de columna): se escribe sin formato."

Column: TypeAlias = tuple[str, str]  # sheet and column
Witness: TypeAlias = RowKey | frozenset[int]  # what was refused: a row, or events by their seqs


@dataclass(slots=True)
class _Refused:
    columns: set[str]
    places: Mapping[str, int]  # of the sheet's columns when that was found out
    since: datetime


@dataclass(slots=True)
class Formats:
    _refused: dict[str, _Refused] = field(default_factory=dict)
    _tried: dict[Witness, set[Column]] = field(default_factory=dict)
    _events_since: datetime | None = None  # events are refused whether or not they have formats

    # ─── what is written without a format ─────────────────────────────────────────────────────────────────────

    def without(self) -> dict[str, set[str]]:
        """By sheet: the columns that are written without one."""
        found = {sheet: set(one.columns) for sheet, one in self._refused.items()}
        for sheet, column in (each for tried in self._tried.values() for each in tried):
            found.setdefault(sheet, set()).add(column)
        return found

    def notices(self) -> list[Problem]:
        places = [(sheet, column) for sheet, one in self._refused.items() for column in one.columns]
        return [Problem(sheet, 0, column, NO_FORMAT) for sheet, column in sorted(places)]

    # ─── finding it out ───────────────────────────────────────────────────────────────────────────────────────

    def try_without(self, witness: Witness, columns: Set[Column], now: datetime) -> bool:
        """Whether there is anything left to try. If not, the formats were not to blame for this refusal."""
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
        """After a batch was taken: the columns that are now known to take no format. Without its witness in the batch
        a trial has proven nothing, and is over once others of its kind went through."""
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
            one = self._refused.setdefault(sheet, _Refused(set(), dict(headers[sheet].indexes), now))
            one.columns.add(column)
        return sorted(found)

    def forget_old(self, headers: Mapping[str, Header], now: datetime) -> bool:
        """Whether any were forgotten: their format is tried again."""
        old = [
            sheet
            for sheet, one in self._refused.items()
            if now - one.since > TRIED_AGAIN or (sheet in headers and headers[sheet].indexes != one.places)
        ]
        for sheet in old:
            del self._refused[sheet]
        return bool(old)

    # ─── kept in the ledger ───────────────────────────────────────────────────────────────────────────────────

    def save(self, tx: Tx) -> None:
        kept = {
            sheet: {"columns": sorted(one.columns), "places": one.places, "since": storage.moment(one.since)}
            for sheet, one in self._refused.items()
        }
        tx.run("setting_put", name=storage.FORMATS_REFUSED, value=json.dumps(kept, ensure_ascii=False))

    @classmethod
    def load(cls, tx: Tx) -> Formats:
        kept = json.loads(storage.setting(tx, storage.FORMATS_REFUSED) or "{}")
        return cls(
            {
                sheet: _Refused(set(one["columns"]), one["places"], datetime.fromisoformat(one["since"]))
                for sheet, one in kept.items()
            }
        )
