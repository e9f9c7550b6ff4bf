"""Background tasks end with the server."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from carrete.background import cancel_and_wait


def test_a_task_that_swallowed_its_first_cancellation_is_cancelled_again() -> None:
    async def stubborn() -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        await asyncio.sleep(60)

    async def scenario() -> None:
        task = asyncio.create_task(stubborn())
        await asyncio.sleep(0)
        await cancel_and_wait([task])
        assert task.cancelled()

    asyncio.run(scenario())


def test_a_task_that_failed_or_ended_before_is_no_trouble() -> None:
    async def failing() -> None:
        raise ValueError

    async def scenario() -> None:
        tasks = [asyncio.create_task(failing()), asyncio.create_task(asyncio.sleep(0))]
        await asyncio.sleep(0.01)
        await cancel_and_wait(tasks)
        await cancel_and_wait([])

    asyncio.run(scenario())
