"""Many calls at once: each in a thread of its own, all started at the same moment."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
WAIT_S_MAX = 60.0


def at_once(taps: Sequence[Callable[[], T]]) -> list[T]:
    """The results, in the order of the calls."""
    start = threading.Barrier(len(taps))

    def tap(what: Callable[[], T]) -> T:
        start.wait(WAIT_S_MAX)
        return what()

    with ThreadPoolExecutor(len(taps)) as hands:
        return list(hands.map(tap, taps, timeout=WAIT_S_MAX))
