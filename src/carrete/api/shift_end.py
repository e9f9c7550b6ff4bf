"""Routes of the end of a shift: about which spools a person is asked, and the answer "Sigo yo"."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any

from fastapi import Request

from carrete.api.actions import ActionEndpoint, documented_problems
from carrete.api.my_day import held_spools
from carrete.api.occupation import action_answer, spool_worker_operation
from carrete.api.own_pages import WorkerQuery, known_worker, page_owner_id
from carrete.api.responses import Json
from carrete.api.schemas.occupation import ActionAnswer, ActionBody
from carrete.api.schemas.shift_end import AskedBecause, ShiftEndOut
from carrete.api.server.application import Application
from carrete.domain.commands import Seguir
from carrete.domain.shift_end import asked_from, concerns, next_question, shift_in_question
from carrete.domain.shifts import ShiftOccurrence, current_shift
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso, whole_second
from carrete.domain.spool import Spool
from carrete.domain.version import workflow
from carrete.domain.workers import Worker
from carrete.ledger.database import Tx
from carrete.ledger.my_day import kept_on_since
from carrete.ledger.relevos import open_offers
from carrete.services import Services

_KEEP_ON = {
    400: "OPERACION_NO_INICIADA",
    403: "NO_AUTORIZADO, ROL_NO_AUTORIZADO, WORKER_INACTIVO, SPOOL_BLOQUEADO",
    404: "SPOOL_NO_ENCONTRADO, WORKER_NO_ENCONTRADO",
    409: "VERSION_CONFLICT",
}
_READ = documented_problems(
    {
        403: "IDENTIDAD_DISTINTA",
        404: "WORKER_NO_ENCONTRADO",
        422: "DATOS_INVALIDOS",
        503: "LEDGER_UNAVAILABLE",
    }
)


def add(app: Application, services: Services) -> None:
    endpoint = ActionEndpoint(
        services,
        "/api/occupation/sigo",
        ActionBody,
        lambda body: (Seguir(*spool_worker_operation(body), version=body.version),),
        lambda commands, outcomes: action_answer(commands[0], outcomes[0], services.shop),
    )
    app.add_action(endpoint, ActionAnswer, _KEEP_ON, "Sigo yo: quien tiene el spool sigue después de su turno")

    @app.get("/api/turno", response_model=ShiftEndOut, responses=_READ, tags=["turno"])
    async def turno(request: Request, worker_id: WorkerQuery = None) -> Json:
        """El turno que corre, y por cuáles de sus spools se le pregunta a esta persona."""
        who = page_owner_id(request, worker_id, supervisors_see_all=False)
        now, shop = whole_second(datetime.now(UTC)), services.shop
        return Json(await services.read(lambda tx: shift_end_json(tx, known_worker(tx, who), now, shop)))


def shift_end_json(tx: Tx, worker: Worker, now: datetime, shop: Shop) -> dict[str, Any]:
    ending = shift_in_question(shop.shifts, now, shop.zone)
    spools = _asked_spools(tx, worker, ending, now, shop) if ending else []
    asks = any(not spool["respondido"] for spool in spools)
    because = AskedBecause.OLVIDADOS if ending and ending.ends <= now else AskedBecause.FIN_DE_TURNO
    coming = next_question(shop.shifts, now, shop.zone)
    return {
        "ahora": iso(now, shop.zone),
        "turno": _occurrence_json(current_shift(shop.shifts, now, shop.zone), shop),
        "preguntar": asks,
        "motivo": because if asks else None,
        "pregunta": _occurrence_json(ending, shop),
        "proxima": iso(coming, shop.zone) if coming else None,
        "spools": spools,
    }


def _asked_spools(tx: Tx, worker: Worker, ending: ShiftOccurrence, now: datetime, shop: Shop) -> list[dict[str, Any]]:
    held = [
        spool for spool in held_spools(tx, worker).spools if spool.occupation and concerns(ending, spool.occupation)
    ]
    if not held:
        return []
    answered = kept_on_since(tx, worker.id, asked_from(ending)) | _offered(tx, held, now, shop)
    return [_asked_json(spool, answered, shop) for spool in held]


def _offered(tx: Tx, held: Sequence[Spool], now: datetime, shop: Shop) -> set[str]:
    """The spools with an offer that can still be accepted: an offer to hand a spool over is an answer too."""
    offers = open_offers(tx, (spool.tag for spool in held))
    good = {spool.tag: offers[spool.tag] for spool in held if spool.tag in offers and offers[spool.tag].in_force(spool)}
    return {tag for tag, offer in good.items() if now < offer.expires(shop)}


def _asked_json(spool: Spool, answered: Collection[str], shop: Shop) -> dict[str, Any]:
    held = spool.occupation
    assert held is not None
    return {
        "tag_spool": spool.tag,
        "operacion": held.operacion,
        "desde": iso(held.since, shop.zone),
        "version_workflow": workflow(spool),
        "respondido": spool.tag in answered,
    }


def _occurrence_json(occurrence: ShiftOccurrence | None, shop: Shop) -> dict[str, Any] | None:
    if occurrence is None:
        return None
    return {"nombre": occurrence.shift.name, "termina": iso(occurrence.ends, shop.zone)}
