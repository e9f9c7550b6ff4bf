"""Bodies and answers of a hand-over: an offer is made, accepted, withdrawn or declined; and its lists."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from carrete.api.schemas.fields import EXAMPLE_TAG, ID_MAX, UNIONS_MAX, ApiModel, WorkerId
from carrete.api.schemas.occupation import ActionAnswer, ActionBody, Trabajo

NUnion = Annotated[int, Field(ge=-ID_MAX, le=ID_MAX)]


class OfrecerBody(ActionBody):
    receptor_id: Annotated[WorkerId | None, Field(description="Sin receptor: a quien esté calificado.")] = None
    selected_unions: Annotated[
        list[NUnion],
        Field(
            default_factory=list,
            max_length=UNIONS_MAX,
            examples=[[1, 2]],
            description="Sólo v4.0: las uniones que hizo quien entrega; quedan registradas como suyas.",
        ),
    ]


class RelevoOut(ApiModel):
    id: str
    tag_spool: Annotated[str, Field(examples=[EXAMPLE_TAG])]
    operacion: Trabajo
    de: Annotated[str, Field(examples=["MR(93)"])]
    de_id: int
    receptor: str | None
    receptor_id: int | None
    ofrecido_en: Annotated[str, Field(examples=["2026-11-13T14:50:02-03:00"])]
    vence: Annotated[str, Field(examples=["2026-11-14T15:30:00-03:00"])]


class RelevoAnswer(ActionAnswer):
    relevo: Annotated[RelevoOut | None, Field(description="La oferta que se hizo o que terminó.")]


class OfrecerAnswer(RelevoAnswer):
    unions_processed: int
    pulgadas: float


class RelevoList(ApiModel):
    recibidos: Annotated[list[RelevoOut], Field(description="Lo que esta persona puede aceptar.")]
    ofrecidos: Annotated[list[RelevoOut], Field(description="Lo que esta persona ofreció y sigue teniendo.")]
