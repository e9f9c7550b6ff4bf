"""Makes documents wait for one another: making one takes the processor from the taps."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from carrete.domain.refusals import Refusal

WAIT_S_MAX = 10.0  # for others' documents, which take some seconds


class OneAtATime:
    """One document at a time in a process. A request that waits longer than `wait_s_max` gets the refusal."""

    def __init__(self, busy: Callable[[], Refusal], wait_s_max: float = WAIT_S_MAX) -> None:
        self._turn = asyncio.Semaphore(1)
        self._busy = busy
        self._wait_s_max = wait_s_max

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        try:
            await asyncio.wait_for(self._turn.acquire(), self._wait_s_max)
        except TimeoutError:
            raise self._busy() from None
        try:
            yield
        finally:
            self._turn.release()
