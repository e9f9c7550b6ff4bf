"""What text may hold: whatever a workbook can carry too. The rest is refused where it comes in, never dropped."""

from __future__ import annotations

import re

# Control characters but tab and line ends, halves of surrogate pairs, and the two that XML knows nothing of.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def writable(text: str) -> bool:
    return _UNWRITABLE.search(text) is None
