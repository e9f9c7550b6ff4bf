"""Bodies and answers of the HTTP API. Strict: a number where text belongs is refused, never coerced."""

from __future__ import annotations

import re
from datetime import date
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from carrete.domain.commands import Resultado
from carrete.domain.spool import Estado, Operacion
from carrete.domain.tags import TAG_LENGTH_MAX, clean_tag
from carrete.domain.texts import writable
from carrete.domain.workers import Rol

BATCH_MAX = 50
UNIONS_MAX = 1_000
KEY_LENGTH_MAX = 128
ID_MAX = 2_147_483_647
EXAMPLE_TAG = "MK-1335-CW-25238-011"

Tag = Annotated[
    str,
    AfterValidator(clean_tag),
    WithJsonSchema(
        {"type": "string", "minLength": 1, "maxLength": TAG_LENGTH_MAX, "examples": [EXAMPLE_TAG]},
    ),
]
WorkerId = Annotated[int, Field(ge=0, le=ID_MAX, examples=[93])]
Token = Annotated[str, Field(max_length=64, description="El token que el cliente vio por última vez.")]


class Trabajo(StrEnum):
    """What a spool can be occupied for."""

    ARM = "ARM"
    SOLD = "SOLD"
    REPARACION = "REPARACION"


class Accion(StrEnum):
    TOMAR = "TOMAR"
    PAUSAR = "PAUSAR"
    COMPLETAR = "COMPLETAR"
    CANCELAR = "CANCELAR"
    INICIAR = "INICIAR"
    FINALIZAR = "FINALIZAR"
    INSPECCIONAR = "INSPECCIONAR"
    DESBLOQUEAR = "DESBLOQUEAR"


class Body(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    worker_nombre: Any = Field(None, exclude=True, description="De clientes antiguos; se ignora.")


class ActionBody(Body):
    tag_spool: Tag
    worker_id: WorkerId
    operacion: Annotated[Trabajo, Field(examples=["ARM"])]
    version: Token | None = None


_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _iso_day(value: object) -> date:
    """Only `AAAA-MM-DD`: a bare number that looks like a day is somebody's mistake."""
    try:
        if isinstance(value, str) and _DAY.fullmatch(value):
            return date.fromisoformat(value)
    except ValueError:
        pass
    raise ValueError("debe ser una fecha AAAA-MM-DD.")


class CompletarBody(ActionBody):
    fecha_operacion: Annotated[date, BeforeValidator(_iso_day), Field(examples=["2026-11-13"])] | None = None


def _no_repeats(tags: list[str]) -> list[str]:
    if len(set(tags)) != len(tags):
        raise ValueError("hay tags repetidos.")
    return tags


class BatchBody(Body):
    tag_spools: Annotated[
        list[Tag],
        Field(min_length=1, max_length=BATCH_MAX, json_schema_extra={"uniqueItems": True}),
        AfterValidator(_no_repeats),
    ]
    worker_id: WorkerId
    operacion: Annotated[Trabajo, Field(examples=["ARM"])]
    version: Token | None = None


class ActionAnswer(BaseModel):
    success: Literal[True]
    tag_spool: str
    operacion: Operacion
    action_taken: str
    message: str
    ocupado_por: str | None
    fecha_ocupacion: str | None
    estado_detalle: str
    version: str
    event_seq: int

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "success": True,
                    "tag_spool": EXAMPLE_TAG,
                    "operacion": "ARM",
                    "action_taken": "TOMAR",
                    "message": f"MR(93) tiene el spool {EXAMPLE_TAG} para ARM.",
                    "ocupado_por": "MR(93)",
                    "fecha_ocupacion": "2026-11-13T08:02:11-03:00",
                    "estado_detalle": "MR(93) trabajando ARM (ARM en progreso, SOLD pendiente)",
                    "version": "1f0c6a52-6f0e-4b7e-9d6d-3a1c2f9a7b10",
                    "event_seq": 4711,
                }
            ]
        }
    )


