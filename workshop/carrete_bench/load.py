"""The load process: it sends prepared requests over persistent connections and measures the latency of each.

It reads a LoadPlan as JSON from standard input and writes one StepResult for each step as JSON to standard output.
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
RESPONSE_S_MAX = 30.0


class LoadClient(TypedDict):
    """One connection: its worker, and spools that no other client uses."""

    worker_id: int
    tags: list[str]


class Tap(TypedDict):
    path: str
    body: str


class LoadStep(TypedDict):
    """What all clients send for `seconds`. `path` is for GET; `taps` is for SESSION: each is sent once, in order."""

    kind: str
    path: str
    seconds: float
    taps: NotRequired[list[Tap]]


class LoadPlan(TypedDict):
    port: int
    clients: list[LoadClient]
    steps: list[LoadStep]


class StepResult(TypedDict):
    """`cpu_s` is the processor time that the load process itself used during the step."""

    kind: str
    seconds: float
    latencies_us: list[int]
    cpu_s: NotRequired[float]


class RequestFailed(Exception):
    """A status other than 200, or no response in time."""


def post(path: str, body: bytes) -> tuple[bytes, bytes]:
    """The bytes of the request before and after its idempotency key."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {len(body)}\r\nIdempotency-Key: "
    return head.encode(), b"\r\n\r\n" + body


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def action_requests(client: LoadClient) -> list[tuple[bytes, bytes]]:
    """TOMAR and PAUSAR of each of the client's spools in turn."""
    requests = []
    for tag in client["tags"]:
        body = action_body(client, tag)
        requests += [post(f"/api/occupation/{name}", body) for name in ("tomar", "pausar")]
    return requests


def action_body(client: LoadClient, tag: str) -> bytes:
    return json.dumps({"tag_spool": tag, "worker_id": client["worker_id"], "operacion": "ARM"}).encode()


class LoadConnection(asyncio.Protocol):
    """One connection that sends a request, waits for its response, and sends the next until the step is over."""

    def __init__(self, client: LoadClient) -> None:
        self._action_requests = action_requests(client)
        self._empty_request = post(EMPTY_PATH, action_body(client, client["tags"][0]))
        self._actions_sent = 0  # not reset between steps: a spool taken in one step is paused in the next
        self._received = bytearray()
        self._response_length = 0  # 0 until the head of the response is complete
        self._next_request: Callable[[], bytes] = self._next_action
        self._session_requests: list[tuple[bytes, bytes]] = []
        self._requests_max: int | None = None  # only a session has a fixed number of requests
        self._until = 0.0
        self._sent_at = 0.0
        self._latencies_us: list[int] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._finish(RequestFailed(f"the server closed the connection: {exc}"))

    async def run(self, step: LoadStep, until: float) -> list[int]:
        """The latency of each request in µs. At least one request is sent."""
        self._done: asyncio.Future[list[int]] = asyncio.get_running_loop().create_future()
        self._until, self._latencies_us = until, []
        request = get(step["path"])
        self._next_request = {
            EMPTY: self._next_empty,
            ACTIONS: self._next_action,
            GET: lambda: request,
            SESSION: self._next_of_session,
        }[step["kind"]]
        self._session_requests = [post(tap["path"], tap["body"].encode()) for tap in step.get("taps", ())]
        self._requests_max = len(self._session_requests) or None
        self._send()
        return await self._done

    def _next_action(self) -> bytes:
        request = self._action_requests[self._actions_sent % len(self._action_requests)]
        self._actions_sent += 1
        return _with_key(request)

    def _next_empty(self) -> bytes:
        return _with_key(self._empty_request)

    def _next_of_session(self) -> bytes:
        return _with_key(self._session_requests[len(self._latencies_us)])

    def _send(self) -> None:
        request = self._next_request()
        self._sent_at = time.perf_counter()
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._received += data
        if not self._response_length:
            self._response_length = response_length(self._received)
        if self._response_length and len(self._received) >= self._response_length:
            self._on_response()

    def _on_response(self) -> None:
        now = time.perf_counter()
        if not self._received.startswith(b"HTTP/1.1 200 "):
            self._finish(RequestFailed(self._received.decode("utf-8", "replace")))
            return
        self._latencies_us.append(int((now - self._sent_at) * 1e6))
        self._received.clear()
        self._response_length = 0
        if now < self._until and len(self._latencies_us) != self._requests_max:
            self._send()
        else:
            self._finish(None)

    def _finish(self, error: Exception | None) -> None:
        if not hasattr(self, "_done") or self._done.done():
            return
        if error:
            self._done.set_exception(error)
        else:
            self._done.set_result(self._latencies_us)


def _with_key(request: tuple[bytes, bytes]) -> bytes:
    """The request with a new idempotency key."""
    before, after = request
    return before + str(uuid4()).encode() + after


def response_length(received: bytearray) -> int:
    """The length of head and body together; 0 while the head is incomplete."""
    head_end = received.find(b"\r\n\r\n")
    if head_end < 0:
        return 0
    start = received.find(b"content-length: ", 0, head_end) + 16
    return head_end + 4 + int(received[start : received.find(b"\r\n", start)])


async def run_plan(plan: LoadPlan) -> list[StepResult]:
    connections = [await _connect(plan["port"], client) for client in plan["clients"]]
    return [await _run_step(connections, step) for step in plan["steps"]]


async def _connect(port: int, client: LoadClient) -> LoadConnection:
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(lambda: LoadConnection(client), "127.0.0.1", port)
    return connection


async def _run_step(connections: list[LoadConnection], step: LoadStep) -> StepResult:
    """`seconds` of the result ends with the last response, so that every counted request is paid for in full."""
    start, cpu_start_s = time.perf_counter(), time.process_time()
    until = start + step["seconds"]
    async with asyncio.timeout(step["seconds"] + RESPONSE_S_MAX):
        by_connection = await asyncio.gather(*(connection.run(step, until) for connection in connections))
    seconds = time.perf_counter() - start
    cpu_s = time.process_time() - cpu_start_s
    latencies_us = [us for latencies in by_connection for us in latencies]
    return {"kind": step["kind"], "seconds": seconds, "latencies_us": latencies_us, "cpu_s": cpu_s}


def main() -> None:
    plan: LoadPlan = json.load(sys.stdin)
    try:
        results: Any = uvloop.run(run_plan(plan))
    except (RequestFailed, OSError, TimeoutError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()
