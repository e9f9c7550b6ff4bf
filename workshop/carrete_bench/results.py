"""The measured figures of one engine. A ratio divides two rates of the same round, never rates of two runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from carrete_bench.load import ACTIONS, EMPTY, StepResult


@dataclass(frozen=True, slots=True)
class LatencyPercentiles:
    p50_ms: float
    p95_ms: float
    p99_ms: float


@dataclass(frozen=True, slots=True)
class ActionRound:
    """The rate of the empty POST and the rate of the actions right after it."""

    empty_per_s: float
    actions_per_s: float

    @property
    def ratio(self) -> float:
        return self.actions_per_s / self.empty_per_s


@dataclass(frozen=True, slots=True)
class ActionResults:
    clients: int
    rounds: list[ActionRound]
    empty_per_s: float
    actions_per_s: float
    ratio: float  # the median of the rounds' ratios
    empty: LatencyPercentiles
    actions: LatencyPercentiles


@dataclass(frozen=True, slots=True)
class ReadLatency:
    """The latency of one GET request that was repeated."""

    what: str
    requests: int
    latency: LatencyPercentiles


@dataclass(frozen=True, slots=True)
class FinalizarLatency:
    """FINALIZAR of few joints, in turns with TOMAR, and FINALIZAR of many joints. One tap at a time."""

    few: int
    many: int
    sessions_of_few: int
    sessions_of_many: int
    tomar: LatencyPercentiles
    finalizar_few: LatencyPercentiles
    finalizar_many: LatencyPercentiles

    @property
    def ratio(self) -> float:
        return self.finalizar_few.p95_ms / self.tomar.p95_ms


@dataclass(frozen=True, slots=True)
class ImportTime:
    spools: int
    joints: int
    seconds: float


@dataclass(frozen=True, slots=True)
class ReportLatencies:
    """Reports over a month of `events`, the history of one spool with `history_events`, and repair rates of a year with
    `examinations`; one request at a time."""

    events: int
    history_events: int
    examinations: int
    asked: list[ReadLatency]
    rates: list[ReadLatency]


@dataclass(frozen=True, slots=True)
class IdentityRound:
    """The rates of the same actions, one after the other: without identity, with cookies, and signed."""

    open_per_s: float
    cookie_per_s: float
    signed_per_s: float


@dataclass(frozen=True, slots=True)
class WrongPinResults:
    """Medians of `attempts` wrong PINs of each kind. The ratios are of the time for a person who exists."""

    attempts: int
    known_ms: float
    unknown_ratio: float
    unknown_badge_ratio: float


@dataclass(frozen=True, slots=True)
class IdentityResults:
    """Actions of a server in the mode `pin`, divided by those of a server in the mode `open`; and what the taps notice
    when `sign_ins` people sign in at once. Ratios are medians of the rounds."""

    clients: int
    rounds: list[IdentityRound]
    cookie_ratio: float
    signed_ratio: float
    sign_ins: int
    sign_in: LatencyPercentiles
    taps: LatencyPercentiles
    taps_during_sign_ins: LatencyPercentiles
    taps_p95_ratio: float
    wrong_pins: WrongPinResults


@dataclass(frozen=True, slots=True)
class ChainResults:
    """The rates of the same actions without the chain and with it, in turns; `ratio` is the median of the rounds."""

    clients: int
    rounds: list[tuple[float, float]]
    ratio: float


@dataclass(frozen=True, slots=True)
class AloneResults:
    """Actions of one client alone beside bare commits of one row; `commits` is the median of the rounds' ratios."""

    action_p50_ms: float
    commit_p50_ms: float
    commits: float


@dataclass(frozen=True, slots=True)
class WholePathResults:
    """Signed actions of a server with identity, chain and gate. `actions` stands beside the empty POST of a server
    without identity and Redis. `alone_at_1_ms` is one client alone where a bare commit takes about a millisecond; None
    where that cannot be arranged. `start_cpu_s` is the processor time of the server until it answered."""

    actions: ActionResults
    alone: AloneResults
    alone_at_1_ms: AloneResults | None
    start_cpu_s: float | None
    idle_mb: float | None


@dataclass(frozen=True, slots=True)
class EngineResults:
    name: str
    spools: int
    idle_mb: float | None
    actions: list[ActionResults]
    lists: list[ReadLatency]
    by_joint: FinalizarLatency
    workbook: ImportTime
    gated: list[ActionResults] = field(default_factory=list)  # the actions again with embedded Redis, where measured
    reports: ReportLatencies | None = None
    identity: IdentityResults | None = None
    chain: ChainResults | None = None
    whole: WholePathResults | None = None


def percentiles(latencies_us: Sequence[int]) -> LatencyPercentiles:
    ordered = sorted(latencies_us)
    return LatencyPercentiles(*(_percentile(ordered, share) / 1000 for share in (0.50, 0.95, 0.99)))


def _percentile(ordered: Sequence[int], share: float) -> int:
    return ordered[math.ceil(share * len(ordered)) - 1]


def rate_per_s(*results: StepResult) -> float:
    """Of several steps the rate over all of them."""
    return sum(len(result["latencies_us"]) for result in results) / sum(result["seconds"] for result in results)


def action_results(clients: int, results: Sequence[StepResult]) -> ActionResults:
    """From load steps in the order empty POST, actions, empty POST, actions…"""
    empty_steps = [result for result in results if result["kind"] == EMPTY]
    action_steps = [result for result in results if result["kind"] == ACTIONS]
    return action_results_of_rounds(
        clients, [((empty,), (actions,)) for empty, actions in zip(empty_steps, action_steps, strict=True)]
    )


def action_results_of_rounds(
    clients: int, steps: Sequence[tuple[Sequence[StepResult], Sequence[StepResult]]]
) -> ActionResults:
    """From the steps of each round: those of the empty POST and those of the actions."""
    rounds = [ActionRound(rate_per_s(*empty), rate_per_s(*actions)) for empty, actions in steps]
    return ActionResults(
        clients,
        rounds,
        empty_per_s=median(round_.empty_per_s for round_ in rounds),
        actions_per_s=median(round_.actions_per_s for round_ in rounds),
        ratio=median(round_.ratio for round_ in rounds),
        empty=percentiles([us for empty, _ in steps for us in all_latencies_us(empty)]),
        actions=percentiles([us for _, actions in steps for us in all_latencies_us(actions)]),
    )


def all_latencies_us(results: Sequence[StepResult]) -> list[int]:
    return [us for result in results for us in result["latencies_us"]]
