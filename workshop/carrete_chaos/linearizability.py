"""Checks who held one spool at which time: whether the successes can have happened in the ledger's order, at moments
within their calls, and whether every refusal that named a holder fits somewhere between them.

The ledger gives the order of the successes; what is left is to find a moment for each. Moment i lies within call i,
and moments never go back:   earliest[i] = max(began[i], earliest[i-1])   latest[i] = min(ended[i], latest[i+1]).
A refusal that names a holder is a read: some moment of its call lies in a time when that worker held the spool.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

FREE = None


@dataclass(frozen=True, slots=True)
class HoldStep:
    """A success, in the ledger's order, and the holder of the spool after it."""

    began: float
    ended: float
    holder: int | None
    what: str


@dataclass(frozen=True, slots=True)
class HolderRead:
    """An answer that named the holder of the spool."""

    began: float
    ended: float
    holder: int | None
    what: str


def misfits(first_holder: int | None, steps: Sequence[HoldStep], reads: Sequence[HolderRead]) -> list[str]:
    """A sentence for each step or read that fits nowhere; empty when the history is linearizable."""
    states = [first_holder, *(step.holder for step in steps)]
    earliest, latest = _bounds(steps)
    impossible = [
        f"{step.what} is in the ledger before or after calls that it cannot have come before or after"
        for step, low, high in zip(steps, earliest[1:], latest[1:], strict=True)
        if low > high
    ]
    if impossible:
        return impossible
    return [f"{read.what} fits nowhere" for read in reads if not _fits(read, states, earliest, latest)]


def _bounds(steps: Sequence[HoldStep]) -> tuple[list[float], list[float]]:
    """Earliest and latest moment of each step; index 0 is the beginning, before any step."""
    earliest = [-math.inf]
    for step in steps:
        earliest.append(max(step.began, earliest[-1]))
    latest = [math.inf] * (len(steps) + 1)
    for i in range(len(steps) - 1, -1, -1):
        after = latest[i + 2] if i + 2 < len(latest) else math.inf
        latest[i + 1] = min(steps[i].ended, after)
    return earliest, latest


def _fits(read: HolderRead, states: Sequence[int | None], earliest: Sequence[float], latest: Sequence[float]) -> bool:
    for i, holder in enumerate(states):
        until = latest[i + 1] if i + 1 < len(latest) else math.inf
        if holder == read.holder and max(read.began, earliest[i]) <= min(read.ended, until):
            return True
    return False
