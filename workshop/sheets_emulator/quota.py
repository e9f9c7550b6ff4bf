"""Requests per minute, read and write, per user and per project, on the emulator's clock.

A bucket is refilled at the turn of the minute. A request counts once whatever its size, failed ones included.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass

from sheets_emulator.errors import Json, quota_exceeded

MINUTES_KEPT = 24 * 60


@dataclass(slots=True)
class QuotaLimits:
    per_user: int = 60
    per_project: int = 300
    enforced: bool = True


class Quota:
    def __init__(self) -> None:
        self.limits = QuotaLimits()
        self._lock = threading.Lock()
        self._used: dict[int, Counter[tuple[str, str]]] = {}
        self._refused: dict[int, Counter[tuple[str, str]]] = {}

    def take(self, kind: str, user: str, now_s: float) -> None:
        """kind is Read or Write. Raises 429 when the minute is used up; the refused request is counted apart."""
        minute = int(now_s // 60)
        with self._lock:
            used = self._minute(self._used, minute)
            over_user = used[kind, user] >= self.limits.per_user
            over_project = sum(n for (k, _), n in used.items() if k == kind) >= self.limits.per_project
            if self.limits.enforced and (over_user or over_project):
                self._minute(self._refused, minute)[kind, user] += 1
                raise quota_exceeded(kind, per_user=over_user)
            used[kind, user] += 1

    def spend(self, kind: str, user: str, count: int, now_s: float) -> None:
        """Uses up quota as another client would."""
        with self._lock:
            self._minute(self._used, int(now_s // 60))[kind, user] += count

    def _minute(self, kept: dict[int, Counter[tuple[str, str]]], minute: int) -> Counter[tuple[str, str]]:
        if minute not in kept:
            kept[minute] = Counter()
            while len(kept) > MINUTES_KEPT:
                del kept[next(iter(kept))]
        return kept[minute]

    def use(self) -> list[Json]:
        """Minute by minute, oldest first."""
        with self._lock:
            return [
                {
                    "minute": minute * 60,
                    "kind": kind.lower(),
                    "user": user,
                    "used": used[kind, user],
                    "refused": self._refused.get(minute, Counter())[kind, user],
                }
                for minute, used in sorted(self._used.items())
                for kind, user in sorted({*used, *self._refused.get(minute, Counter())})
            ]
