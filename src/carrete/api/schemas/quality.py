"""Bodies of an inspection and of a supervisor's commands."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from carrete.api.schemas.fields import ID_MAX, UNIONS_MAX, Body, Tag, Token, WorkerId
from carrete.domain.commands import Resultado
from carrete.domain.texts import writable


class InspectionBody(Body):
    tag_spool: Tag
    worker_id: WorkerId
    resultado: Annotated[Resultado, Field(examples=["APROBADO"])]
    version: Token | None = None


def one_line(motivo: str) -> str:
    motivo = " ".join(motivo.split())
    if not motivo:
        raise ValueError("hay que decir por qué.")
    if not writable(motivo):
        raise ValueError("el texto tiene caracteres de control.")
    return motivo


class SupervisorBody(Body):
    tag_spool: Tag
    author_field = "supervisor_id"

    supervisor_id: WorkerId
    motivo: Annotated[str, Field(min_length=1, max_length=500, examples=["Turno terminado"]), AfterValidator(one_line)]
    version: Token | None = None


class Reabrible(StrEnum):
    """The operations that a supervisor can reopen."""

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
