"""The report of `carrete bench`: tables for people, JSON for programs that compare runs."""

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

from carrete_bench.goals import Goal
from carrete_bench.reports import table_rows
from carrete_bench.results import ActionResults, EngineResults

_SYNC_SAMPLES = 30


@dataclass(frozen=True, slots=True)
class Machine:
    """The properties of the machine on which the figures depend."""

    cores: int
    python: str
    system: str
    sqlite: str
    carrete: str
    disk_sync_us: float  # median time of one fsync after a 4 kB write
    load: float  # load average when the run began


@dataclass(frozen=True, slots=True)
class EnginesReport:
    at: datetime
    machine: Machine
    engines: list[EngineResults]
    goals: list[Goal]
    not_measured: list[str]


def this_machine() -> Machine:
    return Machine(
        os.cpu_count() or 1,
        platform.python_version(),
        f"{platform.system()} {platform.machine()}",
        sqlite3.sqlite_version,
        version("carrete"),
        _disk_sync_us(),
        os.getloadavg()[0],
    )


def _disk_sync_us() -> float:
    with tempfile.TemporaryFile() as file:
        return median(_fsync_us(file.fileno()) for _ in range(_SYNC_SAMPLES))


def _fsync_us(descriptor: int) -> float:
    os.write(descriptor, bytes(4096))
    start = time.perf_counter()
    os.fsync(descriptor)
    return (time.perf_counter() - start) * 1e6


def as_json(report: Any) -> str:
    return json.dumps(asdict(report), default=_datetime_text, indent=2, ensure_ascii=False)


def _datetime_text(value: Any) -> str:
    assert isinstance(value, datetime)
    return value.isoformat(timespec="seconds")


def show(report: EnginesReport, out: Console) -> None:
    out.print(machine_line(report.machine), soft_wrap=True)
    for table in (*tables(report.engines), goals_table(report.goals, "ledger")):
        out.print(table)
    for sentence in report.not_measured:
        out.print(f"Not measured: {sentence}", soft_wrap=True, markup=False)


def machine_line(machine: Machine) -> str:
    return (
        f"{machine.cores} cores, Python {machine.python}, {machine.system}, SQLite {machine.sqlite}, "
        f"one durable write {machine.disk_sync_us:.0f} µs, "
        f"load {machine.load:.1f} at the start. Every ratio is of this run."
    )


def tables(engines: list[EngineResults]) -> list[Table]:
    return [
        _rates(engines),
        _lists(engines),
        _finalizar(engines),
        _reports(engines),
        _identity(engines),
        _chain(engines),
        _whole_path(engines),
    ]


def _rates(engines: list[EngineResults]) -> Table:
    table = Table("ledger", "clients", "", "per s", "ratio", "p50 ms", "p95 ms", "p99 ms", title="TOMAR and PAUSAR")
    for engine in engines:
        for name, results in ((engine.name, engine.actions), (f"{engine.name} + Redis", engine.gated)):
            for result in results:
                for row in _rate_rows(result):
                    table.add_row(name, str(result.clients), *row)
    return table


def _rate_rows(result: ActionResults) -> Iterator[tuple[str, ...]]:
    for what, per_s, ratio, latency in (
        ("empty POST", result.empty_per_s, "1", result.empty),
        ("action", result.actions_per_s, f"{result.ratio:.2f}", result.actions),
    ):
        percentiles = (f"{ms:.1f}" for ms in (latency.p50_ms, latency.p95_ms, latency.p99_ms))
        yield what, f"{per_s:,.0f}", ratio, *percentiles


def _lists(engines: list[EngineResults]) -> Table:
    table = Table("ledger", "list", "requests", "p50 ms", "p95 ms", title="GET /api/spools")
    for engine in engines:
        for row in table_rows(engine.name, engine.lists):
            table.add_row(*row)
    return table


