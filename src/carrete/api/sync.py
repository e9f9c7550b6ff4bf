"""What a supervisor sees and decides about the Google workbook: last sync, queue, conflicts, what is stopped."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal, TypeVar

import structlog
from fastapi import FastAPI, Request
from pydantic import BaseModel, Field

from carrete.api.actions import documented_problems, require_json, validated, whole_body
from carrete.api.problems import FreezeChanged, NotDecidable, NothingStopped
from carrete.api.responses import Json
from carrete.api.schemas import ID_MAX, Body
from carrete.domain.refusals import RoleMissing, WorkerInactive, WorkerUnknown
from carrete.domain.shop import Shop
from carrete.domain.workers import Rol, Worker
from carrete.ledger import queries
from carrete.ledger.database import Tx
from carrete.services import Services
from carrete.sheets.freeze import limits
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


SheetName = Literal["Operaciones", "Uniones", "Metadata", "Trabajadores", "Roles"]


class FrozenOut(BaseModel):
    id: str
    hoja: SheetName
    tipo: Literal["COLUMNAS", "PESTAÑA", "FILAS", "CELDAS"]
    motivo: str
    desde: str | None
    decision: Literal["", "CONFIRMAR", "REANUDAR"] = Field(description="Vacía mientras nadie decidió.")


class SheetProblemOut(BaseModel):
    """Una fila o celda apartada. `fila` es 0 si es toda la hoja; `columna` vacía, si es toda la fila."""

    hoja: str
    fila: int
    columna: str
    motivo: str


class SheetConflictOut(BaseModel):
    """Una persona y el taller cambiaron la misma celda."""

    at: str
    hoja: str
    fila: int
    columna: str
    antes: str
    taller: str
    planilla: str
    queda: Literal["planilla", "taller"]


class RestoredCellOut(BaseModel):
    """Una celda ajena que una escritura nuestra pisó (`carrete`) y que dice de nuevo lo que decía (`repuesto`)."""

    at: str
    hoja: str
    fila: int
    columna: str
    carrete: str
    repuesto: str


class ParkedOut(BaseModel):
    """Una fila o un evento que Google no acepta."""

    hoja: str
    tag_spool: str
    n_union: int | None
    motivo: str
    desde: str | None
    evento: str | None = None


class SyncStatusOut(BaseModel):
    configured: bool
    connected: bool
    running: bool
    state: Literal["sin_planilla", "al_dia", "escribiendo", "detenida", "esperando"]
    reason: str
    email: str
    last_read: str | None
    last_write: str | None
    last_sync: str | None
    rows_waiting: int
    events_waiting: int
    oldest_waiting: str | None
    oldest_waiting_s: int
    conflict_count: int
    conflicts: list[SheetConflictOut] = Field(description="Los últimos, del más antiguo al más nuevo.")
    given_back_count: int
    given_back: list[RestoredCellOut] = Field(description="Las últimas, de la más antigua a la más nueva.")
    problem_count: int
    problems: list[SheetProblemOut]
    notices: list[SheetProblemOut] = Field(description="Nada quedó apartado, pero alguien debería saberlo.")
    parked_count: int
    parked: list[ParkedOut] = Field(description="Las primeras.")
    frozen: list[FrozenOut]


class FreezeDecision(Body):
    """CONFIRMAR: vale lo que dice la planilla. REANUDAR: vale lo nuestro y se escribe de nuevo."""

    supervisor_id: int = Field(ge=1, le=ID_MAX)
    hoja: SheetName
    detencion: str = Field(max_length=64, description="El id de la detención que se vio en /api/sync/status.")
    decision: Literal["CONFIRMAR", "REANUDAR"]


class RetryBody(Body):
    supervisor_id: int = Field(ge=1, le=ID_MAX)


class DecidedOut(BaseModel):
    success: bool
    message: str


def add(app: FastAPI, services: Services) -> None:
    workbook = services.settings.google_sheet_id

    @app.get("/api/sync/status", response_model=SyncStatusOut, responses=_READ, tags=["planilla"])
    async def status() -> Json:
        """La planilla de Google: última sincronización, cola, conflictos, filas apartadas y hojas detenidas."""
        now = datetime.now(UTC)
        found = await services.read(lambda tx: sync_status(tx, workbook, now))
        return Json(status_json(found, workbook, services.shop, now))

    @app.post("/api/sync/freeze", **_documented(FreezeDecision))
    async def decide(request: Request) -> Json:
        """Un supervisor decide sobre una hoja detenida: vale la planilla, o vale lo nuestro."""
        body = await _body(FreezeDecision, request)
        request.state.worker_id = body.supervisor_id
        await services.performer.housekeeping(lambda tx: _decide(tx, body))
        log.info("a supervisor decided about a sheet", sheet=body.hoja, decision=body.decision, by=body.supervisor_id)
        return Json({"success": True, "message": f"{body.hoja}: se sigue en la próxima lectura."})

    @app.post("/api/sync/retry", **_documented(RetryBody))
    async def retry(request: Request) -> Json:
        """Un supervisor deja que las filas apartadas se intenten de nuevo."""
        body = await _body(RetryBody, request)
        request.state.worker_id = body.supervisor_id
        released = await services.performer.housekeeping(lambda tx: _release(tx, body.supervisor_id))
        return Json({"success": True, "message": f"{released} filas o eventos se intentan de nuevo."})


def _documented(body: type[Body]) -> dict[str, Any]:
    """The body is read by hand, so that whatever is wrong with it is told like with any action."""
    content = {"application/json": {"schema": body.model_json_schema()}}
    extra = {"requestBody": {"required": True, "content": content}}
    return {"response_model": DecidedOut, "responses": _DECIDE, "tags": ["planilla"], "openapi_extra": extra}


async def _body(kind: type[B], request: Request) -> B:
    require_json(request.headers.get("content-type", "").encode("latin-1"))
    return validated(kind, await whole_body(request.receive))


def _supervisor(tx: Tx, worker_id: int) -> Worker:
    worker = queries.worker(tx, worker_id)
    if worker is None:
        raise WorkerUnknown(worker_id)
    if not worker.activo:
        raise WorkerInactive(worker.label, worker.id)
    if Rol.SUPERVISOR not in worker.roles:
        raise RoleMissing(worker.label, "decidir sobre la planilla", [Rol.SUPERVISOR])
    return worker


def _decide(tx: Tx, body: FreezeDecision) -> None:
    _supervisor(tx, body.supervisor_id)
    freeze = storage.freezes(tx).get(body.hoja)
    if freeze is None:
        raise NothingStopped(f"La hoja {body.hoja} no está detenida.")
    if freeze.id != body.detencion:
        raise FreezeChanged(f"{body.hoja} está detenida ahora por otra cosa: {freeze.reason}. Mire y decida de nuevo.")
    if freeze.decision not in ("", body.decision):
        raise FreezeChanged(f"Otro supervisor ya decidió {freeze.decision} sobre {body.hoja}.")
    if body.decision not in limits.DECISIONS[freeze.kind]:
        raise NotDecidable(f"{body.hoja}: {freeze.reason}. Repárelo en la planilla; después sigue sola.")
    tx.run("freeze_decide", sheet=body.hoja, id=freeze.id, decision=body.decision, by=body.supervisor_id)
    tx.run("setting_put", name=storage.RECOUNTED_AT, value="")  # an older version of the sheet may lack events


def _release(tx: Tx, supervisor_id: int) -> int:
    _supervisor(tx, supervisor_id)
    released = tx.run("parked_release") + tx.run("parked_events_release")
    if not released:
        raise NothingStopped("No hay filas apartadas.")
    return released


def status_json(found: SyncStatus, workbook: str, shop: Shop, now: datetime) -> dict[str, Any]:
    told = found.told
    oldest = datetime.fromisoformat(found.oldest) if found.oldest else None
    return {
        "configured": bool(workbook),
        "connected": bool(workbook) and found.connected == workbook,
        "running": found.running,
        "state": _state(found, workbook),
        "reason": told.get("reason", ""),
        "email": told.get("email", ""),
        "last_read": shown_moment(told.get("read_at"), shop.zone),
        "last_write": shown_moment(told.get("written_at"), shop.zone),
        "last_sync": shown_moment(told.get("verified_at"), shop.zone),
        "rows_waiting": found.rows_waiting,
        "events_waiting": found.events_waiting,
        "oldest_waiting": shown_moment(found.oldest, shop.zone),
        "oldest_waiting_s": max(0, round((now - oldest).total_seconds())) if oldest else 0,
        "conflict_count": told.get("conflict_count", 0),
        "conflicts": [{**one, "at": shown_moment(one["at"], shop.zone)} for one in told.get("conflicts", [])],
        "given_back_count": told.get("given_back_count", 0),
        "given_back": [{**one, "at": shown_moment(one["at"], shop.zone)} for one in told.get("given_back", [])],
        "problem_count": told.get("problem_count", 0),
        "problems": told.get("problems", []),
        "notices": told.get("notices", []),
        "parked_count": found.parked_count,
        "parked": [{**one, "desde": shown_moment(one["desde"], shop.zone)} for one in found.parked],
        "frozen": [_frozen(freeze, shop) for freeze in found.freezes],
    }


def _state(found: SyncStatus, workbook: str) -> str:
    if not workbook:
        return "sin_planilla"
    if found.freezes:
        return "detenida"
    if found.told.get("reason") or not found.running:
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
