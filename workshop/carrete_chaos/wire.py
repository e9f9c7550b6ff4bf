"""One HTTP request on a connection of its own: what a tablet with bad Wi-Fi does."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any


class NoAnswer(Exception):
    """No answer: the request may have arrived or not."""


@dataclass(frozen=True, slots=True)
class RawAnswer:
    status: int
    body: dict[str, Any]


async def post(port: int, path: str, body: dict[str, Any], key: str, wait_s: float) -> RawAnswer:
    content = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
        f"Idempotency-Key: {key}\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return await _ask(port, head.encode() + content, wait_s)


async def get(port: int, path: str, wait_s: float) -> RawAnswer:
    return await _ask(port, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode(), wait_s)


async def _ask(port: int, request: bytes, wait_s: float) -> RawAnswer:
    try:
        async with asyncio.timeout(wait_s):
            return _answer(await exchange(port, request))
    except (OSError, TimeoutError, ValueError) as error:
        raise NoAnswer(f"{type(error).__name__}: {error}") from error


async def exchange(port: int, request: bytes) -> bytes:
    """Sends the request and reads until the other side closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        await writer.drain()
        return await reader.read(-1)
    finally:
        writer.close()


def _answer(raw: bytes) -> RawAnswer:
    head, separator, body = raw.partition(b"\r\n\r\n")
    if not separator:
        raise ValueError("the answer was cut off")
    lines = head.split(b"\r\n")
    lengths = [int(line.split(b":")[1]) for line in lines if line.lower().startswith(b"content-length:")]
    if lengths and len(body) < lengths[0]:
        raise ValueError("the answer was cut off")
    return RawAnswer(int(lines[0].split()[1]), json.loads(body) if body else {})
