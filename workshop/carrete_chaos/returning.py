"""A tablet whose connection is back: it sends what it kept, some at a time, and claims work that was refused."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from random import Random

from carrete_chaos.history import ActionCall, ActionDone, ActionRefused
from carrete_chaos.offline_log import (
    CHAIN_CLAIMED,
    CHAIN_DONE,
    CHAIN_REFUSED,
    ENDING_CLAIMED,
    KILLED_SENDING,
)
from carrete_chaos.offline_tablet import KeptEntry, claim
from carrete_chaos.sending import PreparedTap, TabletFloor, until_answered
from carrete_chaos.tablet_device import TabletDevice, TabletSession

SENDING_MAX = 4  # at a time, as the tablet does
KILLED = 0.15
RETURNS_S_MAX = 240.0  # for which one request is sent again; a tablet in a shop goes on for twelve hours
KILLED_S_MAX = 0.3  # after the sending began
HOLDER_CHANGED = ("SPOOL_OCCUPIED", "NO_AUTORIZADO", "OPERACION_NO_INICIADA")


class ReturningTablet:
    def __init__(self, floor: TabletFloor, device: TabletDevice, session: TabletSession, rng: Random) -> None:
        self._floor = floor
        self._device = device
        self._session = session
        self._rng = rng

    async def send(self, entries: Sequence[KeptEntry]) -> list[ActionCall]:
        room = asyncio.Semaphore(SENDING_MAX)

        async def one(entry: KeptEntry) -> ActionCall:
            async with room:
                return await self._settle(entry)

        return list(await asyncio.gather(*map(one, entries)))

    async def _settle(self, entry: KeptEntry) -> ActionCall:
        call = await self._answered(entry)
        self._floor.calls.append(call)
        outcome, happened = call.outcome, self._floor.log.happened
        if not entry.is_alone:
            happened[CHAIN_DONE] += isinstance(outcome, ActionDone)
            if isinstance(outcome, ActionRefused):
                happened[CHAIN_CLAIMED if outcome.reclamo else CHAIN_REFUSED] += 1
        elif isinstance(outcome, ActionRefused) and outcome.code in HOLDER_CHANGED and entry.taps[0].work:
            claimed = await self._until_answered(claim(entry, self._session, self._rng))
            self._floor.calls.append(claimed)
            happened[ENDING_CLAIMED] += isinstance(claimed.outcome, ActionDone)
        return call

    async def _answered(self, entry: KeptEntry) -> ActionCall:
        """The browser may be killed while it sends. Opened again, it sends the same bytes."""
        began, call = self._floor.clock(), None
        if self._rng.random() < KILLED:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._rng.uniform(0, KILLED_S_MAX)):
                    call = await self._until_answered(entry.tap)
            self._floor.log.happened[KILLED_SENDING] += call is None
        call = call or await self._until_answered(entry.tap)
        return replace(call, began=began, taps=entry.taps)

    def _until_answered(self, tap: PreparedTap) -> Awaitable[ActionCall]:
        cookies: Callable[[], dict[str, str]] = self._device.cookies
        return until_answered(self._floor, tap, cookies, self._rng, RETURNS_S_MAX)
