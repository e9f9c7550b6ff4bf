"""Bodies and answers of examinations of welds (NDT)."""

from __future__ import annotations

import unicodedata
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from carrete.api.schemas.fields import EXAMPLE_TAG, ID_MAX, UNIONS_MAX, ApiModel, Body, Tag, Token, WorkerId, searchable
from carrete.api.schemas.notes import EXAMPLE_PHOTO, PhotoId
from carrete.api.schemas.occupation import OperationDay
from carrete.api.schemas.receipts import Receipt
from carrete.domain.commands import Resultado
from carrete.domain.ndt.examination import DEFECTS_MAX, PHOTOS_MAX, REPORT_LENGTH_MAX, ExamStatus, Origin
from carrete.domain.reports.repair_rates import RatePor
from carrete.domain.texts import writable
from carrete.shop_settings.ndt_values import DEFECT_LENGTH_MAX, METHOD_LENGTH_MAX

REASON_LENGTH_MAX = 500
EXAM_ID_LENGTH_MAX = 64
EXAMPLE_EXAM = "1f0c6a52-6f0e-4b7e-9d6d-3a1c2f9a7b10"
Joint = Annotated[int, Field(ge=1, le=ID_MAX)]


def _one_line(text: str) -> str:
    cleaned = " ".join(unicodedata.normalize("NFC", text).split())
    if not writable(cleaned):
        raise ValueError("el texto tiene caracteres de control.")
    return cleaned


def _report(text: str) -> str:
    cleaned = _one_line(text)
    if not cleaned:
        raise ValueError("falta el número de informe.")
    return cleaned


def _no_repeats(values: tuple[object, ...]) -> tuple[object, ...]:
    if len(set(values)) != len(values):
        raise ValueError("hay valores repetidos.")
    return values


class SolicitarNdtBody(Body):
    author_field = "supervisor_id"

    tag_spool: Tag
    supervisor_id: WorkerId
    metodo: Annotated[str, Field(min_length=1, max_length=METHOD_LENGTH_MAX, examples=["RT"])]
    unions: Annotated[
        tuple[Joint, ...],
        Field(max_length=UNIONS_MAX, examples=[[1, 3]], description="Uniones soldadas; ninguna en un spool v3.0."),
    ] = ()
    motivo: Annotated[str, Field(max_length=REASON_LENGTH_MAX), AfterValidator(_one_line)] = ""
    version: Token | None = None


class ResultadoNdtBody(Body):
    tag_spool: Tag
    worker_id: WorkerId
    examen: Annotated[
        str,
        Field(min_length=1, max_length=EXAM_ID_LENGTH_MAX, examples=[EXAMPLE_EXAM]),
        AfterValidator(searchable),
    ]
    resultado: Annotated[Resultado, Field(examples=["APROBADO"])]
    informe: Annotated[
        str, Field(min_length=1, max_length=REPORT_LENGTH_MAX, examples=["RT-2026-118"]), AfterValidator(_report)
    ]
    fecha: OperationDay | None = None
    defectos: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=DEFECT_LENGTH_MAX)], ...],
        Field(max_length=DEFECTS_MAX, description="Sólo de un rechazo, al menos uno.", examples=[["POROSIDAD"]]),
        AfterValidator(_no_repeats),
    ] = ()
    fotos: Annotated[
        tuple[PhotoId, ...],
        Field(max_length=PHOTOS_MAX, description="De POST /api/fotos.", json_schema_extra={"uniqueItems": True}),
        AfterValidator(_no_repeats),
    ] = ()
    version: Token | None = None


class RepararUnionBody(Body):
    tag_spool: Tag
    worker_id: WorkerId
    n_union: Annotated[int, Field(ge=1, le=ID_MAX, description="La unión; sin ella, un spool v3.0.")] | None = None
    version: Token | None = None


class EnsayoOut(ApiModel):
    id: str = Field(examples=[EXAMPLE_EXAM])
    tag_spool: str = Field(examples=[EXAMPLE_TAG])
    n_union: int | None = Field(description="null: el spool completo.")
    ot: str
    metodo: str = Field(examples=["RT"])
    ronda: int = Field(description="0; después de cada reparación, una más (R1, R2).")
    origen: Origin
    estado: ExamStatus
    vigente: bool = Field(description="false: la soldadura se rehízo después, o el ensayo se anuló.")
    soldador: str | None = Field(description="null: lo ven supervisores, quienes ensayan y quien soldó.")
    proceso: str
    dn_union: float | None
    tipo_union: str
    solicitado_en: str
    solicitado_por: str | None
    informe: str | None
    examinador: str | None
    defectos: list[str]
    fotos: list[str] = Field(description="Se leen en /api/fotos/{id}.", examples=[[EXAMPLE_PHOTO]])
    fecha: str | None
    reparado: bool = Field(description="Un rechazo que alguien reparó.")
    reparado_por: str | None = Field(description="null: nadie, o quien lee no ve el nombre.")


class DebidoOut(ApiModel):
    """Ensayos que faltan a un soldador en una OT: los toma de sus próximas soldaduras, o un supervisor los pide."""

    ot: str
    soldador: str
    metodo: str
    faltan: int


class EnsayoList(ApiModel):
    ensayos: list[EnsayoOut] = Field(description="Primero los pendientes, el más antiguo arriba.")
    pendientes: int = Field(description="Cuántos esperan su resultado con este filtro.")
    next_cursor: str | None
    metodos: list[str] = Field(description="Los que el taller usa.")
    defectos: list[str] = Field(description="Los códigos que un rechazo puede tener.")
    debidos: list[DebidoOut] = Field(
        description="Lo que un grupo debe y ninguna soldadura pagó aún; de soldadores que quien lee puede ver."
    )


class NdtAnswer(ApiModel):
    success: Literal[True]
    tag_spool: str = Field(examples=[EXAMPLE_TAG])
    operacion: None
    action_taken: Literal["SOLICITAR", "APROBADO", "RECHAZADO", "REPARAR"]
    message: str = Field(examples=[f"RT aprobado en la unión 3 del spool {EXAMPLE_TAG}."])
    ocupado_por: str | None
    fecha_ocupacion: str | None
    estado_detalle: str
    version: str = Field(description="El mismo de antes, salvo que el rechazo cuente en el ciclo del spool.")
    event_seq: int
    avisos: list[str] | None = Field(None, description="Lo que alguien debería saber; sólo si hay algo.")
    ensayos: list[str] = Field(description="Los ensayos que esto creó o cerró, también en otros spools.")
    recibo: Receipt = None


class EnsayoEstado(StrEnum):
    """`POR_REPARAR`: rechazado, y nadie lo ha reparado."""

    PENDIENTE = "PENDIENTE"
    POR_REPARAR = "POR_REPARAR"
    APROBADO = "APROBADO"
    RECHAZADO = "RECHAZADO"
    ANULADO = "ANULADO"


class TasaOut(ApiModel):
    examinadas: int
    rechazadas: int = Field(description="En su primer ensayo.")
    reparaciones: int = Field(description="Rechazos en total, también de reexámenes.")
    tasa: float | None = Field(description="null: muy pocas para decir una tasa.")
    desde_95: float | None
    hasta_95: float | None


class TasaFila(TasaOut):
    clave: str | None = Field(description="null: el nombre sólo lo ve un supervisor.")


class TasaList(ApiModel):
    por: RatePor
    filas: list[TasaFila]
    taller: TasaOut
    minimo: int = Field(description="Con menos examinadas no se muestra una tasa.")
