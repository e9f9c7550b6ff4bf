"""The services of a server inside the test's own process, and viewers that a test controls step by step."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.types import Message

from carrete.api.live import PATH, SEND_S_MAX, LiveStream
from carrete.live.tail import DEFAULT_LIMITS, TailLimits
from carrete.services import Services
from carrete.settings import Settings
from tests.support.gated import WAIT_S_MAX, until

STREAMS_MAX = 1_000  # all viewers of a test have the same address


@asynccontextmanager
async def running_services(
    database_url: str, folder: Path, redis_url: str = "off", tail_limits: TailLimits = DEFAULT_LIMITS
) -> AsyncIterator[Services]:
    settings = Settings(
        access="open", data=folder, database_url=database_url, redis_url=redis_url, streams_per_address=STREAMS_MAX
    )
    services = Services(settings, tail_limits=tail_limits)
    services.start()
    try:
        if services.gate_services is not None:
            await until(
                lambda: services.gate_services is not None and not services.gate_services.breaker.is_open, WAIT_S_MAX
            )
        yield services
    finally:
        await asyncio.wait_for(services.stop(), WAIT_S_MAX)


class InProcessViewer:
    """A viewer that stops reading while `reading` is cleared: the server's sends then wait."""

    def __init__(self, services: Services, since: int | None = None, send_s_max: float = SEND_S_MAX) -> None:
        self.reading = asyncio.Event()
        self.reading.set()
        self.status = 0
        self.body = b""
        self.complete = False
        self._gone = asyncio.Event()
        headers = [] if since is None else [(b"last-event-id", b"%d" % since)]
        scope = {"type": "http", "method": "GET", "path": PATH, "query_string": b"", "headers": headers}
        self.task = asyncio.create_task(
            LiveStream(services.tail, services.stream_limit, services.identity.open_streams, send_s_max)(
                scope, self._receive, self._send
            )
        )

    async def _receive(self) -> Message:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        await self.reading.wait()
        if message["type"] == "http.response.start":
            self.status = message["status"]
        else:
            self.body += message["body"]
            self.complete = not message.get("more_body", False)

    @property
    def seqs(self) -> list[int]:
        """The seqs of the events, without the position that is sent first."""
        return [int(seq) for seq in re.findall(rb"id: (\d+)\nevent", self.body)]

    async def opened(self) -> InProcessViewer:
        await until(lambda: bool(self.body), WAIT_S_MAX)
        return self

    async def go(self) -> None:
        self._gone.set()
        await asyncio.wait_for(self.task, WAIT_S_MAX)
