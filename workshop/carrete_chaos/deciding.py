"""What a supervisor does with reclamos in a campaign: reads those that wait, and accepts or declines their work."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any

from carrete_chaos import shop
from carrete_chaos.history import ActionCall, ActionDone, ActionRefused
from carrete_chaos.offline_log import ACCEPTED, DECIDED_BEFORE, DECLINED
from carrete_chaos.sending import ATTEMPT_S_MAX, Choice, PreparedTap, TabletFloor, new_key, until_answered
from carrete_chaos.tablet_device import TabletDevice
from carrete_chaos.wire import NoAnswer, get

SHOWN = 20
DECLINES = 0.2
ACCEPTS_ANYTHING = 0.15  # also what cannot be accepted
DAYS_BACK = (0, 0, 0, 1, 2)


@dataclass(frozen=True, slots=True)
class Decision(Choice):
    """What a supervisor decides about the reclamo `more["reclamo"]`."""

    @property
    def path(self) -> str:
        return f"/api/reclamos/{self.more['reclamo']}/resolver"

    def content(self, named: int | None) -> bytes:
        body = {name: value for name, value in self.more.items() if name != "reclamo"}
        return json.dumps({"supervisor_id": named, **body}).encode()


class ReclamoDesk:
    def __init__(self, floor: TabletFloor, device: TabletDevice, rng: Random, rivals: float) -> None:
        self._floor = floor
        self._device = device
        self._rng = rng
        self._rivals = rivals

    async def decide_one(self) -> None:
        waiting = await self._waiting()
        if not waiting:
            return
        reclamo = self._rng.choice(waiting)
        rivals = 2 if self._rng.random() < self._rivals else 1
        await asyncio.gather(*(self._decide(self._decision(reclamo)) for _ in range(rivals)))

    async def _waiting(self) -> list[dict[str, Any]]:
        port = self._rng.choice(self._floor.ports)
        try:
            answer = await get(port, f"/api/reclamos?limit={SHOWN}", ATTEMPT_S_MAX, self._device.cookies())
        except NoAnswer:
            return []
        return list(answer.body.get("reclamos", ())) if answer.status == 200 else []

    def _decision(self, reclamo: Mapping[str, Any]) -> Decision:
        """The day may be before the spool's fit-up, or the work may be done already: then the decision is refused."""
        chance, work = self._rng.random(), reclamo["trabajo"]
        can_be = [each for each in work if each["aceptable"]]
        chosen = work if chance < ACCEPTS_ANYTHING else can_be
        accepted = [] if chance > 1 - DECLINES else self._rng.sample(chosen, self._rng.randint(0, len(chosen)))
        day = date.fromisoformat(reclamo["recibido_en"][:10]) - timedelta(days=self._rng.choice(DAYS_BACK))
        fields = {
            "reclamo": reclamo["id"],
            "aceptar": [{"operacion": each["operacion"], "n_union": each["n_union"]} for each in accepted],
            "dia": day.isoformat(),
            "motivo": "campaña",
        }
        return Decision("resolver", reclamo["tag_spool"], "", fields)

    async def _decide(self, decision: Decision) -> None:
        """Sent with the cookies and no signature: a decision is never kept to be done later."""
        content = decision.content(shop.SUPERVISOR)
        tap = PreparedTap(new_key(self._rng), shop.SUPERVISOR, decision, content)
        call = await until_answered(self._floor, tap, self._device.cookies, self._rng)
        self._floor.calls.append(call)
        self._note(call, decision)

    def _note(self, call: ActionCall, decision: Decision) -> None:
        happened, is_done = self._floor.log.happened, isinstance(call.outcome, ActionDone)
        happened[ACCEPTED] += is_done and bool(decision.more["aceptar"])
        happened[DECLINED] += is_done and not decision.more["aceptar"]
        refused = isinstance(call.outcome, ActionRefused) and call.outcome.code == "RECLAMO_YA_RESUELTO"
        happened[DECIDED_BEFORE] += refused
