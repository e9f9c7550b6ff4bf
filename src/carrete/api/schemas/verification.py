"""The verification of the trail: what the page sends and gets."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from carrete.api.schemas.fields import ApiModel, Body
from carrete.findings import Severity

RECEIPTS_MAX = 500  # in one request; more of them are sent in several
_Text = Annotated[str, Field(max_length=200)]


class ReciboGuardado(Body):
    """Un recibo como lo guardó el tablet, con lo que confirmaba."""

    seq: Annotated[int, Field(ge=0, le=2**53, examples=[4711])]
    hash: Annotated[str, Field(pattern="^[0-9a-f]{64}$", examples=["9f" * 32])]
    firma: Annotated[str, Field(max_length=100, examples=["A" * 86])]
    en: _Text | None = None
    event_seq: Annotated[int, Field(ge=0, le=2**53)] | None = None
    version: _Text | None = None
    tag_spool: _Text | None = None
    operacion: _Text | None = None
    accion: _Text | None = None


class VerificarBody(Body):
    dispositivo: _Text | None = None
    recibos: Annotated[list[ReciboGuardado], Field(max_length=RECEIPTS_MAX, examples=[[]])]


class HallazgoOut(ApiModel):
    nivel: Severity
    que: str


class VerificacionOut(ApiModel):
    integro: bool = Field(description="Nada falta, sobra ni fue cambiado, según todos los testigos que se conocen.")
    eventos: int
    testigos: int
    hallazgos: list[HallazgoOut]
