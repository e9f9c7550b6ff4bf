"""The clock of the lane, passed in so that a test can let four hours pass in a moment."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime: ...

    def monotonic(self) -> float: ...

    def sleep(self, seconds: float) -> None: ...


class RealClock:
    """A sleep ends early when `stopping` is set."""

    def __init__(self, stopping: threading.Event | None = None) -> None:
        self._stopping = stopping or threading.Event()

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        self._stopping.wait(seconds)