def _finalizar(engines: list[EngineResults]) -> Table:
    table = Table("ledger", "", "sessions", "p50 ms", "p95 ms", title="TOMAR and FINALIZAR, one at a time")
    for engine in engines:
        result = engine.by_joint
        for what, sessions, latency in (
            ("TOMAR", result.sessions_of_few, result.tomar),
            (f"FINALIZAR, {result.few} joints", result.sessions_of_few, result.finalizar_few),
            (f"FINALIZAR, {result.many} joints", result.sessions_of_many, result.finalizar_many),
        ):
            table.add_row(engine.name, what, str(sessions), f"{latency.p50_ms:.1f}", f"{latency.p95_ms:.1f}")
    return table


def _reports(engines: list[EngineResults]) -> Table:
    table = Table("ledger", "report", "requests", "p50 ms", "p95 ms", title="Reports of a month, history of a spool")
    for engine in engines:
        if engine.reports is not None:
            for row in table_rows(engine.name, [*engine.reports.asked, *engine.reports.rates]):
                table.add_row(*row)
    return table


def _identity(engines: list[EngineResults]) -> Table:
    title = "Identity: actions of 50 clients, and while people sign in"
    table = Table("ledger", "what", "per s", "of without identity", "p50 ms", "p95 ms", title=title)
    for engine in engines:
        if (measured := engine.identity) is None:
            continue
        for what, rates, ratio in (
            ("without identity", [each.open_per_s for each in measured.rounds], 1.0),
            ("by cookie", [each.cookie_per_s for each in measured.rounds], measured.cookie_ratio),
            ("signed taps", [each.signed_per_s for each in measured.rounds], measured.signed_ratio),
        ):
            table.add_row(engine.name, what, f"{median(rates):,.0f}", f"{ratio:.3f}", "", "")
        for what, latency in (
            ("signed taps, nobody signs in", measured.taps),
            (f"signed taps, {measured.sign_ins} sign in at once", measured.taps_during_sign_ins),
            ("signing in", measured.sign_in),
        ):
            table.add_row(engine.name, what, "", "", f"{latency.p50_ms:.1f}", f"{latency.p95_ms:.1f}")
        wrong = measured.wrong_pins
        for who, ratio in (
            ("known", 1.0),
            ("unknown", wrong.unknown_ratio),
            ("unknown badge", wrong.unknown_badge_ratio),
        ):
            table.add_row(engine.name, f"a wrong PIN, person {who}", "", "", f"{wrong.known_ms * ratio:.1f}", "")
    return table


def _chain(engines: list[EngineResults]) -> Table:
    table = Table("ledger", "what", "per s", "of without the chain", title="The chain of hashes: actions of 50 clients")
    for engine in engines:
        if (measured := engine.chain) is not None:
            before, after = zip(*measured.rounds, strict=True)
            table.add_row(engine.name, "without", f"{median(before):,.0f}", "1.000")
            table.add_row(engine.name, "with", f"{median(after):,.0f}", f"{measured.ratio:.3f}")
    return table


def _whole_path(engines: list[EngineResults]) -> Table:
    title = "Signed actions with identity, chain and gate"
    table = Table("ledger", "clients", "", "per s", "ratio", "p50 ms", "p95 ms", "p99 ms", title=title)
    for engine in engines:
        if (measured := engine.whole) is not None:
            for row in _rate_rows(measured.actions):
                table.add_row(engine.name, str(measured.actions.clients), *row)
            for alone in filter(None, (measured.alone, measured.alone_at_1_ms)):
                table.add_row(engine.name, "1", "bare commit", "", "1", f"{alone.commit_p50_ms:.1f}", "", "")
                table.add_row(
                    engine.name, "1", "action", "", f"{alone.commits:.2f}", f"{alone.action_p50_ms:.1f}", "", ""
                )
    return table


def goals_table(goals: list[Goal], first_column: str) -> Table:
    table = Table(first_column, "what", "goal", "measured", "", title="Goals")
    for goal in goals:
        reached = "reached" if goal.reached else "not reached"
        table.add_row(goal.engine, goal.what, goal.wanted, f"{goal.measured:.3g}", reached)
    return table
