"""The Google workbook: its status for a supervisor, and the decisions about frozen sheets and parked rows."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from carrete.api.schemas.fields import ID_MAX, ApiModel, Body

SheetName = Literal["Operaciones", "Uniones", "Metadata", "Trabajadores", "Roles", "WPS", "Calificaciones"]


class FrozenOut(ApiModel):
    id: str
    hoja: SheetName
    tipo: Literal["COLUMNAS", "PESTAÑA", "FILAS", "CELDAS"]
    motivo: str
    desde: str | None
    decision: Literal["", "CONFIRMAR", "REANUDAR"] = Field(description="Vacía mientras nadie decidió.")


class SheetProblemOut(ApiModel):
    """Una fila o celda apartada. `fila` es 0 si es toda la hoja; `columna` vacía, si es toda la fila."""

    hoja: str
    fila: int
    columna: str
    motivo: str


class SheetConflictOut(ApiModel):
    """Una persona y el taller cambiaron la misma celda."""

    at: str
    hoja: str
    fila: int
    columna: str
    antes: str
    taller: str
    planilla: str
    queda: Literal["planilla", "taller"]


class RestoredCellOut(ApiModel):
    """Una celda ajena que una escritura nuestra pisó (`carrete`) y que dice de nuevo lo que decía (`repuesto`)."""

    at: str
    hoja: str
    fila: int
    columna: str
    carrete: str
    repuesto: str


class ParkedOut(ApiModel):
    """Una fila o un evento que Google no acepta."""

    hoja: str
    tag_spool: str
    n_union: int | None
    motivo: str
    desde: str | None
    evento: str | None = None


class SyncStatusOut(ApiModel):
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

    author_field = "supervisor_id"

    supervisor_id: int = Field(ge=1, le=ID_MAX)
    hoja: SheetName
    detencion: str = Field(max_length=64, description="El id de la detención que se vio en /api/sync/status.")
    decision: Literal["CONFIRMAR", "REANUDAR"]


class RetryBody(Body):
    author_field = "supervisor_id"

    supervisor_id: int = Field(ge=1, le=ID_MAX)


class DecidedOut(ApiModel):
    success: bool
    message: str
