"""Spaces the requests to Google: one in 1.1 s, and at most 55 a minute, reads and writes together."""

from __future__ import annotations

from collections import deque

from carrete.sheets.clock import Clock
from carrete.sheets.timings import DEFAULT_TIMINGS, LaneTimings

REQUESTS_PER_MINUTE_MAX = 55


class Pace:
    def __init__(self, clock: Clock, timings: LaneTimings = DEFAULT_TIMINGS) -> None:
        self._clock = clock
        self._timings = timings
        self._sent_at: deque[float] = deque(maxlen=REQUESTS_PER_MINUTE_MAX)
        self.requests = 0

    def wait(self) -> None:
        """Sleeps until the next request may be sent."""
        pause = self._next_at() - self._clock.monotonic()
        if pause > 0:
            self._clock.sleep(pause)
        self._sent_at.append(self._clock.monotonic())
        self.requests += 1

    def _next_at(self) -> float:
        if not self._sent_at:
            return 0.0
        spaced = self._sent_at[-1] + self._timings.requests_apart_s_min
        full = len(self._sent_at) == REQUESTS_PER_MINUTE_MAX
        return max(spaced, self._sent_at[0] + self._timings.quota_window_s) if full else spaced
