"""A request for one or more actions, and the outcome of each of its commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from carrete.actions.answer import Answer
from carrete.domain.change import Change
from carrete.domain.commands import Command, Ofrecer, Resolver
from carrete.domain.refusals import Refusal
from carrete.domain.relevo import RelevoOffer
from carrete.gate import LockAttempt


class KeyReused(Refusal):
    code = "IDEMPOTENCY_KEY_REUSED"
    title = "Clave ya usada"

    def __init__(self) -> None:
        super().__init__("Esta Idempotency-Key ya se usó para otra solicitud.")


@dataclass(slots=True)
class Success:
    """The outcome of a command that was not refused: its change, the seq of the spool's last event, the offer that a
    hand-over's command made or ended, and what is recorded with each event about how it came about."""

    change: Change
    event_seq: int = 0
    offer: RelevoOffer | None = None
    context: Mapping[str, Any] | None = None


@dataclass(slots=True)
class ChainSuccess(Success):
    """`change` has the events of all steps; `steps` are the outcomes of each."""

    steps: Sequence[Success] = ()


@dataclass(slots=True)
class ReclamoSuccess(Success):
    """The change is none when a reclamo is made, and when one is declined on a spool that does not exist."""

    reclamo_id: str = ""


Outcome = Success | Refusal


class Request(NamedTuple):
    """One call from outside: its commands are decided in one commit, each on its own.

    `render` makes the answer from the outcomes; the answer is stored under `key` in the same commit. `fingerprint`
    identifies the content, so that a key that comes again with another content is refused. `event_context` is recorded
    with each event: who acted through what."""

    commands: Sequence[Command]
    render: Callable[[Sequence[Command], Sequence[Outcome]], Answer]
    key: str | None = None
    fingerprint: str = ""
    event_context: Mapping[str, Any] | None = None

    @property
    def tags(self) -> list[str]:
        return [command.tag for command in self.commands]


@dataclass(slots=True)
class QueuedRequest:
    """A request that waits for its commit, with one lock attempt for each of its commands."""

    request: Request
    attempts: Sequence[LockAttempt]
    now: datetime


class DecidedRequest(NamedTuple):
    """`outcomes` is empty when the key was known and its stored answer is given again."""

    answer: Answer | Refusal
    outcomes: Sequence[Outcome]


def people_of(command: Command) -> tuple[int, ...]:
    """The workers whom a decision about the command depends on."""
    match command:
        case Resolver(claimant_id=other) | Ofrecer(receiver_id=int(other)):
            return (command.worker_id, other)
    return (command.worker_id,)
