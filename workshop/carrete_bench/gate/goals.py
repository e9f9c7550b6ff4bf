"""What was wanted of the gate, beside what was measured."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from carrete_bench.gate.contestants import OURS, RIVALS
from carrete_bench.gate.figures import Gate, Pairs
from carrete_bench.goals import Goal

RATE_RATIO_MIN = 1.5
LATENCY_RATIO_MAX = 1.7
OCCUPIED_RATIO_MAX = 0.6
REBUILD_S_MAX = 0.5
CANDIDATE_RATIO_MAX = 0.3
BATCH_RATIO_MAX = 3.0


def goals(gate: Gate) -> list[Goal]:
    return [*_pairs(gate.pairs), *_besides(gate), *_rebuilds(gate)]


def _pairs(pairs: list[Pairs]) -> Iterator[Goal]:
    by = {(one.name, one.at_once): one for one in pairs}
    alone, together = by[OURS, 1], by[OURS, 50]
    yield _at_least("pairs at 50 at once, of the bare rate one by one", RATE_RATIO_MIN, together.rate_ratio)
    for name in RIVALS:
        if rival := by.get((name, 50)):
            yield _at_least(f"pairs at 50 at once, of those of {name}", 1.0, _rate_ratio(together, rival))
    yield _at_most("latency of a pair at 1, of the bare one", LATENCY_RATIO_MAX, alone.latency_ratio)


def _rate_ratio(ours: Pairs, theirs: Pairs) -> float:
    return median(mine.per_s / other.per_s for mine, other in zip(ours.rounds, theirs.rounds, strict=True))


def _besides(gate: Gate) -> Iterator[Goal]:
    yield _at_most("occupied by whom, of the bare pair", OCCUPIED_RATIO_MAX, gate.occupied.ratio)
    yield _at_most(f"{gate.candidate.what}, of a PING", CANDIDATE_RATIO_MAX, gate.candidate.ratio)
    yield _at_most(f"{gate.batch.what}, of one", BATCH_RATIO_MAX, gate.batch.ratio)


def _rebuilds(gate: Gate) -> Iterator[Goal]:
    for one in gate.rebuilds:
        yield _at_most(f"{one.occupations:,} locks rebuilt {one.what}: s", REBUILD_S_MAX, one.seconds)


def _at_least(what: str, least: float, measured: float) -> Goal:
    return Goal("gate", what, f"≥ {least:g}", measured, measured >= least)


def _at_most(what: str, most: float, measured: float) -> Goal:
    return Goal("gate", what, f"≤ {most:g}", measured, measured <= most)
