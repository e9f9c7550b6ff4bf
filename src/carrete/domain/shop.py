"""The settings of a shop that the rules depend on."""

from __future__ import annotations

from dataclasses import dataclass
from zoneinfo import ZoneInfo

from carrete.domain.overdue_limits import DEFAULT_OVERDUE_LIMITS, OverdueLimits
from carrete.domain.shifts import Shift


@dataclass(frozen=True, slots=True)
class Shop:
    zone: ZoneInfo = ZoneInfo("America/Santiago")
    arm_only_types: frozenset[str] = frozenset({"FW"})
    confirmed_roles_only: bool = True  # False without identity: then a role of a workbook counts at once
    shifts: tuple[Shift, ...] = ()
    overdue: OverdueLimits = DEFAULT_OVERDUE_LIMITS

    def needs_welding(self, tipo: str | None) -> bool:
        """An unknown type needs welding: that is the safe answer."""
        return (tipo or "").strip().upper() not in self.arm_only_types
