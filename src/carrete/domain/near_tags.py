"""Tags that a person or a camera could mistake for one another: one or two signs differ. Pure."""

from __future__ import annotations

from collections.abc import Iterable

DIFFERENCES_MAX = 2
_FAR = DIFFERENCES_MAX + 1


def near_tags(read: str, tags: Iterable[str], most: int) -> list[str]:
    """The nearest first; tags that are equal but for capitals before all others."""
    if len(read) <= DIFFERENCES_MAX:
        return []  # every short tag would be near
    lower = read.lower()
    found = [(count, tag) for tag in tags if (count := differences(lower, tag.lower())) < _FAR]
    return [tag for _, tag in sorted(found)][:most]


def differences(a: str, b: str) -> int:
    """How many signs are replaced (two of the same length), or are in one of the texts only, at one place."""
    if len(a) == len(b):
        return min(_FAR, sum(x != y for x, y in zip(a, b, strict=True)))
    if abs(len(a) - len(b)) > DIFFERENCES_MAX:
        return _FAR
    shorter = min(len(a), len(b))
    head = _equal_signs(a, b)
    tail = min(_equal_signs(a[::-1], b[::-1]), shorter - head)
    return min(_FAR, max(len(a), len(b)) - head - tail)


def _equal_signs(a: str, b: str) -> int:
    """How many signs both begin with."""
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
