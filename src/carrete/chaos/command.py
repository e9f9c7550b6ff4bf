"""`carrete chaos`: runs what goes wrong at random, seed by seed, and says whether every promise held."""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

if TYPE_CHECKING:
    from carrete.chaos.sheets.truth import Tally

chaos_app = typer.Typer(no_args_is_help=True, help="Everything goes wrong at random; what is promised must still hold.")


@chaos_app.callback()
def chaos() -> None:
    """One command for each part of the house."""


@chaos_app.command("sheets")
def chaos_sheets(
    seeds: Annotated[int, typer.Option(min=1, max=100_000, help="How many.")] = 200,
    first: Annotated[int, typer.Option(min=0, help="The first of them.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Processes.")] = 2,
) -> None:
    """Workers act, people edit, requests to an emulated Google fail, the lane is killed; then quiet, and the truth."""
    out = Console(highlight=False, soft_wrap=True)
    wrong = 0
    total: dict[str, int] = {}
    with ProcessPoolExecutor(jobs) as pool:
        running = [pool.submit(_quietly, seed) for seed in range(first, first + seeds)]
        for number, done in enumerate(as_completed(running), 1):
            tally = done.result()
            wrong += bool(tally.wrong)
            _add(total, tally)
            for sentence in tally.wrong:
                out.print(f"seed {tally.seed}: {sentence}", markup=False)
            if sys.stdout.isatty() or number % 20 == 0 or number == seeds:
                out.print(f"{number} of {seeds} seeds, {wrong} wrong", markup=False)
    out.print(", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in total.items()), markup=False)
    raise typer.Exit(1 if wrong else 0)


def _quietly(seed: int) -> Tally:
    """In a process of the pool. What the lane logs is part of the trial, not of the answer."""
    import logging

    import structlog

    from carrete.chaos.sheets.campaign import run

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    return run(seed)


def _add(total: dict[str, int], tally: Tally) -> None:
    for one in fields(tally):
        value = getattr(tally, one.name)
        if one.name != "seed" and isinstance(value, int):
            total[one.name] = total.get(one.name, 0) + value
