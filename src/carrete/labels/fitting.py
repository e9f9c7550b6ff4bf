"""How large words can be in a given space: breaks a tag into lines so that it is as large as possible."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import combinations, pairwise

REGULAR, BOLD = "Helvetica", "Helvetica-Bold"
LINE_HEIGHT = 1.08  # of the font's size; tags are capitals and figures, which need no room below the line
CAP_HEIGHT = 0.72
LINES_MAX = 4
_PARTS = re.compile(r"[^-_/.\s]*[-_/.\s]*")


def shown(text: str) -> str:
    """The text as the PDF's own fonts can show it; the code beside it has it unchanged."""
    return text.encode("cp1252", "replace").decode("cp1252")


def is_shown_whole(text: str) -> bool:
    return shown(text) == text


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    return size * _width_at_one(text, bold)


@lru_cache(maxsize=16_384)
def _width_at_one(text: str, bold: bool) -> float:
    from reportlab.pdfbase.pdfmetrics import stringWidth  # 10 MB, which a process pays once it draws labels

    return float(stringWidth(text, BOLD if bold else REGULAR, 1.0))


def size_for(text: str, width: float, size_max: float, *, bold: bool = False) -> float:
    """The largest size at which the text is not wider than this."""
    at_one = width_of(text, 1.0, bold=bold)
    return min(size_max, width / at_one) if at_one else size_max


@lru_cache(maxsize=8_192)
def lines_of(text: str, width: float, height: float) -> tuple[tuple[str, ...], float]:
    """The lines of a bold text and their size, the largest that fits; the first line is as long as possible. Lines end
    after a dash where there is one."""
    candidates = [_sized(lines, width, height) for n in range(1, LINES_MAX + 1) for lines in _broken(text, n)]
    return max(candidates, key=lambda found: (round(found[1], 3), len(found[0][0])))


def _sized(lines: tuple[str, ...], width: float, height: float) -> tuple[tuple[str, ...], float]:
    widest = max(width_of(line, 1.0, bold=True) for line in lines)
    return lines, min(width / widest, height / (CAP_HEIGHT + LINE_HEIGHT * (len(lines) - 1)))


def _broken(text: str, n: int) -> list[tuple[str, ...]]:
    """The text in n lines: in every way between its parts where it has few, else in lines of the same length."""
    parts = [part for part in _PARTS.findall(text) if part]
    if len(parts) < n or len(parts) > 8:
        step = -(-len(text) // n)
        lines = (text[at : at + step].strip() for at in range(0, len(text), step))
        return [tuple(line for line in lines if line)]
    found = []
    for cuts in combinations(range(1, len(parts)), n - 1):
        ends = (0, *cuts, len(parts))
        found.append(tuple("".join(parts[a:b]).strip() for a, b in pairwise(ends)))
    return found
