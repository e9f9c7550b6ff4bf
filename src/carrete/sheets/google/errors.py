"""What Google's answers mean to the lane: each class is one thing to do about it, its text is a sentence for people."""

from __future__ import annotations

import re


class SheetsError(Exception):
    """The sentence says what is wrong and what to do."""


class Unreachable(SheetsError):
    """No answer, or one that says nothing (5xx). A read is asked again later; of a write nobody knows."""


class TooFast(SheetsError):
    """429: nothing was done."""


class Denied(SheetsError):
    """Nothing can be done until somebody changes the key, the sharing, the id or the project."""


class NotThere(SheetsError):
    """404 of one thing inside a workbook that we can reach."""


class GuardTaken(SheetsError):
    """The batch's guard could not be put down, and nothing was done: most likely it was applied before."""


class GuardRefused(SheetsError):
    """A guard that is not ours stands in the way, or the workbook has no room for one: nothing can be written."""


_OUTSIDE = re.compile(r"beyond the last|after last (row|column)|exceeds grid limits|outside the grid", re.IGNORECASE)


class BadBatch(SheetsError):
    """400: nothing was done, and the same batch will never be. `index` is the request that is to blame, if told."""

    def __init__(self, message: str, index: int | None) -> None:
        super().__init__(message)
        self.index = index

    @property
    def outside(self) -> bool:
        """A cell that is not there any more: somebody deleted a row or a column since the read."""
        return bool(_OUTSIDE.search(str(self)))


class TabGone(SheetsError):
    """A tab that we asked for by its id does not exist."""


class LeaseLost(Exception):
    """Another process runs the lane now; whatever was under way here must not be committed."""
