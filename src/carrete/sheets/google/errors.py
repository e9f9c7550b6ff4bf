"""What Google's answers mean to the lane: one class for each way to react. The text is a sentence for people."""

from __future__ import annotations

import re


class SheetsError(Exception):
    """Its text says what is wrong and what to do about it."""


class Unreachable(SheetsError):
    """No answer, or a 5xx. A read is sent again later; whether a write was applied is unknown."""


class TooFast(SheetsError):
    """429: too many requests; this one was not applied."""


class Denied(SheetsError):
    """Google refuses every request until somebody changes the key, the sharing, the id or the project."""


class NotThere(SheetsError):
    """404 for one thing inside a workbook that we can reach."""


class GuardTaken(SheetsError):
    """Google refused the guard, so nothing of the batch was applied: most likely an earlier attempt was."""


class GuardRefused(SheetsError):
    """The guard's id is used by another program, or the workbook has no room for a guard: nothing can be written."""


_OUTSIDE = re.compile(r"beyond the last|after last (row|column)|exceeds grid limits|outside the grid", re.IGNORECASE)


class BadBatch(SheetsError):
    """400: nothing was applied, and the same batch never will be. `index`: the request that Google names, if any."""

    def __init__(self, message: str, index: int | None) -> None:
        super().__init__(message)
        self.index = index

    @property
    def outside(self) -> bool:
        """Whether the batch writes to a cell outside the sheet: somebody deleted a row or a column after the read."""
        return bool(_OUTSIDE.search(str(self)))


class TabGone(SheetsError):
    """The tab with the id that we asked for does not exist."""


class LeaseLost(Exception):
    """Another process runs the lane now: this one must not commit anything more."""
