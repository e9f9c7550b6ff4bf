"""The report of a campaign of many seeds, as Markdown for the documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from carrete_chaos.campaign import EDITS
from carrete_chaos.campaign_log import SeedResult, total
from carrete_chaos.recovery import API, POSTGRES

FINDING_LENGTH_MAX = 120  # the last lines of a log may follow
NOT_TESTED = (
    "a power cut: processes are killed, so what was written and not yet synced survives",
    "several machines: all processes share one clock, one disk and one kernel",
    "real tablets and browsers: the campaign's tablets are programs (killed browsers have a test of their own)",
    "Google itself: the workbook is the emulator's",
    "disks that lie about syncs, memory that flips bits, a database that was changed by hand",
    "people who collude, and root on the server",
)


def render(results: Sequence[SeedResult]) -> str:
    """Of each seed the latest result counts; earlier red ones are listed below with their cause."""
    latest = {result.key: result for result in results}
    counted = sorted(latest.values(), key=lambda result: (result.profile, result.db, result.seed))
    earlier = [result for result in results if not result.green and result is not latest[result.key]]
    lines = [
        *_summary(counted),
        *_table(counted),
        *_counts("Faults", total(counted, lambda r: r.bit)),
        *_counts("Network", total(counted, lambda r: r.weather)),
        *_counts("People and devices", total(counted, lambda r: r.happened)),
        *_counts("Answers", total(counted, lambda r: r.answered)),
        *_red([*earlier, *(result for result in counted if not result.green)]),
        "## Not tested",
        *(f"- {what}" for what in NOT_TESTED),
    ]
    return "\n".join(lines) + "\n"


def _summary(results: Sequence[SeedResult]) -> Iterator[str]:
    if not results:
        yield "No seed has ended yet."
        return
    green = sum(result.green for result in results)
    faults = total(results, _faults)
    days = sorted({result.ended_at[:10] for result in results})
    hours = sum(result.seconds for result in results) / 3600
    yield (
        f"{len(results)} runs ({_runs_by_database(results)}), {green} green, {len(results) - green} red: "
        f"{sum(result.actions for result in results):,} actions checked, "
        f"{sum(result.events for result in results):,} events, "
        f"{faults.total():,} faults of {len(faults)} kinds. "
        f"{' to '.join(dict.fromkeys((days[0], days[-1])))}, {hours:.1f} hours."
    )
    yield ""


def _faults(result: SeedResult) -> dict[str, int]:
    return {name: n for name, n in result.bit.items() if name != EDITS}


def _runs_by_database(results: Sequence[SeedResult]) -> str:
    seeds: dict[tuple[str, str], list[int]] = {}
    for result in results:
        seeds.setdefault((result.profile, result.db), []).append(result.seed)
    return "; ".join(f"{db}, profile {profile}: seeds {_ranges(each)}" for (profile, db), each in seeds.items())


def _ranges(seeds: Sequence[int]) -> str:
    """1, 2, 3, 7 → 1-3, 7"""
    found: list[list[int]] = []
    for seed in sorted(seeds):
        if found and seed == found[-1][-1] + 1:
            found[-1].append(seed)
        else:
            found.append([seed])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in found)


def _table(results: Sequence[SeedResult]) -> Iterator[str]:
    yield (
        "| run | actions | refused | unknown | events | edits of people | faults | "
        "API back (at most, as a rule) | PostgreSQL back | Redis gone |"
    )
    yield "|---" * 10 + "|"
    for one in results:
        faults = Counter(_faults(one))
        numbers = [f"{n:,}" for n in (one.actions, one.refused, one.unknown, one.events, one.edits)]
        back = [one.recovery.get(what, "–") for what in (API, POSTGRES, "Redis")]
        name = f"{one.db} {one.profile} {one.seed}{'' if one.green else ' RED'}"
        yield f"| {' | '.join((name, *numbers, f'{faults.total()} of {len(faults)} kinds', *back))} |"
    yield ""


def _counts(title: str, counts: Counter[str]) -> Iterator[str]:
    if not counts:
        return
    yield f"## {title}"
    yield "| what | times |"
    yield "|---|---|"
    yield from (f"| {name} | {n:,} |" for name, n in counts.most_common())
    yield ""


def _red(results: Sequence[SeedResult]) -> Iterator[str]:
    if not results:
        return
    yield "## Red runs"
    for result in results:
        found = [*result.shortcomings, *result.violations]
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        cause = f" Cause: {result.cause}" if result.cause else " Cause: not looked into yet."
        first = found[0].partition("\n")[0][:FINDING_LENGTH_MAX]
        yield f"- {result.db} {result.profile} {result.seed}, {result.ended_at}: {first}{more}.{cause}"
    yield ""
