"""One connection, listened to directly: redis-py connects and signs in, then answers come here and not to its stream.

Between a call and the socket there is nothing of redis-py: its layers cost several times what Redis itself does.
"""

from __future__ import annotations

import asyncio
from typing import Any, Protocol, cast

import hiredis
from redis.asyncio.connection import AbstractConnection

_MORE = object()


class Listener(Protocol):
    def heard(self, answer: Any) -> None: ...

    def cut_off(self, reason: str) -> None: ...


class RedisConnection(asyncio.Protocol):
    """Carries for one listener at a time. While nobody listens, redis-py has its connection as if we were not there."""

    def __init__(self, connection: AbstractConnection) -> None:
        assert connection._writer is not None
        self.connection = connection
        self.usable = True
        self._transport = cast(asyncio.Transport, connection._writer.transport)
        self._redis_py = cast(asyncio.StreamReaderProtocol, self._transport.get_protocol())
        self._reader = hiredis.Reader(notEnoughData=_MORE)
        self._listener: Listener | None = None
        self._transport.set_protocol(self)

    def send(self, data: bytes, listener: Listener) -> None:
        self._listener = listener
        self._transport.write(data)

    def hang_up(self) -> None:
        self._listener = None

    def pause(self, seconds: float) -> None:
        """Nobody is woken for so long: what comes meanwhile waits in the socket and is heard at once after it."""
        if self._transport.is_reading():
            self._transport.pause_reading()
            asyncio.get_running_loop().call_later(seconds, self.resume)

    def resume(self) -> None:
        if not self._transport.is_closing():
            self._transport.resume_reading()

    def data_received(self, data: bytes) -> None:
        if self._listener is None:
            self._unasked(data)
            return
        self._reader.feed(data)
        try:
            while (answer := self._reader.gets()) is not _MORE:
                if self._listener is None:
                    self._unasked(data)
                    return
                self._listener.heard(answer)
        except hiredis.ProtocolError as error:
            self._cut_off(str(error))

    def _unasked(self, data: bytes) -> None:
        """An answer to nobody's question: the pool sees it and connects anew."""
        self.usable = False
        self._redis_py.data_received(data)

    def eof_received(self) -> bool:
        """False: it is closed from this side too. redis-py would leave it half open, and nobody would hear of it."""
        self.usable = False
        self._redis_py.eof_received()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self._redis_py.connection_lost(exc)
        self._cut_off(str(exc or "Redis closed the connection"))

    def _cut_off(self, reason: str) -> None:
        self.usable = False
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.cut_off(reason)

    def pause_writing(self) -> None:
        self._redis_py.pause_writing()

    def resume_writing(self) -> None:
        self._redis_py.resume_writing()
