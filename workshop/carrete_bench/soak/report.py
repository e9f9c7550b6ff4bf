"""The report of `carrete bench soak`: a sentence and a table for people, JSON with every sample for programs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from rich.console import Console
from rich.table import Table

from carrete_bench.report import Machine, machine_line
from carrete_bench.soak.judge import GrowthVerdict
from carrete_bench.soak.samples import ResourceSample


@dataclass(frozen=True, slots=True)
class SoakReport:
    at: datetime
    machine: Machine
    ledger: str
    took_s: float
    actions: int
    counts: dict[str, int]  # by kind of request
    samples: list[ResourceSample]
    verdicts: list[GrowthVerdict]

    @property
    def flat(self) -> bool:
        return all(verdict.flat for verdict in self.verdicts)


def sentence(report: SoakReport) -> str:
    done = (
        f"{report.actions:,} actions, {report.counts.get('sign-ins', 0):,} sign-ins and "
        f"{report.counts.get('reconnects', 0):,} stream reconnects of one process in {report.took_s:,.0f} s "
        f"({report.actions / report.took_s:,.0f} actions a second)"
    )
    grown = [
        f"{each.what} from {each.first:.1f} to {each.last:.1f} (at most {each.most:g} more)"
        for each in report.verdicts
        if not each.flat
    ]
    if not grown:
        return f"{done}: memory, handles, threads and files are flat from the first tenth to the last."
    return f"{done}: NOT FLAT: {'; '.join(grown)}."


def show(report: SoakReport, out: Console) -> None:
    out.print(machine_line(report.machine), soft_wrap=True)
    table = Table("what", "first tenth", "last tenth", "growth at most", "", title=f"Soak on {report.ledger}")
    for each in report.verdicts:
        flat = "flat" if each.flat else "NOT FLAT"
        table.add_row(each.what, f"{each.first:,.1f}", f"{each.last:,.1f}", f"{each.most:g}", flat)
    out.print(table)
    kinds = Table("request", "how many")
    for kind, count in sorted(report.counts.items()):
        kinds.add_row(kind, f"{count:,}")
    out.print(kinds)
    out.print(sentence(report), soft_wrap=True, markup=False)
