"""Background tasks that end when they are told to, also when a library swallowed the first telling."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

TELLS_MAX = 20
AGAIN_AFTER_S = 0.2


async def end(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """A cancellation that arrives in the very moment in which a call times out is lost in that call: it is said
    again. What a task ended with is its own business."""
    left = set(tasks)
    for _ in range(TELLS_MAX):
        if not left:
            return
        for task in left:
            task.cancel()
        done, left = await asyncio.wait(left, timeout=AGAIN_AFTER_S)
        await asyncio.gather(*done, return_exceptions=True)
