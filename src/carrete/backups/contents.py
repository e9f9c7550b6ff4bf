"""What a ledger holds at one moment: rows of each table, the last event, the schema. A copy must hold the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from carrete.backups.errors import BackupFailed
from carrete.findings import Words

EVENTS, SCHEMA, HEAD = "event", "schema_version", "trail_head"
LAST_HASH = "SELECT hash FROM event ORDER BY seq DESC LIMIT 1"
DIFFERENCES_NAMED_MAX = 3


@dataclass(frozen=True, slots=True)
class LedgerContents:
    rows: dict[str, int]  # by table
    last_seq: int  # 0 when there is no event
    last_event_id: str
    schema: int
    last_hash: str = ""  # of the last event; "" in a ledger from before the chain

    @property
    def events(self) -> int:
        return self.rows.get(EVENTS, 0)

    def without(self, table: str) -> LedgerContents:
        """As it is counted where a copy leaves a table's rows out."""
        return replace(self, rows={name: number for name, number in self.rows.items() if name != table})

    def with_empty(self, table: str) -> LedgerContents:
        return replace(self, rows={**self.rows, table: 0})

    def as_json(self) -> dict[str, Any]:
        last = {"last_seq": self.last_seq, "last_event_id": self.last_event_id}
        return {"rows": dict(sorted(self.rows.items())), **last, "schema": self.schema}

    def differences(self, copy: LedgerContents) -> list[str]:
        tables = sorted(self.rows.keys() | copy.rows.keys())
        found = [
            f"{table}: {self.rows.get(table, 0)} ≠ {copy.rows.get(table, 0)}"
            for table in tables
            if self.rows.get(table) != copy.rows.get(table)
        ]
        if (self.last_seq, self.last_event_id) != (copy.last_seq, copy.last_event_id):
            found.append(f"last event: {self.last_seq} ≠ {copy.last_seq}")
        if self.schema != copy.schema:
            found.append(f"schema: {self.schema} ≠ {copy.schema}")
        return found


@dataclass(frozen=True, slots=True)
class Restored:
    contents: LedgerContents
    kept: str | None  # where the ledger of before is now; None when there was none
    photos: int = 0  # put back from their files
    photos_missing: int = 0  # named by notes, and in no file


def require_same(ledger: LedgerContents, copy: LedgerContents) -> None:
    if found := ledger.differences(copy):
        named = ", ".join(found[:DIFFERENCES_NAMED_MAX])
        raise BackupFailed(
            Words(
                f"The copy does not hold what the ledger holds ({named}). It was not kept.",
                f"La copia no contiene lo mismo que el registro ({named}). No se guardó.",
            )
        )
