"""A log line for each refused request that may be an attack or a misconfiguration: code, worker, path, client."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import structlog
from starlette.types import Scope

from carrete.api.server.minute_count import MinuteCount

log = structlog.get_logger()

LINES_PER_MINUTE_MAX = 600  # further refusals are only counted
PATH_CHARS_MAX = 200


class RefusalLog:
    def __init__(self, lines_per_minute_max: int = LINES_PER_MINUTE_MAX) -> None:
        self.lines_per_minute_max = lines_per_minute_max
        self.total: Counter[str] = Counter()
        self._not_logged = MinuteCount("refusals beyond those logged one by one")
        self._minute, self._lines = 0, 0

    def write(self, scope: Scope, code: str, worker_id: int | None = None, **what: Any) -> None:
        self.total[code] += 1
        if not self._has_room():
            self._not_logged.add(code)
            return
        client = scope.get("client")
        log.warning(
            "refused",
            code=code,
            worker_id=worker_id,
            method=scope["method"],
            path=shown_path(scope),
            client=client[0] if client else None,
            **what,
        )

    def _has_room(self) -> bool:
        now = int(time.monotonic() // 60)
        self._lines = self._lines + 1 if now == self._minute else 1
        self._minute = now
        return self._lines <= self.lines_per_minute_max


def shown_path(scope: Scope) -> str:
    """As it was sent: encoded, so that it has no control characters; and not too long."""
    path: bytes = scope.get("raw_path") or scope["path"].encode()
    return path[:PATH_CHARS_MAX].decode("ascii", "backslashreplace")


refusal_log = RefusalLog()  # one for the process
