"""What the shop got done in a period: inches, joints and spools, by day, by worker or by operation."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Por(StrEnum):
    DIA = "dia"
    WORKER = "worker"
    OPERACION = "operacion"


class Output(NamedTuple):
    """Under one key: a day, a worker's label (None: nobody is named), an operation."""

    key: str | None
    milli: int  # thousandths of an inch
    joints: int
    spools: int


def in_order(found: list[Output]) -> list[Output]:
    """In the order of the keys; whoever is not named comes last."""
    return sorted(found, key=lambda row: (row.key is None, row.key or ""))
