"""The measured figures of `carrete bench all`. A ratio divides two figures of the same round, never of two runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from carrete_bench.results import LatencyPercentiles


@dataclass(frozen=True, slots=True)
class YardstickRate:
    """The rate of a yardstick, and the actions' rate divided by it: both are medians of the rounds."""

    what: str
    per_s: float
    actions_ratio: float


@dataclass(frozen=True, slots=True)
class YardstickResults:
    engine: str
    clients: int
    actions_per_s: float
    besides: list[YardstickRate]


@dataclass(frozen=True, slots=True)
class CallCost:
    """The cost of a call is its tenth-percentile latency divided by that of the empty POST, measured in turns."""

    what: str
    p50_ms: float
    of_empty: float  # the cost
    of_smallest: float  # the cost divided by the cost at the smallest ledger size


@dataclass(frozen=True, slots=True)
class LedgerSizeCosts:
    count: int
    costs: list[CallCost]


@dataclass(frozen=True, slots=True)
class CostGrowth:
    """The costs of the calls on one ledger that grows by powers of ten."""

    engine: str
    of: str  # spools or events
    sizes: list[LedgerSizeCosts]

    def call_names(self) -> list[str]:
        return [cost.what for cost in self.sizes[0].costs]

    def of_smallest(self, call: str) -> list[float]:
        """For each size, the cost of the call divided by its cost at the smallest size."""
        return [cost.of_smallest for size in self.sizes for cost in size.costs if cost.what == call]

    def exponent(self, call: str) -> float:
        """Between the two largest sizes: 0 means constant cost, 1 means that cost grows as the ledger does."""
        before, after = self.of_smallest(call)[-2:]
        return math.log(after / before) / math.log(self.sizes[-1].count / self.sizes[-2].count)


@dataclass(frozen=True, slots=True)
class CpuSeconds:
    """Processor seconds of all rounds together. `ledger_s` is None if PostgreSQL is not a server of our own."""

    wall_s: float
    api_s: float
    ledger_s: float | None
    redis_s: float
    load_s: float

    @property
    def by_part(self) -> list[tuple[str, float]]:
        ledger_s = self.ledger_s or 0.0
        return [("API", self.api_s), ("PostgreSQL", ledger_s), ("Redis", self.redis_s), ("load", self.load_s)]


@dataclass(frozen=True, slots=True)
class ProcessCountResults:
    """The actions of a server with `count` processes. Ratios are medians of the rounds."""

    count: int
    per_s: float
    of_one: float  # the rate divided by the rate of one process
    of_empty: float  # the rate divided by that of the empty POST of the same processes
    latency: LatencyPercentiles
    actions: int
    cpu: CpuSeconds


@dataclass(frozen=True, slots=True)
class ScalingResults:
    engine: str
    clients: int
    processes: list[ProcessCountResults]


@dataclass(frozen=True, slots=True)
class ShiftResults:
    """`workers` workers started within `seconds`, at the rate of `per_minute`, each on a new connection."""

    per_minute: int
    seconds: float
    workers: int
    lost: int  # workers who got a 200, but do not hold their spool in the ledger with exactly one event
    iniciar: LatencyPercentiles
    empty: LatencyPercentiles

    @property
    def p95_ratio(self) -> float:
        return self.iniciar.p95_ms / self.empty.p95_ms


@dataclass(frozen=True, slots=True)
class OutageResults:
    """The rates of a server before and after its Redis died, divided by those of a server without Redis."""

    off_per_s: float
    up_ratio: float
    dead_ratio: float
    killed: LatencyPercentiles  # of the round in which Redis was killed
    killed_max_ms: float
    killed_actions: int


def relative_to_first(values: Sequence[float]) -> list[float]:
    return [value / values[0] for value in values]
