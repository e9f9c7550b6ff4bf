"""What a process counts about its actions, for /metrics."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from carrete.actions import Outcome
from carrete.domain.commands import Command, Tomar, Work
from carrete.domain.refusals import Refusal

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class Latency:
    """How many answers took at most so long; the last place is for those that took longer than any bound."""

    def __init__(self) -> None:
        self.counts = [0] * (len(SECONDS) + 1)
        self.total_s = 0.0

    def took(self, seconds: float) -> None:
        self.counts[bisect_left(SECONDS, seconds)] += 1
        self.total_s += seconds

    def cumulative(self) -> list[tuple[str, int]]:
        so_far, found = 0, []
        for bound, n in zip((*map(str, SECONDS), "+Inf"), self.counts, strict=True):
            so_far += n
            found.append((bound, so_far))
        return found


class Figures:
    """Contention is the share of takes that met another holder: `SPOOL_OCCUPIED` among all takes."""

    def __init__(self) -> None:
        self.actions: Counter[tuple[str, str, str]] = Counter()
        self.takes: Counter[str] = Counter()
        self.latencies: dict[str, Latency] = {}

    def latency(self, path: str) -> Latency:
        return self.latencies.setdefault(path, Latency())

    def saw(self, commands: Sequence[Command], outcomes: Sequence[Outcome]) -> None:
        for command, outcome in zip(commands, outcomes, strict=True):
            code = outcome.code if isinstance(outcome, Refusal) else "OK"
            operacion = command.operacion if isinstance(command, Work) else ""
            self.actions[type(command).__name__.upper(), operacion, code] += 1
            if isinstance(command, Tomar):
                self.takes[code] += 1
