"""The interface of a gate. `OpenGate` is the gate of a server that runs without Redis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

UNKNOWN_LOCK = ""  # equals no lock value, so that the gate always repairs the lock from the ledger


@dataclass(slots=True)
class LockAttempt:
    """The lock of one command's spool, from before the commit until after it."""

    # Request, by the action: `value` becomes the lock's value if the command takes the spool.
    tag: str
    value: str
    takes: bool
    # Result, by the gate when the command enters: either the lock is ours, or `other` is the value of another holder's
    # lock, and `other_pending` says that this holder was still committing. All empty when Redis was not asked.
    ours: bool = False
    other: str | None = None
    other_pending: bool = False
    # Transition, by the action: the lock value that the ledger had before the command was decided, and has after it.
    # Both mean nothing until `decided`, that is, as long as it is unknown whether the commit succeeded.
    before: str | None = None
    after: str | None = None
    decided: bool = False

    def lose_race(self) -> None:
        """To be called when another process changed the spool first. The lock value in the ledger is then unknown here,
        and not ours, so that the gate repairs the lock from the ledger."""
        self.before = self.after = UNKNOWN_LOCK
        self.decided = True


class Gate(Protocol):
    """No method refuses an action or raises: whatever Redis does, the ledger decides."""

    async def enter(self, attempts: Sequence[LockAttempt]) -> None:
        """Before the commit: tries to take the locks, and waits a moment for others who are taking the same spools."""
        ...

    def extend(self, attempts: Sequence[LockAttempt]) -> None:
        """The commit takes longer than usual: gives our pending locks more time."""
        ...

    async def leave(self, attempts: Sequence[LockAttempt]) -> None:
        """After the commit and before the answer: makes each lock equal to the ledger."""
        ...


class OpenGate:
    """A server without Redis has no locks: the ledger's compare-and-set alone prevents two holders."""

    async def enter(self, attempts: Sequence[LockAttempt]) -> None:
        pass

    def extend(self, attempts: Sequence[LockAttempt]) -> None:
        pass

    async def leave(self, attempts: Sequence[LockAttempt]) -> None:
        pass
