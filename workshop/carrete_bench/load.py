"""The load: a process of its own that sends prebuilt requests over kept connections and notes how long each took.

It reads a plan as JSON from standard input and writes what it saw as JSON to standard output.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from typing import Any, NotRequired, TypedDict, cast
from uuid import uuid4

import uvloop

EMPTY = "empty"
ACTIONS = "actions"
GET = "get"
SESSION = "session"
EMPTY_PATH = "/bench/empty"
ANSWER_S_MAX = 30.0


class Hand(TypedDict):
    """One connection: the worker who taps there, and the spools nobody else touches."""

    worker_id: int
    tags: list[str]


class Tap(TypedDict):
    path: str
    body: str


class Step(TypedDict):
    """`path` matters to GET only; a session is these taps, each once and in this order, by one hand."""

    kind: str
    path: str
    seconds: float
    taps: NotRequired[list[Tap]]


class Plan(TypedDict):
    port: int
    hands: list[Hand]
    steps: list[Step]


class Seen(TypedDict):
    """`cpu_s` is what the load itself spent meanwhile."""

    kind: str
    seconds: float
    took_us: list[int]
    cpu_s: NotRequired[float]


class NotAnswered(Exception):
    """A status other than 200, or no answer within the bound."""


def post(path: str, body: bytes) -> tuple[bytes, bytes]:
    """What comes before and after the idempotency key."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {len(body)}\r\nIdempotency-Key: "
    return head.encode(), b"\r\n\r\n" + body


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def taps(hand: Hand) -> list[tuple[bytes, bytes]]:
    """TOMAR and PAUSAR of one spool after the other."""
    found = []
    for tag in hand["tags"]:
        body = tap_body(hand, tag)
        found += [post(f"/api/occupation/{name}", body) for name in ("tomar", "pausar")]
    return found


def tap_body(hand: Hand, tag: str) -> bytes:
    return json.dumps({"tag_spool": tag, "worker_id": hand["worker_id"], "operacion": "ARM"}).encode()


class Tablet(asyncio.Protocol):
    """One connection that asks, waits for the answer, notes the time and asks again until the step is over."""

    def __init__(self, hand: Hand) -> None:
        self._actions = taps(hand)
        self._empties = [post(EMPTY_PATH, tap_body(hand, tag)) for tag in hand["tags"]]
        self._turn = 0  # goes on from step to step: a spool taken in one is paused in the next
        self._received = bytearray()
        self._missing = 0
        self._next: Callable[[], bytes] = self._action
        self._session: list[tuple[bytes, bytes]] = []
        self._left: int | None = None  # requests of this step, where they are counted
        self._until = 0.0
        self._sent_at = 0.0
        self._took_us: list[int] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._finish(NotAnswered(f"the server closed the connection: {exc}"))

    async def run(self, step: Step, until: float) -> list[int]:
        self._done: asyncio.Future[list[int]] = asyncio.get_running_loop().create_future()
        self._until, self._took_us = until, []
        request = get(step["path"])
        kinds = {EMPTY: self._empty, ACTIONS: self._action, GET: lambda: request, SESSION: self._of_the_session}
        self._next = kinds[step["kind"]]
        self._session = [post(tap["path"], tap["body"].encode()) for tap in step.get("taps", ())]
        self._left = len(self._session) or None
        self._send()
        return await self._done

    def _action(self) -> bytes:
        before, after = self._actions[self._turn % len(self._actions)]
        self._turn += 1
        return before + str(uuid4()).encode() + after

    def _empty(self) -> bytes:
        before, after = self._empties[0]
        return before + str(uuid4()).encode() + after

    def _of_the_session(self) -> bytes:
        before, after = self._session[len(self._took_us)]
        return before + str(uuid4()).encode() + after

    def _send(self) -> None:
        request = self._next()
        self._sent_at = time.perf_counter()
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._received += data
        if not self._missing:
            self._missing = whole_length(self._received)
        if self._missing and len(self._received) >= self._missing:
            self._answered()

    def _answered(self) -> None:
        now = time.perf_counter()
        if not self._received.startswith(b"HTTP/1.1 200 "):
            self._finish(NotAnswered(self._received.decode("utf-8", "replace")))
            return
        self._took_us.append(int((now - self._sent_at) * 1e6))
        self._received.clear()
        self._missing = 0
        if now < self._until and len(self._took_us) != self._left:
            self._send()
        else:
            self._finish(None)

    def _finish(self, error: Exception | None) -> None:
        if not hasattr(self, "_done") or self._done.done():
            return
        if error:
            self._done.set_exception(error)
        else:
            self._done.set_result(self._took_us)


def whole_length(received: bytearray) -> int:
    """How many bytes head and body have together; 0 while the head is not complete."""
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return 0
    start = received.find(b"content-length: ", 0, end) + 16
    return end + 4 + int(received[start : received.find(b"\r\n", start)])


async def carry_out(plan: Plan) -> list[Seen]:
    tablets = [await _connected(plan["port"], hand) for hand in plan["hands"]]
    return [await _step(tablets, step) for step in plan["steps"]]


async def _connected(port: int, hand: Hand) -> Tablet:
    _, tablet = await asyncio.get_running_loop().create_connection(lambda: Tablet(hand), "127.0.0.1", port)
    return tablet


async def _step(tablets: list[Tablet], step: Step) -> Seen:
    """The time counts until the last answer is in, so that no request is counted without its cost."""
    start, spent_s = time.perf_counter(), time.process_time()
    until = start + step["seconds"]
    async with asyncio.timeout(step["seconds"] + ANSWER_S_MAX):
        took = await asyncio.gather(*(tablet.run(step, until) for tablet in tablets))
    seconds = time.perf_counter() - start
    cpu_s = time.process_time() - spent_s
    return {"kind": step["kind"], "seconds": seconds, "took_us": [us for one in took for us in one], "cpu_s": cpu_s}


def main() -> None:
    plan: Plan = json.load(sys.stdin)
    try:
        seen: Any = uvloop.run(carry_out(plan))
    except (NotAnswered, OSError, TimeoutError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    json.dump(seen, sys.stdout)


if __name__ == "__main__":
    main()
