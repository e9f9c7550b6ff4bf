"""Which ledger is measured."""

from __future__ import annotations

from enum import StrEnum


class Db(StrEnum):
    SQLITE = "sqlite"
    POSTGRES = "postgres"
    BOTH = "both"
