"""Where the processor's time went: seconds spent by a process and everything it started, by what they are called."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class _Process:
    pid: int
    parent: int
    name: str
    spent_s: float  # with that of children that have ended


def spent_s(root: int) -> dict[str, float]:
    """Of the process and its descendants, by name; empty where the system does not say (it is Linux that does)."""
    everybody = list(_everybody())
    family = {root}
    for _ in everybody:  # a child may be listed before its parent, so look until nobody is added
        grown = family | {one.pid for one in everybody if one.parent in family}
        if grown == family:
            break
        family = grown
    found: dict[str, float] = {}
    for one in everybody:
        if one.pid in family:
            found[one.name] = found.get(one.name, 0.0) + one.spent_s
    return found


def _everybody() -> Iterator[_Process]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            yield _read(folder)
        except OSError:
            continue  # it has just ended


def _read(folder: Path) -> _Process:
    """A name may hold spaces and brackets: what follows the last bracket is numbers."""
    before, _, after = (folder / "stat").read_text().rpartition(") ")
    fields = after.split()
    ticks = sum(int(field) for field in fields[11:15])
    return _Process(int(folder.name), int(fields[1]), before.partition("(")[2], ticks / _TICKS_PER_S)
