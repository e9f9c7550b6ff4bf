"""The measured figures of the gate. A ratio divides two figures of the same round, never figures of two runs."""

from __future__ import annotations

from dataclasses import dataclass

from carrete_bench.results import LatencyPercentiles


@dataclass(frozen=True, slots=True)
class PairRound:
    """One round of one lock implementation."""

    per_s: float
    p50_us: float


@dataclass(frozen=True, slots=True)
class PairResults:
    """One lock implementation with `at_once` concurrent clients."""

    name: str
    at_once: int
    rounds: list[PairRound]
    per_s: float  # the median of the rounds
    latency: LatencyPercentiles
    rate_ratio: float  # to the bare pair with one client: the median of the rounds' ratios
    latency_ratio: float  # to the bare pair with as many clients: the median of the rounds' ratios


@dataclass(frozen=True, slots=True)
class CallComparison:
    """The median time of a call and of its yardstick, measured in turns."""

    what: str
    us: float
    yardstick: str
    yardstick_us: float
    ratio: float


@dataclass(frozen=True, slots=True)
class RebuildTime:
    what: str
    occupations: int
    seconds: float  # the median
    times: int


@dataclass(frozen=True, slots=True)
class GateResults:
    pairs: list[PairResults]
    occupied: CallComparison
    candidate: CallComparison
    batch: CallComparison
    rebuilds: list[RebuildTime]
