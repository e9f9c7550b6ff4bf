"""A viewer of the live stream that is disconnected again and again and resumes after the last seq."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from random import Random

from carrete_chaos.wire import NO_HEADERS

SILENCE_S_MAX = 20.0  # heartbeats come more often than that


class CampaignViewer:
    def __init__(self, ports: Sequence[int], rng: Random) -> None:
        self.seen: list[int] = []
        self.connections = 0
        self._ports = ports
        self._rng = rng
        self.headers: Mapping[str, str] = NO_HEADERS  # of the device that it runs on
        self._place: int | None = None

    async def watch(self) -> None:
        """Reads until cancelled; disconnects by itself now and then."""
        while True:
            with suppress(OSError, TimeoutError, asyncio.IncompleteReadError, ValueError):
                async with asyncio.timeout(self._rng.uniform(0.5, 6.0)):
                    await self._once(self._rng.choice(self._ports))
            await asyncio.sleep(self._rng.uniform(0.05, 0.3))

    async def catch_up(self, seq: int, wait_s_max: float) -> None:
        """At rest: waits until every event has arrived."""
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_s_max):
                while not self.seen or self.seen[-1] < seq:
                    with suppress(OSError, TimeoutError, asyncio.IncompleteReadError, ValueError):
                        await self._once(self._ports[0], until=seq)
                    await asyncio.sleep(0.1)

    async def _once(self, port: int, until: int | None = None) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            place = f"Last-Event-ID: {self._place}\r\n" if self._place is not None else ""
            query = "" if self._place is not None else "?since=0"
            place += "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
            writer.write(f"GET /api/sse/stream{query} HTTP/1.1\r\nHost: localhost\r\n{place}\r\n".encode())
            status = (await _line(reader)).split()
            if status[1:2] != [b"200"]:
                return
            self.connections += 1
            await self._read(reader, until)
        finally:
            writer.close()

    async def _read(self, reader: asyncio.StreamReader, until: int | None) -> None:
        """An event counts when its data has arrived; an id alone only says where to resume."""
        seq: int | None = None
        while until is None or not self.seen or self.seen[-1] < until:
            line = await _line(reader)
            if not line:
                return
            if line.startswith(b"id:"):
                seq = int(line[3:])
            elif line.startswith(b"data:") and seq is not None and line.endswith(b"\n"):
                self.seen.append(seq)
                self._place = seq


async def _line(reader: asyncio.StreamReader) -> bytes:
    """Not with `wait_for`: it loses a cancellation that comes in the same moment as the line."""
    async with asyncio.timeout(SILENCE_S_MAX):
        return await reader.readline()
