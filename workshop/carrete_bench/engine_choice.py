"""The --db option of `carrete bench`."""

from __future__ import annotations

from enum import StrEnum


class EngineChoice(StrEnum):
    SQLITE = "sqlite"
    POSTGRES = "postgres"
    BOTH = "both"
