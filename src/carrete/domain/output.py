"""What the shop got done in a period: inches, joints and spools, by day, by worker or by operation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum


class Por(StrEnum):
    DIA = "dia"
    WORKER = "worker"
    OPERACION = "operacion"


# Joints of one spool that were finished at once: under which key they count, the tag, thousandths of an inch, and how
# many; a spool worked as a whole has none. A month has ten thousand of these: a bare tuple costs a fifth of an object.
WorkDone = tuple[str | None, str, int, int]


@dataclass(slots=True)
class Output:
    milli: int = 0
    joints: int = 0
    tags: set[str] = field(default_factory=set)


def output(work: Iterable[WorkDone]) -> dict[str | None, Output]:
    """In the order of the keys; whoever is not named comes last."""
    found: dict[str | None, Output] = {}
    for key, tag, milli, joints in work:
        row = found.get(key)
        if row is None:
            row = found[key] = Output()
        row.milli += milli
        row.joints += joints
        row.tags.add(tag)
    return dict(sorted(found.items(), key=lambda item: (item[0] is None, item[0] or "")))
