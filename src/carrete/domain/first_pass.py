"""How often work passes its first inspection, and how often it is rejected: per day and per worker."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Inspection:
    dia: date
    tag: str
    approved: bool
    rejections_before: int  # since the last approval

    @property
    def first(self) -> bool:
        return self.rejections_before == 0


@dataclass(slots=True)
class Quality:
    inspections: int = 0
    rejections: int = 0
    first: int = 0
    first_approved: int = 0

    def add(self, inspection: Inspection) -> None:
        self.inspections += 1
        self.rejections += not inspection.approved
        self.first += inspection.first
        self.first_approved += inspection.first and inspection.approved

    @property
    def first_pass_yield(self) -> float | None:
        """None when nothing was inspected for the first time: no figure is better than a wrong one."""
        return round(self.first_approved / self.first, 4) if self.first else None


def quality(inspections: Iterable[Inspection], keys: Callable[[Inspection], Iterable[str]]) -> dict[str, Quality]:
    """One inspection counts once under each of its keys: a rejection concerns everybody who welded the spool."""
    found: dict[str, Quality] = {}
    for inspection in inspections:
        for key in keys(inspection):
            found.setdefault(key, Quality()).add(inspection)
    return dict(sorted(found.items()))
