"""What was measured of the gate, as numbers. A ratio is of two figures of the same round, never of two runs."""

from __future__ import annotations

from dataclasses import dataclass

from carrete_bench.figures import Latency


@dataclass(frozen=True, slots=True)
class PairRound:
    """One turn of one contestant."""

    per_s: float
    p50_us: float


@dataclass(frozen=True, slots=True)
class Pairs:
    """One contestant at one number at once; `rounds` are in the order in which all took turns."""

    name: str
    at_once: int
    rounds: list[PairRound]
    per_s: float  # the median of the rounds
    latency: Latency
    rate_ratio: float  # to the bare pair, one by one: the median of the rounds' ratios
    latency_ratio: float  # to the bare pair at as many at once


@dataclass(frozen=True, slots=True)
class Beside:
    """The median of something beside the median of its yardstick, measured in turns."""

    what: str
    us: float
    yardstick: str
    yardstick_us: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Rebuild:
    what: str
    occupations: int
    seconds: float  # the median
    times: int


@dataclass(frozen=True, slots=True)
class Gate:
    pairs: list[Pairs]
    occupied: Beside
    candidate: Beside
    batch: Beside
    rebuilds: list[Rebuild]
