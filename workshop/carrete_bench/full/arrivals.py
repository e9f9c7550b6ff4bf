"""Those who come: a process of its own in which each call has a moment and a connection of its own.

It reads a plan as JSON from standard input and writes what it saw as JSON to standard output.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any, TypedDict
from uuid import uuid4

import uvloop

from carrete_bench.load import ANSWER_S_MAX, NotAnswered, post, whole_length


class Call(TypedDict):
    at_s: float
    path: str
    body: str


class Plan(TypedDict):
    port: int
    calls: list[Call]


async def carry_out(plan: Plan) -> list[int]:
    """How long each took, in µs, from before its connection to the last byte of its answer."""
    start = time.perf_counter()
    return await asyncio.gather(*(_come(plan["port"], call, start) for call in plan["calls"]))


async def _come(port: int, call: Call, start: float) -> int:
    before, after = post(call["path"], call["body"].encode())
    request = before + str(uuid4()).encode() + after
    await asyncio.sleep(start + call["at_s"] - time.perf_counter())
    came = time.perf_counter()
    async with asyncio.timeout(ANSWER_S_MAX):
        answer = await _answered(port, request)
    took_us = int((time.perf_counter() - came) * 1e6)
    if not answer.startswith(b"HTTP/1.1 200 "):
        raise NotAnswered(answer.decode("utf-8", "replace"))
    return took_us


async def _answered(port: int, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        received = bytearray(await reader.readuntil(b"\r\n\r\n"))
        received += await reader.readexactly(whole_length(received) - len(received))
        return bytes(received)
    finally:
        writer.close()


def main() -> None:
    plan: Plan = json.load(sys.stdin)
    try:
        took: Any = uvloop.run(carry_out(plan))
    except (NotAnswered, OSError, TimeoutError, asyncio.IncompleteReadError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    json.dump(took, sys.stdout)


if __name__ == "__main__":
    main()
