"""How a workbook as a whole is refused: nothing was done with it."""

from __future__ import annotations


class WorkbookError(Exception):
    """One sentence that says what is wrong with the file and what to do."""
