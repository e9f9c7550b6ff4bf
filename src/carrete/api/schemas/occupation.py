"""Bodies and answers of TOMAR, PAUSAR, COMPLETAR and CANCELAR, and of their batches."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

from carrete.api.schemas.fields import BATCH_MAX, EXAMPLE_TAG, ApiModel, Body, Tag, Token, WorkerId, iso_day
from carrete.api.schemas.receipts import Receipt
from carrete.domain.shop_time import YEARS
from carrete.domain.spool import Operacion


class Trabajo(StrEnum):
    """The operations that a worker can occupy a spool for."""

    ARM = "ARM"
    SOLD = "SOLD"
    REPARACION = "REPARACION"


class ActionBody(Body):
    tag_spool: Tag
    worker_id: WorkerId
    operacion: Annotated[Trabajo, Field(examples=["ARM"])]
    version: Token | None = None


def recorded_day(value: object) -> date:
    """A day that the workbook does not read would be lost when the workbook comes back."""
    day = iso_day(value)
    if day.year not in YEARS:
        raise ValueError(f"el año {day.year} no puede ser.")
    return day


OperationDay = Annotated[date, BeforeValidator(recorded_day), Field(examples=["2026-11-13"])]


class CompletarBody(ActionBody):
    fecha_operacion: OperationDay | None = None


def _no_repeats(tags: list[str]) -> list[str]:
    if len(set(tags)) != len(tags):
        raise ValueError("hay tags repetidos.")
    return tags


BatchTags = Annotated[
    list[Tag],
    Field(min_length=1, max_length=BATCH_MAX, json_schema_extra={"uniqueItems": True}),
    AfterValidator(_no_repeats),
]


class BatchBody(Body):
    tag_spools: BatchTags
    worker_id: WorkerId
    operacion: Annotated[Trabajo, Field(examples=["ARM"])]
    version: Token | None = None


class ActionAnswer(ApiModel):
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
    avisos: list[str] | None = Field(None, description="Lo que alguien debería saber; sólo si hay algo.")
    recibo: Receipt = None

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


class BatchError(ApiModel):
    status: int
    code: str
    detail: str


class BatchDetail(ApiModel):
    tag_spool: str
    success: bool
    message: str | None = None
    error: BatchError | None = None


class BatchAnswer(ApiModel):
    total: int
    succeeded: int
    failed_count: int
    details: list[BatchDetail]
    recibo: Receipt = None
