"""Cancels background tasks, also when a library swallows the first cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

CANCELLATIONS_MAX = 20
CANCEL_AGAIN_AFTER_S = 0.2


async def cancel_and_wait(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancels again what does not end, because a call that times out at the same moment swallows the cancellation.
    Results and errors of the tasks are ignored."""
    running = set(tasks)
    for _ in range(CANCELLATIONS_MAX):
        if not running:
            return
        for task in running:
            task.cancel()
        done, running = await asyncio.wait(running, timeout=CANCEL_AGAIN_AFTER_S)
        await asyncio.gather(*done, return_exceptions=True)
