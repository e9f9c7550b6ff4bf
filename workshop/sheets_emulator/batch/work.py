"""What a request of a batch works with: the draft, the account that sent it, and the options of this emulator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sheets_emulator import a1, resource
from sheets_emulator.a1 import Area
from sheets_emulator.errors import PROTECTED, Json, invalid
from sheets_emulator.locales import Locale, known
from sheets_emulator.model import Draft


@dataclass(slots=True)
class BatchWork:
    draft: Draft
    user: str  # address of the account; empty for the owner, whom no protection stops
    now: datetime
    fresh_id: Callable[[], int]
    rows_move_on_sort: bool = False

    @property
    def locale(self) -> Locale:
        return known(self.draft.book.locale)

    def require_editable(self, area: Area) -> None:
        """Only its editors and the owner may change a protected cell; a protection that only warns does not refuse."""
        for one in self.draft.book.sheet(area.sheet_id).protected:
            if self.user and not one.get("warningOnly") and self.user not in resource.editors(one):
                guarded = a1.from_grid_range(self.draft.book, one["range"])
                if _overlap(guarded, area) and not self._excepted(one, area):
                    raise invalid(PROTECTED)

    def _excepted(self, one: Json, area: Area) -> bool:
        holes = [a1.from_grid_range(self.draft.book, hole) for hole in one.get("unprotectedRanges", [])]
        return any(
            hole.top <= area.top and area.bottom <= hole.bottom and hole.left <= area.left and area.right <= hole.right
            for hole in holes
        )


def _overlap(one: Area, other: Area) -> bool:
    return one.top < other.bottom and other.top < one.bottom and one.left < other.right and other.left < one.right


Handler = Callable[[BatchWork, Json], Json | None]
