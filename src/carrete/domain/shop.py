"""What one shop may set for itself, as the rules need it."""

from __future__ import annotations

from dataclasses import dataclass
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class Shop:
    zone: ZoneInfo = ZoneInfo("America/Santiago")
    arm_only_types: frozenset[str] = frozenset({"FW"})

    def needs_welding(self, tipo: str | None) -> bool:
        """Types nobody has heard of need welding: the safe answer."""
        return (tipo or "").strip().upper() not in self.arm_only_types
