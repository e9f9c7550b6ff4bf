"""A tablet whose connection is back sends what it kept for as long as the campaign waits, not for as long as a tap."""

from __future__ import annotations

import asyncio
import json
from random import Random

from carrete_chaos.history import ActionDone
from carrete_chaos.offline_log import KeptTap
from carrete_chaos.offline_tablet import KeptEntry
from carrete_chaos.returning import RETURNS_S_MAX, ReturningTablet
from carrete_chaos.sending import GIVES_UP_AFTER_S, Choice, TabletFloor
from carrete_chaos.tablet_device import DeviceSecret, TabletDevice, TabletSession

DONE = {"version": "v1", "action_taken": "CADENA", "pasos": [{"event_seq": 1}]}
STARTING = {"code": "LEDGER_UNAVAILABLE"}


class Server:
    """Answers 503 until the tablet's clock shows a time."""

    def __init__(self, serves_from_s: float) -> None:
        self.serves_from_s = serves_from_s
        self.now_s = 0.0

    def clock(self) -> float:
        return self.now_s

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        self.now_s += 20.0  # each attempt takes its time
        serves = self.now_s > self.serves_from_s
        body = json.dumps(DONE if serves else STARTING).encode()
        writer.write(b"HTTP/1.1 %d x\r\nContent-Length: %d\r\n\r\n" % (200 if serves else 503, len(body)) + body)
        await writer.drain()
        writer.close()


async def sent(server: Server) -> object:
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    floor = TabletFloor([listening.sockets[0].getsockname()[1]], ["A"], [], clock=server.clock)
    session, rng = TabletSession("s1", 1, "d1", "secret", b"key"), Random(3)
    tap = KeptTap(1, "s1", "A", "TOMAR", "ARM", "08:00")
    entry = KeptEntry(session.sign(Choice("cadena", "A", "ARM", {"pasos": [tap.step]}), None, "k"), (tap,))
    async with listening:
        device = TabletDevice(floor, rng, DeviceSecret("d1", "secret"))
        (call,) = await ReturningTablet(floor, device, session, rng).send([entry])
    return call.outcome


def test_work_that_no_server_takes_for_two_minutes_is_confirmed_in_the_end() -> None:
    assert GIVES_UP_AFTER_S < 120.0 < RETURNS_S_MAX
    assert isinstance(asyncio.run(sent(Server(serves_from_s=120.0))), ActionDone)


def test_work_that_no_server_ever_takes_is_given_up_within_the_bound() -> None:
    server = Server(serves_from_s=float("inf"))
    assert not isinstance(asyncio.run(sent(server)), ActionDone)
    assert server.now_s < RETURNS_S_MAX + 21
