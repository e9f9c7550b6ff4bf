"""The Wi-Fi between one tablet and the server: a relay that is cut and comes back, at an address that stays the same.

The browser itself is not told, as a tablet between steel racks is not: connections are refused or end. Over plain HTTP
it can also look at what the tablet sends, and stop it before or after the server has seen it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

T = TypeVar("T")
CALL_S_MAX = 20.0
CHUNK = 1 << 16
TAP = b"POST /api/"
_AT_TAPS = (b"/occupation/", b"/reclamos")

Place = Literal["before", "after"]


class Wifi:
    """The relay begins connected."""

    def __init__(self, server_url: str) -> None:
        parts = urlsplit(server_url)
        assert parts.hostname is not None
        assert parts.port is not None
        self._scheme, self._host, self._server_port = parts.scheme, parts.hostname, parts.port
        self._port = 0
        self._listener: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._trap: tuple[Place, Callable[[], None]] | None = None
        self._loses_taps = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="wifi", daemon=True)
        self._thread.start()
        self.mend()

    @property
    def url(self) -> str:
        return f"{self._scheme}://{self._host}:{self._port}"

    def cut(self) -> None:
        self._call(self._cut())

    def mend(self) -> None:
        self._call(self._listen())

    def lose_taps(self, lose: bool) -> None:
        """While true, whatever carries a tap ends before the server has seen the tap. Plain HTTP only."""
        self._loses_taps = lose

    def at_next_tap(self, place: Place, do: Callable[[], None]) -> None:
        """Once: `before` the server gets the tap, which it then never does; or `after` it has answered, and the answer
        is lost. Plain HTTP only."""
        self._trap = (place, do)

    def stop(self) -> None:
        self.cut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CALL_S_MAX)
        self._loop.close()

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(CALL_S_MAX)

    async def _listen(self) -> None:
        if self._listener is None:
            self._listener = await asyncio.start_server(self._serve, self._host, self._port, reuse_address=True)
            self._port = self._listener.sockets[0].getsockname()[1]

    async def _cut(self) -> None:
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            with suppress(OSError, asyncio.CancelledError):
                from_server, to_server = await asyncio.open_connection(self._host, self._server_port)
                try:
                    await self._carry(reader, writer, from_server, to_server)
                finally:
                    to_server.close()
        finally:
            writer.close()
            self._connections.discard(task)

    async def _carry(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        from_server: asyncio.StreamReader,
        to_server: asyncio.StreamWriter,
    ) -> None:
        answers = asyncio.ensure_future(_copy(from_server, writer))
        try:
            while data := await reader.read(CHUNK):
                if _is_tap(data):
                    if self._loses_taps:
                        return
                    if self._trap is not None:
                        await self._spring(data, answers, from_server, to_server)
                        return
                to_server.write(data)
        finally:
            answers.cancel()

    async def _spring(
        self,
        data: bytes,
        answers: asyncio.Future[None],
        from_server: asyncio.StreamReader,
        to_server: asyncio.StreamWriter,
    ) -> None:
        assert self._trap is not None
        (place, do), self._trap = self._trap, None
        if place == "after":
            answers.cancel()
            await asyncio.wait([answers])
            to_server.write(data)
            await from_server.read(CHUNK)
        await asyncio.to_thread(do)


def _is_tap(data: bytes) -> bool:
    """Browsers send a short request in one piece."""
    line = data.partition(b"\r\n")[0]
    return line.startswith(TAP) and any(place in line for place in _AT_TAPS)


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """When the server closes the connection, the tablet's is closed too."""
    with suppress(OSError):
        while data := await source.read(CHUNK):
            target.write(data)
            await target.drain()
    target.close()


@contextmanager
def wifi_to(server_url: str) -> Iterator[Wifi]:
    wifi = Wifi(server_url)
    try:
        yield wifi
    finally:
        wifi.stop()
