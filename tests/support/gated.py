"""The services of a server inside the test's own process: a ledger, a real Redis, and the background tasks."""

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
from carrete.redis.pipeline import CALL_S_MAX
from carrete.services import Services
from carrete.settings import Settings
from tests.support.acting import a_request, code
from tests.support.redis_server import RedisServer

T = TypeVar("T")
WAIT_S_MAX = 20.0
BUSY = 4  # time limits are multiplied by this, because tests that run side by side slow each other down


class GatedFloor:
    """The event loop runs only during a call of its methods, so that a test decides when background tasks go on."""

    def __init__(
        self,
        database_url: str,
        redis_url: str,
        folder: Path,
        *,
        connections: int = 50,
        call_s_max: float = CALL_S_MAX,
    ) -> None:
        self.settings = Settings(
            access="open",
            data=folder,
            database_url=database_url,
            redis_url=redis_url,
            redis_max_connections=connections,
        )
        self._call_s_max = call_s_max
        self._loop = asyncio.Runner()
        self._closed = False
        self.services: Services = self.run(self._open())

    async def _open(self) -> Services:
        return Services(self.settings, redis_call_s_max=self._call_s_max)

    @property
    def gate(self) -> RedisGateServices:
        assert self.services.gate_services is not None
        return self.services.gate_services

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run(work)

    def start(self) -> None:
        """Starts the background tasks, and waits until the locks were rebuilt."""

        async def begin() -> None:
            self.services.start()
            await until(lambda: not self.gate.breaker.is_open and self.gate.reconciler.passes > 0, WAIT_S_MAX)

        self.run(begin())

    def open_the_gate(self) -> None:
        """Uses Redis without background tasks: only the test itself calls for repairs."""
        self.gate.breaker.close()

    def rebuild(self) -> None:
        self.run(self.gate.reconciler.rebuild())

    def rest(self, seconds: float) -> None:
        """Lets the background tasks run for that many seconds."""
        self.run(asyncio.sleep(seconds))

    def rest_until(self, condition: Callable[[], bool], within_s: float = WAIT_S_MAX) -> float:
        """Lets the background tasks run until the condition holds; returns the seconds it took."""
        return self.run(until(condition, within_s))

    def do(self, *commands: Command, key: str | None = None) -> Answer:
        return self.run(self.services.performer.perform(a_request(*commands, key=key)))

    async def take_now(self, tag: str, worker_id: int) -> str:
        """For a take during another action, while the event loop runs."""
        return code(await self.services.performer.perform(a_request(Tomar(tag, worker_id, Operacion.ARM))))

    async def end_now(self, tag: str, worker_id: int) -> str:
        return code(await self.services.performer.perform(a_request(Pausar(tag, worker_id, Operacion.ARM))))

    def take(self, tag: str, worker_id: int, *, key: str | None = None) -> str:
        """Returns OK, or the code of the refusal."""
        return code(self.do(Tomar(tag, worker_id, Operacion.ARM), key=key))

    def end(self, tag: str, worker_id: int, *, key: str | None = None) -> str:
        return code(self.do(Pausar(tag, worker_id, Operacion.ARM), key=key))

    def all_take(self, tag: str, workers: Sequence[int]) -> list[str]:
        """All workers take at the same moment."""

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
    database_url: str,
    redis_url: str,
    folder: Path,
    *,
    connections: int = 50,
    background: bool = False,
    call_s_max: float = CALL_S_MAX,
) -> Iterator[GatedFloor]:
    floor = GatedFloor(database_url, redis_url, folder, connections=connections, call_s_max=call_s_max)
    try:
        if background:
            floor.start()
        else:
            floor.open_the_gate()
        yield floor
    finally:
        floor.close()


class InterruptedLedger:
    """The ledger as the gate reads it. After the nth read, `then` runs before the gate gets the result."""

    def __init__(self, services: Services, then: Callable[[], Coroutine[Any, Any, None]], *, nth: int = 1) -> None:
        self._services = services
        self._then = then
        self._left = nth

    async def __call__(self, tags: Sequence[str] | None) -> dict[str, LedgerLock]:
        found = await self._services.read(lambda tx: queries.locks(tx, tags))
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
    """Whether the locks equal the ledger's occupations, and all are held and in the index. The index may also have
    members whose lock expired: a take removes them a day later."""
    occupied, locks = young_occupations(database), redis.locks()
    return locks == occupied and not redis.pending() and set(redis.index()) & set(locks) == set(occupied)


def assert_at_rest(redis: RedisServer, database: Database) -> None:
    occupied, locks = young_occupations(database), redis.locks()
    assert locks == occupied
    assert redis.pending() == set()
    assert set(redis.index()) & set(locks) == set(occupied)


async def until(condition: Callable[[], bool], within_s: float) -> float:
    """Waits until the condition holds, while the event loop runs; returns the seconds it took."""
    started_at = time.monotonic()
    while not condition():
        took = time.monotonic() - started_at
        assert took < within_s * BUSY, f"it did not come true within {within_s} s, nor long after"
        await asyncio.sleep(0.01)
    return time.monotonic() - started_at


def eventually(condition: Callable[[], bool], within_s: float) -> float:
    """Like `until`, for a condition that another process fulfils."""
    started_at = time.monotonic()
    while not condition():
        took = time.monotonic() - started_at
        assert took < within_s * BUSY, f"it did not come true within {within_s} s, nor long after"
        time.sleep(0.02)
    return time.monotonic() - started_at
