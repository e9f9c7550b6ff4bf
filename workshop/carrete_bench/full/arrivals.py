"""The arrivals process: it sends each call at its own moment, on a new connection.

It reads an ArrivalPlan as JSON from standard input and writes the latencies in µs as JSON to standard output.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any, TypedDict

import uvloop

from carrete_bench.load import RESPONSE_S_MAX, RequestFailed, new_key, post, response_length


class ScheduledCall(TypedDict):
    at_s: float
    path: str
    body: str


class ArrivalPlan(TypedDict):
    port: int
    calls: list[ScheduledCall]


async def run_plan(plan: ArrivalPlan) -> list[int]:
    """The latency of each call in µs, from opening its connection to the last byte of its response."""
    start = time.perf_counter()
    return await asyncio.gather(*(_send_at_its_time(plan["port"], call, start) for call in plan["calls"]))


async def _send_at_its_time(port: int, call: ScheduledCall, start: float) -> int:
    before, after = post(call["path"], call["body"].encode())
    request = before + new_key().encode() + after
    await asyncio.sleep(start + call["at_s"] - time.perf_counter())
    sent_at = time.perf_counter()
    async with asyncio.timeout(RESPONSE_S_MAX):
        response = await _response(port, request)
    latency_us = int((time.perf_counter() - sent_at) * 1e6)
    if not response.startswith(b"HTTP/1.1 200 "):
        raise RequestFailed(response.decode("utf-8", "replace"))
    return latency_us


async def _response(port: int, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        received = bytearray(await reader.readuntil(b"\r\n\r\n"))
        received += await reader.readexactly(response_length(received) - len(received))
        return bytes(received)
    finally:
        writer.close()


def main() -> None:
    plan: ArrivalPlan = json.load(sys.stdin)
    try:
        latencies_us: Any = uvloop.run(run_plan(plan))
    except (RequestFailed, OSError, TimeoutError, asyncio.IncompleteReadError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    json.dump(latencies_us, sys.stdout)


if __name__ == "__main__":
    main()
