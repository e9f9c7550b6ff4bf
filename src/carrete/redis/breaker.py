"""The circuit breaker: after one failed call Redis is not called again until a probe finds it working."""

from __future__ import annotations

import time

import structlog

from carrete.addresses import redact

log = structlog.get_logger()

NOT_YET = "not connected yet"


class Breaker:
    """Open means that Redis is not called. A failed call opens the breaker; only the watcher's probe closes it."""

    def __init__(self, address: str = "") -> None:
        self._address = address
        self.reason: str | None = NOT_YET
        self.since = time.monotonic()
        self.openings = 0

    @property
    def is_open(self) -> bool:
        return self.reason is not None

    def open(self, reason: str) -> None:
        """Logs once per outage, however many calls fail."""
        reason = redact(reason, self._address)
        if self.reason in (None, NOT_YET):
            self.openings += 1
            self.since = time.monotonic()
            log.warning("Redis is not used: the ledger alone decides", reason=reason)
        self.reason = reason

    def close(self) -> None:
        if self.reason == NOT_YET:
            log.info("Redis is used")
        elif self.reason is not None:
            log.info("Redis is used again", after_s=round(time.monotonic() - self.since, 1), was=self.reason)
        self.reason = None
        self.since = time.monotonic()
