"""Sends script calls to Redis: the calls of one turn of the event loop share one pipelined round trip, and so do those
of the next turns as long as each of them brings more.

Calls of the same script for single locks also share one run of the script. A call fails after `call_s_max`, and then
it is unknown whether Redis ran the script. That is harmless: every script can be repeated, and a heal repairs its lock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any

import hiredis
from redis.asyncio.connection import AbstractConnection, BlockingConnectionPool
from redis.exceptions import RedisError

from carrete.redis.breaker import Breaker
from carrete.redis.connection import RedisConnection
from carrete.redis.script_calls import Arg, RedisCallFailed, Script, ScriptCall, SharedScriptCall

CALL_S_MAX = 0.150
BATCH_MAX = 512  # script runs in a round trip, and locks in a script run
GATHERING_TURNS_MAX = 8  # of the event loop, in which further calls join a batch

CommonArgs = Callable[[], tuple[Sequence[str], Sequence[Arg]]]  # the keys and arguments that come before those of locks


class ScriptPipeline:
    def __init__(self, pool: BlockingConnectionPool, breaker: Breaker, call_s_max: float = CALL_S_MAX) -> None:
        self._pool = pool
        self._breaker = breaker
        self.call_s_max = call_s_max
        self._waiting: list[ScriptCall] = []
        self._callers = 0  # how many calls wait to be sent
        self._shared: dict[str, SharedScriptCall] = {}
        self._connections: dict[AbstractConnection, RedisConnection] = {}
        self._batches: set[_Batch] = set()
        self._connecting = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self.round_trips = 0
        self.calls = 0
        self.pool_waits_lost = 0

    def call(self, script: Script, keys: Sequence[str], args: Sequence[Arg]) -> asyncio.Future[Any]:
        """The script's answer; the future raises RedisCallFailed when there is none."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        if self._breaker.is_open:
            future.set_exception(RedisCallFailed(self._breaker.reason))
        else:
            self._enqueue(ScriptCall(script, keys, args, future), loop)
        return future

    def share(self, script: Script, common: CommonArgs, key: str, arg: Arg) -> asyncio.Future[Any]:
        """Like `call`, for a script that handles many locks at once and answers with one element for each lock. KEYS
        and ARGV are the common ones, then one for each lock; the first caller in a turn provides the common ones."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        if self._breaker.is_open:
            future.set_exception(RedisCallFailed(self._breaker.reason))
            return future
        call = self._shared.get(script.name)
        if call is None or len(call.futures) >= BATCH_MAX:
            call = self._shared[script.name] = SharedScriptCall(script, *common())
            self._enqueue(call, loop)
        call.add(key, arg, future)
        self._callers += 1
        return future

    def _enqueue(self, call: ScriptCall, loop: asyncio.AbstractEventLoop) -> None:
        if not self._waiting:
            self._callers = 0
            loop.call_soon(self._gather, loop, 1, GATHERING_TURNS_MAX)
        self._waiting.append(call)

    def _gather(self, loop: asyncio.AbstractEventLoop, callers: int, turns: int) -> None:
        """A call that came alone leaves at once. Where each turn brings more, as when fifty people tap together, they
        leave together: each send wakes Redis up, which costs more than several calls."""
        if self._callers > callers and turns:
            loop.call_soon(self._gather, loop, self._callers, turns - 1)
        else:
            self._flush(loop)

    def _flush(self, loop: asyncio.AbstractEventLoop) -> None:
        calls, self._waiting = self._waiting, []
        self._shared.clear()
        for start in range(0, len(calls), BATCH_MAX):
            batch = _Batch(self, calls[start : start + BATCH_MAX], loop.time() + self.call_s_max)
            connection = self._free_connection()
            if connection is not None:
                self._send(batch, connection, loop)
            else:
                batch.waited_for_pool = self._pool_is_full()
                self._connecting += 1
                self._spawn(self._connect(batch, loop))

    def _free_connection(self) -> RedisConnection | None:
        """A connected connection that is not in use. Without one the caller asks the pool, which must be awaited."""
        free = self._pool._available_connections
        connection = self._connections.get(free[-1]) if free and not self._connecting else None
        if connection is None or not connection.usable:
            return None
        self._pool.get_available_connection()  # type: ignore[no-untyped-call]
        return connection

    async def _connect(self, batch: _Batch, loop: asyncio.AbstractEventLoop) -> None:
        try:
            async with asyncio.timeout_at(batch.deadline):
                pooled = await self._pool.get_connection()  # type: ignore[no-untyped-call]
        except (RedisError, OSError, TimeoutError) as error:
            self._fail_unsent(batch, error)
        else:
            self._send(batch, self._wrapped(pooled), loop)
        finally:
            self._connecting -= 1

    def _wrapped(self, pooled: AbstractConnection) -> RedisConnection:
        connection = self._connections.get(pooled)
        if connection is None or not connection.usable:
            connection = self._connections[pooled] = RedisConnection(pooled)
        return connection

    def _send(self, batch: _Batch, connection: RedisConnection, loop: asyncio.AbstractEventLoop) -> None:
        self.round_trips += 1
        self.calls += sum(len(call.futures) for call in batch.calls)
        self._batches.add(batch)
        batch.send(connection, loop)

    def completed(self, batch: _Batch, connection: RedisConnection) -> None:
        self._batches.discard(batch)
        if self._connecting:  # only the pool's own release wakes a task that waits for a connection
            self._spawn(self._pool.release(connection.pooled))
            return
        self._pool._in_use_connections.discard(connection.pooled)
        self._pool._available_connections.append(connection.pooled)

    def lost(self, batch: _Batch, connection: RedisConnection, reason: str, *, late: bool) -> None:
        """A batch that first had to wait for a connection left Redis less than the whole time: when it is late, that is
        no proof that Redis is down."""
        self._batches.discard(batch)
        self._count_failure(reason, pool_was_full=late and batch.waited_for_pool)
        self._spawn(self._disconnect(connection))

    async def _disconnect(self, connection: RedisConnection) -> None:
        """Late answers may still arrive on this connection: it must not be used again."""
        try:
            await connection.pooled.disconnect(nowait=True)
        finally:
            await self._pool.release(connection.pooled)

    def refused(self, reason: str) -> None:
        self._breaker.open(reason)

    def _fail_unsent(self, batch: _Batch, error: Exception) -> None:
        """When all connections of the pool are in use, only this batch fails: Redis itself is not down."""
        reason = str(error) or type(error).__name__
        self._count_failure(reason, pool_was_full=isinstance(error, TimeoutError) and batch.waited_for_pool)
        batch.fail(reason)

    def _count_failure(self, reason: str, *, pool_was_full: bool) -> None:
        if pool_was_full:
            self.pool_waits_lost += 1
        else:
            self._breaker.open(reason)

    def _pool_is_full(self) -> bool:
        return len(self._pool._in_use_connections) >= self._pool.max_connections

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def reconnect(self) -> None:
        """Redis moved or was replaced: fails the batches under way and drops all connections. The breaker is open
        meanwhile, so that no new batch is sent."""
        for batch in list(self._batches):
            batch.on_lost("Redis is looked for anew")
        with suppress(RedisError, OSError):
            await self._pool.disconnect(inuse_connections=False)

    async def close(self) -> None:
        for batch in list(self._batches):
            batch.on_lost("the gate is closing")
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._pool.disconnect()


class _Batch:
    """The calls of one pipelined round trip. Calls whose script Redis did not know are sent once more with its text."""

    __slots__ = ("_answers", "_connection", "_pipeline", "_timer", "_unknown", "calls", "deadline", "waited_for_pool")

    def __init__(self, pipeline: ScriptPipeline, calls: list[ScriptCall], deadline: float) -> None:
        self._pipeline = pipeline
        self.calls = calls
        self.deadline = deadline
        self.waited_for_pool = False  # every connection was in use when the batch was to be sent
        self._answers = 0
        self._unknown: list[ScriptCall] = []

    def send(self, connection: RedisConnection, loop: asyncio.AbstractEventLoop) -> None:
        self._connection = connection
        self._timer = loop.call_at(self.deadline, self._on_deadline)
        connection.send(b"".join([call.by_sha() for call in self.calls]), self)

    def on_answer(self, answer: Any) -> None:
        call = self.calls[self._answers]
        self._answers += 1
        if isinstance(answer, hiredis.ReplyError):
            self._on_error(call, str(answer))
        else:
            call.succeed(answer)
        if self._answers == len(self.calls):
            self._on_last_answer()

    def _on_error(self, call: ScriptCall, reason: str) -> None:
        if reason.startswith("NOSCRIPT"):
            self._unknown.append(call)
        else:
            call.fail(reason)
            self._pipeline.refused(reason)

    def _on_last_answer(self) -> None:
        if self._unknown:  # Redis was restarted: EVAL with the text makes it learn the script again
            self.calls, self._unknown, self._answers = self._unknown, [], 0
            self._connection.send(b"".join([call.by_text() for call in self.calls]), self)
            return
        self._timer.cancel()
        self._connection.remove_listener()
        self._pipeline.completed(self, self._connection)

    def _on_deadline(self) -> None:
        self.on_lost(f"timeout: no answer within {self._pipeline.call_s_max * 1000:.0f} ms", late=True)

    def on_lost(self, reason: str, *, late: bool = False) -> None:
        self._timer.cancel()
        self._connection.remove_listener()
        self._connection.usable = False
        self._pipeline.lost(self, self._connection, reason, late=late)
        self.fail(reason)

    def fail(self, reason: str) -> None:
        for call in (*self.calls, *self._unknown):
            call.fail(reason)
