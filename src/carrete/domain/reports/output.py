"""What the shop got done in a period: inches, joints and spools, by day, by worker or by operation."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Por(StrEnum):
    DIA = "dia"
    WORKER = "worker"
    OPERACION = "operacion"


class Output(NamedTuple):
    """The figures of one key: a day, an operation, or a worker's label (None where no worker is named)."""

    key: str | None
    milli: int  # thousandths of an inch
    joints: int
    spools: int


def sorted_by_key(found: list[Output]) -> list[Output]:
    """Sorted by key; the row without a worker comes last."""
    return sorted(found, key=lambda row: (row.key is None, row.key or ""))
