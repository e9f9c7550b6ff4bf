"""A client on raw sockets: it sends bytes that no library would send, and reads until the server closes."""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

HANG_S_MAX = 60.0  # a longer wait means that the server has forgotten the connection


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def code(self) -> str | None:
        if self.headers.get("content-type") != "application/problem+json":
            return None
        problem: dict[str, Any] = json.loads(self.body)
        assert problem["status"] == self.status
        assert problem["title"]
        assert problem["detail"]
        return str(problem["code"])


@contextmanager
def connected(url: str) -> Iterator[socket.socket]:
    address = urlsplit(url)
    with socket.create_connection((address.hostname, address.port), timeout=HANG_S_MAX) as opened:
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield opened


def said_to(url: str, pieces: Iterable[bytes], every_s: float = 0.0) -> list[Answer]:
    """All answers until the server closes, which it may do while we are still sending."""
    with connected(url) as client:
        with suppress(ConnectionError):
            for piece in pieces:
                client.sendall(piece)
                time.sleep(every_s)
        return answers(until_closed(client))


def until_closed(client: socket.socket) -> bytes:
    received = b""
    with suppress(ConnectionError):
        while piece := client.recv(65_536):
            received += piece
    return received


def hang_up_rudely(client: socket.socket) -> None:
    """A reset: the client's machine forgot the connection."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


def answers(received: bytes) -> list[Answer]:
    """One after another, exactly as long as they say they are."""
    found = []
    while received:
        head, blank, rest = received.partition(b"\r\n\r\n")
        assert blank, f"an answer without an end of its head: {head[:200]!r}"
        line, *fields = head.decode("latin-1").split("\r\n")
        assert line.startswith("HTTP/1.1 "), line
        status = int(line.split(" ")[1])
        headers = {name.lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)}
        if status == 100:
            received = rest
            continue
        body, received = _body(headers, rest)
        found.append(Answer(status, headers, body))
    return found


def _body(headers: dict[str, str], rest: bytes) -> tuple[bytes, bytes]:
    if headers.get("transfer-encoding") == "chunked":
        return _chunks(rest)
    size = int(headers.get("content-length", "0"))
    assert len(rest) >= size, f"an answer that was cut off: {rest[:200]!r}"
    return rest[:size], rest[size:]


def _chunks(rest: bytes) -> tuple[bytes, bytes]:
    body = b""
    while True:
        size, _, rest = rest.partition(b"\r\n")
        length = int(size, 16)
        body, rest = body + rest[:length], rest[length + 2 :]
        if not length:
            return body, rest
