"""How much goes into the next batch after Google refused one without naming the request. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from carrete.sheets.push.plan import EVENTS_PART, BatchLimits, BatchPlan, Part


@dataclass(slots=True)
class AlternateBatches:
    """Once events were refused, rows and events go in batches of their own, so that neither waits for the other."""

    active: bool = False
    events_turn: bool = False

    def limit(self, limits: BatchLimits) -> BatchLimits:
        if not self.active:
            return limits
        return replace(limits, rows=0) if self.events_turn else replace(limits, events=0)

    def next_turn(self) -> None:
        self.events_turn = self.active and not self.events_turn


def halved(plan: BatchPlan, refused: Part | None) -> BatchLimits:
    """Half of the part that Google refused; of the rows first when it did not name the part."""
    rows, events = len(plan.rows), len(plan.events)
    if refused == EVENTS_PART:
        return BatchLimits(events=max(1, events // 2))
    if rows <= 1 and events > 1:
        return BatchLimits(rows, events // 2)
    return BatchLimits(max(1, rows // 2), 0)
