"""`carrete chaos campaign`: many seeds on both databases, one after another; what has ended is not run again."""

from __future__ import annotations

import re
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

if TYPE_CHECKING:
    from carrete_chaos.campaign_log import SeedResult
    from carrete_chaos.profiles import Profile

SEEDS_MAX = 10_000
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")


class Size(StrEnum):
    S = "S"
    M = "M"
    L = "L"


class Databases(StrEnum):
    SQLITE = "sqlite"
    POSTGRES = "postgres"
    BOTH = "both"


def run_campaign(
    report: Annotated[Path, typer.Option(help="The record, as JSON lines. It is made, or continued.")],
    seeds: Annotated[str, typer.Option(help="Such as 1-20, or 1-5,9.")] = "1-20",
    db: Annotated[Databases, typer.Option(help="Which ledgers.")] = Databases.BOTH,
    profile: Annotated[Size, typer.Option(help="Of each seed.")] = Size.M,
    actions: Annotated[int, typer.Option(min=0, help="At least so many of each seed; 0: as the profile says.")] = 0,
    minutes: Annotated[float, typer.Option(min=0, help="At least so long for each seed; 0: as the profile says.")] = 0,
    again: Annotated[bool, typer.Option(help="Run those that were red once more.")] = False,
    markdown: Annotated[Path | None, typer.Option(help="Where to write the report, after each seed.")] = None,
) -> None:
    """Runs every seed that has no result yet, and writes each result as it ends. Ctrl-C loses only the seed that is
    running."""
    from carrete_chaos.campaign_log import CampaignLog, run_missing
    from carrete_chaos.campaign_report import render
    from carrete_chaos.profiles import PROFILES
    from carrete_chaos.running import campaign

    out = Console(highlight=False, soft_wrap=True)
    size = sized(PROFILES[profile.value], actions, minutes)
    databases = [one.value for one in Databases if one is not Databases.BOTH] if db is Databases.BOTH else [db.value]
    wanted = [(each, seed) for seed in parse_seeds(seeds) for each in databases]
    log = CampaignLog(report)

    def show_result(result: SeedResult) -> None:
        out.print(_line(result), markup=False)
        if markdown is not None:
            markdown.write_text(render(log.read()))

    run_missing(log, profile.value, wanted, lambda each, seed: campaign(size, seed, each), show_result, again)
    results = log.read()
    if markdown is not None:
        markdown.write_text(render(results))
    out.print(render(results).partition("\n")[0], markup=False)
    latest = {result.key: result for result in results}
    raise typer.Exit(0 if all(latest[profile.value, *one].green for one in wanted) else 1)


def sized(profile: Profile, actions: int, minutes: float) -> Profile:
    """With more actions a slow machine gets more time, in the same proportion."""
    if actions:
        longer = max(1.0, actions / profile.actions_min)
        profile = replace(profile, actions_min=actions, slower_max=profile.slower_max * longer)
    return replace(profile, seconds=60 * minutes) if minutes else profile


def parse_seeds(text: str) -> list[int]:
    found: dict[int, None] = {}
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise typer.BadParameter(f"{text!r} is no list of seeds, such as 1-20 or 1-5,9.")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first or last - first >= SEEDS_MAX:
            raise typer.BadParameter(f"{part!r} names no seed, or more than {SEEDS_MAX:,}.")
        found |= dict.fromkeys(range(first, last + 1))
    return list(found)


def _line(result: SeedResult) -> str:
    faults = sum(result.bit.values()) - result.edits
    state = "green" if result.green else f"RED: {[*result.shortcomings, *result.violations][0]}"
    return f"{result.db} {result.seed}: {result.actions:,} actions, {faults} faults, {result.seconds:.0f} s, {state}"
