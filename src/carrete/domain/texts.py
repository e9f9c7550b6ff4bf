"""Which characters a text may have: those that a workbook can store. Others are refused on entry, never dropped. And
what a text in a CSV file must not be: a formula."""

from __future__ import annotations

import re

# Control characters except tab and line ends, halves of surrogate pairs, and U+FFFE and U+FFFF, which XML forbids.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
# A spreadsheet program takes a cell that begins so for a formula. Where the comma is for decimals, as in Chile, it
# begins a new cell after each semicolon, quoted or not, and leaves out the quotes that such a cell begins with.
_FORMULA = re.compile(r'(?:\A|(?<=[;\t\r\n]))(?="*[=+@\t\r-])')


def writable(text: str) -> bool:
    return _UNWRITABLE.search(text) is None


def without_formulas(text: str) -> str:
    """The text as a cell of a CSV file: an apostrophe stands before whatever could be taken for a formula."""
    return _FORMULA.sub("'", text)
