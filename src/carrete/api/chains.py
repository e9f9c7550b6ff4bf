"""`POST /api/occupation/cadena`: what a person tapped on one spool without a connection, as one request."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from carrete.actions import ChainSuccess, Outcome, Success
from carrete.actions.answer import Answer
from carrete.api.actions import ActionEndpoint
from carrete.api.by_joint import finish_figures, weld_data
from carrete.api.occupation import as_json, success_body
from carrete.api.problems import refusal_answer
from carrete.api.schemas.reclamos import AccionPaso, CadenaAnswer, CadenaBody, Paso
from carrete.api.server.application import Application
from carrete.domain.commands import (
    Cancelar,
    Chain,
    Command,
    Completar,
    Finalizar,
    Iniciar,
    Pausar,
    Step,
    Tomar,
    Work,
)
from carrete.domain.refusals import Refusal
from carrete.domain.shop import Shop
from carrete.domain.spool import Operacion
from carrete.identity.taps import time_of_tap
from carrete.services import Services

_REFUSALS = {
    400: "OPERACION_YA_COMPLETADA, OPERACION_NO_INICIADA, OPERACION_NO_DISPONIBLE, DEPENDENCIAS_NO_SATISFECHAS, "
    "UNION_NO_DISPONIBLE, SOLDADOR_NO_CALIFICADO; como todos los rechazos, con `paso` y `reclamo`",
    403: "NO_AUTORIZADO, ROL_NO_AUTORIZADO, WORKER_INACTIVO, SPOOL_BLOQUEADO",
    404: "SPOOL_NO_ENCONTRADO, WORKER_NO_ENCONTRADO",
    409: "SPOOL_OCCUPIED, WRONG_VERSION, VERSION_CONFLICT",
}
_COMMANDS: dict[AccionPaso, type[Work]] = {
    AccionPaso.INICIAR: Iniciar,
    AccionPaso.TOMAR: Tomar,
    AccionPaso.PAUSAR: Pausar,
    AccionPaso.COMPLETAR: Completar,
    AccionPaso.CANCELAR: Cancelar,
}


def add(app: Application, services: Services) -> None:
    endpoint = ActionEndpoint(
        services,
        "/api/occupation/cadena",
        CadenaBody,
        lambda body: (_chain(body),),
        lambda commands, outcomes: chain_answer(commands, outcomes, services.shop),
    )
    what = "Lo que se tocó sin conexión en un spool: todo, o nada y un reclamo"
    app.add_action(endpoint, CadenaAnswer, _REFUSALS, what)


def _chain(body: CadenaBody) -> Chain:
    """The client's version token is about the spool before the first step."""
    steps = steps_of(body.pasos, body.tag_spool, body.worker_id, body.version)
    return Chain(body.tag_spool, body.worker_id, steps, version=body.version)


def steps_of(pasos: Sequence[Paso], tag: str, worker_id: int, version: str | None = None) -> tuple[Step, ...]:
    now = datetime.now(UTC)
    steps = []
    for number, paso in enumerate(pasos):
        tapped = time_of_tap(paso.hecho_en, now) if paso.hecho_en else None
        steps.append(Step(_command(paso, tag, worker_id, version if number == 0 else None), tapped))
    return tuple(steps)


def _command(paso: Paso, tag: str, worker_id: int, version: str | None) -> Work:
    operacion = Operacion(paso.operacion)
    if paso.accion is AccionPaso.FINALIZAR:
        welds = weld_data(paso.soldadura)
        return Finalizar(tag, worker_id, operacion, tuple(paso.uniones or ()), welds, version=version)
    return _COMMANDS[paso.accion](tag, worker_id, operacion, version=version)


def chain_answer(commands: Sequence[Command], outcomes: Sequence[Outcome], shop: Shop) -> Answer:
    """The answer to the last step, with what each of them did."""
    (chain,), (outcome,) = commands, outcomes
    if isinstance(outcome, Refusal):
        return refusal_answer(outcome)
    assert isinstance(chain, Chain)
    assert isinstance(outcome, ChainSuccess)
    last, done = chain.steps[-1].command, outcome.steps[-1]
    figures = finish_figures(done) if isinstance(last, Finalizar) else {}
    pasos = [_step(n, s.command, d) for n, (s, d) in enumerate(zip(chain.steps, outcome.steps, strict=True), 1)]
    warned = {"avisos": list(outcome.change.warnings)} if outcome.change.warnings else {}
    return Answer(200, as_json({**success_body(last, done, shop), **figures, "pasos": pasos, **warned}))


def _step(number: int, command: Work, done: Success) -> dict[str, Any]:
    return {
        "paso": number,
        "accion": type(command).__name__.upper(),
        "operacion": command.operacion,
        "action_taken": done.change.accion,
        "message": done.change.message,
        "event_seq": done.event_seq,
    }
