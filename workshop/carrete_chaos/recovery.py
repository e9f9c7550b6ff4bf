"""Measures how soon a tap is served again after a fault, with taps of a worker of its own, without a proxy.

These taps are in the history like all others; the times are reported, never judged.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from carrete_chaos import shop
from carrete_chaos.choosing import CrewMember
from carrete_chaos.cluster import ClusterFailed
from carrete_chaos.history import ActionRefused, ActionUnanswered
from carrete_chaos.office import Office
from carrete_chaos.sending import Choice, TabletFloor
from carrete_chaos.tablet_device import TabletDevice
from carrete_chaos.tablets import Tablet

USUAL_TAPS = 5
SIGN_IN_TRIES_MAX = 20
TAPS_MAX = 4  # each of them is given up only after a while
API, POSTGRES, DISK = "API after kill -9", "PostgreSQL after an immediate restart", "ledger after a full disk"
BOTH_APIS, RESTARTED = "both API processes after kill -9", "API after an orderly restart"


@dataclass(slots=True)
class RecoveryTimes:
    """Seconds until the first served tap, by what was lost, and the taps while Redis was gone."""

    first_tap_s: dict[str, list[float]] = field(default_factory=dict)
    usual_s: list[float] = field(default_factory=list)
    without_redis_s: list[float] = field(default_factory=list)
    unserved_without_redis: int = 0

    def summary(self, what: str) -> str:
        """Maximum and median, for the table."""
        seconds = self.first_tap_s.get(what)
        return f"{max(seconds):.1f} s, {statistics.median(seconds):.1f} s" if seconds else "–"

    def summary_without_redis(self) -> str:
        if not self.without_redis_s or not self.usual_s:
            return "–"
        gone, usual = (1000 * statistics.median(s) for s in (self.without_redis_s, self.usual_s))
        return (
            f"{len(self.without_redis_s)} served, {self.unserved_without_redis} not; {gone:.0f} ms beside {usual:.0f}"
        )

    def lines(self) -> list[str]:
        found = [
            f"{what}: first served tap after {max(seconds):.1f} s at most, "
            f"{statistics.median(seconds):.1f} s as a rule ({len(seconds)} times)"
            for what, seconds in sorted(self.first_tap_s.items())
        ]
        if self.without_redis_s and self.usual_s:
            gone, usual = (1000 * statistics.median(s) for s in (self.without_redis_s, self.usual_s))
            found.append(
                f"Redis gone: {len(self.without_redis_s)} taps served, {self.unserved_without_redis} not; "
                f"{gone:.0f} ms as a rule beside {usual:.0f} ms right before, "
                f"{1000 * max(self.without_redis_s):.0f} ms at most"
            )
        return found


class RecoveryTimer:
    def __init__(self, floor: TabletFloor, ports: Sequence[int], rng: Random) -> None:
        self.figures = RecoveryTimes()
        self._floor = floor
        self._rng = rng
        self._people = [self._at([port]) for port in ports]
        self._anywhere = self._at(ports)

    def _at(self, ports: Sequence[int]) -> Tablet:
        """A tablet with the shared history and a direct connection to that server."""
        near = replace(self._floor, ports=list(ports))
        return Tablet(near, [CrewMember(shop.TIMEKEEPER)], Random(self._rng.random()))

    async def sign_in(self, office: Office) -> None:
        """Before the first fault; what is measured later is the tap alone."""
        tablets = [*self._people, self._anywhere]
        secrets = office.devices(f"Cronómetro {n}" for n in range(len(tablets)))
        for tablet, secret in zip(tablets, secrets, strict=True):
            tablet.device = TabletDevice(tablet.floor, tablet.rng, secret)
            for _ in range(SIGN_IN_TRIES_MAX):
                if await tablet.sign_in():
                    break
            else:
                raise ClusterFailed("nobody could sign in before the first fault")

    async def first_tap(self, what: str, number: int | None = None) -> None:
        """Measures until that server, or each of them, serves a tap."""
        people = self._people if number is None else [self._people[number]]
        seconds = await asyncio.gather(*(self._until_served(person) for person in people))
        self.figures.first_tap_s.setdefault(what, []).append(max(seconds))

    async def _until_served(self, person: Tablet) -> float:
        began = self._floor.clock()
        for _ in range(TAPS_MAX):
            since = self._floor.clock()
            if (seconds := await self._tap(person)) is not None:
                return since - began + seconds
        return self._floor.clock() - began

    async def while_gone(self, gone: Awaitable[object]) -> None:
        """Sends taps one after another while Redis is gone."""
        away = asyncio.ensure_future(gone)
        while not away.done():
            seconds = await self._tap(self._anywhere)
            if away.done():
                break
            if seconds is None:
                self.figures.unserved_without_redis += 1
            else:
                self.figures.without_redis_s.append(seconds)
            await asyncio.sleep(0.02)
        await away

    async def usual(self) -> None:
        for _ in range(USUAL_TAPS):
            if (seconds := await self._tap(self._anywhere)) is not None:
                self.figures.usual_s.append(seconds)

    async def _tap(self, person: Tablet) -> float | None:
        """Seconds until the answer, retries included; None without a final answer."""
        if person.device is not None and person.device.session is None:
            await person.sign_in()
        tag = self._rng.choice(self._floor.whole)
        began = self._floor.clock()
        call = await person.tap(Choice("tomar", tag, "ARM"))
        if isinstance(call.outcome, ActionUnanswered):
            return None
        ended = self._floor.clock() - began
        if not isinstance(call.outcome, ActionRefused):
            await person.tap(Choice("pausar", tag, "ARM"))
        return ended
