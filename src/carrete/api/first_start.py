"""Routes of the first start: which of its four steps are done. Each can be left and taken up again."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import FastAPI, Request

from carrete.api.administration import body_of, change_author, changing, reading, write
from carrete.api.responses import Json
from carrete.api.schemas.shop_settings import FirstStepBody, FirstStepsOut
from carrete.ledger.database import Tx
from carrete.services import Services
from carrete.shop_settings import first_start
from carrete.shop_settings.first_start import FirstStep

_TAG = "identidad"


def add(app: FastAPI, services: Services) -> None:
    @app.get("/api/configuracion/pasos", **reading(FirstStepsOut, _TAG))
    async def first_steps() -> Json:
        """Los pasos del primer inicio y cuáles están listos."""
        return _steps(await services.read(first_start.steps))

    @app.post("/api/configuracion/pasos", **changing(FirstStepsOut, FirstStepBody, _TAG))
    async def mark_step(request: Request) -> Json:
        """Marca un paso como listo, o como pendiente para retomarlo."""
        body, author = await body_of(FirstStepBody, request), change_author(request)

        def mark(tx: Tx) -> Mapping[FirstStep, bool]:
            first_start.mark(tx, body.paso, done=body.listo, by_id=author.by_id, at=author.at)
            return first_start.steps(tx)

        return _steps(await write(services, mark))


def _steps(done: Mapping[FirstStep, bool]) -> Json:
    steps = [{"paso": step.value, "listo": listo} for step, listo in done.items()]
    return Json({"pasos": steps, "terminado": all(done.values())})
