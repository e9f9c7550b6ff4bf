"""What is ours and stands in rows without a key is taken away again; where Google refuses that, it is left for a while.

Only that waits then: the rows and events of the same batch are sent again without it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

TRIED_AGAIN_S = 600.0


@dataclass(frozen=True, slots=True)
class Clearing:
    """A part of a batch: the requests that take away what is ours from the rows without a key of one sheet."""

    sheet: str


@dataclass(slots=True)
class RefusedClearings:
    _since: dict[str, float] = field(default_factory=dict)  # by sheet, on the monotonic clock

    def refused(self, sheets: Iterable[str], monotonic: float) -> None:
        self._since.update(dict.fromkeys(sheets, monotonic))

    def sheets(self, monotonic: float) -> set[str]:
        """Where nothing is cleared now."""
        return {sheet for sheet, since in self._since.items() if monotonic - since < TRIED_AGAIN_S}
