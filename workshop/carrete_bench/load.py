"""The load process: it sends prepared requests over persistent connections and measures the latency of each.

It reads a LoadPlan as JSON from standard input and writes one StepResult for each step as JSON to standard output.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import os
import ssl
import sys
import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any, NotRequired, TypedDict, cast

import uvloop

EMPTY = "empty"
ACTIONS = "actions"
GET = "get"
SESSION = "session"
EMPTY_PATH = "/bench/empty"
ACTION_PATHS = ("/api/occupation/tomar", "/api/occupation/pausar")
RESPONSE_S_MAX = 30.0
ACTIONS_PER_S_MAX = 200  # of one connection: as many requests as it could send are made before a step begins


class LoadClient(TypedDict):
    """One connection: its worker, and spools that no other client uses. With identity also the cookies of its tablet;
    with `session` and `tap_key` it signs its taps, as the web app does. Clients of a `group` send only in the steps of
    that group, and `port` is where they send to, if not where all do. With an `authority`, the file of a certificate
    that they trust, they speak HTTPS."""

    worker_id: int
    tags: list[str]
    group: NotRequired[str]
    port: NotRequired[int]
    authority: NotRequired[str]
    cookie: NotRequired[str]
    session: NotRequired[str]
    tap_key: NotRequired[str]  # in hexadecimal digits


class SignInRequest(TypedDict):
    """Somebody who signs in once, on a connection of their own."""

    port: int
    cookie: str
    body: str


class Tap(TypedDict):
    path: str
    body: str


class LoadStep(TypedDict):
    """What all clients send for `seconds`. `path` is for GET; `taps` is for SESSION: each is sent once, in order.
    `sign_ins` are sent beside, all at once, when the step begins."""

    kind: str
    path: str
    seconds: float
    taps: NotRequired[list[Tap]]
    group: NotRequired[str]
    sign_ins: NotRequired[list[SignInRequest]]


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
    sign_ins_us: NotRequired[list[int]]


class RequestFailed(Exception):
    """A status other than 200, or no response in time."""


def new_key(at_ms: int | None = None) -> str:
    """An idempotency key as the web app makes them (`web/src/taps/key.ts`): the time in ms, then random bytes."""
    return f"{_now_ms() if at_ms is None else at_ms:012x}{os.urandom(10).hex()}"


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def post(path: str, body: bytes, cookie: str = "") -> tuple[bytes, bytes]:
    """The bytes of the request before and after its idempotency key."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += f"Cookie: {cookie}\r\n" if cookie else ""
    head += f"Content-Length: {len(body)}\r\nIdempotency-Key: "
    return head.encode(), b"\r\n\r\n" + body


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def action_requests(client: LoadClient) -> list[tuple[bytes, bytes]]:
    """TOMAR and PAUSAR of each of the client's spools in turn."""
    requests = []
    for tag in client["tags"]:
        body = action_body(client, tag)
        requests += [post(path, body, client.get("cookie", "")) for path in ACTION_PATHS]
    return requests


def action_body(client: LoadClient, tag: str) -> bytes:
    return json.dumps({"tag_spool": tag, "worker_id": client["worker_id"], "operacion": "ARM"}).encode()


class TapSigner:
    """Makes the header `Carrete-Tap` of a client's actions."""

    def __init__(self, session: str, tap_key: bytes) -> None:
        self._session = session
        self._tap_key = tap_key
        self._number = 0

    def header(self, path: str, key: str, body: bytes) -> bytes:
        self._number += 1
        tapped_at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        signed = f"{path}\n{key}\n{self._number}\n{tapped_at}\n".encode() + body
        mac = hmac.digest(self._tap_key, signed, "sha256").hex()
        return f"\r\nCarrete-Tap: {self._session}, {self._number}, {tapped_at}, {mac}".encode()


