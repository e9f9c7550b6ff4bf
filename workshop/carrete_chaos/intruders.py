"""Intruders: stolen tablets, which an administrator revokes and enrols anew, and a person who guesses PINs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from random import Random

from carrete_chaos import shop
from carrete_chaos.history import ActionUnanswered
from carrete_chaos.identity_log import AFTER_REVOCATION, ENROLLED_ANEW, HELD_OFF, PROPAGATION_S, DeviceRevoked, PinGuess
from carrete_chaos.office import Office
from carrete_chaos.sending import Choice, TabletFloor, new_key, until_answered
from carrete_chaos.tablet_device import SIGN_IN_S_MAX, DeviceSecret, TabletSession, wrong_pin
from carrete_chaos.tablets import Tablet
from carrete_chaos.wire import NoAnswer, post


class Administrator:
    """Revokes one tablet after another. Its thief goes on tapping; the shop enrols a new one in its place."""

    def __init__(
        self, floor: TabletFloor, office: Office, tablets: Sequence[Tablet], rng: Random, every_s: tuple[float, float]
    ) -> None:
        self._floor = floor
        self._office = office
        self._tablets = tablets
        self._rng = rng
        self._every_s = every_s
        self._thieves: list[asyncio.Task[None]] = []

    async def work(self) -> None:
        while await self._floor.stays_open(self._rng.uniform(*self._every_s)):
            await self._revoke(self._rng.choice(self._tablets))
        await asyncio.gather(*self._thieves)
        self._thieves.clear()

    async def _revoke(self, tablet: Tablet) -> None:
        device = tablet.device
        assert device is not None
        stolen, session = device.device, device.session
        await self._office.revoke(stolen.id)
        self._floor.log.revoked.append(DeviceRevoked(stolen.id, self._floor.clock()))
        if session is not None and session.device == stolen.id:
            self._thieves.append(asyncio.create_task(self._steal(stolen, session)))
        device.replace(await self._office.enrol_anew(f"Tableta {self._rng.randrange(1000)}"))
        self._floor.log.happened[ENROLLED_ANEW] += 1

    async def _steal(self, stolen: DeviceSecret, session: TabletSession) -> None:
        """Taps soon after the revocation, which may still be served, and later, when every process must know of it."""
        for wait_s in (self._rng.uniform(0, PROPAGATION_S / 2), PROPAGATION_S / 2, self._rng.uniform(0.1, 1.5)):
            if not await self._floor.stays_open(wait_s):
                return
            choice = Choice("pausar", self._rng.choice(self._floor.whole), "ARM")
            tap = session.sign(choice, None, new_key(self._rng))
            call = await until_answered(self._floor, tap, lambda: stolen.headers, self._rng)
            self._floor.calls.append(call)
            refused = isinstance(call.outcome, ActionUnanswered) and call.outcome.why == "TOQUE_NO_VALIDO"
            self._floor.log.happened[AFTER_REVOCATION] += refused


class PinGuesser:
    """Tries one wrong PIN after another for the same person, on a tablet of the shop."""

    def __init__(self, floor: TabletFloor, device: DeviceSecret, rng: Random, every_s: tuple[float, float]) -> None:
        self._floor = floor
        self._device = device
        self._rng = rng
        self._every_s = every_s

    async def work(self) -> None:
        while await self._floor.stays_open(self._rng.uniform(*self._every_s)):
            await self._guess()

    async def _guess(self) -> None:
        body = {"worker_id": shop.VICTIM, "pin": wrong_pin(self._rng, shop.VICTIM)}
        port, began = self._rng.choice(self._floor.ports), self._floor.clock()
        try:
            answer = await post(port, "/api/sesion", json.dumps(body).encode(), self._device.headers, SIGN_IN_S_MAX)
        except NoAnswer:
            return
        code = answer.body.get("code", "")
        self._floor.log.guesses.append(PinGuess(began, self._floor.clock(), answer.status, code))
        self._floor.log.happened[HELD_OFF] += answer.status in (423, 429)
