"""A spool's sessions of work and its events."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


class SessionOut(BaseModel):
    worker: str
    worker_id: int | None
    operacion: str | None
    inicio: str
    fin: str | None
    duracion: str
    resultado: str
    pulgadas: float


class EventOut(BaseModel):
    seq: int
    id: str
    evento_tipo: str
    worker: str | None
    worker_id: int | None
    operacion: str | None
    accion: str
    n_union: int | None
    at: str
    metadata: dict[str, Any]


class History(BaseModel):
    tag_spool: str
    sessions: list[SessionOut]
    events: list[EventOut]
