"""Access events."""

from __future__ import annotations

from pydantic import Field

from carrete.api.schemas.fields import ApiModel
from carrete.identity.access_events import AccessKind


class AccessEventOut(ApiModel):
    seq: int
    at: str
    tipo: AccessKind
    dispositivo: str | None
    persona: str | None = Field(description="De quién trata.")
    por: str | None = Field(description="Quién lo hizo, si fue otra persona; o el nombre del token.")
    direccion: str | None = Field(description="Se borra a los 90 días.")
    detalle: str | None


class AccessEventList(ApiModel):
    accesos: list[AccessEventOut]
    next_cursor: str | None
