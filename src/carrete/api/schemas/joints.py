"""Bodies and answers of the v4.0 workflow: INICIAR, FINALIZAR, the joints of a spool, and its version."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from carrete.api.schemas.fields import ID_MAX, UNIONS_MAX, Body, Tag, Token, WorkerId
from carrete.api.schemas.occupation import ActionAnswer, BatchTags


class JointOperation(StrEnum):
    """The operations that are worked joint by joint."""

    ARM = "ARM"
    SOLD = "SOLD"


class IniciarBody(Body):
    tag_spool: Tag
    worker_id: WorkerId
    operacion: Annotated[JointOperation, Field(examples=["ARM"])]
    version: Token | None = None


class BatchIniciarBody(Body):
    tag_spools: BatchTags
    worker_id: WorkerId
    operacion: Annotated[JointOperation, Field(examples=["ARM"])]
    version: Token | None = None


class FinalizarBody(IniciarBody):
    selected_unions: Annotated[
        list[Annotated[int, Field(ge=-ID_MAX, le=ID_MAX)]], Field(max_length=UNIONS_MAX, examples=[[1, 2, 3]])
    ]


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
