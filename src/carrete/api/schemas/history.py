"""A spool's sessions of work and its events."""

from __future__ import annotations

from typing import Any, Literal

from carrete.api.schemas.fields import ApiModel
from carrete.domain.spool import Operacion


class SessionOut(ApiModel):
    worker: str
    worker_id: int | None
    operacion: Operacion | None
    inicio: str
    fin: str | None
    duracion: str
    resultado: str
    pulgadas: float


class EventOut(ApiModel):
    seq: int
    id: str
    evento_tipo: str
    worker: str | None
    worker_id: int | None
    operacion: Operacion | None
    accion: str
    n_union: int | None
    at: str
    metadata: dict[str, Any]


class History(ApiModel):
    tag_spool: str
    sessions: list[SessionOut]
    events: list[EventOut]


class SpoolUpdate(ApiModel):
    """Los datos de un evento en vivo: el spool como ese evento lo dejó."""

    event_type: str
    tag_spool: str
    operacion: Operacion | None
    worker: str | None
    ocupado_por: str | None
    estado_detalle: str
    version: str
    version_workflow: Literal["v3.0", "v4.0"]
    at: str
