"""A proxy between the tablets and one server: it loses requests and answers, delays them, and delivers them twice.

Its most important fault is "executed, answer lost": the server has done the action, and the tablet gets no answer.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from carrete_chaos.wire import exchange

DELAY_S_MAX = 1.5
DUPLICATE_S_MAX = 3.0  # a duplicate may arrive this much later
UPSTREAM_S_MAX = 20.0


class NetworkEvent(StrEnum):
    CLEAR = "clear"
    REQUEST_LOST = "request lost"
    ANSWER_LOST = "answer lost"
    DELAYED = "delayed"
    TWICE = "delivered twice"


@dataclass(frozen=True, slots=True)
class NetworkFaultRates:
    """How often in a hundred requests each fault happens."""

    request_lost: float = 2
    answer_lost: float = 3
    delayed: float = 2
    twice: float = 3

    def draw(self, rng: Random) -> NetworkEvent:
        weights = (self.request_lost, self.answer_lost, self.delayed, self.twice)
        kinds = (NetworkEvent.REQUEST_LOST, NetworkEvent.ANSWER_LOST, NetworkEvent.DELAYED, NetworkEvent.TWICE)
        return rng.choices((NetworkEvent.CLEAR, *kinds), (100 - sum(weights), *weights))[0]


class Proxy:
    def __init__(self, upstream: int, rng: Random, rates: NetworkFaultRates) -> None:
        self.met: Counter[NetworkEvent] = Counter()
        self.port = 0
        self._upstream = upstream
        self._rng = rng
        self._rates = rates
        self._server: asyncio.Server | None = None
        self._duplicates: set[asyncio.Task[bytes]] = set()
        self._open: set[asyncio.StreamWriter] = set()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def quiet(self) -> None:
        """Stops the faults and waits for duplicates under way."""
        await asyncio.gather(*self._duplicates, return_exceptions=True)

    async def stop(self) -> None:
        if self._server:
            self._server.close()
        await self.quiet()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """If anything fails between proxy and server, the tablet sees a closed connection."""
        self._open.add(writer)
        with suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
            async with asyncio.timeout(UPSTREAM_S_MAX):
                answer = await self._carry(await _request(reader))
                if answer:
                    writer.write(answer)
                    await writer.drain()
        self._open.discard(writer)
        writer.close()

    def cut(self) -> int:
        """Resets every open connection of the tablets; how many. What was under way goes on at the server."""
        for writer in self._open:
            writer.transport.abort()
        return len(self._open)

    async def _carry(self, request: bytes) -> bytes:
        event = self._rates.draw(self._rng)
        self.met[event] += 1
        match event:
            case NetworkEvent.REQUEST_LOST:
                return b""
            case NetworkEvent.ANSWER_LOST:
                await exchange(self._upstream, request)
                return b""
            case NetworkEvent.DELAYED:
                await asyncio.sleep(self._rng.uniform(0, DELAY_S_MAX))
            case NetworkEvent.TWICE:
                self._send_again(request)
        return await exchange(self._upstream, request)

    def _send_again(self, request: bytes) -> None:
        async def later() -> bytes:
            await asyncio.sleep(self._rng.choice((0.0, self._rng.uniform(0, DUPLICATE_S_MAX))))
            async with asyncio.timeout(UPSTREAM_S_MAX):
                return await exchange(self._upstream, request)

        duplicate = asyncio.create_task(later())
        self._duplicates.add(duplicate)
        duplicate.add_done_callback(self._forget)

    def _forget(self, duplicate: asyncio.Task[bytes]) -> None:
        self._duplicates.discard(duplicate)
        if not duplicate.cancelled():
            duplicate.exception()  # the result of a duplicate is not used


async def _request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    lengths = [int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    return head + (await reader.readexactly(lengths[0]) if lengths else b"")
