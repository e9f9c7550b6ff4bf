"""How long a request may take to come: a workbook or a photo may come slowly, everything else within ten seconds."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from carrete.api.server.connection import (
    PHOTO_PATH,
    PHOTO_S_MAX,
    REQUEST_S_MAX,
    UPLOAD_PATH,
    UPLOAD_S_MAX,
    Connection,
)

SLOWLY_S = REQUEST_S_MAX - 1


class LeapingLoop(asyncio.SelectorEventLoop):
    """A loop whose clock a test can put forward."""

    ahead_s = 0.0

    def time(self) -> float:
        return super().time() + self.ahead_s


class RecordingTransport(asyncio.Transport):
    def __init__(self) -> None:
        super().__init__()
        self.sent = b""
        self.closed = False

    def write(self, data: Any) -> None:
        self.sent += data

    def writelines(self, list_of_data: Any) -> None:
        self.sent += b"".join(list_of_data)

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default


async def _never_answers(_scope: Any, receive: Any, _send: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _pieces_until_refused(loop: LeapingLoop, path: bytes, apart_s: float) -> tuple[float, bytes]:
    """The seconds after which the server has enough, and what it says."""
    transport, connection = (
        RecordingTransport(),
        Connection(uvicorn.Config(_never_answers, lifespan="off"), ServerState(), {}, loop),
    )
    connection.connection_made(transport)
    connection.data_received(b"POST %b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\n" % path)
    begun = loop.time()
    while not transport.closed:
        connection.data_received(b"x")
        loop.ahead_s += apart_s
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    took = loop.time() - begun
    connection.connection_lost(None)
    return took, transport.sent


def pieces_until_refused(path: bytes, apart_s: float) -> tuple[float, bytes]:
    loop = LeapingLoop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(_pieces_until_refused(loop, path, apart_s))


@pytest.mark.parametrize(
    ("path", "apart_s", "least_s", "most_s"),
    [
        (UPLOAD_PATH + b"?nombre=a.xlsx", SLOWLY_S, UPLOAD_S_MAX - 1, UPLOAD_S_MAX + 2 * SLOWLY_S),
        (PHOTO_PATH, SLOWLY_S, PHOTO_S_MAX - 1, PHOTO_S_MAX + 2 * SLOWLY_S),
        (UPLOAD_PATH, REQUEST_S_MAX + 1, REQUEST_S_MAX, 2 * REQUEST_S_MAX + 3),
        (b"/api/occupation/tomar", SLOWLY_S, REQUEST_S_MAX, 2 * REQUEST_S_MAX + 3),
        (UPLOAD_PATH + b"/c-1/aplicar", SLOWLY_S, REQUEST_S_MAX, 2 * REQUEST_S_MAX + 3),
    ],
    ids=[
        "a workbook that comes slowly",
        "a photo that comes slowly",
        "a workbook that stops",
        "a tap",
        "a decision about a workbook",
    ],
)
def test_only_a_workbook_or_a_photo_may_come_slowly(path: bytes, apart_s: float, least_s: float, most_s: float) -> None:
    took, response = pieces_until_refused(path, apart_s)
    assert least_s <= took <= most_s
    assert b"408" in response.split(b"\r\n")[0]
