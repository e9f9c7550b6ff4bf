"""Routes of the Google workbook for a supervisor: last sync, queue, conflicts, parked rows and frozen sheets."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, TypeVar

import structlog
from fastapi import FastAPI, Request

from carrete.api.actions import documented_problems, require_json, whole_body
from carrete.api.authored import authored_or_recorded
from carrete.api.documented_body import documented_body
from carrete.api.responses import Json
from carrete.api.schemas.fields import Body
from carrete.api.schemas.sync import DecidedOut, FreezeDecision, RetryBody, SyncStatusOut
from carrete.domain.shop import Shop
from carrete.identity.assembly import IdentityServices
from carrete.services import Services
from carrete.sheets.freeze import decisions
from carrete.sheets.rows import storage
from carrete.sheets.status import SyncStatus, shown_moment, sync_status

log = structlog.get_logger()
B = TypeVar("B", bound=Body)

_READ = documented_problems({503: "LEDGER_UNAVAILABLE"})
_DECIDE = documented_problems(
    {
        403: "ROL_NO_AUTORIZADO, WORKER_INACTIVO",
        404: "WORKER_NO_ENCONTRADO, NADA_DETENIDO",
        409: "DETENCION_DISTINTA, DECISION_NO_DISPONIBLE",
        413: "CUERPO_DEMASIADO_GRANDE",
        415: "NO_ES_JSON",
        422: "DATOS_INVALIDOS",
        503: "LEDGER_UNAVAILABLE",
    }
)


def add(app: FastAPI, services: Services) -> None:
    @app.get("/api/sync/status", response_model=SyncStatusOut, responses=_READ, tags=["planilla"])
    async def status() -> Json:
        """La planilla de Google: última sincronización, cola, conflictos, filas apartadas y hojas detenidas."""
        now, workbook = datetime.now(UTC), services.shop_settings.current.google_sheet
        found = await services.read(lambda tx: sync_status(tx, workbook, now))
        return Json(status_json(found, workbook, services.shop, now))

    @app.post("/api/sync/freeze", **_documented(FreezeDecision))
    async def decide(request: Request) -> Json:
        """Un supervisor decide sobre una hoja detenida: vale la planilla, o vale lo nuestro."""
        body = await _body(FreezeDecision, request, services.identity)
        request.state.worker_id = body.supervisor_id
        await services.performer.housekeeping(
            lambda tx: decisions.decide(
                tx, body.supervisor_id, body.hoja, body.detencion, body.decision, services.shop.confirmed_roles_only
            )
        )
        log.info("a supervisor decided about a sheet", sheet=body.hoja, decision=body.decision, by=body.supervisor_id)
        return Json({"success": True, "message": f"{body.hoja}: se sigue en la próxima lectura."})

    @app.post("/api/sync/retry", **_documented(RetryBody))
    async def retry(request: Request) -> Json:
        """Un supervisor deja que las filas apartadas se intenten de nuevo."""
        body = await _body(RetryBody, request, services.identity)
        request.state.worker_id = body.supervisor_id
        released = await services.performer.housekeeping(
            lambda tx: decisions.release_parked(tx, body.supervisor_id, services.shop.confirmed_roles_only)
        )
        return Json({"success": True, "message": f"{released} filas o eventos se intentan de nuevo."})


def _documented(body: type[Body]) -> dict[str, Any]:
    """The routes read the body themselves, so that errors in it are answered in the same way as those of actions."""
    extra = documented_body(body)
    return {"response_model": DecidedOut, "responses": _DECIDE, "tags": ["planilla"], "openapi_extra": extra}


async def _body(kind: type[B], request: Request, identity: IdentityServices) -> B:
    require_json(request.headers.get("content-type", "").encode("latin-1"))
    return authored_or_recorded(kind, await whole_body(request.receive), request.scope, identity)


def status_json(found: SyncStatus, workbook: str, shop: Shop, now: datetime) -> dict[str, Any]:
    status = found.stats
    oldest = datetime.fromisoformat(found.oldest) if found.oldest else None
    return {
        "configured": bool(workbook),
        "connected": bool(workbook) and found.connected == workbook,
        "running": found.running,
        "state": _state(found, workbook),
        "reason": status.get("reason", ""),
        "email": status.get("email", ""),
        "last_read": shown_moment(status.get("read_at"), shop.zone),
        "last_write": shown_moment(status.get("written_at"), shop.zone),
        "last_sync": shown_moment(status.get("verified_at"), shop.zone),
        "rows_waiting": found.rows_waiting,
        "events_waiting": found.events_waiting,
        "oldest_waiting": shown_moment(found.oldest, shop.zone),
        "oldest_waiting_s": max(0, round((now - oldest).total_seconds())) if oldest else 0,
        "conflict_count": status.get("conflict_count", 0),
        "conflicts": [{**one, "at": shown_moment(one["at"], shop.zone)} for one in status.get("conflicts", [])],
        "given_back_count": status.get("given_back_count", 0),
        "given_back": [{**one, "at": shown_moment(one["at"], shop.zone)} for one in status.get("given_back", [])],
        "problem_count": status.get("problem_count", 0),
        "problems": status.get("problems", []),
        "notices": status.get("notices", []),
        "parked_count": found.parked_count,
        "parked": [{**one, "desde": shown_moment(one["desde"], shop.zone)} for one in found.parked],
        "frozen": [_frozen(freeze, shop) for freeze in found.freezes],
    }


def _state(found: SyncStatus, workbook: str) -> str:
    if not workbook:
        return "sin_planilla"
    if found.freezes:
        return "detenida"
    if found.stats.get("reason") or not found.running:
        return "esperando"
    return "escribiendo" if found.rows_waiting or found.events_waiting else "al_dia"


def _frozen(freeze: storage.Freeze, shop: Shop) -> dict[str, Any]:
    return {
        "id": freeze.id,
        "hoja": freeze.sheet,
        "tipo": freeze.kind,
        "motivo": freeze.reason,
        "desde": shown_moment(freeze.since, shop.zone),
        "decision": freeze.decision,
    }
