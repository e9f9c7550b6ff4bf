"""The Google workbook: its status for a supervisor, and the decisions about frozen sheets and parked rows."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from carrete.api.schemas.fields import ID_MAX, Body


class FrozenOut(BaseModel):
    id: str
    hoja: str
    tipo: str
    motivo: str
    desde: str | None
    decision: str


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
    conflicts: list[dict[str, Any]]
    given_back_count: int
    given_back: list[dict[str, Any]]
    problem_count: int
    problems: list[dict[str, Any]]
    notices: list[dict[str, Any]]
    parked_count: int
    parked: list[dict[str, Any]]
    frozen: list[FrozenOut]


class FreezeDecision(Body):
    """CONFIRMAR: vale lo que dice la planilla. REANUDAR: vale lo nuestro y se escribe de nuevo."""

    supervisor_id: int = Field(ge=1, le=ID_MAX)
    hoja: Literal["Operaciones", "Uniones", "Metadata", "Trabajadores", "Roles"]
    detencion: str = Field(max_length=64, description="El id de la detención que se vio en /api/sync/status.")
    decision: Literal["CONFIRMAR", "REANUDAR"]


class RetryBody(Body):
    supervisor_id: int = Field(ge=1, le=ID_MAX)


class DecidedOut(BaseModel):
    success: bool
    message: str
