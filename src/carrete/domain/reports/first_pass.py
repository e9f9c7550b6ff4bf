"""How often work passes its first inspection, and how often it is rejected: per day and per worker."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

# A group of equal inspections: the key (day or worker) that they count for, whether approved, whether each was the
# first since the last approval, and how many there are.
Inspected = tuple[str, bool, bool, int]


@dataclass(slots=True)
class Quality:
    inspections: int = 0
    rejections: int = 0
    first: int = 0
    first_approved: int = 0

    def add(self, approved: bool, first: bool, times: int) -> None:
        self.inspections += times
        self.rejections += 0 if approved else times
        self.first += times if first else 0
        self.first_approved += times if first and approved else 0

    @property
    def first_pass_yield(self) -> float | None:
        """None when nothing was inspected for the first time: no figure is better than a wrong one."""
        return round(self.first_approved / self.first, 4) if self.first else None


def quality(inspected: Iterable[Inspected]) -> dict[str, Quality]:
    """The figures of each key, sorted by key."""
    found: dict[str, Quality] = {}
    for key, approved, first, times in inspected:
        found.setdefault(key, Quality()).add(approved, first, times)
    return dict(sorted(found.items()))
