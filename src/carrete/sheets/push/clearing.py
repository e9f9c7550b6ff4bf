"""Clearing values of ours in rows without a key. Where Google refuses that, only the clearing waits for a while: the
rows and events of the same batch are sent again without it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

TRIED_AGAIN_S = 600.0


@dataclass(frozen=True, slots=True)
class Clearing:
    """The part of a batch that clears our values in the rows without a key of one sheet."""

    sheet: str


@dataclass(slots=True)
class RefusedClearings:
    _since: dict[str, float] = field(default_factory=dict)  # by sheet, on the monotonic clock

    def refused(self, sheets: Iterable[str], monotonic: float) -> None:
        self._since.update(dict.fromkeys(sheets, monotonic))

    def sheets(self, monotonic: float) -> set[str]:
        """The sheets where nothing is cleared now."""
        return {sheet for sheet, since in self._since.items() if monotonic - since < TRIED_AGAIN_S}
