"""Routes of the hand-over (RELEVO): offer, accept, withdraw, decline, and what is offered to and by a person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Query, Request

from carrete.actions import Outcome, Success
from carrete.actions.answer import Answer
from carrete.api.actions import ActionEndpoint, documented_problems
from carrete.api.authored import own_id
from carrete.api.occupation import action_answer, as_json, spool_worker_operation, success_body
from carrete.api.responses import Json
from carrete.api.schemas.fields import ID_MAX
from carrete.api.schemas.occupation import ActionBody
from carrete.api.schemas.relevos import OfrecerAnswer, OfrecerBody, RelevoAnswer, RelevoList
from carrete.api.server.application import Application
from carrete.domain.commands import Aceptar, Command, Ofrecer, Rechazar, RelevoCommand, Retirar
from carrete.domain.joints import inches
from carrete.domain.relevo import RelevoOffer
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso
from carrete.domain.workers import Worker
from carrete.ledger.database import Tx
from carrete.ledger.relevos import offers_in_force
from carrete.ledger.store import workers_known
from carrete.services import Services

LISTED_MAX = 500
_COMMON = {
    403: "ROL_NO_AUTORIZADO, WORKER_INACTIVO, SPOOL_BLOQUEADO",
    404: "SPOOL_NO_ENCONTRADO, WORKER_NO_ENCONTRADO",
    409: "VERSION_CONFLICT",
}
_HOLDER = {**_COMMON, 400: "OPERACION_NO_INICIADA", 403: f"NO_AUTORIZADO, {_COMMON[403]}"}
_OFFER = {
    **_HOLDER,
    400: "OPERACION_NO_INICIADA, UNION_NO_DISPONIBLE, OPERACION_YA_COMPLETADA (use FINALIZAR)",
    422: "DATOS_INVALIDOS: el receptor es quien entrega",
}
_ACCEPT = {
    **_COMMON,
    400: "OPERACION_NO_INICIADA, RELEVO_VENCIDO",
    409: "SPOOL_OCCUPIED: lo tiene otra persona y no hay una oferta vigente para quien acepta; VERSION_CONFLICT",
}
_DECLINE = {**_HOLDER, 400: "OPERACION_NO_INICIADA, RELEVO_VENCIDO"}
_READ = documented_problems({403: "IDENTIDAD_DISTINTA", 422: "DATOS_INVALIDOS", 503: "LEDGER_UNAVAILABLE"})


def add(app: Application, services: Services) -> None:
    def one(name: str, kind: type[RelevoCommand], refusals: dict[int, str], what: str) -> None:
        endpoint = ActionEndpoint(
            services,
            f"/api/occupation/relevo/{name}",
            ActionBody,
            lambda body: (kind(*spool_worker_operation(body), version=body.version),),
            _answering(lambda: services.shop),
        )
        app.add_action(endpoint, RelevoAnswer, refusals, what)

    offer = ActionEndpoint(
        services,
        "/api/occupation/relevo/ofrecer",
        OfrecerBody,
        lambda body: (_offer(body),),
        _answering(lambda: services.shop),
    )
    app.add_action(
        offer, OfrecerAnswer, _OFFER, "OFRECER el relevo de un spool: sigue siendo suyo hasta que lo acepten"
    )
    one("aceptar", Aceptar, _ACCEPT, "ACEPTAR un relevo: el spool cambia de manos en un solo paso")
    one("retirar", Retirar, _HOLDER, "RETIRAR la oferta de un relevo")
    one("rechazar", Rechazar, _DECLINE, "RECHAZAR un relevo ofrecido por nombre")
    _add_list(app, services)


def _add_list(app: Application, services: Services) -> None:
    @app.get("/api/relevos", response_model=RelevoList, responses=_READ, tags=["relevos"])
    async def relevos(request: Request, worker_id: Annotated[int | None, Query(ge=0, le=ID_MAX)] = None) -> Json:
        """Lo que se ofrece a esta persona, por nombre o por estar calificada, y lo que ella ofrece. Sólo lo vigente."""
        who, shop = own_id(request.scope, worker_id), services.shop
        return Json(await services.read(lambda tx: _list(tx, who, shop)))


def _list(tx: Tx, who: int, shop: Shop) -> dict[str, Any]:
    now = datetime.now(UTC)
    person = workers_known(tx, [who], shop.confirmed_roles_only).get(who)
    valid = [offer for offer in offers_in_force(tx, who, LISTED_MAX) if now < offer.expires(shop)]
    return {
        "recibidos": [relevo_json(offer, shop) for offer in valid if person and _may_accept(person, offer)],
        "ofrecidos": [relevo_json(offer, shop) for offer in valid if offer.giver_id == who],
    }


def _may_accept(person: Worker, offer: RelevoOffer) -> bool:
    return offer.is_for(person.id) and person.activo and person.may(offer.operacion)


def _offer(body: OfrecerBody) -> Ofrecer:
    chosen = tuple(body.selected_unions)
    return Ofrecer(*spool_worker_operation(body), receiver_id=body.receptor_id, unions=chosen, version=body.version)


def _answering(shop: Callable[[], Shop]) -> Callable[[Sequence[Command], Sequence[Outcome]], Answer]:
    return lambda commands, outcomes: relevo_answer(commands[0], outcomes[0], shop())


def relevo_answer(command: Command, outcome: Outcome, shop: Shop) -> Answer:
    if not isinstance(outcome, Success):
        return action_answer(command, outcome, shop)
    offer = relevo_json(outcome.offer, shop) if outcome.offer else None
    return Answer(200, as_json({**success_body(command, outcome, shop), "relevo": offer, **_figures(command, outcome)}))


def _figures(command: Command, done: Success) -> dict[str, Any]:
    if not isinstance(command, Ofrecer):
        return {}
    joints = done.change.joints
    return {"unions_processed": len(joints), "pulgadas": inches(sum(joint.dn_milli or 0 for joint in joints))}


def relevo_json(offer: RelevoOffer, shop: Shop) -> dict[str, Any]:
    return {
        "id": offer.id,
        "tag_spool": offer.tag,
        "operacion": offer.operacion,
        "de": offer.giver,
        "de_id": offer.giver_id,
        "receptor": offer.receiver,
        "receptor_id": offer.receiver_id,
        "ofrecido_en": iso(offer.offered_at, shop.zone),
        "vence": iso(offer.expires(shop), shop.zone),
    }
