"""The emulator in process, without sockets, and the one clock that it shares with the lane."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cache

import httpx

from carrete.sheets.google.account import Key, key_from
from sheets_emulator.clock import EmulatorClock
from sheets_emulator.emulator import Emulator
from sheets_emulator.exchange import Exchanges, HttpOutcome

ROOT = "http://emulator.invalid"
_CUTS = {"hang": httpx.ReadTimeout, "refuse": httpx.ConnectError}


class StandingClock:
    """A clock that only `sleep` moves, without waiting: four hours pass in a moment, for the lane and for Google."""

    def __init__(self, start: datetime) -> None:
        self.google = EmulatorClock(start, running=False)
        self.emulator: Emulator | None = None
        self._began = self.google.seconds()

    def now(self) -> datetime:
        return self.google.now()

    def monotonic(self) -> float:
        return self.google.seconds() - self._began

    def sleep(self, seconds: float) -> None:
        by = timedelta(seconds=max(0.001, seconds))  # a float may leave less than the clock can show
        if self.emulator is None:
            self.google.advance(by)
        else:
            self.emulator.advance(by)


def nothing_happens(_request: httpx.Request) -> None:
    """The default for `meanwhile`."""


class EmulatedGoogle(httpx.BaseTransport):
    """Answers as the emulator does, broken connections included. `meanwhile` is called before each write is applied."""

    def __init__(self, emulator: Emulator) -> None:
        self._exchanges = Exchanges(emulator, threading.Event())
        self.meanwhile: Callable[[httpx.Request], None] = nothing_happens

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith(":batchUpdate"):
            self.meanwhile(request)
        outcome = self._exchanges.handle(
            request.method,
            request.url.raw_path.decode().partition("?")[0],
            request.url.query.decode(),
            request.headers.get("Authorization"),
            request.read(),
        )
        return _answer(outcome, request)


def _answer(outcome: HttpOutcome, request: httpx.Request) -> httpx.Response:
    if outcome.cut == "truncate":
        return httpx.Response(outcome.status, content=outcome.body[: len(outcome.body) // 2], request=request)
    if outcome.cut:
        raise _CUTS.get(outcome.cut, httpx.ReadError)(outcome.cut, request=request)
    headers = {"Content-Type": outcome.content_type}
    return httpx.Response(outcome.status, content=outcome.body, headers=headers, request=request)


def emulated_key(emulator: Emulator) -> Key:
    return _read_once(json.dumps(emulator.accounts.service_account(f"{ROOT}/token")))


@cache
def _read_once(service_account: str) -> Key:
    """Cached: parsing a private key takes as long as a dozen cycles of the lane, and a seed starts many lanes."""
    return key_from(json.loads(service_account), "emulator")
