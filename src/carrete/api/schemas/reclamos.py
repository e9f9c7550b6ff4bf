"""Bodies and answers of chains and reclamos: work tapped without a connection, and what becomes of refused work."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator

from carrete.api.schemas.fields import (
    EXAMPLE_TAG,
    ID_MAX,
    KEY_LENGTH_MAX,
    UNIONS_MAX,
    ApiModel,
    Body,
    Tag,
    Token,
    WorkerId,
    searchable,
)
from carrete.api.schemas.joints import Soldadura, require_own_welds
from carrete.api.schemas.occupation import ActionAnswer, BatchTags, OperationDay, Trabajo, recorded_day
from carrete.api.schemas.quality import one_line
from carrete.api.schemas.receipts import Receipt
from carrete.domain.spool import Operacion

STEPS_MAX = 20
SEEN_MAX = 100
_TIME_LENGTH_MAX = 40
_BY_JOINT = ("INICIAR", "FINALIZAR")

NUnion = Annotated[int, Field(ge=-ID_MAX, le=ID_MAX)]


class AccionPaso(StrEnum):
    INICIAR = "INICIAR"
    TOMAR = "TOMAR"
    PAUSAR = "PAUSAR"
    COMPLETAR = "COMPLETAR"
    FINALIZAR = "FINALIZAR"
    CANCELAR = "CANCELAR"


class Paso(ApiModel):
    """Un toque. `uniones` sólo en FINALIZAR, y ahí siempre: una lista vacía cancela."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    accion: Annotated[AccionPaso, Field(examples=["INICIAR"])]
    operacion: Annotated[Trabajo, Field(examples=["ARM"])]
    uniones: Annotated[list[NUnion], Field(max_length=UNIONS_MAX)] | None = None
    soldadura: Soldadura | None = Field(None, exclude_if=lambda value: value is None)
    hecho_en: (
        Annotated[
            str,
            Field(
                max_length=_TIME_LENGTH_MAX,
                examples=["2026-11-16T14:02:11Z"],
                description="Cuándo se tocó, según el tablet. Sólo informa: lo que no es una hora se ignora.",
            ),
        ]
        | None
    ) = None

    @model_validator(mode="after")
    def _joints_where_they_belong(self) -> Self:
        if (self.accion is AccionPaso.FINALIZAR) != (self.uniones is not None):
            raise ValueError("uniones va en FINALIZAR, y sólo ahí.")
        if self.operacion is Trabajo.REPARACION and self.accion in _BY_JOINT:
            raise ValueError("una reparación no se trabaja por uniones.")
        require_own_welds(self.soldadura, self.operacion, self.uniones or ())
        return self


Pasos = Annotated[list[Paso], Field(min_length=1, max_length=STEPS_MAX)]


class CadenaBody(Body):
    """Lo que una persona tocó sin conexión en un spool, en orden: todo queda hecho, o nada."""

    tag_spool: Tag
    worker_id: WorkerId
    pasos: Annotated[
        Pasos,
        Field(
            examples=[
                [
                    {"accion": "INICIAR", "operacion": "ARM", "hecho_en": "2026-11-16T11:02:11Z"},
                    {"accion": "FINALIZAR", "operacion": "ARM", "uniones": [1, 2, 3]},
                ]
            ]
        ),
    ]
    version: Token | None = None


class PasoHecho(ApiModel):
    paso: int
    accion: AccionPaso
    operacion: Operacion
    action_taken: str
    message: str
    event_seq: int


class CadenaAnswer(ActionAnswer):
    """La respuesta del último paso, y lo que hizo cada uno. Los tres campos de FINALIZAR, si terminó así."""

    unions_processed: int | None = None
    pulgadas: float | None = None
    metrologia_triggered: bool | None = None
    pasos: list[PasoHecho]


class ReclamoBody(Body):
    """Un toque con trabajo que fue rechazado, de la misma persona y con el mismo contenido: su único paso, y si los
    llevaba, `tag_spools`, `version` y `fecha_operacion`. `clave`: la Idempotency-Key con que se envió, que guarda el
    rechazo."""

    tag_spool: Tag
    worker_id: WorkerId
    pasos: Annotated[Pasos, Field(examples=[[{"accion": "COMPLETAR", "operacion": "ARM"}]])]
    clave: Annotated[str, Field(min_length=1, max_length=KEY_LENGTH_MAX), AfterValidator(searchable)]
    tag_spools: BatchTags | None = Field(None, description="Los del toque, en su orden, si fue uno para varios spools.")
    version: Token | None = None
    fecha_operacion: OperationDay | None = None


