"""`carrete chaos`: tries to break the product on this machine, and reports whether it did."""

from __future__ import annotations

import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import fields
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from carrete_chaos.campaign_command import Size, run_campaign
from carrete_chaos.sweep.command import LedgerEngine, sweep

if TYPE_CHECKING:
    from carrete_chaos.campaign import CampaignVerdict
    from carrete_chaos.sheets.invariants import Tally

WARNINGS_SHOWN = 30  # of a seed that is wrong

chaos_app = typer.Typer(
    add_completion=False, help="Tries to break it: real processes, real faults, a checker that believes nobody."
)
chaos_app.command("sweep")(sweep)
chaos_app.command("campaign")(run_campaign)


HEADER = (
    "| seed | actions | refused | unknown | events | edits of people | faults that bit | "
    "API back (at most, as a rule) | PostgreSQL back | Redis gone |"
)


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
    # The campaign imports half of the product, so it is imported only when this command runs.
    from carrete_chaos.running import campaign

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


@chaos_app.command("right-histories")
def right_histories(
    count: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many.")] = 500,
    first: Annotated[int, typer.Option(min=0, help="The first seed.")] = 0,
    calls: Annotated[int, typer.Option(min=1, max=10_000, help="Of each history.")] = 80,
) -> None:
    """Checks histories in which nothing is wrong: a checker that raises an alarm about one of them is wrong itself."""
    from carrete_chaos.checker import check
    from carrete_chaos.right_histories import RightShop

    out = Console(highlight=False, soft_wrap=True)
    alarms = 0
    for seed in range(first, first + count):
        found = check(RightShop(seed).run(calls))
        alarms += bool(found)
        for violation in found[:3]:
            out.print(f"seed {seed}: {violation.rule}: {violation.tag} {violation.sentence}", markup=False)
    out.print(f"{count:,} right histories, {alarms:,} false alarms", markup=False)
    raise typer.Exit(1 if alarms else 0)


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
        out.print(f"  BROKEN {violation.rule}: {violation.tag} {violation.sentence}", markup=False)
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
        *(verdict.recovery.summary(what) for what in (API, POSTGRES)),
        verdict.recovery.summary_without_redis(),
    ]
    return f"| {' | '.join(cells)} |"


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{n} {name}" for name, n in sorted(counts.items(), key=lambda item: -item[1])) or "none"
