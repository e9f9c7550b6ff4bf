"""Pairs, take and end: all contestants take short turns, at one and at fifty at once, round after round."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from carrete_bench import figures
from carrete_bench.gate.contestants import BARE, Contestant
from carrete_bench.gate.figures import PairRound, Pairs
from carrete_bench.load import Seen

AT_ONCE = (1, 50)
TURN_S_MAX = 0.2  # short turns: what else the machine does hits all alike
ROUNDS_MIN = 3

Who = tuple[str, int]
Rounds = dict[Who, list[Seen]]


async def measure(contestants: Sequence[Contestant], seconds: float) -> list[Pairs]:
    rounds = max(ROUNDS_MIN, round(seconds / TURN_S_MAX))
    turn_s = seconds / rounds
    seen: Rounds = {(one.name, at_once): [] for at_once in AT_ONCE for one in contestants}
    await _round(contestants, turn_s, seen, 0)
    for told in seen.values():
        told.clear()  # the first round only warms up
    for number in range(rounds):
        await _round(contestants, turn_s, seen, number)
    return summary(seen)


async def _round(contestants: Sequence[Contestant], turn_s: float, seen: Rounds, number: int) -> None:
    """Another one begins each time, so that nobody always follows the same neighbour's disk writes."""
    first = number % len(contestants)
    for at_once in AT_ONCE:
        for one in (*contestants[first:], *contestants[:first]):
            seen[one.name, at_once].append(await one.turn(at_once, turn_s))


def summary(seen: Rounds) -> list[Pairs]:
    rounds = {who: [_as_round(one) for one in told] for who, told in seen.items()}
    return [_pairs(who, seen[who], rounds) for who in seen]


def _as_round(seen: Seen) -> PairRound:
    return PairRound(figures.rate(seen), median(seen["took_us"]))


def _pairs(who: Who, seen: list[Seen], rounds: dict[Who, list[PairRound]]) -> Pairs:
    name, at_once = who
    mine, one_by_one, beside = rounds[who], rounds[BARE, 1], rounds[BARE, at_once]
    return Pairs(
        name,
        at_once,
        mine,
        per_s=median(one.per_s for one in mine),
        latency=figures.latency([us for one in seen for us in one["took_us"]]),
        rate_ratio=median(one.per_s / bare.per_s for one, bare in zip(mine, one_by_one, strict=True)),
        latency_ratio=median(one.p50_us / bare.p50_us for one, bare in zip(mine, beside, strict=True)),
    )
