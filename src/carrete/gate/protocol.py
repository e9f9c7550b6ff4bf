"""What the one path asks of a gate. `OpenGate` is the gate of a server that runs without Redis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Passage:
    """One spool on its way through: the value that will be its lock if this action takes it."""

    tag: str
    value: str
    takes: bool


@dataclass(frozen=True, slots=True)
class Trace:
    """The lock value the ledger had for the spool when the command was decided, and has since its commit."""

    before: str | None
    after: str | None


SOMEBODY_ELSES = Trace("", "")  # the race was lost: whatever the ledger has now is not ours


@dataclass(frozen=True, slots=True)
class Sight:
    """What the gate saw when a taker entered. `other` is somebody else's lock value, if one was there, and `pending`
    whether he was still committing then."""

    ours: bool = False
    other: str | None = None
    pending: bool = False


UNSEEN = Sight()


class Gate(Protocol):
    """No call refuses, raises or decides: whatever Redis does, the ledger answers."""

    async def enter(self, passages: Sequence[Passage]) -> Sequence[Sight]:
        """Before the ledger: line up with others who want the same spools."""
        ...

    def extend(self, passages: Sequence[Passage], sights: Sequence[Sight]) -> None:
        """The commit takes longer than usual: keep the place in the line."""
        ...

    async def leave(self, passages: Sequence[Passage], sights: Sequence[Sight], traces: Sequence[Trace | None]) -> None:
        """After the commit, before the answer: make the locks say what the ledger says. A trace is None when
        the outcome is unknown or an earlier answer was given again."""
        ...


class OpenGate:
    """No Redis: the ledger's compare-and-set alone keeps two holders apart."""

    async def enter(self, passages: Sequence[Passage]) -> Sequence[Sight]:
        return [UNSEEN] * len(passages)

    def extend(self, passages: Sequence[Passage], sights: Sequence[Sight]) -> None:
        del passages, sights

    async def leave(self, passages: Sequence[Passage], sights: Sequence[Sight], traces: Sequence[Trace | None]) -> None:
        del passages, sights, traces
