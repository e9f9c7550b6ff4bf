"""The emulator's own time: real time, shifted, or stopped until a test moves it."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta


class EmulatorClock:
    """Runs like real time from the instant it was set to; when stopped, only `advance` and `set` move it."""

    def __init__(self, start: datetime | None = None, *, running: bool = True) -> None:
        self._lock = threading.Lock()
        self._epoch_s = (start or datetime.now(UTC)).timestamp()
        self._since_s = time.monotonic()
        self._running = running

    @property
    def running(self) -> bool:
        return self._running

    def seconds(self) -> float:
        """Since the epoch."""
        with self._lock:
            return self._seconds()

    def _seconds(self) -> float:
        return self._epoch_s + (time.monotonic() - self._since_s if self._running else 0.0)

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.seconds(), UTC)

    def advance(self, by: timedelta) -> None:
        """Never backwards: the minute that a quota counts does not come twice."""
        if by < timedelta(0):
            raise ValueError("a clock is not turned back")
        with self._lock:
            self._epoch_s += by.total_seconds()

    def set(self, to: datetime) -> None:
        with self._lock:
            self._epoch_s = to.timestamp()
            self._since_s = time.monotonic()

    def run(self, running: bool) -> None:
        with self._lock:
            self._epoch_s = self._seconds()
            self._since_s = time.monotonic()
            self._running = running
