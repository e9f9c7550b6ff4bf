"""How much goes into the next batch, after Google refused one without saying what it refuses. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from carrete.sheets.push.plan import EVENTS_PART, Limits, Part, Plan


@dataclass(slots=True)
class AlternateBatches:
    """Once the trail was refused, rows and events go in batches of their own, so that neither waits for the other."""

    taken: bool = False
    trail: bool = False  # whose turn it is

    def of(self, limits: Limits) -> Limits:
        if not self.taken:
            return limits
        return replace(limits, rows=0) if self.trail else replace(limits, events=0)

    def pass_on(self) -> None:
        self.trail = self.taken and not self.trail


def halved(plan: Plan, blamed: Part | None) -> Limits:
    rows, events = len(plan.rows), len(plan.events)
    if blamed == EVENTS_PART:
        return Limits(events=max(1, events // 2))
    if rows <= 1 and events > 1:
        return Limits(rows, events // 2)
    return Limits(max(1, rows // 2), 0)
