"""What a process counts about its actions, for /metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from carrete.actions import Outcome
from carrete.domain.commands import Command, Tomar
from carrete.domain.refusals import Refusal


class Figures:
    """Contention is the share of takes that met another holder: `SPOOL_OCCUPIED` among all takes."""

    def __init__(self) -> None:
        self.actions: Counter[tuple[str, str, str]] = Counter()
        self.takes: Counter[str] = Counter()

    def saw(self, commands: Sequence[Command], outcomes: Sequence[Outcome]) -> None:
        for command, outcome in zip(commands, outcomes, strict=True):
            code = outcome.code if isinstance(outcome, Refusal) else "OK"
            self.actions[type(command).__name__.upper(), command.operacion, code] += 1
            if isinstance(command, Tomar):
                self.takes[code] += 1
