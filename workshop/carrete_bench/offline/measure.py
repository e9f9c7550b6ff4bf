"""Measures each engine: how soon all queued taps are settled, and what other tablets notice meanwhile."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from carrete_bench.engine_choice import EngineChoice
from carrete_bench.engines import NO_POSTGRES
from carrete_bench.goals import Goal, at_most
from carrete_bench.offline.queues import OfflineScale, fill
from carrete_bench.offline.returning import RETURN_S_MAX, ReturnPlan, ReturnResult
from carrete_bench.postgres import fresh_database, postgres_to_measure
from carrete_bench.processes import LOAD_S_MAX, run_load_process, running_server
from carrete_bench.progress import ShowProgress
from carrete_bench.report import Machine, goals_table, machine_line, this_machine
from carrete_bench.results import LatencyPercentiles, percentiles

SETTLED_S_MAX = 60.0
TAPS_RATIO_MAX = 3.0
ANSWER_S_MAX = 10.0  # as web/src/api/http.ts: after this long without an answer a tablet sends again


@dataclass(frozen=True, slots=True)
class ReturnFigures:
    """`ratio`: p95 of the other tablets' taps while the queues were sent, divided by that before and after."""

    engine: str
    seconds: float
    confirmed: int
    claimed: int
    chains: LatencyPercentiles
    slowest_chain_s: float
    normal: LatencyPercentiles
    meanwhile: LatencyPercentiles
    ratio: float


@dataclass(frozen=True, slots=True)
class OfflineReport:
    at: datetime
    machine: Machine
    tablets: int
    taps_each: int
    engines: list[ReturnFigures]
    goals: list[Goal]
    not_measured: list[str]


def run(choice: EngineChoice, scale: OfflineScale, postgres_url: str, progress: ShowProgress) -> OfflineReport:
    machine = this_machine()
    engines: list[ReturnFigures] = []
    not_measured: list[str] = []
    if choice is not EngineChoice.POSTGRES:
        with tempfile.TemporaryDirectory(prefix="carrete-bench-") as name:
            engines.append(_measure("sqlite", f"sqlite:///{Path(name) / 'shop.db'}", Path(name), scale, progress))
    if choice is not EngineChoice.SQLITE:
        with postgres_to_measure(postgres_url) as postgres:
            if postgres:
                with (
                    tempfile.TemporaryDirectory(prefix="carrete-bench-") as name,
                    fresh_database(postgres.url, "offline") as url,
                ):
                    engines.append(_measure("postgres", url, Path(name), scale, progress))
            else:
                not_measured.append(NO_POSTGRES)
    goals = [goal for engine in engines for goal in _goals(engine, scale)]
    return OfflineReport(datetime.now(UTC), machine, scale.tablets, scale.taps_each, engines, goals, not_measured)


def _measure(engine: str, ledger_url: str, folder: Path, scale: OfflineScale, progress: ShowProgress) -> ReturnFigures:
    progress(f"{engine}: filling a ledger, {scale.taps_each} taps on each of {scale.tablets} tablets")
    queued = fill(ledger_url, folder, scale)
    plan: ReturnPlan = {
        "port": 0,
        "returning": queued.returning,
        "others": queued.others,
        "held": queued.held,
        "pace_s": scale.pace_s,
        "normal_s": scale.normal_s,
    }
    with running_server(folder, ledger_url, "embedded", access="pin") as server:
        plan["port"] = server.port
        progress(f"{engine}: {scale.tablets} tablets come back at once")
        wait_s_max = RETURN_S_MAX + 2 * scale.normal_s + LOAD_S_MAX
        sent = run_load_process("carrete_bench.offline.returning", json.dumps(plan), wait_s_max)
    return _figures(engine, json.loads(sent))


def _figures(engine: str, result: ReturnResult) -> ReturnFigures:
    normal, meanwhile = percentiles(result["normal_us"]), percentiles(result["meanwhile_us"])
    return ReturnFigures(
        engine,
        result["seconds"],
        result["confirmed"],
        result["claimed"],
        percentiles(result["chains_us"]),
        max(result["chains_us"]) / 1e6,
        normal,
        meanwhile,
        meanwhile.p95_ms / normal.p95_ms,
    )


def _goals(figures: ReturnFigures, scale: OfflineScale) -> list[Goal]:
    tablets = f"{scale.tablets} tablets with {scale.taps_each} taps each come back"
    lost = scale.chains - figures.confirmed - figures.claimed
    return [
        at_most(figures.engine, f"{tablets}: all settled, s", SETTLED_S_MAX, figures.seconds),
        at_most(figures.engine, f"{tablets}: chains without an outcome", 0, lost),
        at_most(figures.engine, f"{tablets}: the slowest answer, s", ANSWER_S_MAX, figures.slowest_chain_s),
        at_most(
            figures.engine, "taps of others meanwhile: p95, of that before and after", TAPS_RATIO_MAX, figures.ratio
        ),
    ]


def show(report: OfflineReport, out: Console) -> None:
    out.print(machine_line(report.machine), soft_wrap=True)
    out.print(table(report))
    out.print(goals_table(report.goals, "ledger"))
    for sentence in report.not_measured:
        out.print(f"Not measured: {sentence}", soft_wrap=True, markup=False)


def table(report: OfflineReport) -> Table:
    title = f"{report.tablets} tablets with {report.taps_each} taps each"
    found = Table("ledger", "settled s", "confirmed", "reclamos", "", "p50 ms", "p95 ms", "p99 ms", title=title)
    for each in report.engines:
        outcome = (each.engine, f"{each.seconds:.1f}", f"{each.confirmed:,}", f"{each.claimed:,}")
        for what, latency, first in (
            ("chains", each.chains, outcome),
            ("taps, normally", each.normal, ("",) * len(outcome)),
            ("taps, meanwhile", each.meanwhile, ("",) * len(outcome)),
        ):
            times = (f"{ms:.1f}" for ms in (latency.p50_ms, latency.p95_ms, latency.p99_ms))
            found.add_row(*first, what, *times)
    return found
