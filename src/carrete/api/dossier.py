"""Routes of dossiers: which work orders there are, and the PDF or .xlsx of a spool, a work order or a list."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import FastAPI, Query
from starlette.responses import Response

from carrete.api.actions import documented_problems
from carrete.api.administration import reading
from carrete.api.labels import PDF
from carrete.api.one_at_a_time import OneAtATime
from carrete.api.planilla import XLSX
from carrete.api.responses import Json
from carrete.api.schemas.dossier import DossierWorkOrders
from carrete.api.spools import tag_from_path
from carrete.domain.refusals import NotValid
from carrete.dossier.choice import SPOOLS_MAX, DossierChoice, DossierFormat, work_orders
from carrete.dossier.refusals import DossiersBusy
from carrete.dossier.words import Language
from carrete.ledger.database import Tx
from carrete.services import Services

TAG = "dossier"
WAIT_S_MAX = 20.0  # for another dossier; the largest takes six seconds
OT_LENGTH_MAX = 200
_MEDIA_TYPES = {DossierFormat.PDF: PDF, DossierFormat.XLSX: XLSX}
_REFUSALS = {
    404: "SPOOL_NO_ENCONTRADO, OT_NO_ENCONTRADA",
    413: "DOSSIER_DEMASIADO_GRANDE",
    422: "DATOS_INVALIDOS",
    503: "DOSSIER_EN_CURSO, LEDGER_UNAVAILABLE",
}
Tags = Annotated[list[str], Query(max_length=SPOOLS_MAX, description="Un spool, o varios en este orden")]
WorkOrderChoice = Annotated[str, Query(max_length=OT_LENGTH_MAX, description="Todos los spools de esta OT")]


def add(app: FastAPI, services: Services) -> None:
    making = OneAtATime(DossiersBusy, WAIT_S_MAX)
    _add_work_orders(app, services)

    @app.get("/api/dossier", response_class=Response, responses=_documented(), tags=[TAG])
    async def dossier(
        tag: Tags = [],  # noqa: B006 - FastAPI copies it
        ot: WorkOrderChoice = "",
        formato: DossierFormat = DossierFormat.PDF,
        idioma: Language = Language.ES,
        fotos: bool = False,
    ) -> Response:
        """El dossier de un spool, de una OT o de una lista. De los mismos datos resulta el mismo archivo."""
        from carrete.dossier.gather import gather  # 60 types that no other request needs
        from carrete.dossier.making import made_dossier

        choice = _choice(tag, ot, fotos)
        name, shop = services.shop_settings.current.name, services.shop
        async with making.turn():
            facts = await services.read(lambda tx: gather(tx, choice, name, shop))
            made = await asyncio.to_thread(made_dossier, services.database, facts, formato, idioma)
        headers = {
            "Content-Disposition": f'attachment; filename="{made.file_name}"',
            "Cache-Control": "no-store",
        }
        return Response(made.content, media_type=_MEDIA_TYPES[formato], headers=headers)


def _add_work_orders(app: FastAPI, services: Services) -> None:
    @app.get("/api/dossier/ots", **reading(DossierWorkOrders, TAG))
    async def list_work_orders() -> Json:
        """Las OT, con cuántos spools tiene cada una y cuántos están aprobados."""

        def read(tx: Tx) -> dict[str, Any]:
            found = [
                {"ot": each.ot, "spools": each.spools, "aprobados": each.approved, "uniones": each.joints}
                for each in work_orders(tx)
            ]
            return {"ots": found}

        return Json(await services.read(read))


def _choice(tags: list[str], ot: str, with_photos: bool) -> DossierChoice:
    wanted = ot.strip().replace("\0", "\uffff")  # PostgreSQL accepts no NUL; no work order has either of them
    if bool(tags) == bool(wanted):
        raise NotValid([{"campo": "ot", "motivo": "dé los spools (tag) o la OT: lo uno o lo otro."}])
    return DossierChoice(tuple(map(tag_from_path, tags)), wanted, with_photos)


def _documented() -> dict[int | str, dict[str, Any]]:
    file = {"schema": {"type": "string", "format": "binary"}}
    ok: dict[str, Any] = {"content": dict.fromkeys((PDF, XLSX), file), "description": "El PDF, o el libro"}
    return {200: ok, **documented_problems(_REFUSALS)}
