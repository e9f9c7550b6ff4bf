"""One whole process with its gate, in this one: a ledger, a real Redis, and what runs in the background."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from carrete.actions.answer import Answer
from carrete.domain.commands import Command, Pausar, Tomar
from carrete.domain.spool import Operacion
from carrete.gate.assembly import RedisGateServices
from carrete.gate.heal import LedgerLock
from carrete.gate.locks import OLD_S
from carrete.ledger import queries
from carrete.ledger.database import Database
from carrete.services import Services
from carrete.settings import Settings
from tests.support.acting import a_request, code
from tests.support.redis_server import RedisServer

T = TypeVar("T")
WAIT_S_MAX = 20.0
BUSY = 4  # what is promised of an idle machine may take this much longer on one that runs tests side by side


class GatedFloor:
    """Its background works only while something is being done on it: a test decides when time goes on."""

    def __init__(self, database_url: str, redis_url: str, folder: Path, *, connections: int = 50) -> None:
        self.settings = Settings(
            data=folder, database_url=database_url, redis_url=redis_url, redis_max_connections=connections
        )
        self._loop = asyncio.Runner()
        self._closed = False
        self.services: Services = self.run(self._open())

    async def _open(self) -> Services:
        return Services(self.settings)

    @property
    def gate(self) -> RedisGateServices:
        assert self.services.gate_services is not None
        return self.services.gate_services

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run(work)

    def start(self) -> None:
        """With everything in the background, and its first look at Redis done."""

        async def begin() -> None:
            self.services.start()
            await until(lambda: not self.gate.breaker.is_open and self.gate.reconciler.passes > 0, WAIT_S_MAX)

        self.run(begin())

    def open_the_gate(self) -> None:
        """Without a background: the gate is used, and repairs happen only when the test asks for them."""
        self.gate.breaker.close()

    def rebuild(self) -> None:
        self.run(self.gate.reconciler.rebuild())

    def rest(self, seconds: float) -> None:
        """Nobody taps; the background goes on."""
        self.run(asyncio.sleep(seconds))

    def rest_until(self, true: Callable[[], bool], within_s: float = WAIT_S_MAX) -> float:
        """Nobody taps until it is so; the seconds it took."""
        return self.run(until(true, within_s))

    def do(self, *commands: Command, key: str | None = None) -> Answer:
        return self.run(self.services.performer.perform(a_request(*commands, key=key)))

    async def take_now(self, tag: str, worker_id: int) -> str:
        """For what happens in the middle of something else."""
        return code(await self.services.performer.perform(a_request(Tomar(tag, worker_id, Operacion.ARM))))

    async def end_now(self, tag: str, worker_id: int) -> str:
        return code(await self.services.performer.perform(a_request(Pausar(tag, worker_id, Operacion.ARM))))

    def take(self, tag: str, worker_id: int, *, key: str | None = None) -> str:
        """OK, or the code it was refused with."""
        return code(self.do(Tomar(tag, worker_id, Operacion.ARM), key=key))

    def end(self, tag: str, worker_id: int, *, key: str | None = None) -> str:
        return code(self.do(Pausar(tag, worker_id, Operacion.ARM), key=key))

    def all_take(self, tag: str, workers: Sequence[int]) -> list[str]:
        """All of them at the same moment."""

        async def together() -> list[Answer]:
            perform = self.services.performer.perform
            return await asyncio.gather(*(perform(a_request(Tomar(tag, w, Operacion.ARM))) for w in workers))

        return [code(answer) for answer in self.run(together())]

    def holders(self) -> dict[str, str]:
        return occupations(self.services.database)

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            self.run(asyncio.wait_for(self.services.stop(), WAIT_S_MAX))
        finally:
            self._loop.close()


@contextmanager
def a_gated_floor(
    database_url: str, redis_url: str, folder: Path, *, connections: int = 50, background: bool = False
) -> Iterator[GatedFloor]:
    floor = GatedFloor(database_url, redis_url, folder, connections=connections)
    try:
        if background:
            floor.start()
        else:
            floor.open_the_gate()
        yield floor
    finally:
        floor.close()


class LedgerThat:
    """The ledger as the gate asks it, after whose nth word something happens before it is acted upon."""

    def __init__(self, services: Services, then: Callable[[], Coroutine[Any, Any, None]], *, nth: int = 1) -> None:
        self._house = services
        self._then = then
        self._left = nth

    async def __call__(self, tags: Sequence[str] | None) -> dict[str, LedgerLock]:
        found = await self._house.read(lambda tx: queries.locks(tx, tags))
        self._left -= 1
        if self._left == 0:
            await self._then()
        return {tag: LedgerLock(value, int(since.timestamp())) for tag, (value, since) in found.items()}


def occupations(database: Database) -> dict[str, str]:
    """Tag and lock value of every occupation in the ledger."""
    with database.reading() as tx:
        return {tag: value for tag, (value, _) in queries.locks(tx, None).items()}


def young_occupations(database: Database) -> dict[str, str]:
    with database.reading() as tx:
        found = queries.locks(tx, None)
    young = time.time() - OLD_S
    return {tag: value for tag, (value, since) in found.items() if since.timestamp() > young}


def is_at_rest(redis: RedisServer, database: Database) -> bool:
    """Locks = the ledger's occupations, all of them held and in the index. A member of the index whose lock ran out
    may still be there: it leaves with some take, a day later."""
    ledger_lock, locks = young_occupations(database), redis.locks()
    return locks == ledger_lock and not redis.pending() and set(redis.index()) & set(locks) == set(ledger_lock)


def assert_at_rest(redis: RedisServer, database: Database) -> None:
    ledger_lock, locks = young_occupations(database), redis.locks()
    assert locks == ledger_lock
    assert redis.pending() == set()
    assert set(redis.index()) & set(locks) == set(ledger_lock)


async def until(true: Callable[[], bool], within_s: float) -> float:
    begun = time.monotonic()
    while not true():
        took = time.monotonic() - begun
        assert took < within_s * BUSY, f"it did not come true within {within_s} s, nor long after"
        await asyncio.sleep(0.01)
    return time.monotonic() - begun


def eventually(true: Callable[[], bool], within_s: float) -> float:
    """The same for what happens in other processes."""
    begun = time.monotonic()
    while not true():
        took = time.monotonic() - begun
        assert took < within_s * BUSY, f"it did not come true within {within_s} s, nor long after"
        time.sleep(0.02)
    return time.monotonic() - begun
