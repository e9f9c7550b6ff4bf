"""The viewers: a process of its own that opens many streams, acts, and notes when each event reached each of them.

It reads a plan as one line of JSON, says `open` when everybody watches, acts after the next line, writes what it saw
and goes on watching until a last line.
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

from carrete_bench.load import ACTIONS, Hand, Tablet, get

OPEN_S_MAX = 60.0
EVENT_S_MAX = 30.0
OPENING_AT_ONCE = 50
_SEQ = re.compile(rb"id: (\d+)\nevent")
_STREAM = get("/api/sse/stream")


class Plan(TypedDict):
    port: int
    viewers: int
    events: int
    pause_s: float
    hand: Hand


class Reached(TypedDict):
    """From the tap, for each event and viewer; and for each event, until the last viewer had it."""

    took_us: list[int]
    last_us: list[int]


class Screen(asyncio.Protocol):
    """One open stream."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast(asyncio.Transport, transport).write(_STREAM)

    def data_received(self, data: bytes) -> None:
        now = time.perf_counter()
        *blocks, self._rest = (self._rest + data).split(b"\n\n")
        for block in blocks:
            if found := _SEQ.search(block):
                self._hall.saw(int(found[1]), now)
            elif b"retry:" in block:
                self._hall.opened()

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._hall.lost += 1


class Hall:
    """All of them together."""

    def __init__(self, viewers: int) -> None:
        self._viewers = viewers
        self._open = 0
        self.lost = 0
        self.all_open = asyncio.Event()
        self.arrivals: dict[int, list[float]] = {}
        self._whole = asyncio.Event()

    def opened(self) -> None:
        self._open += 1
        if self._open == self._viewers:
            self.all_open.set()

    def saw(self, seq: int, now: float) -> None:
        arrived = self.arrivals.setdefault(seq, [])
        arrived.append(now)
        if len(arrived) == self._viewers:
            self._whole.set()

    async def all_saw_another(self) -> None:
        await asyncio.wait_for(self._whole.wait(), EVENT_S_MAX)
        self._whole.clear()


async def watch(plan: Plan) -> None:
    loop = asyncio.get_running_loop()
    hall = Hall(plan["viewers"])
    for first in range(0, plan["viewers"], OPENING_AT_ONCE):
        some = range(first, min(first + OPENING_AT_ONCE, plan["viewers"]))
        await asyncio.gather(*(loop.create_connection(lambda: Screen(hall), "127.0.0.1", plan["port"]) for _ in some))
    await asyncio.wait_for(hall.all_open.wait(), OPEN_S_MAX)
    print("open", flush=True)
    await loop.run_in_executor(None, sys.stdin.readline)
    reached = await _act(plan, hall)
    if hall.lost:
        raise RuntimeError(f"{hall.lost} streams were closed")
    print(json.dumps(reached), flush=True)
    await loop.run_in_executor(None, sys.stdin.readline)


async def _act(plan: Plan, hall: Hall) -> Reached:
    """One tap after the other, each when the one before has reached everybody."""
    loop = asyncio.get_running_loop()
    _, tablet = await loop.create_connection(lambda: Tablet(plan["hand"]), "127.0.0.1", plan["port"])
    reached = Reached(took_us=[], last_us=[])
    for _ in range(plan["events"]):
        known = set(hall.arrivals)
        sent_at = time.perf_counter()
        await tablet.run({"kind": ACTIONS, "path": "", "seconds": 0.0}, 0.0)
        await hall.all_saw_another()
        (seq,) = set(hall.arrivals) - known
        took = [int((at - sent_at) * 1e6) for at in hall.arrivals[seq]]
        reached["took_us"] += took
        reached["last_us"].append(max(took))
        await asyncio.sleep(plan["pause_s"])
    return reached


def main() -> None:
    plan: Plan = json.loads(sys.stdin.readline())
    assert plan["events"] % 2 == 0, "what is taken must be paused for whoever measures next"
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    uvloop.run(watch(plan))


if __name__ == "__main__":
    main()