class ReclamoAnswer(ApiModel):
    success: Literal[True]
    tag_spool: str
    reclamo: str
    message: str
    avisos: list[str] | None = Field(None, description="Lo que alguien debería saber; sólo si hay algo.")
    recibo: Receipt = None


class ResueltoAnswer(ReclamoAnswer):
    aceptados: int
    pulgadas: float
    metrologia_triggered: bool


class ItemTrabajo(ApiModel):
    """`n_union` null: la operación en el spool completo."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    operacion: Trabajo
    n_union: NUnion | None = None


class ResolverBody(Body):
    """Lo que no se acepta queda rechazado, con el mismo motivo; una lista vacía lo rechaza todo."""

    author_field = "supervisor_id"

    supervisor_id: WorkerId
    aceptar: Annotated[list[ItemTrabajo], Field(max_length=UNIONS_MAX, examples=[[{"operacion": "ARM", "n_union": 1}]])]
    dia: Annotated[date, BeforeValidator(recorded_day), Field(examples=["2026-11-16"])]
    motivo: Annotated[
        str, Field(min_length=1, max_length=500, examples=["Visto en el taller"]), AfterValidator(one_line)
    ]


class VistoBody(Body):
    worker_id: WorkerId
    ids: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=64), AfterValidator(searchable)]],
        Field(min_length=1, max_length=SEEN_MAX),
    ]


class VistoOut(ApiModel):
    success: Literal[True]
    vistos: int


class EstadoReclamo(StrEnum):
    PENDIENTE = "pendiente"
    RESUELTO = "resuelto"


class TrabajoReclamado(ApiModel):
    operacion: Operacion
    n_union: int | None
    dn_union: float | None
    tipo_union: str | None
    aceptable: bool = Field(description="Si ahora se podría registrar. En un reclamo resuelto, false.")
    motivo: str | None = Field(description="Por qué no se puede registrar.")
    aceptado: bool | None = Field(description="null mientras nadie decidió.")


class ResolucionOut(ApiModel):
    en: str
    por: str
    por_id: int
    dia: str
    motivo: str
    aceptados: int
    pulgadas: float


class ReclamoOut(ApiModel):
    id: str
    tag_spool: str
    worker: str
    worker_id: int
    estado: EstadoReclamo
    recibido_en: str
    pasos: list[dict[str, Any]] = Field(description="Como se tocaron: accion, operacion, uniones, hecho_en.")
    paso: int = Field(description="El número del que fue rechazado.")
    code: str
    detail: str
    ocupado_por: str | None = Field(description="Quién tiene el spool ahora.")
    trabajo: list[TrabajoReclamado] = Field(
        description="Lo reclamado; y si era el spool completo y ahora se trabaja por uniones, también las que faltan."
    )
    resolucion: ResolucionOut | None

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "id": "5d0c8a52-6f0e-4b7e-9d6d-3a1c2f9a7b10",
                    "tag_spool": EXAMPLE_TAG,
                    "worker": "MR(93)",
                    "worker_id": 93,
                    "estado": "pendiente",
                    "recibido_en": "2026-11-16T11:30:00-03:00",
                    "pasos": [{"accion": "FINALIZAR", "operacion": "ARM", "uniones": [1]}],
                    "paso": 1,
                    "code": "NO_AUTORIZADO",
                    "detail": f"El spool {EXAMPLE_TAG} lo tiene LP(7); sólo LP(7) puede terminarlo.",
                    "ocupado_por": "LP(7)",
                    "trabajo": [
                        {
                            "operacion": "ARM",
                            "n_union": 1,
                            "dn_union": 4.0,
                            "tipo_union": "BW",
                            "aceptable": True,
                            "motivo": None,
                            "aceptado": None,
                        }
                    ],
                    "resolucion": None,
                }
            ]
        }
    )


class ReclamoList(ApiModel):
    reclamos: list[ReclamoOut]
    total: int
    next_cursor: str | None


class AvisoList(ApiModel):
    avisos: list[ReclamoOut]
