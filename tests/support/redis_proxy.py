"""A proxy between Carrete and Redis that stops, delays or loses one chosen call of one script.

A process that is killed "after the lock" is killed when Redis has answered and the answer has not arrived yet.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from carrete.gate.scripts import script
from tests.support.redis_server import RedisServer

MET_S_MAX = 20.0
CHUNK = 1 << 20


@dataclass
class Trap:
    """Waits for the nth call of a script, and acts once."""

    sha: bytes
    nth: int
    before: Callable[[], None] | None = None
    after: Callable[[], None] | None = None
    swallow: bool = False
    drop_answer: bool = False
    hold: bool = False
    met: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)

    def springs(self, data: bytes) -> bool:
        if self.met.is_set() or self.sha not in data:
            return False
        self.nth -= 1
        return self.nth == 0

    def wait(self) -> None:
        assert self.met.wait(MET_S_MAX), "the script was not called"


class RedisProxy:
    def __init__(self, server: RedisServer) -> None:
        self.socket = server.folder / "proxy.sock"
        self.url = f"unix://{self.socket}"
        self.delay_s = 0.0
        self.chunks = 0
        self._upstream: Path = server.socket
        self._traps: list[Trap] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="redis-proxy", daemon=True)
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    # ─── what a test asks for ─────────────────────────────────────────────────────────────────────────────

    def before(self, name: str, do: Callable[[], None], *, nth: int = 1) -> Trap:
        """Does this instead of passing the call on to Redis."""
        return self._set(Trap(_sha(name), nth, before=do, swallow=True))

    def after(self, name: str, do: Callable[[], None], *, nth: int = 1) -> Trap:
        """Does this when Redis has run the script; the answer is lost."""
        return self._set(Trap(_sha(name), nth, after=do, drop_answer=True))

    def swallow(self, name: str, *, nth: int = 1) -> Trap:
        return self._set(Trap(_sha(name), nth, swallow=True))

    def drop_answer(self, name: str, *, nth: int = 1) -> Trap:
        return self._set(Trap(_sha(name), nth, drop_answer=True))

    def hold(self, name: str, *, nth: int = 1) -> Trap:
        """Holds the call back until `go_on` is set."""
        return self._set(Trap(_sha(name), nth, hold=True))

    def _set(self, trap: Trap) -> Trap:
        self._traps.append(trap)
        return trap

    # ─── how it works ─────────────────────────────────────────────────────────────────────────────────────

    def start(self) -> None:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(MET_S_MAX)

    async def _listen(self) -> None:
        self._server = await asyncio.start_unix_server(self._serve, str(self.socket), limit=CHUNK)

    def stop(self) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(MET_S_MAX)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(MET_S_MAX)
        self._loop.close()

    async def _close(self) -> None:
        for trap in self._traps:
            trap.go_on.set()
        if self._server is not None:
            self._server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            with suppress(OSError, asyncio.CancelledError):
                redis_reader, redis_writer = await asyncio.open_unix_connection(str(self._upstream), limit=CHUNK)
                try:
                    await self._carry(reader, writer, redis_reader, redis_writer)
                finally:
                    redis_writer.close()
        finally:
            writer.close()
            self._connections.discard(task)

    async def _carry(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        redis_reader: asyncio.StreamReader,
        redis_writer: asyncio.StreamWriter,
    ) -> None:
        """Expects one call and its answer at a time, which is how the pipeline and redis-py use a connection."""
        answers = asyncio.ensure_future(self._answers(redis_reader, writer))
        try:
            while data := await reader.read(CHUNK):
                self.chunks += 1
                if self.delay_s:
                    await asyncio.sleep(self.delay_s)
                trap = next((trap for trap in self._traps if trap.springs(data)), None)
                if trap is None:
                    redis_writer.write(data)
                    continue
                if trap.before:
                    await asyncio.to_thread(trap.before)
                if trap.hold:
                    trap.met.set()
                    await asyncio.to_thread(trap.go_on.wait, MET_S_MAX)
                if trap.drop_answer:
                    answers.cancel()
                    await asyncio.wait([answers])
                    redis_writer.write(data)
                    await redis_reader.read(CHUNK)
                    if trap.after:
                        await asyncio.to_thread(trap.after)
                elif not trap.swallow:
                    redis_writer.write(data)
                    continue
                trap.met.set()
                return  # which closes the connection
        finally:
            answers.cancel()

    async def _answers(self, redis_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Passes answers on; when Redis closes the connection, the client's is closed too."""
        with suppress(OSError):
            while answer := await redis_reader.read(CHUNK):
                writer.write(answer)
        writer.close()


def _sha(name: str) -> bytes:
    return script(name).sha


@contextmanager
def running_proxy(server: RedisServer) -> Iterator[RedisProxy]:
    proxy = RedisProxy(server)
    proxy.start()
    try:
        yield proxy
    finally:
        proxy.stop()
