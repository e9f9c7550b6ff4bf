"""Carries script calls to Redis: those of concurrent taps share one pipelined round trip per turn of the loop.

Calls that want the same for a lock each also share one run of the script. A call gives up after `call_s_max`. What it
did by then is unknown; every script may be repeated or healed after.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import hiredis
from redis.asyncio.connection import AbstractConnection, BlockingConnectionPool
from redis.exceptions import RedisError

from carrete.redis.breaker import Breaker
from carrete.redis.connection import RedisConnection

CALL_S_MAX = 0.150
BATCH_MAX = 512  # script runs in a round trip, and locks in a script run

Arg = bytes | str | int
Common = Callable[[], tuple[Sequence[str], Sequence[Arg]]]  # keys and arguments that all who share a run have alike


pack: Callable[[tuple[Arg, ...]], bytes] = hiredis.pack_command  # type: ignore[assignment]  # typed there as of one word


@dataclass(frozen=True, slots=True)
class Script:
    """A Lua script, with the SHA that Redis knows it by."""

    name: str
    text: bytes
    sha: bytes


class GateDown(Exception):
    """The call was not made, or nobody knows what became of it."""


def unheard(future: asyncio.Future[Any]) -> None:
    """For a call that nobody waits for."""
    if not future.cancelled():
        future.exception()


class ScriptPipeline:
    def __init__(self, pool: BlockingConnectionPool, breaker: Breaker, call_s_max: float = CALL_S_MAX) -> None:
        self._pool = pool
        self._breaker = breaker
        self.call_s_max = call_s_max
        self._waiting: list[_ScriptCall] = []
        self._shared: dict[str, _SharedScriptCall] = {}
        self._wires: dict[AbstractConnection, RedisConnection] = {}
        self._batches: set[_Batch] = set()
        self._connecting = 0
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
            self._enqueue(_ScriptCall(script, keys, args, future), loop)
        return future

    def share(self, script: Script, common: Common, key: str, arg: Arg) -> asyncio.Future[Any]:
        """The same, for a script that serves many locks at once: KEYS and ARGV are what is common, then each lock's.
        Its answer has one element for each lock. What is common comes from the first who calls in this turn."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        if self._breaker.is_open:
            future.set_exception(GateDown(self._breaker.reason))
            return future
        call = self._shared.get(script.name)
        if call is None or len(call.futures) >= BATCH_MAX:
            call = self._shared[script.name] = _SharedScriptCall(script, *common())
            self._enqueue(call, loop)
        call.add(key, arg, future)
        return future

    def _enqueue(self, call: _ScriptCall, loop: asyncio.AbstractEventLoop) -> None:
        if not self._waiting:
            loop.call_soon(self._flush, loop)
        self._waiting.append(call)

    def _flush(self, loop: asyncio.AbstractEventLoop) -> None:
        calls, self._waiting = self._waiting, []
        self._shared.clear()
        for start in range(0, len(calls), BATCH_MAX):
            batch = _Batch(self, calls[start : start + BATCH_MAX], loop.time() + self.call_s_max)
            wire = self._free_wire()
            if wire is not None:
                self._send(batch, wire, loop)
            else:
                batch.waits = self._pool_is_full()
                self._connecting += 1
                self._spawn(self._connect(batch, loop))

    def _free_wire(self) -> RedisConnection | None:
        """One that is connected and quiet. Otherwise the pool connects one, or waits for one, which needs a task."""
        free = self._pool._available_connections
        wire = self._wires.get(free[-1]) if free and not self._connecting else None
        if wire is None or not wire.usable:
            return None
        self._pool.get_available_connection()  # type: ignore[no-untyped-call]
        return wire

    async def _connect(self, batch: _Batch, loop: asyncio.AbstractEventLoop) -> None:
        try:
            async with asyncio.timeout_at(batch.deadline):
                connection = await self._pool.get_connection()  # type: ignore[no-untyped-call]
        except (RedisError, OSError, TimeoutError) as error:
            self._turned_away(batch, error)
        else:
            self._send(batch, self._wire_of(connection), loop)
        finally:
            self._connecting -= 1

    def _wire_of(self, connection: AbstractConnection) -> RedisConnection:
        wire = self._wires.get(connection)
        if wire is None or not wire.usable:
            wire = self._wires[connection] = RedisConnection(connection)
        return wire

    def _send(self, batch: _Batch, wire: RedisConnection, loop: asyncio.AbstractEventLoop) -> None:
        self.round_trips += 1
        self.calls += sum(len(call.futures) for call in batch.calls)
        self._batches.add(batch)
        batch.send(wire, loop)

    def completed(self, batch: _Batch, wire: RedisConnection) -> None:
        self._batches.discard(batch)
        if self._connecting:  # somebody may be waiting for it, whom only the pool can wake
            self._spawn(self._pool.release(wire.connection))
            return
        self._pool._in_use_connections.discard(wire.connection)
        self._pool._available_connections.append(wire.connection)

    def lost(self, batch: _Batch, wire: RedisConnection, reason: str, *, late: bool) -> None:
        """Who had to wait for a connection had less than the whole time for Redis: that says nothing about Redis."""
        self._batches.discard(batch)
        self._blame(reason, busy=late and batch.waits)
        self._spawn(self._disconnect(wire))

    async def _disconnect(self, wire: RedisConnection) -> None:
        """Answers may still be on their way: never read them."""
        try:
            await wire.connection.disconnect(nowait=True)
        finally:
            await self._pool.release(wire.connection)

    def refused(self, reason: str) -> None:
        self._breaker.open(reason)

    def _turned_away(self, batch: _Batch, error: Exception) -> None:
        """A pool with no free connection is busy, not dead: only that call goes on by the ledger."""
        reason = str(error) or type(error).__name__
        self._blame(reason, busy=isinstance(error, TimeoutError) and batch.waits)
        batch.fail(reason)

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

    async def reconnect(self) -> None:
        """Redis is elsewhere, or no longer what it was; whoever is under way goes on by the ledger. The breaker is
        open: nobody departs meanwhile."""
        for batch in list(self._batches):
            batch.cut_off("Redis is looked for anew")
        with suppress(RedisError, OSError):
            await self._pool.disconnect(inuse_connections=False)

    async def close(self) -> None:
        for batch in list(self._batches):
            batch.cut_off("the gate is closing")
        for task in list(self._busy):
            task.cancel()
        await asyncio.gather(*self._busy, return_exceptions=True)
        await self._pool.disconnect()


