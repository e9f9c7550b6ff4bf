"""The goals of the gate, each with the figure that was measured for it."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from carrete_bench.gate.lock_implementations import OTHERS, OURS
from carrete_bench.gate.results import GateResults, PairResults
from carrete_bench.goals import Goal, at_least, at_most

RATE_RATIO_MIN = 1.5
LATENCY_RATIO_MAX = 1.7
OCCUPIED_RATIO_MAX = 0.6
REBUILD_S_MAX = 0.5
CANDIDATE_RATIO_MAX = 0.3
BATCH_RATIO_MAX = 3.0


def goals(gate: GateResults) -> list[Goal]:
    return [*_pairs(gate.pairs), *_comparisons(gate), *_rebuilds(gate)]


def _pairs(pairs: list[PairResults]) -> Iterator[Goal]:
    by_name = {(result.name, result.at_once): result for result in pairs}
    ours_at_1, ours_at_50 = by_name[OURS, 1], by_name[OURS, 50]
    what = "pairs at 50 at once, of the bare rate one by one"
    yield at_least("gate", what, RATE_RATIO_MIN, ours_at_50.rate_ratio)
    for name in OTHERS:
        if other := by_name.get((name, 50)):
            yield at_least("gate", f"pairs at 50 at once, of those of {name}", 1.0, _rate_ratio(ours_at_50, other))
    yield at_most("gate", "latency of a pair at 1, of the bare one", LATENCY_RATIO_MAX, ours_at_1.latency_ratio)


def _rate_ratio(ours: PairResults, other: PairResults) -> float:
    """The median of the rounds' ratios."""
    rounds = zip(ours.rounds, other.rounds, strict=True)
    return median(our_round.per_s / other_round.per_s for our_round, other_round in rounds)


def _comparisons(gate: GateResults) -> Iterator[Goal]:
    yield at_most("gate", "occupied by whom, of the bare pair", OCCUPIED_RATIO_MAX, gate.occupied.ratio)
    yield at_most("gate", f"{gate.candidate.what}, of a PING", CANDIDATE_RATIO_MAX, gate.candidate.ratio)
    yield at_most("gate", f"{gate.batch.what}, of one", BATCH_RATIO_MAX, gate.batch.ratio)


def _rebuilds(gate: GateResults) -> Iterator[Goal]:
    for rebuild in gate.rebuilds:
        what = f"{rebuild.occupations:,} locks rebuilt {rebuild.what}: s"
        yield at_most("gate", what, REBUILD_S_MAX, rebuild.seconds)
