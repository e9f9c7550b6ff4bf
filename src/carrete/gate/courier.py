"""Carries script calls to Redis: those of concurrent taps share one pipelined round trip per turn of the loop.

Calls that want the same for a lock each also share one run of the script. A call gives up after CALL_S_MAX. What it
did by then is unknown; every script may be repeated or healed after.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any

import hiredis
from redis.asyncio.connection import AbstractConnection, BlockingConnectionPool
from redis.exceptions import RedisError

from carrete.gate.breaker import Breaker
from carrete.gate.scripts import Script
from carrete.gate.wire import Wire

CALL_S_MAX = 0.150
BATCH_MAX = 512  # script runs in a round trip, and locks in a script run

Arg = bytes | str | int
Common = Callable[[], tuple[Sequence[str], Sequence[Arg]]]  # keys and arguments that all who share a run have alike


pack: Callable[[tuple[Arg, ...]], bytes] = hiredis.pack_command  # type: ignore[assignment]  # typed there as of one word


class GateDown(Exception):
    """The call was not made, or nobody knows what became of it."""


def unheard(future: asyncio.Future[Any]) -> None:
    """For a call that nobody waits for."""
    if not future.cancelled():
        future.exception()


class Courier:
    def __init__(self, pool: BlockingConnectionPool, breaker: Breaker) -> None:
        self._pool = pool
        self._breaker = breaker
        self._waiting: list[_Errand] = []
        self._shared: dict[str, _SharedErrand] = {}
        self._wires: dict[AbstractConnection, Wire] = {}
        self._flights: set[_Flight] = set()
        self._boarding = 0
        self._busy: set[asyncio.Task[None]] = set()
        self.round_trips = 0
        self.calls = 0
        self.pool_waits_lost = 0

    def call(self, script: Script, keys: Sequence[str], args: Sequence[Arg]) -> asyncio.Future[Any]:
        """The script's answer; GateDown when there is none."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        if self._breaker.is_open:
            future.set_exception(GateDown(self._breaker.reason))
        else:
            self._line_up(_Errand(script, keys, args, future), loop)
        return future

    def share(self, script: Script, common: Common, key: str, arg: Arg) -> asyncio.Future[Any]:
        """The same, for a script that serves many locks at once: KEYS and ARGV are what is common, then each lock's.
        Its answer has one element for each lock. What is common comes from the first who calls in this turn."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        if self._breaker.is_open:
            future.set_exception(GateDown(self._breaker.reason))
            return future
        errand = self._shared.get(script.name)
        if errand is None or len(errand.futures) >= BATCH_MAX:
            errand = self._shared[script.name] = _SharedErrand(script, *common())
            self._line_up(errand, loop)
        errand.add(key, arg, future)
        return future

    def _line_up(self, errand: _Errand, loop: asyncio.AbstractEventLoop) -> None:
        if not self._waiting:
            loop.call_soon(self._depart, loop)
        self._waiting.append(errand)

    def _depart(self, loop: asyncio.AbstractEventLoop) -> None:
        errands, self._waiting = self._waiting, []
        self._shared.clear()
        for start in range(0, len(errands), BATCH_MAX):
            flight = _Flight(self, errands[start : start + BATCH_MAX], loop.time() + CALL_S_MAX)
            wire = self._free_wire()
            if wire is not None:
                self._take_off(flight, wire, loop)
            else:
                flight.waits = self._pool_is_full()
                self._boarding += 1
                self._spawn(self._board(flight, loop))

    def _free_wire(self) -> Wire | None:
        """One that is connected and quiet. Otherwise the pool connects one, or waits for one, which needs a task."""
        free = self._pool._available_connections
        wire = self._wires.get(free[-1]) if free and not self._boarding else None
        if wire is None or not wire.usable:
            return None
        self._pool.get_available_connection()  # type: ignore[no-untyped-call]
        return wire

    async def _board(self, flight: _Flight, loop: asyncio.AbstractEventLoop) -> None:
        try:
            async with asyncio.timeout_at(flight.deadline):
                connection = await self._pool.get_connection()  # type: ignore[no-untyped-call]
        except (RedisError, OSError, TimeoutError) as error:
            self._turned_away(flight, error)
        else:
            self._take_off(flight, self._wire_of(connection), loop)
        finally:
            self._boarding -= 1

    def _wire_of(self, connection: AbstractConnection) -> Wire:
        wire = self._wires.get(connection)
        if wire is None or not wire.usable:
            wire = self._wires[connection] = Wire(connection)
        return wire

    def _take_off(self, flight: _Flight, wire: Wire, loop: asyncio.AbstractEventLoop) -> None:
        self.round_trips += 1
        self.calls += sum(len(errand.futures) for errand in flight.errands)
        self._flights.add(flight)
        flight.take_off(wire, loop)

    def landed(self, flight: _Flight, wire: Wire) -> None:
        self._flights.discard(flight)
        if self._boarding:  # somebody may be waiting for it, whom only the pool can wake
            self._spawn(self._pool.release(wire.connection))
            return
        self._pool._in_use_connections.discard(wire.connection)
        self._pool._available_connections.append(wire.connection)

    def lost(self, flight: _Flight, wire: Wire, reason: str, *, late: bool) -> None:
        """Who had to wait for a connection had less than the whole time for Redis: that says nothing about Redis."""
        self._flights.discard(flight)
        self._blame(reason, busy=late and flight.waits)
        self._spawn(self._disconnect(wire))

    async def _disconnect(self, wire: Wire) -> None:
        """Answers may still be on their way: never read them."""
        try:
            await wire.connection.disconnect(nowait=True)
        finally:
            await self._pool.release(wire.connection)

    def refused(self, reason: str) -> None:
        self._breaker.open(reason)

    def _turned_away(self, flight: _Flight, error: Exception) -> None:
        """A pool with no free connection is busy, not dead: only that call goes on by the ledger."""
        reason = str(error) or type(error).__name__
        self._blame(reason, busy=isinstance(error, TimeoutError) and flight.waits)
        flight.fail(reason)

    def _blame(self, reason: str, *, busy: bool) -> None:
        if busy:
            self.pool_waits_lost += 1
        else:
            self._breaker.open(reason)

    def _pool_is_full(self) -> bool:
        return len(self._pool._in_use_connections) >= self._pool.max_connections

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._busy.add(task)
        task.add_done_callback(self._busy.discard)

    async def connect_anew(self) -> None:
        """Redis is elsewhere, or no longer what it was; whoever is under way goes on by the ledger. The breaker is
        open: nobody departs meanwhile."""
        for flight in list(self._flights):
            flight.cut_off("Redis is looked for anew")
        with suppress(RedisError, OSError):
            await self._pool.disconnect(inuse_connections=False)

    async def close(self) -> None:
        for flight in list(self._flights):
            flight.cut_off("the gate is closing")
        for task in list(self._busy):
            task.cancel()
        await asyncio.gather(*self._busy, return_exceptions=True)
        await self._pool.disconnect()


class _Flight:
    """One pipelined round trip on one wire; a second one on the same wire when Redis did not know a script."""

    __slots__ = ("_answers", "_courier", "_timer", "_unknown", "_wire", "deadline", "errands", "waits")

    def __init__(self, courier: Courier, errands: list[_Errand], deadline: float) -> None:
        self._courier = courier
        self.errands = errands
        self.deadline = deadline
        self.waits = False  # no connection was free when it departed
        self._answers = 0
        self._unknown: list[_Errand] = []

    def take_off(self, wire: Wire, loop: asyncio.AbstractEventLoop) -> None:
        self._wire = wire
        self._timer = loop.call_at(self.deadline, self._late)
        wire.send(b"".join([errand.by_sha() for errand in self.errands]), self)

    def heard(self, answer: Any) -> None:
        errand = self.errands[self._answers]
        self._answers += 1
        if isinstance(answer, hiredis.ReplyError):
            self._heard_error(errand, str(answer))
        else:
            errand.answered(answer)
        if self._answers == len(self.errands):
            self._heard_all()

    def _heard_error(self, errand: _Errand, reason: str) -> None:
        if reason.startswith("NOSCRIPT"):
            self._unknown.append(errand)
        else:
            errand.failed(reason)
            self._courier.refused(reason)

    def _heard_all(self) -> None:
        if self._unknown:  # Redis was restarted: it learns the scripts again as they are used
            self.errands, self._unknown, self._answers = self._unknown, [], 0
            self._wire.send(b"".join([errand.by_text() for errand in self.errands]), self)
            return
        self._timer.cancel()
        self._wire.hang_up()
        self._courier.landed(self, self._wire)

    def _late(self) -> None:
        self.cut_off(f"timeout: no answer within {CALL_S_MAX * 1000:.0f} ms", late=True)

    def cut_off(self, reason: str, *, late: bool = False) -> None:
        self._timer.cancel()
        self._wire.hang_up()
        self._wire.usable = False
        self._courier.lost(self, self._wire, reason, late=late)
        self.fail(reason)

    def fail(self, reason: str) -> None:
        for errand in (*self.errands, *self._unknown):
            errand.failed(reason)


class _Errand:
    """One run of a script."""

    __slots__ = ("_args", "_keys", "_script", "futures")

    def __init__(self, script: Script, keys: Sequence[str], args: Sequence[Arg], *futures: asyncio.Future[Any]) -> None:
        self._script = script
        self._keys = [*keys]
        self._args = [*args]
        self.futures = [*futures]

    def by_sha(self) -> bytes:
        return self._packed(b"EVALSHA", self._script.sha)

    def by_text(self) -> bytes:
        return self._packed(b"EVAL", self._script.text)

    def _packed(self, verb: bytes, script: bytes) -> bytes:
        return pack((verb, script, len(self._keys), *self._keys, *self._args))

    def answered(self, answer: Any) -> None:
        (future,) = self.futures
        if not future.done():
            future.set_result(answer)

    def failed(self, reason: str) -> None:
        for future in self.futures:
            if not future.done():
                future.set_exception(GateDown(reason))


class _SharedErrand(_Errand):
    """For many callers: each gets the answer's element about its own lock."""

    __slots__ = ()

    def add(self, key: str, arg: Arg, future: asyncio.Future[Any]) -> None:
        self._keys.append(key)
        self._args.append(arg)
        self.futures.append(future)

    def answered(self, answer: Any) -> None:
        for future, part in zip(self.futures, answer, strict=True):
            if not future.done():
                future.set_result(part)
