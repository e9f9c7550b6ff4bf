"""After how many hours the shop calls a spool overdue: a setting of the shop."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OperationHours:
    """Hours for each operation that people hold; 0: never."""

    arm: int
    sold: int
    reparacion: int

    def of(self, operacion: str) -> int:
        return {"ARM": self.arm, "SOLD": self.sold, "REPARACION": self.reparacion}[operacion]


@dataclass(frozen=True, slots=True)
class OverdueLimits:
    """After how many hours a spool is overdue: longer than a shift, three days, two days."""

    held: OperationHours = OperationHours(12, 12, 12)
    paused: OperationHours = OperationHours(72, 72, 72)
    inspection: int = 48


DEFAULT_OVERDUE_LIMITS = OverdueLimits()
