"""What the whole run measured, as numbers. A ratio is of two figures of the same round, never of two runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from carrete_bench.figures import Latency


@dataclass(frozen=True, slots=True)
class Beside:
    """A yardstick's rate, and the actions' rate as a share of it: the median of the rounds."""

    what: str
    per_s: float
    actions_ratio: float


@dataclass(frozen=True, slots=True)
class Yardsticks:
    engine: str
    clients: int
    actions_per_s: float
    besides: list[Beside]


@dataclass(frozen=True, slots=True)
class Cost:
    """`of_empty`: the quickest tenth of the calls beside that of the empty POST, in turns. `of_smallest`: that, beside
    its own at the smallest size."""

    what: str
    p50_ms: float
    of_empty: float
    of_smallest: float


@dataclass(frozen=True, slots=True)
class Size:
    count: int
    costs: list[Cost]


@dataclass(frozen=True, slots=True)
class Growth:
    """One ledger that grows by powers of ten."""

    engine: str
    of: str  # spools or events
    sizes: list[Size]

    def names(self) -> list[str]:
        return [cost.what for cost in self.sizes[0].costs]

    def of_smallest(self, what: str) -> list[float]:
        return [cost.of_smallest for size in self.sizes for cost in size.costs if cost.what == what]

    def exponent(self, what: str) -> float:
        """Of the last step: 0 is flat, 1 grows as the ledger does."""
        before, after = self.of_smallest(what)[-2:]
        return math.log(after / before) / math.log(self.sizes[-1].count / self.sizes[-2].count)


@dataclass(frozen=True, slots=True)
class Cpu:
    """Processor seconds of all rounds together. PostgreSQL is None where it is not a server of our own."""

    wall_s: float
    api_s: float
    ledger_s: float | None
    redis_s: float
    load_s: float

    @property
    def shares(self) -> list[tuple[str, float]]:
        told = [("API", self.api_s), ("PostgreSQL", self.ledger_s or 0.0), ("Redis", self.redis_s)]
        return [*told, ("load", self.load_s)]


@dataclass(frozen=True, slots=True)
class Processes:
    count: int
    per_s: float
    of_one: float  # the median of the rounds' ratios to one process
    of_empty: float  # to the empty POST of the same processes
    latency: Latency
    actions: int
    cpu: Cpu


@dataclass(frozen=True, slots=True)
class Scaling:
    engine: str
    clients: int
    processes: list[Processes]


@dataclass(frozen=True, slots=True)
class Shift:
    """So many a minute; `workers` came within `seconds`, each with a connection of their own."""

    per_minute: int
    seconds: float
    workers: int
    lost: int  # answered, and not in the ledger once and in their hands
    iniciar: Latency
    empty: Latency

    @property
    def p95_ratio(self) -> float:
        return self.iniciar.p95_ms / self.empty.p95_ms


@dataclass(frozen=True, slots=True)
class Outage:
    """Rates as shares of a server without Redis, in the same rounds, before and after the other one's Redis died."""

    off_per_s: float
    up_ratio: float
    dead_ratio: float
    killed: Latency  # of the round in which it was killed
    killed_max_ms: float
    killed_actions: int


def relative(values: Sequence[float]) -> list[float]:
    return [value / values[0] for value in values]
