"""Faults on purpose: a queue of faults, each for the requests that it matches, and barriers that hold requests."""

from __future__ import annotations

import itertools
import re
import threading
from dataclasses import dataclass, field
from random import Random
from typing import Any

from sheets_emulator.errors import Json, invalid

KINDS = frozenset({
    "500", "502-html", "503", "429",  # answered with this error, not applied
    "refuse", "reset-before-apply", "hang", "truncate-body",
    "apply-then-500", "apply-then-502-html", "apply-then-503", "apply-then-reset", "apply-then-hang",
    "apply-later",
    "latency",
    "401-once", "403-revoked", "403-disabled", "404-trashed",
    "invalid_grant",
})  # fmt: skip
POINTS = ("parsed", "before-apply", "after-apply")
HOLD_S_MAX = 120.0
QUEUE_MAX = 10_000


@dataclass(frozen=True, slots=True)
class RequestInfo:
    """A request as faults and barriers see it. kind: read, write, token or drive."""

    number: int
    method: str
    path: str
    kind: str


@dataclass(slots=True)
class Match:
    """A request must fit all that is given; nth counts only the requests that fit."""

    method: str = ""
    path: str = ""  # a regular expression, found anywhere in the path
    kind: str = ""
    nth: int = 1
    probability: float = 1.0
    times: int | None = 1  # None: without end

    def fits(self, request: RequestInfo) -> bool:
        return (
            (not self.method or self.method.upper() == request.method)
            and (not self.kind or self.kind == request.kind)
            and (not self.path or re.search(self.path, request.path) is not None)
        )

    def triggers(self, request: RequestInfo, rng: Random) -> bool:
        if self.times == 0 or not self.fits(request):
            return False
        if self.nth > 1:
            self.nth -= 1
            return False
        if self.probability < 1.0 and rng.random() >= self.probability:
            return False
        if self.times is not None:
            self.times -= 1
        return True


def match_from(params: Json) -> Match:
    try:
        re.compile(params.get("path") or "")
        return Match(**{name: params[name] for name in Match.__slots__ if name in params})
    except (TypeError, re.error) as error:
        raise invalid(f"No such match: {error}") from None


@dataclass(slots=True)
class Fault:
    kind: str
    match: Match
    settings: Json = field(default_factory=dict)
    number: int = 0

    def setting(self, name: str, otherwise: Any) -> Any:
        return self.settings.get(name, otherwise)


class Faults:
    """The first fault of the queue that fits a request is applied to it, and a latency in addition to it."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._lock = threading.Lock()
        self._queue: list[Fault] = []
        self._numbers = itertools.count(1)

    def add(self, params: Json) -> int:
        kind = str(params.get("fault", ""))
        if kind not in KINDS:
            raise invalid(f"No such fault: {kind}. There are: {', '.join(sorted(KINDS))}.")
        settings = {name: value for name, value in params.items() if name not in ("fault", *Match.__slots__)}
        fault = Fault(kind, match_from(params), settings, next(self._numbers))
        with self._lock:
            if len(self._queue) >= QUEUE_MAX:
                raise invalid(f"More than {QUEUE_MAX} faults are waiting.")
            self._queue.append(fault)
        return fault.number

    def clear(self) -> None:
        with self._lock:
            self._queue.clear()

    def for_request(self, request: RequestInfo) -> tuple[Fault | None, Fault | None]:
        """The fault that is applied to this request, and its latency."""
        happens = latency = None
        with self._lock:
            for fault in self._queue:
                if fault.kind == "latency":
                    if latency is None and fault.match.triggers(request, self._rng):
                        latency = fault
                elif happens is None and fault.match.triggers(request, self._rng):
                    happens = fault
            self._queue = [fault for fault in self._queue if fault.match.times != 0]
        return happens, latency

    def waiting(self) -> list[Json]:
        with self._lock:
            return [
                {"id": fault.number, "fault": fault.kind, "times": fault.match.times, "path": fault.match.path}
                for fault in self._queue
            ]


class Barrier:
    """Holds the first request that matches until it is released, at most for HOLD_S_MAX."""

    def __init__(self, number: int, point: str, match: Match) -> None:
        self.number = number
        self.point = point
        self.match = match
        self.met = threading.Event()
        self.go_on = threading.Event()
        self.held: RequestInfo | None = None

    def as_json(self) -> Json:
        held = None if self.held is None else {"number": self.held.number, "path": self.held.path}
        return {"id": self.number, "at": self.point, "met": self.met.is_set(), "request": held}


class Barriers:
    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._lock = threading.Lock()
        self._all: dict[int, Barrier] = {}
        self._numbers = itertools.count(1)

    def add(self, params: Json) -> Barrier:
        point = params.get("at", "before-apply")
        if point not in POINTS:
            raise invalid(f"No such point: {point}. There are: {', '.join(POINTS)}.")
        with self._lock:
            barrier = Barrier(next(self._numbers), point, match_from(params))
            self._all[barrier.number] = barrier
        return barrier

    def get(self, number: int) -> Barrier:
        with self._lock:
            if number not in self._all:
                raise invalid(f"No barrier {number}.")
            return self._all[number]

    def reached(self, point: str, request: RequestInfo) -> None:
        """Called by each request at each point: waits here if a barrier matches it."""
        with self._lock:
            meets = (b for b in self._all.values() if b.point == point and not b.met.is_set())
            barrier = next((b for b in meets if b.match.triggers(request, self._rng)), None)
            if barrier is not None:
                barrier.held = request
                barrier.met.set()
        if barrier is not None:
            barrier.go_on.wait(HOLD_S_MAX)

    def release(self, number: int) -> None:
        barrier = self.get(number)
        with self._lock:
            barrier.met.set()  # a barrier that has held no request yet is not to hold one any more
            barrier.go_on.set()
            self._all.pop(number, None)

    def release_all(self) -> None:
        with self._lock:
            for barrier in self._all.values():
                barrier.met.set()
                barrier.go_on.set()
            self._all.clear()
