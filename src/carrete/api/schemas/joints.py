"""Bodies and answers of the v4.0 workflow: INICIAR, FINALIZAR, the joints of a spool, and its version."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from carrete.api.schemas.fields import ID_MAX, UNIONS_MAX, ApiModel, Body, Tag, Token, WorkerId
from carrete.api.schemas.occupation import ActionAnswer, BatchTags
from carrete.domain.joints import WELD_TEXT_MAX
from carrete.domain.texts import writable


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


def weld_text(text: str) -> str:
    """As a cell of the workbook: trimmed, NFC, without control characters."""
    cleaned = unicodedata.normalize("NFC", text.strip())
    if not writable(cleaned) or not cleaned.isprintable() or len(cleaned) > WELD_TEXT_MAX:
        raise ValueError(f"a lo más {WELD_TEXT_MAX} caracteres visibles.")
    return cleaned


def _procedure_number(text: str) -> str:
    cleaned = weld_text(text)
    if not cleaned:
        raise ValueError("falta el número del WPS.")
    return cleaned


Heat = Annotated[str, Field(max_length=WELD_TEXT_MAX), AfterValidator(weld_text)]


class SoldaduraUnion(ApiModel):
    """Con qué se soldó una unión. Lo que no viene queda como estaba; una colada vacía se borra."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    n_union: Annotated[int, Field(ge=-ID_MAX, le=ID_MAX)]
    wps: Annotated[str, Field(min_length=1, max_length=WELD_TEXT_MAX), AfterValidator(_procedure_number)] | None = None
    colada_1: Heat | None = None
    colada_2: Heat | None = None


Soldadura = Annotated[list[SoldaduraUnion], Field(max_length=UNIONS_MAX)]


def require_own_welds(soldadura: Sequence[SoldaduraUnion] | None, operacion: str, ticked: Collection[int]) -> None:
    if soldadura is None:
        return
    if operacion != JointOperation.SOLD:
        raise ValueError("soldadura va en SOLD, y sólo ahí.")
    numbers = [each.n_union for each in soldadura]
    if len(set(numbers)) != len(numbers) or not set(numbers) <= set(ticked):
        raise ValueError("soldadura nombra, una vez cada una, uniones que se marcan.")


class FinalizarBody(IniciarBody):
    selected_unions: Annotated[
        list[Annotated[int, Field(ge=-ID_MAX, le=ID_MAX)]], Field(max_length=UNIONS_MAX, examples=[[1, 2, 3]])
    ]
    # Left out of the fingerprint when it is not there: a request of an older client stays the same request.
    soldadura: Soldadura | None = Field(None, exclude_if=lambda value: value is None)

    @model_validator(mode="after")
    def _welds_of_ticked_joints(self) -> Self:
        require_own_welds(self.soldadura, self.operacion, self.selected_unions)
        return self


class FinalizarAnswer(ActionAnswer):
    unions_processed: int
    pulgadas: float
    metrologia_triggered: bool


class UnionOut(ApiModel):
    n_union: int
    dn_union: float | None
    tipo_union: str | None
    datos_incompletos: str | None = None


class UnionList(ApiModel):
    unions: list[UnionOut]
    count: int


class UnionMetrics(ApiModel):
    total_uniones: int
    arm_completadas: int
    sold_completadas: int
    pulgadas_arm: float
    pulgadas_sold: float


class Diagnostic(ApiModel):
    tag_spool: str
    version: Literal["v3.0", "v4.0"]
    union_count: int
    detection_logic: str
    uniones_rows: int | None
    consistent: bool | None
