"""The report of `carrete bench gate`: tables for people, JSON for programs that compare runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from rich.console import Console
from rich.table import Table

from carrete_bench.gate.results import GateResults, PairResults
from carrete_bench.goals import Goal
from carrete_bench.report import Machine, goals_table


@dataclass(frozen=True, slots=True)
class GateReport:
    at: datetime
    machine: Machine
    redis: str
    gate: GateResults
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


def tables(gate: GateResults) -> list[Table]:
    return [_pairs(gate.pairs), _comparisons(gate), _rebuilds(gate)]


def _pairs(pairs: list[PairResults]) -> Table:
    table = Table(
        "at once", "who", "per s", "of bare, one by one", "p50 µs", "p95 µs", "p50 of bare's", title="Take and end"
    )
    for result in pairs:
        table.add_row(
            str(result.at_once),
            result.name,
            f"{result.per_s:,.0f}",
            f"{result.rate_ratio:.2f}",
            f"{result.latency.p50_ms * 1000:.0f}",
            f"{result.latency.p95_ms * 1000:.0f}",
            f"{result.latency_ratio:.2f}",
        )
    return table


def _comparisons(gate: GateResults) -> Table:
    table = Table("what", "µs", "beside", "µs", "ratio", title="One call")
    for call in (gate.occupied, gate.candidate, gate.batch):
        table.add_row(call.what, f"{call.us:.0f}", call.yardstick, f"{call.yardstick_us:.0f}", f"{call.ratio:.2f}")
    return table


def _rebuilds(gate: GateResults) -> Table:
    table = Table("locks", "", "s", title="Rebuilt from the ledger")
    for rebuild in gate.rebuilds:
        table.add_row(f"{rebuild.occupations:,}", rebuild.what, f"{rebuild.seconds:.2f}")
    return table