class Union(StrEnum):
    """What the joints of a spool are worked for."""

    ARM = "ARM"
    SOLD = "SOLD"


class IniciarBody(Body):
    tag_spool: Tag
    worker_id: WorkerId
    operacion: Annotated[Union, Field(examples=["ARM"])]
    version: Token | None = None


class FinalizarBody(IniciarBody):
    selected_unions: Annotated[
        list[Annotated[int, Field(ge=-ID_MAX, le=ID_MAX)]], Field(max_length=UNIONS_MAX, examples=[[1, 2, 3]])
    ]


class InspectionBody(Body):
    tag_spool: Tag
    worker_id: WorkerId
    resultado: Annotated[Resultado, Field(examples=["APROBADO"])]
    version: Token | None = None


def _said(motivo: str) -> str:
    motivo = " ".join(motivo.split())
    if not motivo:
        raise ValueError("hay que decir por qué.")
    if not writable(motivo):
        raise ValueError("el texto tiene caracteres de control.")
    return motivo


class SupervisorBody(Body):
    tag_spool: Tag
    supervisor_id: WorkerId
    motivo: Annotated[str, Field(min_length=1, max_length=500, examples=["Turno terminado"]), AfterValidator(_said)]
    version: Token | None = None


class Reabrible(StrEnum):
    """What a supervisor can reopen."""

    ARM = "ARM"
    SOLD = "SOLD"
    METROLOGIA = "METROLOGIA"


class CorregirBody(SupervisorBody):
    operacion: Annotated[Reabrible, Field(examples=["ARM"])]
    unions: (
        Annotated[
            list[Annotated[int, Field(ge=-ID_MAX, le=ID_MAX)]],
            Field(min_length=1, max_length=UNIONS_MAX, description="De un spool v4.0; sin ellas, todas las hechas."),
        ]
        | None
    ) = None

    @model_validator(mode="after")
    def _an_inspection_has_no_joints(self) -> Self:
        if self.operacion is Reabrible.METROLOGIA and self.unions is not None:
            raise ValueError("METROLOGIA se reabre entera, sin unions.")
        return self


class FinalizarAnswer(ActionAnswer):
    unions_processed: int
    pulgadas: float
    metrologia_triggered: bool


class UnionOut(BaseModel):
    n_union: int
    dn_union: float | None
    tipo_union: str | None
    datos_incompletos: str | None = None


class UnionList(BaseModel):
    unions: list[UnionOut]
    count: int


class UnionMetrics(BaseModel):
    total_uniones: int
    arm_completadas: int
    sold_completadas: int
    pulgadas_arm: float
    pulgadas_sold: float


class Diagnostic(BaseModel):
    tag_spool: str
    version: Literal["v3.0", "v4.0"]
    union_count: int
    detection_logic: str
    uniones_rows: int | None
    consistent: bool | None


class BatchError(BaseModel):
    status: int
    code: str
    detail: str


class BatchDetail(BaseModel):
    tag_spool: str
    success: bool
    message: str | None = None
    error: BatchError | None = None


class BatchAnswer(BaseModel):
    total: int
    succeeded: int
    failed_count: int
    details: list[BatchDetail]


