"""The one path of every action. Nothing else changes a spool on a worker's behalf.

    enter the gate → [ key seen? → read → the rule decides → compare-and-set + events + outbox + answer ] → leave

The part in brackets is one commit, which concurrent requests share (`group`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TypeVar

from carrete.actions.answer import Answer
from carrete.actions.group import decide_group
from carrete.actions.lost_race import refuse_lost_race
from carrete.actions.requests import DecidedRequest, Outcome, QueuedRequest, Request, Success
from carrete.actions.stored_answers import answer_under_key
from carrete.domain.commands import Chain, Command, Reclamar, Tomar
from carrete.domain.refusals import Refusal
from carrete.domain.shop import Shop
from carrete.domain.shop_time import whole_second
from carrete.domain.trail.witness import Sign
from carrete.gate import Gate, LockAttempt
from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from carrete.ledger.lock_value import lock_value
from carrete.ledger.writer import GroupWriter

T = TypeVar("T")

EXTEND_EVERY_S = 4.0  # a pending lock expires after ten seconds
LATE_AT_ONCE_MAX = 2  # with 4, taps beside fifty returning tablets took three times as long as normally
LATE_WAITING_MAX = 2_000  # the next one is answered 503, and its tablet repeats it
_LATE = (Chain, Reclamar)  # what tablets send when their connection is back


def _takes(command: Command) -> bool:
    if isinstance(command, Chain):
        return any(isinstance(step.command, Tomar) for step in command.steps)
    return isinstance(command, Tomar)


def _ignore(*_: object) -> None:
    pass


class Performer:
    """Performs actions. After each commit it calls `on_outcomes` with the commands and their outcomes, and, when there
    were events, `on_events` with the tags of those spools whose lock did not change. `shop` may be replaced while it
    runs: a commit decides by the one that it begins with. `sign` signs the receipts of answers."""

    def __init__(
        self,
        database: Database,
        gate: Gate,
        shop: Shop,
        clock: Callable[[], datetime] | None = None,
        extend_every_s: float = EXTEND_EVERY_S,
        on_outcomes: Callable[[Sequence[Command], Sequence[Outcome]], None] = _ignore,
        on_events: Callable[[Sequence[str]], None] = _ignore,
        sign: Sign | None = None,
    ) -> None:
        self._gate = gate
        self.shop = shop
        self._clock = clock or (lambda: datetime.now(UTC))
        self._extend_every_s = extend_every_s
        self._under_way: dict[int, Sequence[LockAttempt]] = {}
        self._extending: asyncio.TimerHandle | None = None
        self._late_turns = asyncio.Semaphore(LATE_AT_ONCE_MAX)
        self._late_waiting = 0
        self._on_outcomes = on_outcomes
        self._on_events = on_events
        self._writer: GroupWriter[QueuedRequest, DecidedRequest] = GroupWriter(
            database, lambda tx, queue: decide_group(tx, self.shop, queue, sign)
        )

    async def perform(self, request: Request) -> Answer:
        """Returns the answer once it is committed. Raises LedgerUnavailable when the outcome is unknown. Late work
        takes turns, so that the taps of people who have a connection are hardly slower meanwhile."""
        if not isinstance(request.commands[0], _LATE):
            return await self._perform(request)
        if self._late_waiting >= LATE_WAITING_MAX:
            raise LedgerUnavailable(f"{LATE_WAITING_MAX} chains are already waiting for their turn")
        self._late_waiting += 1
        try:
            async with self._late_turns:
                return await self._perform(request)
        finally:
            self._late_waiting -= 1

    async def _perform(self, request: Request) -> Answer:
        now = whole_second(self._clock())
        zone = self.shop.zone
        attempts = [
            LockAttempt(command.tag, lock_value(command.worker_id, now, zone), _takes(command))
            for command in request.commands
        ]
        await self._gate.enter(attempts)
        try:
            decided = await self._commit(QueuedRequest(request, attempts, now))
            for attempt in attempts:
                attempt.decided = True
        except RaceLost:
            for attempt in attempts:
                attempt.lose_race()
            decided = await self._writer.run_exclusive(lambda tx: refuse_lost_race(tx, request, now))
        finally:
            await self._gate.leave(attempts)
        if decided.outcomes:
            self._on_outcomes(request.commands, decided.outcomes)
            self._announce(attempts, decided.outcomes)
        if isinstance(decided.answer, Refusal):
            raise decided.answer
        return decided.answer

    def _announce(self, attempts: Sequence[LockAttempt], outcomes: Sequence[Outcome]) -> None:
        """A script that changes a lock pokes the other processes itself: only spools whose lock stayed are named."""
        tags: list[str] = []
        any_event = False
        for attempt, outcome in zip(attempts, outcomes, strict=True):
            if isinstance(outcome, Success) and outcome.change.events:
                any_event = True
                if attempt.before == attempt.after:
                    tags.append(attempt.tag)
        if any_event:
            self._on_events(tags)

    async def _commit(self, queued: QueuedRequest) -> DecidedRequest:
        """Extends the pending locks while the commit takes long. All commits share one timer: most end before it."""
        self._under_way[id(queued)] = queued.attempts
        if self._extending is None:
            self._extend_later()
        try:
            return await self._writer.submit(queued)
        finally:
            del self._under_way[id(queued)]
            if self._extending and not self._under_way:
                self._extending.cancel()
                self._extending = None

    def _extend_later(self) -> None:
        self._extending = asyncio.get_running_loop().call_later(self._extend_every_s, self._extend)

    def _extend(self) -> None:
        for attempts in self._under_way.values():
            self._gate.extend(attempts)
        self._extend_later()

    async def stored_answer(self, request: Request) -> Answer | None:
        """The answer under the request's key, if there is one. Nothing is decided."""
        found = await self._writer.run_exclusive(lambda tx: answer_under_key(tx, request))
        if isinstance(found, Refusal):
            raise found
        return found

    async def housekeeping(self, work: Callable[[Tx], T]) -> T:
        """Runs a transaction that touches no spool on the writer's connection."""
        return await self._writer.run_exclusive(work)

    def stop(self) -> None:
        self._writer.stop()
