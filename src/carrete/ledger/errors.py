"""The ledger's own errors."""

from __future__ import annotations


class LedgerUnavailable(Exception):
    """The database is unreachable, full, locked for too long or damaged. Whether the transaction was committed is
    unknown, but it is never half done."""


class RaceLost(Exception):
    """Another process changed a row that this transaction had read. Nothing was written; the caller decides again."""


class SchemaTooNew(Exception):
    """A newer program migrated the ledger; this program must not write to it."""


def newer_schema_message(present: int, known: int) -> str:
    return f"The ledger has schema {present}, this program knows {known}: run a newer Carrete on it."
