"""One connection to Redis: redis-py connects and logs in, then this class reads and writes the socket itself.

Each call bypasses redis-py, whose layers cost several times as much as Redis.
"""

from __future__ import annotations

import asyncio
from typing import Any, Protocol, cast

import hiredis
from redis.asyncio.connection import AbstractConnection

_INCOMPLETE = object()


class Listener(Protocol):
    def on_answer(self, answer: Any) -> None: ...

    def on_lost(self, reason: str) -> None: ...


class RedisConnection(asyncio.Protocol):
    """Passes answers to one listener at a time. Without a listener, data goes to redis-py's own protocol."""

    def __init__(self, pooled: AbstractConnection) -> None:
        assert pooled._writer is not None
        self.pooled = pooled
        self.usable = True
        self._transport = cast(asyncio.Transport, pooled._writer.transport)
        self._redis_py = cast(asyncio.StreamReaderProtocol, self._transport.get_protocol())
        self._reader = hiredis.Reader(notEnoughData=_INCOMPLETE)
        self._listener: Listener | None = None
        self._transport.set_protocol(self)

    def send(self, data: bytes, listener: Listener) -> None:
        self._listener = listener
        self._transport.write(data)

    def remove_listener(self) -> None:
        self._listener = None

    def pause(self, seconds: float) -> None:
        """Reads nothing for so long: data that arrives meanwhile waits in the socket."""
        if self._transport.is_reading():
            self._transport.pause_reading()
            asyncio.get_running_loop().call_later(seconds, self.resume)

    def resume(self) -> None:
        if not self._transport.is_closing():
            self._transport.resume_reading()

    def data_received(self, data: bytes) -> None:
        if self._listener is None:
            self._reject(data)
            return
        self._reader.feed(data)
        try:
            while (answer := self._reader.gets()) is not _INCOMPLETE:
                if self._listener is None:
                    self._reject(data)
                    return
                self._listener.on_answer(answer)
        except hiredis.ProtocolError as error:
            self._lose(str(error))

    def _reject(self, data: bytes) -> None:
        """An answer without a request: redis-py gets it, so that its pool finds unread data and connects again."""
        self.usable = False
        self._redis_py.data_received(data)

    def eof_received(self) -> bool:
        """Returns False, so that asyncio closes our side too. redis-py would leave the connection half open, and the
        listener would never learn that it is lost."""
        self.usable = False
        self._redis_py.eof_received()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self._redis_py.connection_lost(exc)
        self._lose(str(exc or "Redis closed the connection"))

    def _lose(self, reason: str) -> None:
        self.usable = False
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.on_lost(reason)

    def pause_writing(self) -> None:
        self._redis_py.pause_writing()

    def resume_writing(self) -> None:
        self._redis_py.resume_writing()
