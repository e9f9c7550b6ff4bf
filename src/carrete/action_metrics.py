"""Counts the actions of one process and how long their answers took, for /metrics."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from carrete.actions import Outcome
from carrete.domain.commands import Chain, Command, Tomar, Work
from carrete.domain.refusals import Refusal

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class LatencyHistogram:
    """Counts answers by the smallest bound that they did not exceed; the last count is for slower answers."""

    def __init__(self) -> None:
        self.counts = [0] * (len(SECONDS) + 1)
        self.total_s = 0.0

    def observe(self, seconds: float) -> None:
        self.counts[bisect_left(SECONDS, seconds)] += 1
        self.total_s += seconds

    def cumulative(self) -> list[tuple[str, int]]:
        """Each bound with the number of answers that took no longer, as Prometheus wants it."""
        total, buckets = 0, []
        for bound, count in zip((*map(str, SECONDS), "+Inf"), self.counts, strict=True):
            total += count
            buckets.append((bound, total))
        return buckets


class ActionMetrics:
    """Counts by action and outcome. Contention is the share of `SPOOL_OCCUPIED` among all takes."""

    def __init__(self) -> None:
        self.actions: Counter[tuple[str, str, str]] = Counter()
        self.takes: Counter[str] = Counter()
        self.latencies: dict[str, LatencyHistogram] = {}

    def latency(self, path: str) -> LatencyHistogram:
        return self.latencies.setdefault(path, LatencyHistogram())

    def count(self, commands: Sequence[Command], outcomes: Sequence[Outcome]) -> None:
        for command, outcome in zip(commands, outcomes, strict=True):
            code = outcome.code if isinstance(outcome, Refusal) else "OK"
            if isinstance(command, Chain):
                self._count_chain(command, outcome, code)
            else:
                self._count_one(command, code)

    def _count_chain(self, chain: Chain, outcome: Outcome, code: str) -> None:
        """Its steps count like single taps; of a refused chain only the refused step does, because none was done."""
        if isinstance(outcome, Refusal):
            self._count_one(chain.steps[outcome.context.get("paso", 1) - 1].command, code)
            return
        for step in chain.steps:
            self._count_one(step.command, code)

    def _count_one(self, command: Command, code: str) -> None:
        operacion = command.operacion if isinstance(command, Work) else ""
        self.actions[type(command).__name__.upper(), operacion, code] += 1
        if isinstance(command, Tomar):
            self.takes[code] += 1
