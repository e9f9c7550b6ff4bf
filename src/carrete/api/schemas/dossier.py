"""Answers about dossiers."""

from __future__ import annotations

from pydantic import Field

from carrete.api.schemas.fields import ApiModel


class DossierWorkOrderOut(ApiModel):
    ot: str
    spools: int
    aprobados: int = Field(description="Spools que Metrología aprobó.")
    uniones: int


class DossierWorkOrders(ApiModel):
    ots: list[DossierWorkOrderOut]
