"""How many live streams one client address may hold open in this process."""

from __future__ import annotations

from collections import Counter


class StreamLimit:
    def __init__(self, per_address: int) -> None:
        self.per_address = per_address
        self.refused = 0
        self._open: Counter[str] = Counter()

    def enter(self, address: str) -> bool:
        """False when the address has as many streams as it may. After True the caller must call `leave`."""
        if self._open[address] >= self.per_address:
            self.refused += 1
            return False
        self._open[address] += 1
        return True

    def leave(self, address: str) -> None:
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]