class LoadConnection(asyncio.Protocol):
    """One connection that sends a request, waits for its response, and sends the next until the step is over."""

    def __init__(self, client: LoadClient) -> None:
        self.group = client.get("group")
        self._action_requests = action_requests(client)
        self._empty_request = post(EMPTY_PATH, action_body(client, client["tags"][0]))
        self._signer = _signer(client)
        self._prepared_actions: deque[bytes] = deque()
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

    def prepare(self, step: LoadStep, begin_ms: int) -> None:
        """Makes what the step may send: tablets sign on processors of their own, and the server is what is measured.
        All groups do so, signed or not, so that the server has been idle for as long before each of their steps. The
        time in each key is about that of its tap, as on a tablet: what is sent together stands together in the index
        of the keys."""
        count = int(step["seconds"] * ACTIONS_PER_S_MAX) if self._signer or self.group is not None else 0
        self._prepared_actions = deque(
            self._action(self._actions_sent + index, begin_ms + index * 1000 // ACTIONS_PER_S_MAX)
            for index in range(count)
        )

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
        prepared = self._prepared_actions
        request = prepared.popleft() if prepared else self._action(self._actions_sent, _now_ms())
        self._actions_sent += 1
        return request

    def _action(self, index: int, at_ms: int) -> bytes:
        request, key = self._action_requests[index % len(self._action_requests)], new_key(at_ms)
        path = ACTION_PATHS[index % len(ACTION_PATHS)]
        return _with_signature(request, path, key, self._signer) if self._signer else _with_key(request, key)

    def _next_empty(self) -> bytes:
        return _with_key(self._empty_request, new_key())

    def _next_of_session(self) -> bytes:
        return _with_key(self._session_requests[len(self._latencies_us)], new_key())

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
        if (now < self._until or self._must_pause()) and len(self._latencies_us) != self._requests_max:
            self._send()
        else:
            self._finish(None)

    def _must_pause(self) -> bool:
        """Clients of a group leave no spool taken: those of another group use the same ones."""
        return self.group is not None and self._actions_sent % len(ACTION_PATHS) != 0

    def _finish(self, error: Exception | None) -> None:
        if not hasattr(self, "_done") or self._done.done():
            return
        if error:
            self._done.set_exception(error)
        else:
            self._done.set_result(self._latencies_us)


def _with_key(request: tuple[bytes, bytes], key: str) -> bytes:
    before, after = request
    return before + key.encode() + after


def _with_signature(request: tuple[bytes, bytes], path: str, key: str, signer: TapSigner) -> bytes:
    before, after = request
    return before + key.encode() + signer.header(path, key, after.removeprefix(b"\r\n\r\n")) + after


def _signer(client: LoadClient) -> TapSigner | None:
    return TapSigner(client["session"], bytes.fromhex(client["tap_key"])) if "tap_key" in client else None


def response_length(received: bytearray) -> int:
    """The length of head and body together; 0 while the head is incomplete."""
    head_end = received.find(b"\r\n\r\n")
    if head_end < 0:
        return 0
    start = received.find(b"content-length: ", 0, head_end) + 16
    return head_end + 4 + int(received[start : received.find(b"\r\n", start)])


async def run_plan(plan: LoadPlan) -> list[StepResult]:
    connections = [await _connect(plan["port"], client) for client in plan["clients"]]
    return [await _run_step([c for c in connections if c.group == step.get("group")], step) for step in plan["steps"]]


async def _connect(port: int, client: LoadClient) -> LoadConnection:
    loop = asyncio.get_running_loop()
    port = client.get("port", port)
    secure = client_context(client.get("authority"))
    _, connection = await loop.create_connection(lambda: LoadConnection(client), "127.0.0.1", port, ssl=secure)
    return connection


@cache
def client_context(authority: str | None) -> ssl.SSLContext | None:
    """None for plain HTTP."""
    return ssl.create_default_context(cafile=authority) if authority else None


async def _run_step(connections: list[LoadConnection], step: LoadStep) -> StepResult:
    """`seconds` of the result ends with the last response, so that every counted request is paid for in full."""
    begin_ms = _now_ms()
    for connection in connections:
        connection.prepare(step, begin_ms)
    start, cpu_start_s = time.perf_counter(), time.process_time()
    until = start + step["seconds"]
    async with asyncio.timeout(step["seconds"] + RESPONSE_S_MAX):
        signing_in = [asyncio.create_task(_sign_in(request)) for request in step.get("sign_ins", ())]
        by_connection = await asyncio.gather(*(connection.run(step, until) for connection in connections))
        seconds, cpu_s = time.perf_counter() - start, time.process_time() - cpu_start_s
        sign_ins_us = [await each for each in signing_in]
    latencies_us = [us for latencies in by_connection for us in latencies]
    result: StepResult = {"kind": step["kind"], "seconds": seconds, "latencies_us": latencies_us, "cpu_s": cpu_s}
    return {**result, "sign_ins_us": sign_ins_us} if sign_ins_us else result


async def _sign_in(request: SignInRequest) -> int:
    """The latency in µs."""
    body = request["body"].encode()
    head = "POST /api/sesion HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
    head += f"Cookie: {request['cookie']}\r\nContent-Length: {len(body)}\r\n\r\n"
    reader, writer = await asyncio.open_connection("127.0.0.1", request["port"])
    start = time.perf_counter()
    writer.write(head.encode() + body)
    response = await reader.read()
    writer.close()
    if not response.startswith(b"HTTP/1.1 200 "):
        raise RequestFailed(response.decode("utf-8", "replace"))
    return int((time.perf_counter() - start) * 1e6)


def main() -> None:
    plan: LoadPlan = json.load(sys.stdin)
    try:
        results: Any = uvloop.run(run_plan(plan))
    except (RequestFailed, OSError, TimeoutError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()
