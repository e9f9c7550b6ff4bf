"""The report of one run: as a table for people, as JSON for whoever compares."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from importlib.metadata import version
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from carrete_bench.figures import Actions, Engine
from carrete_bench.goals import Goal
from carrete_bench.reports import rows

_SYNCS = 30


@dataclass(frozen=True, slots=True)
class Machine:
    """What a figure depends on before anything of ours does."""

    cores: int
    python: str
    system: str
    sqlite: str
    carrete: str
    disk_sync_us: float  # one small write made durable, the median
    load: float  # what else was running when the run began


@dataclass(frozen=True, slots=True)
class Report:
    at: datetime
    machine: Machine
    engines: list[Engine]
    goals: list[Goal]
    not_measured: list[str]


def this_machine() -> Machine:
    return Machine(
        os.cpu_count() or 1,
        platform.python_version(),
        f"{platform.system()} {platform.release()} {platform.machine()}",
        sqlite3.sqlite_version,
        version("carrete"),
        _disk_sync_us(),
        os.getloadavg()[0],
    )


def _disk_sync_us() -> float:
    with tempfile.TemporaryFile() as file:
        return median(_synced_us(file.fileno()) for _ in range(_SYNCS))


def _synced_us(descriptor: int) -> float:
    os.write(descriptor, bytes(4096))
    start = time.perf_counter()
    os.fsync(descriptor)
    return (time.perf_counter() - start) * 1e6


def as_json(report: Any) -> str:
    return json.dumps(asdict(report), default=_as_text, indent=2, ensure_ascii=False)


def _as_text(value: Any) -> str:
    assert isinstance(value, datetime)
    return value.isoformat(timespec="seconds")


def show(report: Report, out: Console) -> None:
    out.print(line_of(report.machine), soft_wrap=True)
    for table in (*tables(report.engines), goals_table(report.goals, "ledger")):
        out.print(table)
    for sentence in report.not_measured:
        out.print(f"Not measured: {sentence}", soft_wrap=True, markup=False)


def line_of(machine: Machine) -> str:
    return (
        f"{machine.cores} cores, Python {machine.python}, {machine.system}, SQLite {machine.sqlite}, "
        f"one durable write {machine.disk_sync_us:.0f} µs, "
        f"load {machine.load:.1f} at the start. Every ratio is of this run."
    )


def tables(engines: list[Engine]) -> list[Table]:
    return [_rates(engines), _lists(engines), _by_joint(engines), _reports(engines)]


def _rates(engines: list[Engine]) -> Table:
    table = Table("ledger", "clients", "", "per s", "ratio", "p50 ms", "p95 ms", "p99 ms", title="TOMAR and PAUSAR")
    for engine in engines:
        for name, measured in ((engine.name, engine.actions), (f"{engine.name} + Redis", engine.gated)):
            for one in measured:
                for row in _rows(one):
                    table.add_row(name, str(one.clients), *row)
    return table


def _rows(one: Actions) -> Iterator[tuple[str, ...]]:
    for what, per_s, ratio, took in (
        ("empty POST", one.empty_per_s, "1", one.empty),
        ("action", one.actions_per_s, f"{one.ratio:.2f}", one.actions),
    ):
        yield what, f"{per_s:,.0f}", ratio, f"{took.p50_ms:.1f}", f"{took.p95_ms:.1f}", f"{took.p99_ms:.1f}"


def _lists(engines: list[Engine]) -> Table:
    table = Table("ledger", "list", "requests", "p50 ms", "p95 ms", title="GET /api/spools")
    for engine in engines:
        for one in engine.lists:
            took = one.latency
            table.add_row(engine.name, one.what, str(one.requests), f"{took.p50_ms:.1f}", f"{took.p95_ms:.1f}")
    return table


def _by_joint(engines: list[Engine]) -> Table:
    table = Table("ledger", "", "sessions", "p50 ms", "p95 ms", title="TOMAR and FINALIZAR, one at a time")
    for engine in engines:
        done = engine.by_joint
        for what, sessions, took in (
            ("TOMAR", done.sessions_of_few, done.tomar),
            (f"FINALIZAR, {done.few} joints", done.sessions_of_few, done.finalizar_few),
            (f"FINALIZAR, {done.many} joints", done.sessions_of_many, done.finalizar_many),
        ):
            table.add_row(engine.name, what, str(sessions), f"{took.p50_ms:.1f}", f"{took.p95_ms:.1f}")
    return table


def _reports(engines: list[Engine]) -> Table:
    table = Table("ledger", "report", "requests", "p50 ms", "p95 ms", title="Reports of a month, history of a spool")
    for engine in engines:
        if engine.reports is not None:
            for row in rows(engine.name, engine.reports.asked):
                table.add_row(*row)
    return table


def goals_table(goals: list[Goal], of: str) -> Table:
    table = Table(of, "what", "goal", "measured", "", title="Goals")
    for goal in goals:
        reached = "reached" if goal.reached else "not reached"
        table.add_row(goal.engine, goal.what, goal.wanted, f"{goal.measured:.3g}", reached)
    return table
