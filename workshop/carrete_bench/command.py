"""`carrete bench`: measures the product on this machine and says which goals it reached."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.console import Console

from carrete_bench.db import Db

T = TypeVar("T")
Say = Callable[[str], None]

# What is measured brings the web stack along: each command loads its part only when it is asked for.
bench_app = typer.Typer(add_completion=False, help="Measures this machine: actions, lists, import, memory.")


JsonFile = Annotated[Path | None, typer.Option("--json", help="Everything, for machines.")]
Postgres = Annotated[str, typer.Option(help="A server on which fresh databases may be made and dropped.")]


@bench_app.callback(invoke_without_command=True)
def bench(
    context: typer.Context,
    db: Annotated[Db, typer.Option(help="Which ledger.")] = Db.BOTH,
    seconds: Annotated[float, typer.Option(min=0.1, max=600, help="For each kind of request.")] = 10.0,
    postgres: Postgres = "",
    json_file: JsonFile = None,
) -> None:
    """Actions beside an empty POST of the same server, lists, the import and the memory of an idle server."""
    if context.invoked_subcommand is not None:
        return
    from carrete_bench import engines
    from carrete_bench.measure import Extent
    from carrete_bench.report import show

    extent = Extent(seconds=seconds)
    _carry_out(lambda say: engines.run(db, extent, postgres, say), show, json_file)


@bench_app.command("all")
def bench_all(
    seconds: Annotated[float, typer.Option(min=0.1, max=60, help="The effort: for each kind of request.")] = 3.0,
    postgres: Postgres = "",
    json_file: JsonFile = None,
    svg_file: Annotated[Path | None, typer.Option("--svg", help="The chart.")] = None,
) -> None:
    """Everything in one run, in less than ten minutes: the other parts, and how cost grows, processes, a shift that
    starts, a dead Redis."""
    from carrete_bench.full.chart import chart
    from carrete_bench.full.measure import extent_of, run
    from carrete_bench.full.report import show

    report = _carry_out(lambda say: run(extent_of(seconds), postgres, say), show, json_file)
    if svg_file:
        svg_file.write_text(chart(report), "utf-8")


@bench_app.command("gate")
def bench_gate(
    seconds: Annotated[float, typer.Option(min=0.1, max=600, help="For each kind of lock, at 1 and at 50.")] = 4.0,
    json_file: JsonFile = None,
) -> None:
    """Our locks beside bare commands and other people's locks, on a Redis of this run."""
    from carrete_bench.gate.measure import Extent, run
    from carrete_bench.gate.report import show

    _carry_out(lambda say: run(Extent(seconds=seconds), say), show, json_file)


@bench_app.command("sheets")
def bench_sheets() -> None:
    """A cycle of the Google Sheets lane by itself: CPU and memory on a large workbook."""
    from carrete_bench.sheets import CPU_MS_MAX, MEMORY_MB_MAX, line_of, measure

    found = measure(_say)
    Console(highlight=False, soft_wrap=True).print(line_of(found), markup=False)
    sys.exit(0 if found.busy_ms <= CPU_MS_MAX and found.peak_mb <= MEMORY_MB_MAX else 1)


@bench_app.command("live")
def bench_live(
    viewers: Annotated[int, typer.Option(min=1, max=10_000)] = 1_000,
    json_file: JsonFile = None,
) -> None:
    """Many who watch one process: how soon an event reaches all of them, and what each costs."""
    from carrete_bench.live.measure import Extent, run, show

    _carry_out(lambda say: run(Extent(viewers=viewers), say), show, json_file)


def _carry_out(measure: Callable[[Say], T], show: Callable[[T, Console], None], json_file: Path | None) -> T:
    """Says what is going on, shows the report, and ends in one sentence where nothing can be measured."""
    from carrete_bench.errors import BenchFailed
    from carrete_bench.report import as_json

    try:
        report = measure(_say)
    except BenchFailed as error:
        _say(f"carrete: {error}")
        sys.exit(1)
    show(report, Console(highlight=False))
    if json_file:
        json_file.write_text(as_json(report), "utf-8")
    return report


def _say(text: str) -> None:
    Console(stderr=True, highlight=False).print(text, markup=False)
