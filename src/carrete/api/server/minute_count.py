"""Counts events and logs them as one line a minute, however many there are."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress

import structlog

log = structlog.get_logger()

EVERY_S = 60.0


class MinuteCount:
    """The first event is logged at once; those of the following minute together, at its end."""

    def __init__(self, event: str, every_s: float = EVERY_S) -> None:
        self._event = event
        self._every_s = every_s
        self.total: Counter[str] = Counter()
        self._unlogged: Counter[str] = Counter()
        self._waiting: asyncio.TimerHandle | None = None

    def add(self, kind: str) -> None:
        self.total[kind] += 1
        self._unlogged[kind] += 1
        if self._waiting is None:
            self._log()

    def _log(self) -> None:
        self._waiting = None
        if not self._unlogged:
            return
        log.warning(self._event, count=self._unlogged.total(), by_kind=dict(self._unlogged))
        self._unlogged.clear()
        with suppress(RuntimeError):  # without an event loop nothing can log the rest later
            self._waiting = asyncio.get_running_loop().call_later(self._every_s, self._log)
