"""The settings of a shop that the rules depend on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from zoneinfo import ZoneInfo

from carrete.domain.joint_types import comparable_type
from carrete.domain.ndt.policy import DEFAULT_NDT, NdtPolicy
from carrete.domain.overdue_limits import DEFAULT_OVERDUE_LIMITS, OverdueLimits
from carrete.domain.shifts import Shift


class QualificationCheck(StrEnum):
    """What happens when a welder is not qualified for a joint."""

    APAGADO = "apagado"
    AVISAR = "avisar"
    EXIGIR = "exigir"


@dataclass(frozen=True, slots=True)
class Shop:
    zone: ZoneInfo = ZoneInfo("America/Santiago")
    arm_only_types: frozenset[str] = frozenset({"FW"})
    confirmed_roles_only: bool = True  # False without identity: then a role of a workbook counts at once
    shifts: tuple[Shift, ...] = ()
    overdue: OverdueLimits = DEFAULT_OVERDUE_LIMITS
    qualification_check: QualificationCheck | None = None  # None: warn, once the shop has any qualification
    ndt: NdtPolicy = DEFAULT_NDT

    def needs_welding(self, tipo: str | None) -> bool:
        """An unknown type needs welding: that is the safe answer."""
        return comparable_type(tipo) not in self.arm_only_types
