"""One HTTP request on a connection of its own, as a tablet with bad Wi-Fi sends it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

NO_HEADERS: Mapping[str, str] = {}


class NoAnswer(Exception):
    """No answer: the request may have arrived or not."""


@dataclass(frozen=True, slots=True)
class RawAnswer:
    status: int
    body: dict[str, Any]
    cookies: dict[str, str] = field(default_factory=dict)  # that the answer sets


async def post(port: int, path: str, content: bytes, headers: Mapping[str, str], wait_s: float) -> RawAnswer:
    more = {"Content-Type": "application/json", "Content-Length": str(len(content)), **headers}
    return await _ask(port, _head("POST", path, more) + content, wait_s)


async def get(port: int, path: str, wait_s: float, headers: Mapping[str, str] = NO_HEADERS) -> RawAnswer:
    return await _ask(port, _head("GET", path, headers), wait_s)


async def delete(port: int, path: str, headers: Mapping[str, str], wait_s: float, content: bytes = b"") -> RawAnswer:
    more = {"Content-Type": "application/json", "Content-Length": str(len(content))} if content else {}
    return await _ask(port, _head("DELETE", path, {**more, **headers}) + content, wait_s)


def _head(method: str, path: str, headers: Mapping[str, str]) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


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
    first, *lines = head.split(b"\r\n")
    headers = [(name.lower(), value.strip()) for name, _, value in (line.partition(b":") for line in lines)]
    lengths = [int(value) for name, value in headers if name == b"content-length"]
    if lengths and len(body) < lengths[0]:
        raise ValueError("the answer was cut off")
    set_by_it = [value.partition(b";")[0].partition(b"=") for name, value in headers if name == b"set-cookie"]
    cookies = {name.decode(): value.decode() for name, _, value in set_by_it}
    return RawAnswer(int(first.split()[1]), json.loads(body) if body else {}, cookies)
