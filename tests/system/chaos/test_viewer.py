"""The viewer of a campaign's stream stops when it is told to, whatever arrives meanwhile."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from carrete_chaos.viewer import CampaignViewer

GONE_S_MAX = 5.0


@pytest.mark.parametrize("turns", range(6))
def test_a_viewer_stops_also_when_a_line_arrives_at_that_moment(turns: int) -> None:
    async def stopped() -> bool:
        reader = asyncio.StreamReader()
        watching = asyncio.create_task(CampaignViewer([], Random(0))._read(reader, None))
        await asyncio.sleep(0.01)
        reader.feed_data(b": still here\n")
        for _ in range(turns):
            await asyncio.sleep(0)
        watching.cancel()
        await asyncio.wait({watching}, timeout=GONE_S_MAX)
        return watching.cancelled()

    assert asyncio.run(stopped())
