"""The driver process of the soak: it sends signed taps over kept connections, signs people in, and reopens streams.

It talks to its parent in lines of JSON: it reads a SoakPlan, then one SoakPart after another, and writes a PartResult
for each. Between two parts nothing is under way.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
import struct
import sys
from collections import Counter
from collections.abc import Iterator
from typing import TypedDict, cast

import uvloop

from carrete_bench.load import RequestFailed, TapSigner, new_key, post, response_length
from carrete_bench.soak.taps import SoakClient, SoakTap, taps

ANSWER_S_MAX = 60.0
SIGN_INS_AT_ONCE = 2
STREAMS_AT_ONCE = 5
REPLAYED_EVENTS = 20  # a stream that comes back asks for some events that it has had
PART_S_MAX = 3_600.0
_SESSION_COOKIE = re.compile(rb"__Host-carrete-session=[^;]+")
_EVENT_ID = re.compile(rb"id: (\d+)\nevent")
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class SoakPlan(TypedDict):
    port: int
    clients: list[SoakClient]
    device_cookies: list[str]  # of tablets on which people sign in
    workers: int
    pin: str


class SoakPart(TypedDict):
    actions: int
    sign_ins: int
    reconnects: int


class PartResult(TypedDict):
    counts: dict[str, int]


class SoakConnection(asyncio.Protocol):
    """One kept connection; one request at a time."""

    def __init__(self) -> None:
        self._received = bytearray()
        self._length = 0  # 0 until the head of the response is complete
        self._answer: asyncio.Future[bytes] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answer and not self._answer.done():
            self._answer.set_exception(RequestFailed(f"the server closed the connection: {exc}"))

    def data_received(self, data: bytes) -> None:
        self._received += data
        self._length = self._length or response_length(self._received)
        if self._length and len(self._received) >= self._length and self._answer:
            answer, self._length = bytes(self._received), 0
            self._received.clear()
            self._answer.set_result(answer)

    async def exchange(self, request: bytes) -> bytes:
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        answer = await self._answer
        if not answer.startswith(b"HTTP/1.1 200 "):
            raise RequestFailed(f"{request!r} was answered with {answer.decode('utf-8', 'replace')}")
        return answer


class SoakTablet:
    """A client with its session, its kept connection and its place in its own list of taps."""

    def __init__(self, client: SoakClient) -> None:
        self._client = client
        self._taps: Iterator[SoakTap] = taps(client)
        self._signer = TapSigner(client["session"], bytes.fromhex(client["tap_key"]))
        self._connection = SoakConnection()
        self._last_sent, self._last_body = b"", b""

    async def connect(self, port: int) -> None:
        await asyncio.get_running_loop().create_connection(lambda: self._connection, "127.0.0.1", port)

    async def act(self, actions: int, counts: Counter[str]) -> None:
        for _ in range(actions):
            tap = next(self._taps)
            request = self._last_sent if tap.repeated else self._request(tap)
            answer = await self._connection.exchange(request)
            body = answer.partition(b"\r\n\r\n")[2]
            if tap.repeated and body != self._last_body:
                raise RequestFailed(f"a repeated key was answered with {body!r}, at first with {self._last_body!r}")
            self._last_sent, self._last_body = request, body
            counts["repeated" if tap.repeated else tap.path.rpartition("/")[2]] += 1

    def _request(self, tap: SoakTap) -> bytes:
        key = new_key()
        before, after = post(tap.path, tap.body, self._client["cookie"])
        return before + key.encode() + self._signer.header(tap.path, key, tap.body) + after


class SoakDriver:
    def __init__(self, plan: SoakPlan) -> None:
        self._plan = plan
        self._tablets = [SoakTablet(client) for client in plan["clients"]]
        self._signed_in = 0
        self._reopened = 0
        self._last_seq = 0

    async def connect(self) -> None:
        for tablet in self._tablets:
            await tablet.connect(self._plan["port"])

    async def run(self, part: SoakPart) -> PartResult:
        counts: Counter[str] = Counter()
        async with asyncio.timeout(PART_S_MAX), asyncio.TaskGroup() as group:
            for tablet, actions in zip(self._tablets, _shared(part["actions"], len(self._tablets)), strict=True):
                group.create_task(tablet.act(actions, counts))
            for count in _shared(part["sign_ins"], SIGN_INS_AT_ONCE):
                group.create_task(self._sign_in_and_out(count, counts))
            for count in _shared(part["reconnects"], STREAMS_AT_ONCE):
                group.create_task(self._reopen(count, counts))
        return {"counts": dict(counts)}

    async def _sign_in_and_out(self, count: int, counts: Counter[str]) -> None:
        """Every other one signs out; the session of the others ends when the next person signs in there."""
        for _ in range(count):
            number, self._signed_in = self._signed_in, self._signed_in + 1
            device = self._plan["device_cookies"][number % len(self._plan["device_cookies"])]
            who = {"worker_id": number % self._plan["workers"] + 1, "pin": self._plan["pin"]}
            answer = await self._request_alone("POST", device, json.dumps(who).encode())
            counts["sign-ins"] += 1
            session = _SESSION_COOKIE.search(answer)
            if number % 2 and session:
                await self._request_alone("DELETE", f"{device}; {session[0].decode()}", b"")
                counts["sign-outs"] += 1

    async def _request_alone(self, method: str, cookie: str, body: bytes) -> bytes:
        head = f"{method} /api/sesion HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCookie: {cookie}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        async with asyncio.timeout(ANSWER_S_MAX):
            reader, writer = await asyncio.open_connection("127.0.0.1", self._plan["port"])
            writer.write(head.encode() + body)
            answer = await reader.read()
            writer.close()
        if not answer.startswith(b"HTTP/1.1 200 "):
            raise RequestFailed(f"{method} /api/sesion was answered with {answer.decode('utf-8', 'replace')}")
        return answer

    async def _reopen(self, count: int, counts: Counter[str]) -> None:
        """Every other stream ends with a reset, as a tablet's does whose Wi-Fi is gone."""
        for _ in range(count):
            self._reopened += 1
            await self._watch(reset=bool(self._reopened % 2))
            counts["reconnects"] += 1

    async def _watch(self, *, reset: bool) -> None:
        """Until the first event that it has not had."""
        client = self._plan["clients"][self._reopened % len(self._plan["clients"])]
        since = max(0, self._last_seq - REPLAYED_EVENTS)
        head = f"GET /api/sse/stream HTTP/1.1\r\nHost: localhost\r\nCookie: {client['cookie']}\r\n"
        async with asyncio.timeout(ANSWER_S_MAX):
            reader, writer = await asyncio.open_connection("127.0.0.1", self._plan["port"])
            writer.write(f"{head}Last-Event-ID: {since}\r\n\r\n".encode())
            received = b""
            while not (seqs := _EVENT_ID.findall(received)):
                data = await reader.read(65_536)
                received += data
                if not data or not received.startswith(b"HTTP/1.1 200 "[: len(received)]):
                    raise RequestFailed(f"a stream ended with {received.decode('utf-8', 'replace')}")
        self._last_seq = max(self._last_seq, int(seqs[-1]))
        if reset:
            raw: socket.socket = writer.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
            writer.transport.abort()
        else:
            writer.close()


def _shared(total: int, among: int) -> list[int]:
    """As evenly as whole numbers allow, and never the remainder to the same one only."""
    return [(total * (index + 1)) // among - (total * index) // among for index in range(among)]


async def drive() -> None:
    loop = asyncio.get_running_loop()
    plan: SoakPlan = json.loads(await loop.run_in_executor(None, sys.stdin.readline))
    driver = SoakDriver(plan)
    await driver.connect()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        print(json.dumps(await driver.run(json.loads(line))), flush=True)


def main() -> None:
    try:
        uvloop.run(drive())
    except* (RequestFailed, OSError, TimeoutError) as group:
        first: BaseException = group
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        sys.exit(f"{type(first).__name__}: {first}")


if __name__ == "__main__":
    main()
