"""The report of `carrete bench all`: tables for people; its JSON has the fields of FullReport."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from rich.console import Console
from rich.table import Table

from carrete_bench import report as engines_report
from carrete_bench.full import sections
from carrete_bench.full.results import (
    CostGrowth,
    CpuSeconds,
    OutageResults,
    ScalingResults,
    ShiftResults,
    YardstickResults,
)
from carrete_bench.full.sections import SectionResults
from carrete_bench.gate import report as gate_report
from carrete_bench.gate.results import GateResults
from carrete_bench.goals import Goal
from carrete_bench.live import measure as live_report
from carrete_bench.live.measure import ViewerResults
from carrete_bench.report import Machine, goals_table
from carrete_bench.results import EngineResults
from carrete_bench.verifying import VerifyingResults


@dataclass(frozen=True, slots=True)
class FullReport:
    at: datetime
    machine: Machine
    took_s: float
    engines: list[EngineResults]
    yardsticks: list[YardstickResults]
    growth: list[CostGrowth]
    scaling: list[ScalingResults]
    shifts: list[ShiftResults]
    outage: OutageResults
    gate: GateResults
    watched: list[ViewerResults]  # one viewer, then many
    goals: list[Goal]
    not_measured: list[str]
    verifying: list[VerifyingResults] = field(default_factory=list)
    sections: SectionResults | None = None


def show(report: FullReport, out: Console) -> None:
    for part in parts(report):
        if isinstance(part, Table):
            out.print(part)
        else:
            out.print(part, soft_wrap=True, markup=False)


def parts(report: FullReport) -> Iterator[Table | str]:
    """The tables and sentences of the report, in their order."""
    yield engines_report.machine_line(report.machine)
    yield from engines_report.tables(report.engines)
    yield _yardsticks(report.yardsticks)
    yield from map(_growth, report.growth)
    yield _scaling(report.scaling)
    yield _cpu(report.scaling, report.machine.cores)
    yield _shifts(report.shifts)
    yield _outage(report.outage)
    yield from gate_report.tables(report.gate)
    yield live_report.table(report.watched)
    yield sections.verifying_table(report.verifying)
    yield from sections.tables(report.sections) if report.sections else ()
    yield goals_table(report.goals, "of")
    for sentence in report.not_measured:
        yield f"Not measured: {sentence}"
    missed = sum(not goal.reached for goal in report.goals)
    yield f"{len(report.goals) - missed} of {len(report.goals)} goals reached, in {report.took_s:.0f} s."


def _yardsticks(results: list[YardstickResults]) -> Table:
    title = "Actions with Redis, beside what they are made of"
    table = Table("ledger", "clients", "what", "per s", "actions, of it", title=title)
    for result in results:
        engine, clients = result.engine, str(result.clients)
        table.add_row(engine, clients, "actions", f"{result.actions_per_s:,.0f}", "1")
        for yardstick in result.besides:
            ratio = f"{yardstick.actions_ratio:.2f}"
            table.add_row(engine, clients, yardstick.what, f"{yardstick.per_s:,.0f}", ratio)
    return table


def _growth(growth: CostGrowth) -> Table:
    """Each cell is the cost of a call, and in brackets that cost divided by the cost at the smallest size."""
    sizes = [f"{size.count:,}" for size in growth.sizes]
    title = f"{growth.engine}: cost by {growth.of}, in empty POSTs (of the smallest)"
    table = Table("call", *sizes, "exponent at the end", title=title)
    for index, call in enumerate(growth.call_names()):
        costs = [size.costs[index] for size in growth.sizes]
        cells = [f"{cost.of_empty:.1f} ({cost.of_smallest:.2f})" for cost in costs]
        table.add_row(call, *cells, f"{growth.exponent(call):.2f}")
    return table


def _scaling(scaling: list[ScalingResults]) -> Table:
    columns = ("ledger", "clients", "processes", "per s", "of one process", "of its empty POST", "p50 ms", "p95 ms")
    table = Table(*columns, title="Actions by several processes, with Redis")
    for engine in scaling:
        for result in engine.processes:
            latency = (f"{result.latency.p50_ms:.1f}", f"{result.latency.p95_ms:.1f}")
            ratios = (f"{result.of_one:.2f}", f"{result.of_empty:.2f}")
            key = (engine.engine, str(engine.clients), str(result.count))
            table.add_row(*key, f"{result.per_s:,.0f}", *ratios, *latency)
    return table


def _cpu(scaling: list[ScalingResults], cores: int) -> Table:
    key_columns = ("ledger", "clients", "processes")
    columns = (*key_columns, "seconds", "API", "PostgreSQL", "Redis", "load", "of all cores", "API µs each")
    table = Table(*columns, title="Where the processor's seconds went, actions only")
    for engine in scaling:
        for result in engine.processes:
            cpu = result.cpu
            key = (engine.engine, str(engine.clients), str(result.count))
            ledger = _seconds(cpu.ledger_s) if engine.engine == "postgres" else "in the API"
            seconds = (_seconds(cpu.wall_s), _seconds(cpu.api_s), ledger, _seconds(cpu.redis_s), _seconds(cpu.load_s))
            api_us_per_action = f"{cpu.api_s / result.actions * 1e6:.0f}"
            table.add_row(*key, *seconds, f"{busy_share(cpu, cores):.0%}", api_us_per_action)
    return table


def busy_share(cpu: CpuSeconds, cores: int) -> float:
    """The share of the time of all cores that was used."""
    return sum(seconds for _, seconds in cpu.by_part) / (cpu.wall_s * cores)


def _seconds(value: float | None) -> str:
    return f"{value:.2f}" if value is not None else "?"


def _shifts(shifts: list[ShiftResults]) -> Table:
    columns = ("a minute", "came", "within s", "lost", "p50 ms", "p95 ms", "empty POST: p95 ms", "ratio")
    table = Table(*columns, title="A shift starts: INICIAR, each on a new connection")
    for shift in shifts:
        arrivals = (str(shift.per_minute), str(shift.workers), f"{shift.seconds:g}", str(shift.lost))
        latencies_ms = (shift.iniciar.p50_ms, shift.iniciar.p95_ms, shift.empty.p95_ms)
        table.add_row(*arrivals, *(f"{ms:.1f}" for ms in latencies_ms), f"{shift.p95_ratio:.2f}")
    return table


def _outage(outage: OutageResults) -> Table:
    table = Table("Redis", "rate, of Redis off", title="Actions without Redis, 50 clients, SQLite")
    table.add_row("off", f"1 ({outage.off_per_s:,.0f} per s)")
    table.add_row("up", f"{outage.up_ratio:.2f}")
    table.add_row("dead", f"{outage.dead_ratio:.2f}")
    latency = f"p95 {outage.killed.p95_ms:.0f} ms, longest {outage.killed_max_ms:.0f} ms"
    table.add_row("killed meanwhile", f"{outage.killed_actions:,} answered, none refused; {latency}")
    return table
