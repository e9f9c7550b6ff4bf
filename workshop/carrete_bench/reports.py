"""Measures the reports of a month, repair rates of a year, and the history of a spool that was handled many times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from carrete_bench import examinations, month, shop
from carrete_bench.processes import measure_reads, running_server
from carrete_bench.results import ReadLatency, ReportLatencies

LAST_DAY = date(2026, 10, 31)
METRICS_MS_MAX = 50.0
HISTORY_MS_MAX = 20.0
RATES_MS_MAX = 100.0
_HISTORY = "history of one spool"


@dataclass(frozen=True, slots=True)
class ReportScale:
    """How much is measured. The goals are for the defaults; tests use less."""

    events: int = 100_000
    handlings: int = 500  # of one spool: each is a TOMAR and a PAUSAR, two events
    examinations: int = 100_000  # results of one year
    seconds: float = 4.0


def measure(ledger_url: str, folder: Path, scale: ReportScale) -> ReportLatencies:
    """The month is added to the spools that the ledger already has."""
    written = month.fill(ledger_url, scale.events, scale.handlings, LAST_DAY)
    examinations.fill(ledger_url, scale.examinations)
    with running_server(folder, ledger_url) as server:
        clients = shop.load_clients(1, shop.SPOOLS_MIN)
        asked = measure_reads(server, clients, _paths(), scale.seconds)
        rates = measure_reads(server, clients, examinations.paths(), scale.seconds)
    return ReportLatencies(written, 2 * scale.handlings, scale.examinations, asked, rates)


def _paths() -> dict[str, str]:
    first_day = LAST_DAY - timedelta(days=month.DAYS - 1)
    period = f"desde={first_day}&hasta={LAST_DAY}"
    inches = {f"inches by {por}": f"/api/metrics/pulgadas?{period}&por={por}" for por in ("dia", "worker", "operacion")}
    quality = {f"first-pass yield by {por}": f"/api/metrics/calidad?{period}&por={por}" for por in ("dia", "worker")}
    return {**inches, **quality, _HISTORY: f"/api/history/{month.MUCH_HANDLED}"}


def goal_lines(reports: ReportLatencies) -> Iterator[tuple[str, float, float]]:
    """For each report: its name, the maximum of its median latency in ms, and the measured median in ms."""
    for read in reports.asked:
        if read.what == _HISTORY:
            yield f"{read.what}, {reports.history_events:,} events: p50 ms", HISTORY_MS_MAX, read.latency.p50_ms
        else:
            yield f"{read.what}, a month of {reports.events:,} events: p50 ms", METRICS_MS_MAX, read.latency.p50_ms
    for read in reports.rates:
        what = f"{read.what}, {reports.examinations:,} examinations: p50 ms"
        yield what, RATES_MS_MAX, read.latency.p50_ms


def table_rows(engine: str, reads: Sequence[ReadLatency]) -> Iterator[tuple[str, ...]]:
    for read in reads:
        latency = read.latency
        yield engine, read.what, str(read.requests), f"{latency.p50_ms:.1f}", f"{latency.p95_ms:.1f}"
