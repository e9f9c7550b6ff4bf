"""Routes of reclamos: the tablet sends refused work, a supervisor decides about it, its author sees the decision."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

import structlog
from fastapi import Query, Request
from pydantic_core import to_json
from starlette.responses import Response

from carrete.actions import Outcome, ReclamoSuccess
from carrete.actions import Request as ActionRequest
from carrete.actions.answer import Answer
from carrete.api.actions import (
    ActionEndpoint,
    documented_problems,
    fingerprint,
    idempotency_key,
    perform_with_fresh_pin,
    require_json,
    whole_body,
)
from carrete.api.authored import authored_or_recorded, own_id
from carrete.api.chains import steps_of
from carrete.api.documented_body import documented_body
from carrete.api.occupation import as_json
from carrete.api.problems import FORBIDDEN, MEDIA_TYPE, refusal_answer
from carrete.api.reclamo_views import reclamos_json, resolved_figures
from carrete.api.responses import Json
from carrete.api.schemas.fields import ID_MAX, Body
from carrete.api.schemas.joints import FinalizarBody
from carrete.api.schemas.occupation import BatchBody, CompletarBody
from carrete.api.schemas.reclamos import (
    SEEN_MAX,
    AccionPaso,
    AvisoList,
    EstadoReclamo,
    ReclamoAnswer,
    ReclamoBody,
    ReclamoList,
    ResolverBody,
    ResueltoAnswer,
    VistoBody,
    VistoOut,
)
from carrete.api.server.application import Application
from carrete.api.server.gatekeeper import author_of
from carrete.api.server.refusal_log import refusal_log
from carrete.domain.commands import Command, Reclamar, Resolver, WorkItem
from carrete.domain.reclamo import Reclamo
from carrete.domain.refusals import ReclamoUnknown, Refusal
from carrete.domain.shop_time import whole_second
from carrete.domain.spool import Operacion
from carrete.domain.texts import writable
from carrete.domain.workers import Rol
from carrete.identity.author import Author
from carrete.identity.refusals import PinRequired
from carrete.ledger import reclamos as ledger
from carrete.ledger.database import Tx
from carrete.services import Services

log = structlog.get_logger()
B = TypeVar("B", bound=Body)

PAGE_MAX = 200
_CLAIM = {
    400: "RECLAMO_SIN_RECHAZO: no hay trabajo, o ese toque no fue rechazado",
    404: "WORKER_NO_ENCONTRADO",
}
_READ = documented_problems({403: "IDENTIDAD_DISTINTA", 422: "DATOS_INVALIDOS", 503: "LEDGER_UNAVAILABLE"})
_BODY = {413: "CUERPO_DEMASIADO_GRANDE", 415: "NO_ES_JSON", 503: "LEDGER_UNAVAILABLE"}
_RESOLVE = documented_problems(
    {
        400: "TRABAJO_NO_ACEPTABLE (`trabajo`: cada uno con su motivo)",
        403: "ROL_NO_AUTORIZADO, WORKER_INACTIVO, IDENTIDAD_DISTINTA, RECLAMO_PROPIO: otro supervisor lo acepta",
        404: "RECLAMO_NO_ENCONTRADO, WORKER_NO_ENCONTRADO",
        409: "RECLAMO_YA_RESUELTO",
        422: "DATOS_INVALIDOS, IDEMPOTENCY_KEY_REUSED",
        **_BODY,
    }
)
_SEEN = documented_problems({403: "IDENTIDAD_DISTINTA", 422: "DATOS_INVALIDOS", **_BODY})
WorkerQuery = Annotated[int | None, Query(ge=0, le=ID_MAX)]


def add(app: Application, services: Services) -> None:
    endpoint = ActionEndpoint(services, "/api/reclamos", ReclamoBody, lambda body: (_claim(body),), claim_answer)
    app.add_action(endpoint, ReclamoAnswer, _CLAIM, "Reclamar trabajo cuyo registro fue rechazado")
    _add_reads(app, services)
    _add_decisions(app, services)


def _add_reads(app: Application, services: Services) -> None:
    @app.get("/api/reclamos", response_model=ReclamoList, responses=_READ, tags=["reclamos"])
    async def reclamos(
        request: Request,
        estado: Annotated[EstadoReclamo, Query()] = EstadoReclamo.PENDIENTE,
        worker_id: WorkerQuery = None,
        cursor: Annotated[str, Query(pattern="^[0-9]{0,18}$")] = "",
        limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = 100,
    ) -> Json:
        """Los de todos para un supervisor, los propios para los demás. Pendientes: el más antiguo primero."""
        who, shop = _whose(request, worker_id), services.shop
        page_of = ledger.waiting if estado is EstadoReclamo.PENDIENTE else ledger.resolved

        def read(tx: Tx) -> dict[str, Any]:
            page = page_of(tx, who, int(cursor or 0), limit)
            after = None if page.next_cursor is None else str(page.next_cursor)
            return {"reclamos": reclamos_json(tx, page.reclamos, shop), "total": page.total, "next_cursor": after}

        return Json(await services.read(read))

    @app.get("/api/reclamos/avisos", response_model=AvisoList, responses=_READ, tags=["reclamos"])
    async def avisos(request: Request, worker_id: WorkerQuery = None) -> Json:
        """Lo que se decidió sobre los reclamos de esta persona y que aún no ha visto."""
        who, shop = own_id(request.scope, worker_id), services.shop
        found = await services.read(lambda tx: reclamos_json(tx, ledger.unseen(tx, who, SEEN_MAX), shop))
        return Json({"avisos": found})


def _add_decisions(app: Application, services: Services) -> None:
    documented = documented_body(ResolverBody)

    @app.post(
        "/api/reclamos/{id}/resolver",
        response_model=ResueltoAnswer,
        responses=_RESOLVE,
        tags=["reclamos"],
        openapi_extra=documented,
    )
    async def resolver(request: Request, id: str) -> Response:
        """Un supervisor acepta o rechaza cada trabajo, una sola vez. Quien tiene el spool lo sigue teniendo."""
        body = await _body(ResolverBody, request, services)
        found = await services.read(lambda tx: ledger.reclamo(tx, id)) if writable(id) else None
        author, key = author_of(request.scope), idempotency_key(request.scope)
        if found is None:
            await _require_fresh_pin(author, services)
            raise ReclamoUnknown(id)
        known = fingerprint(request.scope["path"], key, body) if key else ""
        context = author.event_context if author else None
        decision = ActionRequest((_resolution(body, found),), resolve_answer, key, known, context)
        answer = await _perform(decision, author, services)
        if answer.status == FORBIDDEN:
            refusal_log.write(request.scope, json.loads(answer.body)["code"], body.supervisor_id)
        log.info("a supervisor decided a reclamo", reclamo=id, by=body.supervisor_id, status=answer.status)
        return _response(answer)

    @app.post(
        "/api/reclamos/avisos/visto",
        response_model=VistoOut,
        responses=_SEEN,
        tags=["reclamos"],
        openapi_extra=documented_body(VistoBody),
    )
    async def visto(request: Request) -> Json:
        """La persona vio lo que se decidió sobre sus reclamos."""
        body = await _body(VistoBody, request, services)
        now = whole_second(datetime.now(UTC))
        seen = await services.performer.housekeeping(lambda tx: ledger.mark_seen(tx, body.worker_id, body.ids, now))
        return Json({"success": True, "vistos": seen})


async def _perform(request: ActionRequest, author: Author | None, services: Services) -> Answer:
    if author is None:
        return await services.performer.perform(request)
    return await perform_with_fresh_pin(request, author, services.performer, services.identity)


async def _require_fresh_pin(author: Author | None, services: Services) -> None:
    if author and not await services.identity.lookups.has_fresh_pin(author.session):
        raise PinRequired


async def _body(kind: type[B], request: Request, services: Services) -> B:
    require_json(request.headers.get("content-type", "").encode("latin-1"))
    return authored_or_recorded(kind, await whole_body(request.receive), request.scope, services.identity)


def _claim(body: ReclamoBody) -> Reclamar:
    steps = steps_of(body.pasos, body.tag_spool, body.worker_id)
    known = fingerprint_of_refused(body)
    return Reclamar(body.tag_spool, body.worker_id, steps, body.clave, known, tuple(body.tag_spools or ()))


def fingerprint_of_refused(body: ReclamoBody) -> str:
    """The fingerprint of the single tap that is claimed, as its request had it; "" if no single tap does that."""
    paso, *more = body.pasos
    sent: dict[str, Any] = {"worker_id": body.worker_id, "operacion": paso.operacion, "version": body.version}
    kind: type[Body]
    match paso.accion, body.tag_spools:
        case _ if more:
            return ""
        case AccionPaso.FINALIZAR, None:
            path, kind = "/api/v4/occupation/finalizar", FinalizarBody
            sent |= {"tag_spool": body.tag_spool, "selected_unions": paso.uniones, "soldadura": paso.soldadura}
        case AccionPaso.COMPLETAR, None:
            path, kind = "/api/occupation/completar", CompletarBody
            sent |= {"tag_spool": body.tag_spool, "fecha_operacion": body.fecha_operacion}
        case AccionPaso.COMPLETAR, tags:
            path, kind = "/api/occupation/batch-completar", BatchBody
            sent |= {"tag_spools": tags}
        case _:
            return ""
    return fingerprint(path, body.clave, kind.model_validate_json(to_json(sent)))


def claim_answer(_: Sequence[Command], outcomes: Sequence[Outcome]) -> Answer:
    (outcome,) = outcomes
    if isinstance(outcome, Refusal):
        return refusal_answer(outcome)
    return Answer(200, as_json(_saved(outcome)))


def resolve_answer(_: Sequence[Command], outcomes: Sequence[Outcome]) -> Answer:
    (outcome,) = outcomes
    if isinstance(outcome, Refusal):
        return refusal_answer(outcome)
    return Answer(200, as_json({**_saved(outcome), **resolved_figures(outcome.change)}))


def _saved(outcome: Outcome) -> dict[str, Any]:
    assert isinstance(outcome, ReclamoSuccess)
    change = outcome.change
    return {
        "success": True,
        "tag_spool": change.spool.tag,
        "reclamo": outcome.reclamo_id,
        "message": change.message,
        **({"avisos": list(change.warnings)} if change.warnings else {}),
    }


def _resolution(body: ResolverBody, found: Reclamo) -> Resolver:
    accepted = tuple(WorkItem(Operacion(item.operacion), item.n_union) for item in body.aceptar)
    return Resolver(found.tag, body.supervisor_id, body.motivo, found.id, found.worker_id, accepted, body.dia)


def _response(answer: Answer) -> Response:
    headers = {"Idempotency-Replayed": "true"} if answer.replayed else {}
    media_type = MEDIA_TYPE if answer.status >= 400 else "application/json"
    return Response(answer.body, answer.status, headers, media_type)


def _whose(request: Request, worker_id: int | None) -> int | None:
    """Whose reclamos are shown: None for everybody's."""
    author = author_of(request.scope)
    if author is None or author.worker_id is None or Rol.SUPERVISOR in author.roles:
        return worker_id
    return own_id(request.scope, worker_id)
