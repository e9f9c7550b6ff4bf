"""The report of one run of the gate: as a table for people, as JSON for whoever compares."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from rich.console import Console
from rich.table import Table

from carrete_bench.gate.figures import Gate, Pairs
from carrete_bench.goals import Goal
from carrete_bench.report import Machine, goals_table


@dataclass(frozen=True, slots=True)
class GateReport:
    at: datetime
    machine: Machine
    redis: str
    gate: Gate
    goals: list[Goal]
    not_measured: list[str]


def show(report: GateReport, out: Console) -> None:
    machine = report.machine
    out.print(
        f"{machine.cores} cores, Python {machine.python}, {machine.system}, {report.redis} over a Unix socket, "
        f"load {machine.load:.1f} at the start. Every ratio is of this run.",
        soft_wrap=True,
    )
    for table in (*tables(report.gate), goals_table(report.goals, "of")):
        out.print(table)
    for sentence in report.not_measured:
        out.print(f"Not measured: {sentence}", soft_wrap=True, markup=False)


def tables(gate: Gate) -> list[Table]:
    return [_pairs(gate.pairs), _besides(gate), _rebuilds(gate)]


def _pairs(pairs: list[Pairs]) -> Table:
    table = Table(
        "at once", "who", "per s", "of bare, one by one", "p50 µs", "p95 µs", "p50 of bare's", title="Take and end"
    )
    for one in pairs:
        table.add_row(
            str(one.at_once),
            one.name,
            f"{one.per_s:,.0f}",
            f"{one.rate_ratio:.2f}",
            f"{one.latency.p50_ms * 1000:.0f}",
            f"{one.latency.p95_ms * 1000:.0f}",
            f"{one.latency_ratio:.2f}",
        )
    return table


def _besides(gate: Gate) -> Table:
    table = Table("what", "µs", "beside", "µs", "ratio", title="One call")
    for one in (gate.occupied, gate.candidate, gate.batch):
        table.add_row(one.what, f"{one.us:.0f}", one.yardstick, f"{one.yardstick_us:.0f}", f"{one.ratio:.2f}")
    return table


def _rebuilds(gate: Gate) -> Table:
    table = Table("locks", "", "s", title="Rebuilt from the ledger")
    for one in gate.rebuilds:
        table.add_row(f"{one.occupations:,}", one.what, f"{one.seconds:.2f}")
    return table
