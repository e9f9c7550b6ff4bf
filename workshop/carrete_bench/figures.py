"""What was measured, as numbers. A ratio is of two rates of the same round, never of two runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from carrete_bench.load import ACTIONS, EMPTY, Seen


@dataclass(frozen=True, slots=True)
class Latency:
    p50_ms: float
    p95_ms: float
    p99_ms: float


@dataclass(frozen=True, slots=True)
class Round:
    """The empty POST and the actions, one right after the other."""

    empty_per_s: float
    actions_per_s: float

    @property
    def ratio(self) -> float:
        return self.actions_per_s / self.empty_per_s


@dataclass(frozen=True, slots=True)
class Actions:
    clients: int
    rounds: list[Round]
    empty_per_s: float
    actions_per_s: float
    ratio: float  # the median of the rounds' ratios
    empty: Latency
    actions: Latency


@dataclass(frozen=True, slots=True)
class Listing:
    what: str
    requests: int
    latency: Latency


@dataclass(frozen=True, slots=True)
class ByJoint:
    """FINALIZAR of few joints in turns with TOMAR, and of many by itself, one tap at a time."""

    few: int
    many: int
    sessions_of_few: int
    sessions_of_many: int
    tomar: Latency
    finalizar_few: Latency
    finalizar_many: Latency

    @property
    def ratio(self) -> float:
        return self.finalizar_few.p95_ms / self.tomar.p95_ms


@dataclass(frozen=True, slots=True)
class Import:
    spools: int
    joints: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Reports:
    """Over a month of so many events, and of one spool with so many; read one at a time, as a supervisor does."""

    events: int
    history_events: int
    asked: list[Listing]


@dataclass(frozen=True, slots=True)
class Engine:
    name: str
    spools: int
    idle_mb: float | None
    actions: list[Actions]
    lists: list[Listing]
    by_joint: ByJoint
    workbook: Import
    gated: list[Actions] = field(default_factory=list)  # the same with the embedded Redis in front, where measured
    reports: Reports | None = None


def latency(took_us: Sequence[int]) -> Latency:
    ordered = sorted(took_us)
    return Latency(*(_rank(ordered, share) / 1000 for share in (0.50, 0.95, 0.99)))


def _rank(ordered: Sequence[int], share: float) -> int:
    return ordered[math.ceil(share * len(ordered)) - 1]


def rate(seen: Seen) -> float:
    return len(seen["took_us"]) / seen["seconds"]


def actions(clients: int, seen: Sequence[Seen]) -> Actions:
    """From steps in the order empty, actions, empty, actions…"""
    empties = [one for one in seen if one["kind"] == EMPTY]
    taps = [one for one in seen if one["kind"] == ACTIONS]
    rounds = [Round(rate(empty), rate(tap)) for empty, tap in zip(empties, taps, strict=True)]
    return Actions(
        clients,
        rounds,
        empty_per_s=median(one.empty_per_s for one in rounds),
        actions_per_s=median(one.actions_per_s for one in rounds),
        ratio=median(one.ratio for one in rounds),
        empty=latency([us for one in empties for us in one["took_us"]]),
        actions=latency([us for one in taps for us in one["took_us"]]),
    )
