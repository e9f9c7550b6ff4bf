"""`carrete bench`: measures the product on this machine and shows which goals it reached."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.console import Console

from carrete_bench.engine_choice import EngineChoice
from carrete_bench.progress import ShowProgress
from carrete_bench.soak.choice import SoakLedger

T = TypeVar("T")
SOAK_ACTIONS_MIN = 200_000  # the ledger's caches fill in the first 15,000: a tenth must be more than that

# The measurements import the whole web stack, so each command imports its part only when it runs.
bench_app = typer.Typer(add_completion=False, help="Measures this machine: actions, lists, import, memory.")


JsonFile = Annotated[Path | None, typer.Option("--json", help="Write every figure to this file as JSON.")]
Postgres = Annotated[str, typer.Option(help="A server on which fresh databases may be made and dropped.")]


@bench_app.callback(invoke_without_command=True)
def bench(
    context: typer.Context,
    db: Annotated[EngineChoice, typer.Option(help="Which ledger.")] = EngineChoice.BOTH,
    seconds: Annotated[float, typer.Option(min=0.1, max=600, help="For each kind of request.")] = 10.0,
    postgres: Postgres = "",
    json_file: JsonFile = None,
) -> None:
    """Actions compared with an empty POST of the same server, lists, the import and the memory of an idle server."""
    if context.invoked_subcommand is not None:
        return
    from carrete_bench import engines
    from carrete_bench.measure import EngineScale
    from carrete_bench.report import show

    scale = EngineScale(seconds=seconds)
    _run_and_report(lambda progress: engines.run(db, scale, postgres, progress), show, json_file)


@bench_app.command("all")
def bench_all(
    seconds: Annotated[float, typer.Option(min=0.1, max=60, help="For each kind of request.")] = 3.0,
    postgres: Postgres = "",
    json_file: JsonFile = None,
    svg_file: Annotated[Path | None, typer.Option("--svg", help="Write the chart to this file.")] = None,
    markdown_file: Annotated[Path | None, typer.Option("--markdown", help="Write the tables to this file.")] = None,
) -> None:
    """Everything in one run, in about 25 minutes: actions, identity, chain, lists, import, gate, live, HTTPS, tablets
    that come back, photos, a dossier, verify, how cost grows, several processes, a shift start, a Redis outage."""
    from carrete_bench.full.chart import chart
    from carrete_bench.full.markdown import page
    from carrete_bench.full.measure import run, scale_for
    from carrete_bench.full.report import show

    report = _run_and_report(lambda progress: run(scale_for(seconds), postgres, progress), show, json_file)
    if svg_file:
        svg_file.write_text(chart(report), "utf-8")
    if markdown_file:
        markdown_file.write_text(page(report), "utf-8")


@bench_app.command("gate")
def bench_gate(
    seconds: Annotated[
        float, typer.Option(min=0.1, max=600, help="For each kind of lock, with 1 client and with 50.")
    ] = 4.0,
    json_file: JsonFile = None,
) -> None:
    """Our locks compared with bare Redis commands and with other lock libraries, on a Redis of this run."""
    from carrete_bench.gate.measure import GateScale, run
    from carrete_bench.gate.report import show

    _run_and_report(lambda progress: run(GateScale(seconds=seconds), progress), show, json_file)


@bench_app.command("sheets")
def bench_sheets() -> None:
    """A cycle of the Google Sheets lane by itself: CPU and memory on a large workbook."""
    from carrete_bench.sheets import CPU_MS_MAX, MEMORY_MB_MAX, measure, summary_line

    cycles = measure(_show_progress)
    Console(highlight=False, soft_wrap=True).print(summary_line(cycles), markup=False)
    sys.exit(0 if cycles.busy_ms <= CPU_MS_MAX and cycles.peak_mb <= MEMORY_MB_MAX else 1)


@bench_app.command("live")
def bench_live(
    viewers: Annotated[int, typer.Option(min=1, max=10_000)] = 1_000,
    json_file: JsonFile = None,
) -> None:
    """Many viewers of one server process: how soon an event reaches all of them, and what memory each costs."""
    from carrete_bench.live.measure import LiveScale, run, show

    _run_and_report(lambda progress: run(LiveScale(viewers=viewers), progress), show, json_file)


@bench_app.command("tls")
def bench_tls(
    viewers: Annotated[int, typer.Option(min=1, max=10_000)] = 1_000,
    json_file: JsonFile = None,
) -> None:
    """What HTTPS costs: the same actions over kept connections with it and without, and many viewers with it."""
    from carrete_bench.live.measure import LiveScale
    from carrete_bench.tls import TlsScale, run, show

    scale = TlsScale(live=LiveScale(viewers=viewers))
    _run_and_report(lambda progress: run(scale, progress), show, json_file)


@bench_app.command("offline")
def bench_offline(
    db: Annotated[EngineChoice, typer.Option(help="Which ledger.")] = EngineChoice.BOTH,
    tablets: Annotated[int, typer.Option(min=1, max=500, help="How many come back at once.")] = 50,
    postgres: Postgres = "",
    json_file: JsonFile = None,
) -> None:
    """Tablets that were without a connection come back at once: how soon all is settled, and what others notice."""
    from carrete_bench.offline.measure import run, show
    from carrete_bench.offline.queues import OfflineScale

    scale = OfflineScale(tablets=tablets)
    _run_and_report(lambda progress: run(db, scale, postgres, progress), show, json_file)


@bench_app.command("labels")
def bench_labels(
    labels: Annotated[int, typer.Option(min=1, max=2_000)] = 2_000,
    json_file: JsonFile = None,
) -> None:
    """How long labels take as a PDF, on each paper: by themselves, and over HTTP."""
    from carrete_bench.labels import run, show

    _run_and_report(lambda progress: run(labels, progress), show, json_file)


@bench_app.command("soak")
def bench_soak(
    actions: Annotated[int, typer.Option(min=SOAK_ACTIONS_MIN, max=100_000_000)] = 2_000_000,
    sign_ins: Annotated[int, typer.Option(min=0, max=1_000_000)] = 20_000,
    reconnects: Annotated[int, typer.Option(min=0, max=1_000_000, help="Of live streams.")] = 5_000,
    minutes: Annotated[float, typer.Option(min=0.1, max=1_440, help="It must be done within these.")] = 120.0,
    db: Annotated[SoakLedger, typer.Option(help="Which ledger.")] = SoakLedger.SQLITE,
    postgres: Postgres = "",
    json_file: JsonFile = None,
) -> None:
    """Millions of actions of one server process with identity, chain and gate: memory, handles, threads and files must
    be flat from the first tenth to the last. Exit 1 if they are not."""
    from carrete.cli.common import progress_bar
    from carrete_bench.soak.measure import SoakScale, run
    from carrete_bench.soak.report import show

    scale = SoakScale(actions, sign_ins, reconnects, minutes_max=minutes)
    with progress_bar("Soak") as advance:
        report = _run_and_report(lambda _: run(db, scale, postgres, advance), show, json_file)
    sys.exit(0 if report.flat else 1)


def _run_and_report(
    measure: Callable[[ShowProgress], T], show: Callable[[T, Console], None], json_file: Path | None
) -> T:
    """Runs a measurement and shows its report. If nothing can be measured, it prints one sentence and exits with 1."""
    from carrete_bench.errors import BenchFailed
    from carrete_bench.report import as_json

    try:
        report = measure(_show_progress)
    except BenchFailed as error:
        _show_progress(f"carrete: {error}")
        sys.exit(1)
    show(report, Console(highlight=False))
    if json_file:
        json_file.write_text(as_json(report), "utf-8")
    return report


def _show_progress(text: str) -> None:
    Console(stderr=True, highlight=False).print(text, markup=False)
