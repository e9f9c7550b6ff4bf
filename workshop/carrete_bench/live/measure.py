"""Measures one viewer, then many, on the same server: how soon each event reaches them, and their memory."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from carrete_bench import shop
from carrete_bench.errors import BenchFailed
from carrete_bench.goals import Goal, at_most
from carrete_bench.live.viewers import DeliveryTimes, ViewerPlan
from carrete_bench.processes import BenchServer, running_server
from carrete_bench.progress import ShowProgress
from carrete_bench.report import Machine, goals_table, this_machine
from carrete_bench.results import LatencyPercentiles, percentiles

REACHED_P99_MS_MAX = 1_000.0
VIEWER_KB_MAX = 60.0
END_S_MAX = 10.0


@dataclass(frozen=True, slots=True)
class LiveScale:
    """How much is measured. The goals are for the defaults; tests use less."""

    viewers: int = 1_000
    events: int = 40
    pause_s: float = 0.3  # between two events, so that the tail is waiting when the next one comes


@dataclass(frozen=True, slots=True)
class ViewerResults:
    viewers: int
    events: int
    reached: LatencyPercentiles  # from the tap until one viewer has the event, over all events and viewers
    all_p50_ms: float  # from the tap until the last viewer has the event
    grown_mb: float | None  # memory that the server gained while the viewers were connected


@dataclass(frozen=True, slots=True)
class LiveReport:
    at: datetime
    machine: Machine
    alone: ViewerResults
    crowd: ViewerResults
    goals: list[Goal]


def run(scale: LiveScale, progress: ShowProgress) -> LiveReport:
    machine = this_machine()
    with tempfile.TemporaryDirectory(prefix="carrete-bench-") as name:
        folder = Path(name)
        url = f"sqlite:///{folder / 'shop.db'}"
        shop.fill(url, shop.SPOOLS_MIN)
        with running_server(folder, url, "embedded") as server:
            progress("one viewer")
            alone = measure_viewers(server, 1, scale)
            progress(f"{scale.viewers:,} viewers")
            crowd = measure_viewers(server, scale.viewers, scale)
    return LiveReport(datetime.now(UTC), machine, alone, crowd, goals(crowd))


def measure_viewers(server: BenchServer, viewers: int, scale: LiveScale) -> ViewerResults:
    before_mb = server.resident_mb()
    client = shop.load_clients(1, shop.SPOOLS_MIN)[0]
    if server.authority:
        client["authority"] = server.authority
    plan: ViewerPlan = {
        "port": server.port,
        "viewers": viewers,
        "events": scale.events,
        "pause_s": scale.pause_s,
        "client": client,
    }
    times, after_mb = _run_viewers(plan, server)
    grown_mb = after_mb - before_mb if before_mb is not None and after_mb is not None else None
    reached, last = percentiles(times["each_viewer_us"]), percentiles(times["last_viewer_us"])
    return ViewerResults(viewers, scale.events, reached, last.p50_ms, grown_mb)


def _run_viewers(plan: ViewerPlan, server: BenchServer) -> tuple[DeliveryTimes, float | None]:
    """Also returns the server's memory while all viewers are connected. Reading the process's lines needs no timeout,
    because the process limits every wait of its own."""
    command = [sys.executable, "-m", "carrete_bench.live.viewers"]
    times_line, memory_mb = "", None
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, bufsize=1) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(plan) + "\n")
            open_line = process.stdout.readline()
            process.stdin.write("go\n")
            times_line = process.stdout.readline()
            memory_mb = server.resident_mb()  # after every viewer was sent every event
            _, errors = process.communicate("enough\n", timeout=END_S_MAX)
        except BrokenPipeError:
            open_line, errors = "", process.communicate(timeout=END_S_MAX)[1]
        finally:
            process.kill()
    if not open_line or not times_line:
        raise BenchFailed(f"the viewer process failed: {errors.strip()}")
    times: DeliveryTimes = json.loads(times_line)
    return times, memory_mb


def goals(crowd: ViewerResults) -> list[Goal]:
    what = f"an event at each of {crowd.viewers:,} viewers: p99 ms"
    found = [at_most("live", what, REACHED_P99_MS_MAX, crowd.reached.p99_ms)]
    if crowd.grown_mb is not None:
        viewer_kb = crowd.grown_mb * 1024 / crowd.viewers
        found.append(at_most("live", "memory of one viewer: kB", VIEWER_KB_MAX, viewer_kb))
    return found


def show(report: LiveReport, out: Console) -> None:
    machine = report.machine
    out.print(
        f"{machine.cores} cores, Python {machine.python}, {machine.system}, load {machine.load:.1f} at the start.",
        soft_wrap=True,
    )
    out.print(table([report.alone, report.crowd]))
    out.print(goals_table(report.goals, "of"))


def table(results: list[ViewerResults]) -> Table:
    columns = ("viewers", "events", "p50 ms", "p95 ms", "p99 ms", "at the last: p50 ms", "MB")
    live_table = Table(*columns, title="Live streams")
    for result in results:
        reached = result.reached
        times = (f"{ms:.1f}" for ms in (reached.p50_ms, reached.p95_ms, reached.p99_ms, result.all_p50_ms))
        grown = f"{result.grown_mb:.1f}" if result.grown_mb is not None else "?"
        live_table.add_row(f"{result.viewers:,}", str(result.events), *times, grown)
    return live_table
