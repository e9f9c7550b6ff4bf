"""The viewer process: it opens many live streams, sends taps, and measures when each event reaches each stream.

It talks to its parent in lines: it reads a ViewerPlan as JSON, writes `open` when all streams are open, waits for a
line, sends the taps, writes DeliveryTimes as JSON, and keeps the streams open until it reads a last line.
"""

from __future__ import annotations

import asyncio
import json
import re
import resource
import sys
import time
from typing import TypedDict, cast

import uvloop

from carrete_bench.load import ACTIONS, LoadClient, LoadConnection, client_context, get

OPEN_S_MAX = 60.0
EVENT_S_MAX = 30.0
OPENING_AT_ONCE = 50
_EVENT_SEQ = re.compile(rb"id: (\d+)\nevent")
_STREAM_REQUEST = get("/api/sse/stream")


class ViewerPlan(TypedDict):
    port: int
    viewers: int
    events: int
    pause_s: float
    client: LoadClient


class DeliveryTimes(TypedDict):
    """From the tap until each viewer has the event; and for each event, until the last viewer has it."""

    each_viewer_us: list[int]
    last_viewer_us: list[int]


class ViewerStream(asyncio.Protocol):
    """The open live stream of one viewer."""

    def __init__(self, viewers: ViewerGroup) -> None:
        self._viewers = viewers
        self._incomplete = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast(asyncio.Transport, transport).write(_STREAM_REQUEST)

    def data_received(self, data: bytes) -> None:
        now = time.perf_counter()
        *messages, self._incomplete = (self._incomplete + data).split(b"\n\n")
        for message in messages:
            if seq := _EVENT_SEQ.search(message):
                self._viewers.on_event(int(seq[1]), now)
            elif b"retry:" in message:
                self._viewers.on_open()

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._viewers.closed_streams += 1


class ViewerGroup:
    """Counts what all streams have received."""

    def __init__(self, viewers: int) -> None:
        self._viewers = viewers
        self._open_streams = 0
        self.closed_streams = 0
        self.all_open = asyncio.Event()
        self.arrivals: dict[int, list[float]] = {}  # by seq: when each viewer received the event
        self._event_complete = asyncio.Event()

    def on_open(self) -> None:
        self._open_streams += 1
        if self._open_streams == self._viewers:
            self.all_open.set()

    def on_event(self, seq: int, now: float) -> None:
        arrivals = self.arrivals.setdefault(seq, [])
        arrivals.append(now)
        if len(arrivals) == self._viewers:
            self._event_complete.set()

    async def wait_for_next_event(self) -> None:
        """Until all viewers have it."""
        async with asyncio.timeout(EVENT_S_MAX):
            await self._event_complete.wait()
        self._event_complete.clear()


async def watch(plan: ViewerPlan) -> None:
    loop = asyncio.get_running_loop()
    viewers = ViewerGroup(plan["viewers"])
    await _open_streams(plan, viewers)
    print("open", flush=True)
    await loop.run_in_executor(None, sys.stdin.readline)
    times = await _send_taps(plan, viewers)
    if viewers.closed_streams:
        raise RuntimeError(f"{viewers.closed_streams} streams were closed")
    print(json.dumps(times), flush=True)
    await loop.run_in_executor(None, sys.stdin.readline)


async def _open_streams(plan: ViewerPlan, viewers: ViewerGroup) -> None:
    loop = asyncio.get_running_loop()
    secure = client_context(plan["client"].get("authority"))
    for first in range(0, plan["viewers"], OPENING_AT_ONCE):
        count = min(OPENING_AT_ONCE, plan["viewers"] - first)
        connections = (
            loop.create_connection(lambda: ViewerStream(viewers), "127.0.0.1", plan["port"], ssl=secure)
            for _ in range(count)
        )
        await asyncio.gather(*connections)
    async with asyncio.timeout(OPEN_S_MAX):
        await viewers.all_open.wait()


async def _send_taps(plan: ViewerPlan, viewers: ViewerGroup) -> DeliveryTimes:
    """Sends each tap after the event of the tap before has reached all viewers."""
    loop = asyncio.get_running_loop()
    secure = client_context(plan["client"].get("authority"))
    _, connection = await loop.create_connection(
        lambda: LoadConnection(plan["client"]), "127.0.0.1", plan["port"], ssl=secure
    )
    times = DeliveryTimes(each_viewer_us=[], last_viewer_us=[])
    for _ in range(plan["events"]):
        seqs_before = set(viewers.arrivals)
        sent_at = time.perf_counter()
        await connection.run({"kind": ACTIONS, "path": "", "seconds": 0.0}, 0.0)
        await viewers.wait_for_next_event()
        (seq,) = set(viewers.arrivals) - seqs_before
        latencies_us = [int((at - sent_at) * 1e6) for at in viewers.arrivals[seq]]
        times["each_viewer_us"] += latencies_us
        times["last_viewer_us"].append(max(latencies_us))
        await asyncio.sleep(plan["pause_s"])
    return times


def main() -> None:
    plan: ViewerPlan = json.loads(sys.stdin.readline())
    assert plan["events"] % 2 == 0, "every spool that is taken must be paused, or the next run could not take it"
    _, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard_limit, hard_limit))
    uvloop.run(watch(plan))


if __name__ == "__main__":
    main()
