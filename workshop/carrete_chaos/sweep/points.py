"""The points at which a process is killed: right before its nth system call of one kind, counted per thread."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

# The calls with an effect outside of the process: on files, their locks and connections. Waiting and reading have none.
CALLS = (
    *("write", "writev", "pwrite64", "pwritev", "fsync", "fdatasync", "ftruncate", "fcntl"),
    *("unlink", "unlinkat", "rename", "renameat", "renameat2", "mkdir", "mkdirat", "sendto", "sendmsg"),
)
_LINE = re.compile(r"^(?P<thread>\d+)\s+(?P<call>\w+)\(")


class NoPoint(ValueError):
    """The text does not name a point."""


@dataclass(frozen=True, slots=True, order=True)
class Point:
    """The process is killed when its first thread is about to make its `nth` such call."""

    call: str
    nth: int

    @classmethod
    def parse(cls, text: str) -> Self:
        call, _, nth = text.partition(":")
        if call not in CALLS or not nth.isdigit() or int(nth) < 1:
            raise NoPoint(f"{text} is no point such as fdatasync:1; the calls are {', '.join(CALLS)}.")
        return cls(call, int(nth))

    def __str__(self) -> str:
        return f"{self.call}:{self.nth}"


def points_in(lines: Iterable[str]) -> list[Point]:
    """All points of a traced run, in the order in which they were reached first."""
    made: Counter[tuple[str, str]] = Counter()
    found: dict[Point, None] = {}
    for line in lines:
        if match := _LINE.match(line):
            made[match["thread"], match["call"]] += 1
            found.setdefault(Point(match["call"], made[match["thread"], match["call"]]))
    return list(found)


def spread(points: Sequence[Point], wanted: int) -> list[Point]:
    """That many of the points, evenly from the first to the last."""
    if wanted >= len(points):
        return list(points)
    if wanted == 1:
        return [points[len(points) // 2]]
    return [points[round(n * (len(points) - 1) / (wanted - 1))] for n in range(wanted)]
