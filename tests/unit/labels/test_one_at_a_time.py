"""One document of labels at a time: the next one waits, and is told when it waits too long."""

from __future__ import annotations

import asyncio

import pytest

from carrete.api.one_at_a_time import OneAtATime
from carrete.labels.refusals import LabelsBusy


def test_who_waits_too_long_for_others_labels_is_told_so() -> None:
    async def two() -> None:
        drawing = OneAtATime(LabelsBusy, wait_s_max=0.01)
        async with drawing.turn():
            with pytest.raises(LabelsBusy, match="Espere un momento"):
                async with drawing.turn():
                    pytest.fail("two documents at once")
        async with drawing.turn():
            pass

    asyncio.run(two())


def test_a_document_that_fails_lets_the_next_one_in() -> None:
    async def two() -> None:
        drawing = OneAtATime(LabelsBusy, wait_s_max=0.01)
        with pytest.raises(ValueError, match="no paper"):
            async with drawing.turn():
                raise ValueError("no paper")
        async with drawing.turn():
            pass

    asyncio.run(two())
