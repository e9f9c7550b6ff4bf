"""Routes of the v3.0 workflow: TOMAR, PAUSAR, COMPLETAR, CANCELAR, and their batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic_core import to_json

from carrete.actions import Outcome, Success
from carrete.actions.answer import Answer
from carrete.api.actions import ActionEndpoint
from carrete.api.problems import STATUS, refusal_answer
from carrete.api.schemas.fields import BATCH_MAX
from carrete.api.schemas.joints import IniciarBody
from carrete.api.schemas.occupation import ActionAnswer, ActionBody, BatchAnswer, BatchBody, CompletarBody
from carrete.api.server.application import Application
from carrete.domain import estado_detalle
from carrete.domain.commands import Cancelar, Command, Completar, Pausar, Tomar, Work
from carrete.domain.refusals import NotValid, Refusal
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso, today
from carrete.domain.spool import Operacion
from carrete.services import Services

_TAKE = {
    400: "OPERACION_YA_COMPLETADA, OPERACION_NO_DISPONIBLE, DEPENDENCIAS_NO_SATISFECHAS",
    403: "ROL_NO_AUTORIZADO, WORKER_INACTIVO, SPOOL_BLOQUEADO",
    404: "SPOOL_NO_ENCONTRADO, WORKER_NO_ENCONTRADO",
    409: "SPOOL_OCCUPIED, WRONG_VERSION, VERSION_CONFLICT",
}
_END = {
    400: "OPERACION_NO_INICIADA",
    403: "NO_AUTORIZADO, ROL_NO_AUTORIZADO, WORKER_INACTIVO, SPOOL_BLOQUEADO",
    404: "SPOOL_NO_ENCONTRADO, WORKER_NO_ENCONTRADO",
    409: "WRONG_VERSION, VERSION_CONFLICT",
}


def add(app: Application, services: Services) -> None:
    def one(name: str, command: Callable[[Any], Command], body: type[ActionBody], refusals: dict[int, str]) -> None:
        endpoint = ActionEndpoint(
            services,
            f"/api/occupation/{name}",
            body,
            lambda b: (command(b),),
            lambda commands, outcomes: action_answer(commands[0], outcomes[0], services.shop),
        )
        app.add_action(endpoint, ActionAnswer, refusals, f"{name.upper()} un spool (v3.0)")

    def batch(name: str, kind: type[Work]) -> None:
        endpoint = ActionEndpoint(
            services,
            f"/api/occupation/batch-{name}",
            BatchBody,
            lambda b: [kind(tag, b.worker_id, Operacion(b.operacion), version=b.version) for tag in b.tag_spools],
            batch_answer,
        )
        app.add_action(endpoint, BatchAnswer, {}, f"{name.upper()} hasta {BATCH_MAX} spools, cada uno por su cuenta")

    def completar(body: CompletarBody) -> Completar:
        if body.fecha_operacion and body.fecha_operacion > today(datetime.now(UTC), services.shop.zone):
            raise NotValid([{"campo": "fecha_operacion", "motivo": "no puede ser futura."}])
        return Completar(*spool_worker_operation(body), fecha=body.fecha_operacion, version=body.version)

    one("tomar", lambda body: Tomar(*spool_worker_operation(body), version=body.version), ActionBody, _TAKE)
    one("pausar", lambda body: Pausar(*spool_worker_operation(body), version=body.version), ActionBody, _END)
    one("completar", completar, CompletarBody, _END)
    one("cancelar", lambda body: Cancelar(*spool_worker_operation(body), version=body.version), ActionBody, _END)
    batch("tomar", Tomar)
    batch("pausar", Pausar)
    batch("completar", Completar)


def spool_worker_operation(body: ActionBody | IniciarBody) -> tuple[str, int, Operacion]:
    return body.tag_spool, body.worker_id, Operacion(body.operacion)


def action_answer(command: Command, outcome: Outcome, shop: Shop) -> Answer:
    if isinstance(outcome, Refusal):
        return refusal_answer(outcome)
    return Answer(200, as_json(success_body(command, outcome, shop)))


def success_body(command: Command, done: Success, shop: Shop) -> dict[str, Any]:
    """The body of a successful action's answer."""
    change = done.change
    held = change.spool.occupation
    return {
        "success": True,
        "tag_spool": change.spool.tag,
        "operacion": command.operacion if isinstance(command, Work) else change.events[0].operacion,
        "action_taken": change.accion,
        "message": change.message,
        "ocupado_por": held.label if held else None,
        "fecha_ocupacion": iso(held.since, shop.zone) if held else None,
        "estado_detalle": estado_detalle.render(change.spool),
        "version": change.spool.version,
        "event_seq": done.event_seq,
        **({"avisos": list(change.warnings)} if change.warnings else {}),
    }


def batch_answer(commands: Sequence[Command], outcomes: Sequence[Outcome]) -> Answer:
    details = [_detail(c.tag, outcome) for c, outcome in zip(commands, outcomes, strict=True)]
    succeeded = sum(detail["success"] for detail in details)
    body = {
        "total": len(details),
        "succeeded": succeeded,
        "failed_count": len(details) - succeeded,
        "details": details,
    }
    return Answer(200, as_json(body))


def _detail(tag: str, outcome: Outcome) -> dict[str, Any]:
    if isinstance(outcome, Refusal):
        error = {"status": STATUS[type(outcome)], "code": outcome.code, "detail": outcome.detail}
        return {"tag_spool": tag, "success": False, "error": error}
    return {"tag_spool": tag, "success": True, "message": outcome.change.message}


def as_json(body: dict[str, Any]) -> str:
    return to_json(body).decode()
