"""People who do not work on spools: supervisor, inspector and examiner of welds. They always have a connection."""

from __future__ import annotations

import asyncio

from carrete_chaos.deciding import ReclamoDesk
from carrete_chaos.examining import ExamChoices, look
from carrete_chaos.sending import Choice
from carrete_chaos.tablets import Tablet

ASKS_FOR_EXAMS = 0.25  # of what a supervisor taps
READS_EXAMS = 0.5  # of the moments at which an examiner taps
PAUSE_S_MAX = 0.1


class Official(Tablet):
    __slots__ = ()

    async def _next(self) -> None:
        await self._do_something()
        await asyncio.sleep(self.rng.uniform(0, PAUSE_S_MAX))

    async def _do_something(self) -> None:
        await self.tap(self._choose())

    def _exams(self) -> ExamChoices:
        return ExamChoices(self.floor.exams, self.floor.jointed, self.rng)

    def _any_tag(self) -> str:
        return self.rng.choice(self.rng.choice((self.floor.whole, self.floor.jointed)))


class Supervisor(Official):
    """Frees, unblocks and reopens spools, so that the shop never runs out of work, decides about reclamos, and asks for
    examinations."""

    __slots__ = ()

    async def _do_something(self) -> None:
        if self.device is not None and self.rng.random() < self.pace.decides:
            await ReclamoDesk(self.floor, self.device, self.rng, self.pace.rivals).decide_one()
        else:
            await self.tap(self._choose())

    def _choose(self) -> Choice:
        if self.rng.random() < ASKS_FOR_EXAMS:
            return self._exams().request()
        accion = self.rng.choices(("liberar", "corregir", "desbloquear"), (1, 6, 1))[0]
        more = {"motivo": "campaña"}
        return Choice(accion, self._any_tag(), self.rng.choice(("ARM", "ARM", "SOLD", "METROLOGIA")), more)


class Inspector(Official):
    """Also tries to approve spools that have an open examination."""

    __slots__ = ()

    def _choose(self) -> Choice:
        resultado = self.rng.choices(("RECHAZADO", "APROBADO"), (3, 1))[0]
        inspection = Choice("inspeccionar", self._any_tag(), "METROLOGIA", {"resultado": resultado})
        return self._exams().approval() or inspection


class Examiner(Official):
    """Records the results of examinations."""

    __slots__ = ()

    async def _do_something(self) -> None:
        if self.rng.random() < READS_EXAMS:
            await look(self.floor, self.device.cookies() if self.device else {}, self.rng)
        results = self._exams().results()
        await asyncio.gather(*(self.tap(result) for result in results))

    def _choose(self) -> Choice:
        """What waits in the queue when the tablet changes hands."""
        results = self._exams().results()
        return results[0] if results else Choice("sigo", self._any_tag(), "ARM")