class _Batch:
    """One pipelined round trip on one wire; a second one on the same wire when Redis did not know a script."""

    __slots__ = ("_answers", "_pipeline", "_timer", "_unknown", "_wire", "calls", "deadline", "waits")

    def __init__(self, pipeline: ScriptPipeline, calls: list[_ScriptCall], deadline: float) -> None:
        self._pipeline = pipeline
        self.calls = calls
        self.deadline = deadline
        self.waits = False  # no connection was free when it departed
        self._answers = 0
        self._unknown: list[_ScriptCall] = []

    def send(self, wire: RedisConnection, loop: asyncio.AbstractEventLoop) -> None:
        self._wire = wire
        self._timer = loop.call_at(self.deadline, self._late)
        wire.send(b"".join([call.by_sha() for call in self.calls]), self)

    def heard(self, answer: Any) -> None:
        call = self.calls[self._answers]
        self._answers += 1
        if isinstance(answer, hiredis.ReplyError):
            self._heard_error(call, str(answer))
        else:
            call.answered(answer)
        if self._answers == len(self.calls):
            self._heard_all()

    def _heard_error(self, call: _ScriptCall, reason: str) -> None:
        if reason.startswith("NOSCRIPT"):
            self._unknown.append(call)
        else:
            call.failed(reason)
            self._pipeline.refused(reason)

    def _heard_all(self) -> None:
        if self._unknown:  # Redis was restarted: it learns the scripts again as they are used
            self.calls, self._unknown, self._answers = self._unknown, [], 0
            self._wire.send(b"".join([call.by_text() for call in self.calls]), self)
            return
        self._timer.cancel()
        self._wire.hang_up()
        self._pipeline.completed(self, self._wire)

    def _late(self) -> None:
        self.cut_off(f"timeout: no answer within {self._pipeline.call_s_max * 1000:.0f} ms", late=True)

    def cut_off(self, reason: str, *, late: bool = False) -> None:
        self._timer.cancel()
        self._wire.hang_up()
        self._wire.usable = False
        self._pipeline.lost(self, self._wire, reason, late=late)
        self.fail(reason)

    def fail(self, reason: str) -> None:
        for call in (*self.calls, *self._unknown):
            call.failed(reason)


class _ScriptCall:
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


class _SharedScriptCall(_ScriptCall):
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
