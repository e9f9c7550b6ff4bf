"""One run: one viewer, then many, on the same server; how soon each event was everywhere and what a viewer weighs."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from carrete_bench import shop
from carrete_bench.errors import BenchFailed
from carrete_bench.figures import Latency, latency
from carrete_bench.goals import Goal
from carrete_bench.live.viewers import Plan, Reached
from carrete_bench.report import Machine, goals_table, this_machine
from carrete_bench.running import Server, running_server

REACHED_P99_MS_MAX = 1_000.0
VIEWER_KB_MAX = 60.0
END_S_MAX = 10.0

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured. The defaults are what the goals are about; a test takes less."""

    viewers: int = 1_000
    events: int = 40
    pause_s: float = 0.3  # a quiet shop: each event meets a tail that waits for it


@dataclass(frozen=True, slots=True)
class Watched:
    viewers: int
    events: int
    reached: Latency  # each event at each viewer, from the tap
    all_p50_ms: float  # each event at the last viewer
    grown_mb: float | None  # of the server, while they watched


@dataclass(frozen=True, slots=True)
class LiveReport:
    at: datetime
    machine: Machine
    alone: Watched
    crowd: Watched
    goals: list[Goal]


def run(extent: Extent, say: Say) -> LiveReport:
    machine = this_machine()
    with tempfile.TemporaryDirectory(prefix="carrete-bench-") as name:
        folder = Path(name)
        url = f"sqlite:///{folder / 'shop.db'}"
        shop.fill(url, shop.SPOOLS_MIN)
        with running_server(folder, url, "embedded") as server:
            say("one viewer")
            alone = _watched(server, 1, extent)
            say(f"{extent.viewers:,} viewers")
            crowd = _watched(server, extent.viewers, extent)
    return LiveReport(datetime.now(UTC), machine, alone, crowd, goals(crowd))


def _watched(server: Server, viewers: int, extent: Extent) -> Watched:
    before = server.resident_mb()
    plan: Plan = {
        "port": server.port,
        "viewers": viewers,
        "events": extent.events,
        "pause_s": extent.pause_s,
        "hand": shop.hands(1, shop.SPOOLS_MIN)[0],
    }
    reached, after = _seen(plan, server)
    grown = after - before if before is not None and after is not None else None
    last = latency(reached["last_us"])
    return Watched(viewers, extent.events, latency(reached["took_us"]), last.p50_ms, grown)


def _seen(plan: Plan, server: Server) -> tuple[Reached, float | None]:
    """The process bounds every wait of its own, so reading its lines is bounded too."""
    command = [sys.executable, "-m", "carrete_bench.live.viewers"]
    seen, after = "", None
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, bufsize=1) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(plan) + "\n")
            opened = process.stdout.readline()
            process.stdin.write("go\n")
            seen = process.stdout.readline()
            after = server.resident_mb()  # while all of them watch, and have been sent something
            _, complaint = process.communicate("enough\n", timeout=END_S_MAX)
        except BrokenPipeError:
            opened, complaint = "", process.communicate(timeout=END_S_MAX)[1]
        finally:
            process.kill()
    if not opened or not seen:
        raise BenchFailed(f"the viewers did not see what they should: {complaint.strip()}")
    reached: Reached = json.loads(seen)
    return reached, after


def goals(crowd: Watched) -> list[Goal]:
    p99 = crowd.reached.p99_ms
    what = f"an event at each of {crowd.viewers:,} viewers: p99 ms"
    found = [Goal("live", what, f"≤ {REACHED_P99_MS_MAX:g}", p99, p99 <= REACHED_P99_MS_MAX)]
    if crowd.grown_mb is not None:
        each = crowd.grown_mb * 1024 / crowd.viewers
        found.append(Goal("live", "memory of one viewer: kB", f"≤ {VIEWER_KB_MAX:g}", each, each <= VIEWER_KB_MAX))
    return found


def show(report: LiveReport, out: Console) -> None:
    machine = report.machine
    out.print(
        f"{machine.cores} cores, Python {machine.python}, {machine.system}, load {machine.load:.1f} at the start.",
        soft_wrap=True,
    )
    out.print(table([report.alone, report.crowd]))
    out.print(goals_table(report.goals, "of"))


def table(watched: list[Watched]) -> Table:
    found = Table("viewers", "events", "p50 ms", "p95 ms", "p99 ms", "at the last: p50 ms", "MB", title="Live streams")
    for one in watched:
        took = one.reached
        times = (f"{ms:.1f}" for ms in (took.p50_ms, took.p95_ms, took.p99_ms, one.all_p50_ms))
        grown = f"{one.grown_mb:.1f}" if one.grown_mb is not None else "?"
        found.add_row(f"{one.viewers:,}", str(one.events), *times, grown)
    return found
