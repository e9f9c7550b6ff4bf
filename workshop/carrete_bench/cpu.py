"""Processor seconds that a process and its descendants have used, by program name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class _ProcessCpu:
    pid: int
    parent_pid: int
    name: str
    cpu_s: float  # includes its children that have ended


def cpu_seconds(pid: int) -> float | None:
    """Of one process; None on systems without Linux's /proc."""
    try:
        return _read(Path("/proc", str(pid))).cpu_s
    except OSError:
        return None


def cpu_seconds_by_name(root_pid: int) -> dict[str, float]:
    """Of the process and its descendants; empty on systems without Linux's /proc."""
    processes = list(_all_processes())
    family = {root_pid}
    for _ in processes:  # a child may be listed before its parent, so repeat until the family stops growing
        larger = family | {process.pid for process in processes if process.parent_pid in family}
        if larger == family:
            break
        family = larger
    by_name: dict[str, float] = {}
    for process in processes:
        if process.pid in family:
            by_name[process.name] = by_name.get(process.name, 0.0) + process.cpu_s
    return by_name


def _all_processes() -> Iterator[_ProcessCpu]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            yield _read(folder)
        except OSError:
            continue  # the process has just ended


def _read(folder: Path) -> _ProcessCpu:
    """The name may contain spaces and brackets, but only numbers follow its last closing bracket."""
    before, _, after = (folder / "stat").read_text().rpartition(") ")
    fields = after.split()
    ticks = sum(int(field) for field in fields[11:15])
    return _ProcessCpu(int(folder.name), int(fields[1]), before.partition("(")[2], ticks / _TICKS_PER_S)