class Problem(BaseModel):
    """RFC 9457; what else a refusal knows (owner, since, use…) stands beside these."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    code: str
    detail: str


class SpoolOut(BaseModel):
    tag_spool: str
    ot: str | None
    nv: str | None
    version_workflow: Literal["v3.0", "v4.0"]
    total_uniones: int | None
    uniones_sold_necesarias: int
    uniones_arm_completadas: int
    uniones_sold_completadas: int
    arm: Estado
    sold: Estado
    metrologia: str
    reparacion: str
    ocupado_por: str | None
    ocupado_por_id: int | None
    operacion_actual: Operacion | None
    fecha_ocupacion: str | None
    armador: str | None
    soldador: str | None
    fecha_materiales: str | None
    fecha_armado: str | None
    fecha_soldadura: str | None
    fecha_qc_metrologia: str | None
    ciclo: int
    estado_detalle: str
    version: str


class SpoolList(BaseModel):
    spools: list[SpoolOut]
    total: int
    next_cursor: str | None


class JointOut(BaseModel):
    n_union: int
    dn_union: float | None
    tipo_union: str | None
    datos_incompletos: str | None
    arm_worker: str | None
    arm_fecha_fin: str | None
    sol_worker: str | None
    sol_fecha_fin: str | None


class AccionPosible(BaseModel):
    accion: Accion | Literal["LIBERAR", "CORREGIR"]
    operacion: Operacion


class MotivoDeNo(BaseModel):
    """Por qué este trabajador no puede seguir con esa operación: lo mismo que diría el rechazo."""

    operacion: Operacion
    code: str = Field(examples=["DEPENDENCIAS_NO_SATISFECHAS"])
    detail: str = Field(examples=[f"El spool {EXAMPLE_TAG} no tiene Fecha_Materiales."])
    falta: str | None = Field(description="Lo que falta, si es un paso anterior", examples=["Fecha_Materiales"])


class SpoolCard(SpoolOut):
    uniones: list[JointOut]
    pulgadas_arm: float
    pulgadas_sold: float
    retirado: bool
    inconsistencias: list[str]
    acciones: list[AccionPosible]
    motivos: list[MotivoDeNo] = Field(description="A lo más uno por operación; vacío sin worker_id")


class WorkerOut(BaseModel):
    id: int
    nombre: str
    apellido: str
    label: str
    roles: list[Rol]


class WorkerList(BaseModel):
    workers: list[WorkerOut]
    total: int


class SessionOut(BaseModel):
    worker: str
    worker_id: int | None
    operacion: Operacion | None
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
    operacion: Operacion | None
    accion: str
    n_union: int | None
    at: str
    metadata: dict[str, Any]


class History(BaseModel):
    tag_spool: str
    sessions: list[SessionOut]
    events: list[EventOut]


class SpoolUpdate(BaseModel):
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


class OccupiedOut(BaseModel):
    tag_spool: str
    ocupado_por: str
    ocupado_por_id: int
    operacion: Operacion
    since: str
    minutos: int
    estado_detalle: str


class OccupiedList(BaseModel):
    occupied: list[OccupiedOut]
    total: int


class StageOut(BaseModel):
    operacion: Operacion
    waiting: int
    in_work: int
    paused: int


class StageList(BaseModel):
    """`waiting` can be begun now; `without_materials` cannot begin yet. `now` is the shop's clock."""

    now: str
    stages: list[StageOut]
    without_materials: int
    rejected: int
    blocked: int
    done: int


class OutputRow(BaseModel):
    """Named by what was asked: `dia`, `worker` or `operacion`."""

    dia: str | None = None
    worker: str | None = None
    operacion: str | None = None
    pulgadas: float
    uniones: int
    spools: int


class OutputList(BaseModel):
    rows: list[OutputRow]


class QualityPor(StrEnum):
    DIA = "dia"
    WORKER = "worker"


class QualityFigures(BaseModel):
    inspecciones: int
    rechazos: int
    primeras: int
    aprobadas_a_la_primera: int
    rendimiento_a_la_primera: float | None


class QualityRow(QualityFigures):
    dia: str | None = None
    worker: str | None = None


class QualityList(BaseModel):
    rows: list[QualityRow]
    total: QualityFigures


class Alive(BaseModel):
    """`now` is the shop's clock."""

    status: Literal["ok"]
    version: str
    now: str


class Ready(BaseModel):
    status: Literal["ready"]
    ledger: str


class RedisHealth(BaseModel):
    status: Literal["healthy", "degraded"]
    reason: str | None = None
    since_s: int | None = None
    server: str | None = None
    locks_rebuilt: int | None = None
    pool: dict[str, int] | None = None
