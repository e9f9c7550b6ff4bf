"""Which characters a text may have: those that a workbook can store. Others are refused on entry, never dropped."""

from __future__ import annotations

import re

# Control characters except tab and line ends, halves of surrogate pairs, and U+FFFE and U+FFFF, which XML forbids.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def writable(text: str) -> bool:
    return _UNWRITABLE.search(text) is None
