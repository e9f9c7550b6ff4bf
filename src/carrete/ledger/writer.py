"""The writer thread of a process: group commit. Items that wait at the same time share the next commit.

An item is answered only after its commit is on the disk. Transactions that share no commit, such as those of sign-in,
take turns with the groups: however many of them wait, an item waits for one of them at most.
"""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar, cast

from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import LedgerUnavailable, RaceLost

Item = TypeVar("Item")
Result = TypeVar("Result")
T = TypeVar("T")

GROUP_MAX = 64
WAITING_MAX = 4_096
RACES_MAX = 3
LINGER_FROM = 4  # after a group of this size or more, the next group is waited for
LINGER_S = 0.002  # that wait ends when no item came for so long
LINGERS_MAX = 5  # and after so many times that


class GroupWriter(Generic[Item, Result]):
    """`decide` gets a transaction and the items of a group, and returns one result for each, in their order."""

    def __init__(
        self,
        database: Database,
        decide: Callable[[Tx, Sequence[Item]], Sequence[Result]],
        name: str = "ledger-writer",
        linger_s: float = LINGER_S,
    ) -> None:
        self._linger_s = linger_s
        self._database = database
        self._decide = decide
        self._waiting: deque[_Ticket[Item, Result]] = deque()
        self._waiting_alone: deque[_Ticket[Item, Result]] = deque()
        self._alone_next = False
        self._wake = threading.Condition()
        self._stopping = False
        self._next_size = 0
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    async def submit(self, item: Item) -> Result:
        return await self._enqueue(item, None)

    async def run_exclusive(self, work: Callable[[Tx], T]) -> T:
        """Runs housekeeping in a transaction of its own, in the writer's thread."""
        return cast(T, await self._enqueue(cast(Item, None), cast(Callable[[Tx], Result], work)))

    async def _enqueue(self, item: Item, exclusive: Callable[[Tx], Result] | None) -> Result:
        loop = asyncio.get_running_loop()
        ticket: _Ticket[Item, Result] = _Ticket(item, exclusive, loop, loop.create_future())
        with self._wake:
            if self._stopping:
                raise LedgerUnavailable("the server is stopping")
            waiting = self._waiting if exclusive is None else self._waiting_alone
            if len(waiting) >= WAITING_MAX:
                raise LedgerUnavailable(f"{WAITING_MAX} actions are already waiting for the ledger")
            waiting.append(ticket)
            if len(waiting) == 1 or len(self._waiting) == self._next_size:
                self._wake.notify()
        return await ticket.future

    def stop(self, wait_s_max: float = 1.0) -> None:
        """Finishes the waiting items, but waits no longer than `wait_s_max` for that."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        self._thread.join(wait_s_max)

    def _work(self) -> None:
        while group := self._next_group():
            self._run(group)

    def _next_group(self) -> list[_Ticket[Item, Result]]:
        with self._wake:
            while not self._waiting and not self._waiting_alone and not self._stopping:
                self._wake.wait()
            if self._waiting_alone and (self._alone_next or not self._waiting):
                self._alone_next = False
                return [self._waiting_alone.popleft()]
            self._linger()
            group = [self._waiting.popleft() for _ in range(min(len(self._waiting), GROUP_MAX))]
            self._next_size = max(len(group), self._next_size * 3 // 4)
            self._alone_next = True
            return group

    def _linger(self) -> None:
        """Workers who were answered together tap again at nearly the same time. A short wait lets them share the next
        commit too, instead of the first few having a commit of their own. After a small group there is no wait."""
        until = time.monotonic() + LINGERS_MAX * self._linger_s
        while LINGER_FROM <= self._next_size > len(self._waiting) and not self._stopping:
            came = len(self._waiting)
            self._wake.wait(self._linger_s)
            if len(self._waiting) == came or time.monotonic() >= until:
                return

    def _run(self, group: list[_Ticket[Item, Result]]) -> None:
        """A group that fails is run again item by item, so that one bad item does not fail the others."""
        try:
            with self._database.writing() as tx:
                exclusive = group[0].exclusive
                results = [exclusive(tx)] if exclusive else self._decide(tx, [ticket.item for ticket in group])
        except LedgerUnavailable as error:
            _answer([(ticket, error) for ticket in group])
        except Exception as error:  # noqa: BLE001 - raised again in the waiting request, which logs it
            if len(group) > 1:
                for ticket in group:
                    self._run([ticket])
            elif isinstance(error, RaceLost) and group[0].races < RACES_MAX:
                group[0].races += 1
                time.sleep(random.uniform(0.001, 0.005) * 2 ** group[0].races)
                self._run(group)
            else:
                _answer([(group[0], error)])
        else:
            _answer(list(zip(group, results, strict=True)))


class _Ticket(Generic[Item, Result]):
    __slots__ = ("exclusive", "future", "item", "loop", "races")

    def __init__(
        self,
        item: Item,
        exclusive: Callable[[Tx], Result] | None,
        loop: asyncio.AbstractEventLoop,
        future: asyncio.Future[Result],
    ) -> None:
        self.item = item
        self.exclusive = exclusive
        self.loop = loop
        self.future = future
        self.races = 0


def _answer(answers: list[tuple[_Ticket[Any, Any], Any]]) -> None:
    """Wakes the event loop once for the whole group; all tickets of a writer have the same loop."""
    if not answers[0][0].loop.is_closed():
        answers[0][0].loop.call_soon_threadsafe(_resolve, answers)


def _resolve(answers: list[tuple[_Ticket[Any, Any], Any]]) -> None:
    for ticket, answer in answers:
        if ticket.future.done():
            continue
        if isinstance(answer, Exception):
            ticket.future.set_exception(answer)
        else:
            ticket.future.set_result(answer)
