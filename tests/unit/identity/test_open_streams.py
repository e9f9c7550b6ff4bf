"""Open streams: those of a revoked device or token are ended, all others stay."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from carrete.identity.open_streams import OpenStreams, person_name
from carrete.ledger.errors import LedgerUnavailable
from tests.support.gated import until


class Ledger:
    def __init__(self) -> None:
        self.admitted = {"d-1", "d-2", "t-1"}
        self.gone = False
        self.reads = 0

    async def read(self, query: Callable[[Any], Any]) -> set[str]:
        self.reads += 1
        if self.gone:
            raise LedgerUnavailable("gone")
        return set(self.admitted)


def test_streams_of_a_revoked_device_end_and_others_stay() -> None:
    async def scenario() -> None:
        ledger, ended = Ledger(), list[str]()
        streams = OpenStreams(ledger.read)
        with (
            streams.open(["d-1"], lambda: ended.append("d-1")),
            streams.open(["d-1"], lambda: ended.append("d-1 again")),
            streams.open(["d-2"], lambda: ended.append("d-2")),
            streams.open([], lambda: ended.append("nobody's")),
        ):
            await streams.end_revoked()
            assert ended == []
            ledger.admitted = {"d-2"}
            await streams.end_revoked()
            assert ended == ["d-1", "d-1 again"]

    asyncio.run(scenario())


def test_a_stream_that_a_person_opened_ends_with_the_person_and_the_devices_own_stays() -> None:
    async def scenario() -> None:
        ledger, ended = Ledger(), list[str]()
        ledger.admitted |= {person_name(93)}
        streams = OpenStreams(ledger.read)
        with (
            streams.open(["d-1", person_name(93)], lambda: ended.append("of the session")),
            streams.open(["d-1"], lambda: ended.append("of the device")),
        ):
            await streams.end_revoked()
            assert ended == []
            ledger.admitted = {"d-1"}
            await streams.end_revoked()
            assert ended == ["of the session"]

    asyncio.run(scenario())


def test_without_open_streams_the_ledger_is_not_asked() -> None:
    ledger = Ledger()
    streams = OpenStreams(ledger.read)
    with streams.open(["d-1"], lambda: None):
        pass
    asyncio.run(streams.end_revoked())
    assert ledger.reads == 0


def test_a_ledger_that_comes_back_is_asked_again() -> None:
    async def scenario() -> None:
        ledger, ended = Ledger(), list[str]()
        streams = OpenStreams(ledger.read, every_s=0.001)
        running = asyncio.create_task(streams.run())
        with streams.open(["d-1"], lambda: ended.append("d-1")):
            ledger.gone, ledger.admitted = True, set()
            await until(lambda: ledger.reads >= 3, 5)
            assert ended == []
            ledger.gone = False
            await until(lambda: bool(ended), 5)
        running.cancel()

    asyncio.run(scenario())
