"""How the ledger says that it cannot."""

from __future__ import annotations


class LedgerUnavailable(Exception):
    """Unreachable, full, locked for too long or damaged. What was asked is unknown, never half done."""


class RaceLost(Exception):
    """Another process changed what this transaction had read. Nothing was written: decide again."""


class SchemaTooNew(Exception):
    """The ledger was made by a newer program; this one must not touch it."""
