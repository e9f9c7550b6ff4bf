"""Bodies and answers of procedures and qualifications. The fields of a body are those of the workbook, as text."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from carrete.api.schemas.fields import ID_MAX, ApiModel, Body

_Text = Annotated[str, Field(max_length=1_000)]
_Number = Annotated[str, Field(max_length=100, examples=["WPS-001"])]


class _ScopeBody(Body):
    author_field: ClassVar[str] = ""

    p_numeros: _Text = Field("", examples=["1, 8"])
    f_numero: _Text = Field("", examples=["6, 4"])
    espesor_min: _Text = Field("", description="Milímetros; vacío: sin límite.")
    espesor_max: _Text = ""
    dn_min: _Text = Field("", description="Pulgadas; vacío: sin límite.")
    dn_max: _Text = ""
    posiciones: _Text = Field("", examples=["5G, 6G"])
    activo: bool = Field(True, description="false: retirado.")


class WpsBody(_ScopeBody):
    """Un procedimiento, entero: nuevo, o en lugar del que tiene ese número."""

    wps: _Number
    procesos: _Text = Field(examples=["GTAW, SMAW"])
    revision: _Text = ""
    vigente_desde: _Text = Field("", examples=["2026-01-01"])
    vigente_hasta: _Text = ""


class CalificacionBody(_ScopeBody):
    """Una calificación, entera: nueva, o en lugar de la de ese trabajador, proceso y documento."""

    worker_id: Annotated[int, Field(ge=1, le=ID_MAX)]
    proceso: _Number = Field(examples=["GTAW"])
    documento: _Number = Field(examples=["WPQ-7"])
    fecha: _Text = Field(examples=["2026-03-15"])
    vence: _Text = ""
    ultimo_uso: _Text = Field("", description="El último uso del proceso que el taller certifica.")


class _ScopeOut(ApiModel):
    p_numeros: str
    f_numero: str
    espesor_min: str
    espesor_max: str
    dn_min: str
    dn_max: str
    posiciones: str
    activo: bool


class WpsOut(_ScopeOut):
    wps: str
    procesos: str
    revision: str
    vigente_desde: str
    vigente_hasta: str


class WpsList(ApiModel):
    wps: list[WpsOut]


class CalificacionOut(_ScopeOut):
    worker_id: int
    worker: str
    proceso: str
    documento: str
    fecha: str
    vence: str
    ultimo_uso: str
    vigente_hasta: str = Field(description="El último día que cubre, por vencimiento o por falta de uso.")


class CalificacionList(ApiModel):
    calificaciones: list[CalificacionOut]


class AvisoCalificacion(ApiModel):
    worker_id: int
    worker: str
    proceso: str
    documento: str
    causa: Literal["vencimiento", "continuidad"]
    ultimo_dia: str
    dias: int = Field(description="Los que quedan; negativo: ya no cubre.")


class AvisosCalificacion(ApiModel):
    avisos: list[AvisoCalificacion]


class SavedOut(ApiModel):
    success: Literal[True]
    message: str
