"""How the ledger says that it cannot."""

from __future__ import annotations


class LedgerUnavailable(Exception):
    """Unreachable, full, locked for too long or damaged. What was asked is unknown, never half done."""


class RaceLost(Exception):
    """Another process changed what this transaction had read. Nothing was written: decide again."""


class SchemaTooNew(Exception):
    """The ledger was made by a newer program; this one must not touch it."""


def newer(present: int, known: int) -> str:
    return f"The ledger has schema {present}, this program knows {known}: run a newer Carrete on it."
