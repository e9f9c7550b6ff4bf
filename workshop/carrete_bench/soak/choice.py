"""The --db option of `carrete bench soak`."""

from __future__ import annotations

from enum import StrEnum


class SoakLedger(StrEnum):
    SQLITE = "sqlite"
    POSTGRES = "postgres"
