"""The process with the tablets: some come back with what they have queued, others are tapped all the time.

It reads a ReturnPlan as JSON from standard input and writes a ReturnResult as JSON to standard output.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TypedDict

import uvloop

from carrete_bench.load import (
    ACTION_PATHS,
    LoadClient,
    RequestFailed,
    TapSigner,
    action_body,
    action_requests,
    new_key,
    post,
    response_length,
)

CHAIN_PATH = "/api/occupation/cadena"
LATE_SENDING_MAX = 4  # as web/src/taps/queue.ts: of what waited, a tablet sends this many at once
RETURN_S_MAX = 300.0
RESPONSE_S_MAX = 60.0
CONFIRMED, REFUSED = b"HTTP/1.1 200 ", b"HTTP/1.1 409 "


class ChainToSend(TypedDict):
    """`claimed`: another person holds the spool, so that the chain is refused and becomes a reclamo."""

    tag: str
    by_joint: bool
    body: str
    claimed: bool


class TabletQueue(TypedDict):
    client: LoadClient
    chains: list[ChainToSend]


class ReturnPlan(TypedDict):
    """The first of the `others` takes the `held` spools before anything is measured."""

    port: int
    returning: list[TabletQueue]
    others: list[LoadClient]
    held: list[str]
    pace_s: float
    normal_s: float


class ReturnResult(TypedDict):
    """Latencies in µs. `normal` are taps of the others before and after, `meanwhile` those while tablets came back."""

    seconds: float
    confirmed: int
    claimed: int
    chains_us: list[int]
    normal_us: list[int]
    meanwhile_us: list[int]


class TabletConnection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def open(cls, port: int) -> TabletConnection:
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def send(self, request: bytes) -> tuple[bytes, int]:
        """The response, and how long it took in µs."""
        sent_at = time.perf_counter()
        self._writer.write(request)
        async with asyncio.timeout(RESPONSE_S_MAX):
            received = bytearray(await self._reader.readuntil(b"\r\n\r\n"))
            received += await self._reader.readexactly(response_length(received) - len(received))
        return bytes(received), int((time.perf_counter() - sent_at) * 1e6)


def signed_request(path: str, body: bytes, cookie: str, signer: TapSigner) -> bytes:
    before, after = post(path, body, cookie)
    key = new_key()
    return before + key.encode() + signer.header(path, key, body) + after


def _signer(client: LoadClient) -> TapSigner:
    return TapSigner(client["session"], bytes.fromhex(client["tap_key"]))


@dataclass(slots=True)
class Queue:
    """What one tablet sends, signed before it comes back, as the web app does it."""

    requests: deque[tuple[bytes, bool]]
    latencies_us: list[int] = field(default_factory=list)
    confirmed: int = 0
    claimed: int = 0

    async def send_all(self, connections: list[TabletConnection]) -> None:
        await asyncio.gather(*(self._send_one_after_the_other(each) for each in connections))

    async def _send_one_after_the_other(self, connection: TabletConnection) -> None:
        while self.requests:
            request, is_claimed = self.requests.popleft()
            response, us = await connection.send(request)
            expected = REFUSED if is_claimed else CONFIRMED
            if not response.startswith(expected) or (is_claimed and b'"reclamo":"' not in response):
                raise RequestFailed(response.decode("utf-8", "replace"))
            self.latencies_us.append(us)
            self.confirmed += not is_claimed
            self.claimed += is_claimed


def queue_of(tablet: TabletQueue) -> Queue:
    signer, cookie = _signer(tablet["client"]), tablet["client"]["cookie"]
    return Queue(
        deque(
            (signed_request(CHAIN_PATH, chain["body"].encode(), cookie, signer), chain["claimed"])
            for chain in tablet["chains"]
        )
    )


class OtherTablet:
    """Takes and pauses its spools, one tap in each interval, until `stop` is set."""

    def __init__(self, client: LoadClient, connection: TabletConnection, signer: TapSigner) -> None:
        self._connection, self._signer = connection, signer
        self._requests = action_requests(client)
        self._sent = 0
        self.latencies_us: list[int] = []

    async def tap(self, first_s: float, pace_s: float, stop: asyncio.Event) -> None:
        at = time.perf_counter() + first_s
        while not stop.is_set():
            await asyncio.sleep(at - time.perf_counter())
            self.latencies_us.append(await self._tap_once())
            at = max(at + pace_s, time.perf_counter())

    async def _tap_once(self) -> int:
        before, after = self._requests[self._sent % len(self._requests)]
        path, key = ACTION_PATHS[self._sent % len(ACTION_PATHS)], new_key()
        header = self._signer.header(path, key, after.removeprefix(b"\r\n\r\n"))
        response, us = await self._connection.send(before + key.encode() + header + after)
        if not response.startswith(CONFIRMED):
            raise RequestFailed(response.decode("utf-8", "replace"))
        self._sent += 1
        return us


class Others:
    def __init__(self, tablets: list[OtherTablet], pace_s: float) -> None:
        self._tablets, self._pace_s = tablets, pace_s

    async def tap_while(self, what: asyncio.Task[None]) -> list[int]:
        """Their taps are spread evenly over each interval."""
        stop = asyncio.Event()
        apart_s = self._pace_s / len(self._tablets)
        async with asyncio.TaskGroup() as group:
            for number, tablet in enumerate(self._tablets):
                tablet.latencies_us = []
                group.create_task(tablet.tap(number * apart_s, self._pace_s, stop))
            await what
            stop.set()
        return [us for tablet in self._tablets for us in tablet.latencies_us]


async def run_plan(plan: ReturnPlan) -> ReturnResult:
    port = plan["port"]
    signers = [_signer(client) for client in plan["others"]]
    tablets = [
        OtherTablet(client, await TabletConnection.open(port), signer)
        for client, signer in zip(plan["others"], signers, strict=True)
    ]
    await _take_held(plan, signers[0])
    queues = [queue_of(tablet) for tablet in plan["returning"]]
    connections = [[await TabletConnection.open(port) for _ in range(LATE_SENDING_MAX)] for _ in queues]
    others = Others(tablets, plan["pace_s"])
    await others.tap_while(_pause(1.0))  # only warms up
    normal_us = await others.tap_while(_pause(plan["normal_s"]))
    start = time.perf_counter()
    meanwhile_us = await others.tap_while(asyncio.create_task(_return(queues, connections)))
    seconds = time.perf_counter() - start
    normal_us += await others.tap_while(_pause(plan["normal_s"]))
    return {
        "seconds": seconds,
        "confirmed": sum(queue.confirmed for queue in queues),
        "claimed": sum(queue.claimed for queue in queues),
        "chains_us": [us for queue in queues for us in queue.latencies_us],
        "normal_us": normal_us,
        "meanwhile_us": meanwhile_us,
    }


def _pause(seconds: float) -> asyncio.Task[None]:
    return asyncio.create_task(asyncio.sleep(seconds))


async def _return(queues: list[Queue], connections: list[list[TabletConnection]]) -> None:
    async with asyncio.timeout(RETURN_S_MAX):
        await asyncio.gather(*(queue.send_all(own) for queue, own in zip(queues, connections, strict=True)))


async def _take_held(plan: ReturnPlan, signer: TapSigner) -> None:
    client, connection = plan["others"][0], await TabletConnection.open(plan["port"])
    for tag in plan["held"]:
        path = "/api/v4/occupation/iniciar"
        response, _ = await connection.send(signed_request(path, action_body(client, tag), client["cookie"], signer))
        if not response.startswith(CONFIRMED):
            raise RequestFailed(response.decode("utf-8", "replace"))


def main() -> None:
    plan: ReturnPlan = json.load(sys.stdin)
    try:
        result = uvloop.run(run_plan(plan))
    except* (RequestFailed, OSError, TimeoutError, asyncio.IncompleteReadError) as errors:
        sys.exit(f"{errors.exceptions[0]!r}")
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
