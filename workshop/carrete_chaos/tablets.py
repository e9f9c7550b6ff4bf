"""The workers of a campaign: each action has one idempotency key for all its retries, and a tablet knows only its
own answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import UUID

from carrete_chaos import shop
from carrete_chaos.history import ActionCall, ActionDone, ActionRefused, ActionUnanswered, Outcome, unanswered
from carrete_chaos.wire import NoAnswer, RawAnswer, post

ATTEMPT_S_MAX = 4.0
GIVES_UP_AFTER_S = 25.0
PAUSE_S_MAX = 0.02

_PATHS = {
    "iniciar": "/api/v4/occupation/iniciar",
    "finalizar": "/api/v4/occupation/finalizar",
    "inspeccionar": "/api/metrologia/completar",
    "desbloquear": "/api/metrologia/desbloquear",
}


@dataclass(slots=True)
class TabletFloor:
    """What all tablets share: the servers, the spools, the recorded calls, and when to stop."""

    ports: Sequence[int]
    whole: Sequence[str]
    jointed: Sequence[str]
    calls: list[ActionCall] = field(default_factory=list)
    open: bool = True
    clock: Callable[[], float] = time.monotonic

    def is_jointed(self, tag: str) -> bool:
        return tag.startswith("CH-J-")


@dataclass(slots=True)
class Tablet:
    floor: TabletFloor
    worker_id: int
    rng: Random
    holding: dict[str, str] = field(default_factory=dict)  # tag → operation, as far as this tablet knows

    async def work(self) -> None:
        while self.floor.open:
            await self._next()
            await asyncio.sleep(self.rng.uniform(0, PAUSE_S_MAX))

    async def _next(self) -> None:
        chance = self.rng.random()
        if chance < 0.05:
            await self._end_anything()
        elif self.holding and chance < 0.7:
            await self._end(self.rng.choice(sorted(self.holding)))
        else:
            await self._take()

    async def _take(self) -> None:
        """Mostly a spool that may be free; sometimes one that this worker holds, or one that another certainly
        holds."""
        tag = self.rng.choice(self.rng.choice((self.floor.whole, self.floor.jointed)))
        operacion = self.rng.choices(("ARM", "SOLD", "REPARACION"), (5, 4, 2))[0]
        by_joint = self.floor.is_jointed(tag) and operacion != "REPARACION"
        call = await self.tap("iniciar" if by_joint else "tomar", tag, operacion)
        if not isinstance(call.outcome, ActionRefused):
            self.holding[tag] = operacion

    async def _end(self, tag: str) -> None:
        operacion = self.holding[tag]
        if self.floor.is_jointed(tag) and operacion != "REPARACION":
            ticked = sorted(self.rng.sample(range(1, shop.JOINTS + 1), self.rng.choice((0, 1, 1, 2, 3))))
            call = await self.tap("finalizar", tag, operacion, selected_unions=ticked)
            if isinstance(call.outcome, ActionRefused) and call.outcome.code == "UNION_NO_DISPONIBLE":
                call = await self.tap("finalizar", tag, operacion, selected_unions=[])
        else:
            accion = self.rng.choices(("pausar", "cancelar", "completar"), (5, 3, 2))[0]
            call = await self.tap(accion, tag, operacion)
        self.holding.pop(tag, None)

    async def _end_anything(self) -> None:
        """Ends any spool, as a finger on the wrong card does; the holder must keep it."""
        tag = self.rng.choice(self.floor.whole)
        await self.tap(self.rng.choice(("pausar", "cancelar")), tag, self.rng.choice(("ARM", "SOLD")))

    async def tap(self, accion: str, tag: str, operacion: str, **more: Any) -> ActionCall:
        who = "supervisor_id" if accion in ("liberar", "desbloquear", "corregir") else "worker_id"
        body: dict[str, Any] = {"tag_spool": tag, who: self.worker_id, **more}
        if accion not in ("inspeccionar", "liberar", "desbloquear"):
            body["operacion"] = operacion
        path = _PATHS.get(accion, f"/api/occupation/{accion}")
        call = await self._until_answered(accion, tag, operacion, path, body)
        self.floor.calls.append(call)
        return call

    async def _until_answered(
        self, accion: str, tag: str, operacion: str, path: str, body: dict[str, Any]
    ) -> ActionCall:
        key = str(UUID(int=self.rng.getrandbits(128), version=4))
        began = self.floor.clock()
        attempts = 0
        while self.floor.clock() - began < GIVES_UP_AFTER_S:
            attempts += 1
            try:
                answer = await post(self.rng.choice(self.floor.ports), path, body, key, ATTEMPT_S_MAX)
            except NoAnswer:
                await asyncio.sleep(self.rng.uniform(0.01, 0.2))
                continue
            outcome = told(answer)
            if not isinstance(outcome, ActionUnanswered):
                ended = self.floor.clock()
                return ActionCall(key, self.worker_id, accion, tag, operacion, began, ended, outcome, attempts)
            await asyncio.sleep(self.rng.uniform(0.01, 0.2))
        return unanswered(key, self.worker_id, accion, tag, operacion, began, attempts)


class Supervisor(Tablet):
    """Frees, unblocks and reopens spools, so that the shop never runs out of work."""

    __slots__ = ()

    async def _next(self) -> None:
        tag = self.rng.choice(self.rng.choice((self.floor.whole, self.floor.jointed)))
        accion = self.rng.choices(("liberar", "corregir", "desbloquear"), (1, 6, 1))[0]
        more = {"motivo": "campaña"}
        await self.tap(accion, tag, self.rng.choice(("ARM", "ARM", "SOLD", "METROLOGIA")), **more)
        await asyncio.sleep(self.rng.uniform(0, 0.1))


class Inspector(Tablet):
    __slots__ = ()

    async def _next(self) -> None:
        tag = self.rng.choice(self.rng.choice((self.floor.whole, self.floor.jointed)))
        resultado = self.rng.choices(("RECHAZADO", "APROBADO"), (3, 1))[0]
        await self.tap("inspeccionar", tag, "METROLOGIA", resultado=resultado)
        await asyncio.sleep(self.rng.uniform(0, 0.1))


def told(answer: RawAnswer) -> Outcome:
    """The outcome of an answer: 5xx means unknown; VERSION_CONFLICT is final under its key like any other refusal."""
    if answer.status == 200:
        return ActionDone(answer.body["version"], answer.body["action_taken"])
    if answer.status >= 500:
        return ActionUnanswered(answer.body.get("code", ""))
    return ActionRefused(answer.status, answer.body.get("code", ""), answer.body.get("owner_id"))
