"""How often work passes its first inspection, and how often it is rejected: per day and per worker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Inspection(NamedTuple):
    """A month has thousands of these: a tuple costs a fifth of an object."""

    dia: str
    tag: str
    approved: bool
    rejections_before: int  # since the last approval


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


def quality(inspections: Iterable[Inspection], keys: Callable[[Inspection], Iterable[str]]) -> dict[str, Quality]:
    """One inspection counts once under each of its keys: a rejection concerns everybody who welded the spool."""
    alike = Counter((key, each.approved, each.rejections_before == 0) for each in inspections for key in keys(each))
    found: dict[str, Quality] = {}
    for (key, approved, first), times in alike.items():
        found.setdefault(key, Quality()).add(approved, first, times)
    return dict(sorted(found.items()))
