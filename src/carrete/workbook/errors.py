"""The error for a workbook that is refused as a whole."""

from __future__ import annotations


class WorkbookError(Exception):
    """Nothing was imported. The message is one sentence: what is wrong with the file and what to do."""
