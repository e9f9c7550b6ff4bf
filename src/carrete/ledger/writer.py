"""The one writer of a process: a thread that lets whoever is waiting share the next commit.

Nobody is answered before the commit that holds their work is on the disk.
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
LINGER_FROM = 4  # who shared a commit: from here on they are waited for
LINGER_S_MAX = 0.003


class GroupWriter(Generic[Item, Result]):
    """`decide` gets a transaction and the items of a group, and gives one result for each, in their order."""

    def __init__(
        self,
        database: Database,
        decide: Callable[[Tx, Sequence[Item]], Sequence[Result]],
        name: str = "ledger-writer",
        linger_s_max: float = LINGER_S_MAX,
    ) -> None:
        self._linger_s_max = linger_s_max
        self._database = database
        self._decide = decide
        self._waiting: deque[_Ticket[Item, Result]] = deque()
        self._wake = threading.Condition()
        self._stopping = False
        self._expected = 0
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    async def submit(self, item: Item) -> Result:
        return await self._queued(item, None)

    async def run_exclusive(self, work: Callable[[Tx], T]) -> T:
        """A transaction of its own in the same thread, for housekeeping."""
        return cast(T, await self._queued(cast(Item, None), cast(Callable[[Tx], Result], work)))

    async def _queued(self, item: Item, alone: Callable[[Tx], Result] | None) -> Result:
        loop = asyncio.get_running_loop()
        ticket: _Ticket[Item, Result] = _Ticket(item, alone, loop, loop.create_future())
        with self._wake:
            if self._stopping:
                raise LedgerUnavailable("the server is stopping")
            if len(self._waiting) >= WAITING_MAX:
                raise LedgerUnavailable(f"{WAITING_MAX} actions are already waiting for the ledger")
            self._waiting.append(ticket)
            if len(self._waiting) in (1, self._expected):
                self._wake.notify()
        return await ticket.future

    def stop(self, wait_s_max: float = 1.0) -> None:
        """Finishes what is waiting, within a bound."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        self._thread.join(wait_s_max)

    def _work(self) -> None:
        while group := self._next_group():
            self._run(group)

    def _next_group(self) -> list[_Ticket[Item, Result]]:
        with self._wake:
            while not self._waiting and not self._stopping:
                self._wake.wait()
            self._linger()
            group: list[_Ticket[Item, Result]] = []
            while self._waiting and len(group) < GROUP_MAX:
                if self._waiting[0].run_exclusive is not None:
                    return group or [self._waiting.popleft()]
                group.append(self._waiting.popleft())
            self._expected = max(len(group), self._expected * 3 // 4)
            return group

    def _linger(self) -> None:
        """Whoever was answered together comes back nearly together. With a moment's patience they share the next commit
        too, instead of the first few having one for themselves; where few are at work, nobody waits."""
        until = time.monotonic() + self._linger_s_max
        while (
            LINGER_FROM <= self._expected > len(self._waiting)
            and not self._stopping
            and not self._waiting[0].run_exclusive
        ):
            left = until - time.monotonic()
            if left <= 0:
                return
            self._wake.wait(left)

    def _run(self, group: list[_Ticket[Item, Result]]) -> None:
        """A group that fails is tried one by one, so that one bad item takes nobody with it."""
        try:
            with self._database.writing() as tx:
                alone = group[0].run_exclusive
                results = [alone(tx)] if alone else self._decide(tx, [ticket.item for ticket in group])
        except LedgerUnavailable as error:
            _answer([(ticket, error) for ticket in group])
        except Exception as error:  # noqa: BLE001 - handed to whoever waits, who logs it with its request
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
    __slots__ = ("future", "item", "loop", "races", "run_exclusive")

    def __init__(
        self,
        item: Item,
        alone: Callable[[Tx], Result] | None,
        loop: asyncio.AbstractEventLoop,
        future: asyncio.Future[Result],
    ) -> None:
        self.item = item
        self.run_exclusive = alone
        self.loop = loop
        self.future = future
        self.races = 0


def _answer(answers: list[tuple[_Ticket[Any, Any], Any]]) -> None:
    """One wake-up of the event loop for the whole group; every ticket of a writer has the same loop."""
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
