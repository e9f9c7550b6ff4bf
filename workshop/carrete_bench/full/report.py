"""The report of the whole run: as tables for people; as JSON it is the dataclass itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from rich.console import Console
from rich.table import Table

from carrete_bench import report as engines_report
from carrete_bench.figures import Engine
from carrete_bench.full.figures import Cpu, Growth, Outage, Scaling, Shift, Yardsticks
from carrete_bench.gate import report as gate_report
from carrete_bench.gate.figures import Gate
from carrete_bench.goals import Goal
from carrete_bench.live import measure as live_report
from carrete_bench.live.measure import Watched
from carrete_bench.report import Machine, goals_table


@dataclass(frozen=True, slots=True)
class FullReport:
    at: datetime
    machine: Machine
    took_s: float
    engines: list[Engine]
    yardsticks: list[Yardsticks]
    growth: list[Growth]
    scaling: list[Scaling]
    shifts: list[Shift]
    outage: Outage
    gate: Gate
    watched: list[Watched]  # one viewer, then many
    goals: list[Goal]
    not_measured: list[str]


def show(report: FullReport, out: Console) -> None:
    out.print(engines_report.line_of(report.machine), soft_wrap=True)
    for table in engines_report.tables(report.engines):
        out.print(table)
    out.print(_yardsticks(report.yardsticks))
    for growth in report.growth:
        out.print(_growth(growth))
    out.print(_processes(report.scaling))
    out.print(_spent(report.scaling, report.machine.cores))
    out.print(_shifts(report.shifts))
    out.print(_outage(report.outage))
    for table in (*gate_report.tables(report.gate), live_report.table(report.watched)):
        out.print(table)
    out.print(goals_table(report.goals, "of"))
    for sentence in report.not_measured:
        out.print(f"Not measured: {sentence}", soft_wrap=True, markup=False)
    missed = sum(not goal.reached for goal in report.goals)
    out.print(f"{len(report.goals) - missed} of {len(report.goals)} goals reached, in {report.took_s:.0f} s.")


def _yardsticks(measured: list[Yardsticks]) -> Table:
    title = "Actions with Redis, beside what they are made of"
    table = Table("ledger", "clients", "what", "per s", "actions, of it", title=title)
    for one in measured:
        table.add_row(one.engine, str(one.clients), "actions", f"{one.actions_per_s:,.0f}", "1")
        for beside in one.besides:
            ratio = f"{beside.actions_ratio:.2f}"
            table.add_row(one.engine, str(one.clients), beside.what, f"{beside.per_s:,.0f}", ratio)
    return table


def _growth(growth: Growth) -> Table:
    """At each size: how many times the empty POST, and how many times its own at the smallest size."""
    sizes = [f"{size.count:,}" for size in growth.sizes]
    title = f"{growth.engine}: cost by {growth.of}, in empty POSTs (of the smallest)"
    table = Table("call", *sizes, "exponent at the end", title=title)
    for place, name in enumerate(growth.names()):
        costs = [size.costs[place] for size in growth.sizes]
        cells = [f"{cost.of_empty:.1f} ({cost.of_smallest:.2f})" for cost in costs]
        table.add_row(name, *cells, f"{growth.exponent(name):.2f}")
    return table


def _processes(scaling: list[Scaling]) -> Table:
    columns = ("ledger", "clients", "processes", "per s", "of one process", "of its empty POST", "p50 ms", "p95 ms")
    table = Table(*columns, title="Actions by several processes, with Redis")
    for engine in scaling:
        for one in engine.processes:
            took = (f"{one.latency.p50_ms:.1f}", f"{one.latency.p95_ms:.1f}")
            ratios = (f"{one.of_one:.2f}", f"{one.of_empty:.2f}")
            which = (engine.engine, str(engine.clients), str(one.count))
            table.add_row(*which, f"{one.per_s:,.0f}", *ratios, *took)
    return table


def _spent(scaling: list[Scaling], cores: int) -> Table:
    which = ("ledger", "clients", "processes")
    columns = (*which, "seconds", "API", "PostgreSQL", "Redis", "load", "of all cores", "API µs each")
    table = Table(*columns, title="Where the processor's seconds went, actions only")
    for engine in scaling:
        for one in engine.processes:
            each = f"{one.cpu.api_s / one.actions * 1e6:.0f}"
            busy = f"{busy_share(one.cpu, cores):.0%}"
            ledger = _seconds(one.cpu.ledger_s) if engine.engine == "postgres" else "in the API"
            others = (ledger, _seconds(one.cpu.redis_s), _seconds(one.cpu.load_s))
            which = (engine.engine, str(engine.clients), str(one.count))
            spent = (_seconds(one.cpu.wall_s), _seconds(one.cpu.api_s))
            table.add_row(*which, *spent, *others, busy, each)
    return table


def busy_share(cpu: Cpu, cores: int) -> float:
    return sum(seconds for _, seconds in cpu.shares) / (cpu.wall_s * cores)


def _seconds(value: float | None) -> str:
    return f"{value:.2f}" if value is not None else "?"


def _shifts(shifts: list[Shift]) -> Table:
    columns = ("a minute", "came", "within s", "lost", "p50 ms", "p95 ms", "empty POST: p95 ms", "ratio")
    table = Table(*columns, title="A shift starts: INICIAR, each on a new connection")
    for one in shifts:
        came = (str(one.per_minute), str(one.workers), f"{one.seconds:g}", str(one.lost))
        took = (f"{one.iniciar.p50_ms:.1f}", f"{one.iniciar.p95_ms:.1f}", f"{one.empty.p95_ms:.1f}")
        table.add_row(*came, *took, f"{one.p95_ratio:.2f}")
    return table


def _outage(outage: Outage) -> Table:
    table = Table("Redis", "rate, of Redis off", title="Actions without Redis, 50 clients, SQLite")
    table.add_row("off", f"1 ({outage.off_per_s:,.0f} per s)")
    table.add_row("up", f"{outage.up_ratio:.2f}")
    table.add_row("dead", f"{outage.dead_ratio:.2f}")
    took = f"p95 {outage.killed.p95_ms:.0f} ms, longest {outage.killed_max_ms:.0f} ms"
    table.add_row("killed meanwhile", f"{outage.killed_actions:,} answered, none refused; {took}")
    return table
