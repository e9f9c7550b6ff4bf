"""Bodies and answers of drawings."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from carrete.api.schemas.fields import EXAMPLE_TAG, ID_MAX, ApiModel, Body
from carrete.api.schemas.notes import EXAMPLE_PHOTO, PHOTO_ID

MARKS_MAX = 1_000
THOUSANDTHS = 1_000
DRAWING_ID = PHOTO_ID
_Thousandths = Annotated[int, Field(ge=0, le=THOUSANDTHS, description="Milésimas del ancho o del alto de la imagen.")]


class MarkBody(ApiModel):
    """Dónde está una unión en el plano."""

    model_config = Body.model_config

    n_union: Annotated[int, Field(ge=1, le=ID_MAX)]
    x: _Thousandths
    y: _Thousandths


def _each_once(marks: tuple[MarkBody, ...]) -> tuple[MarkBody, ...]:
    if len({mark.n_union for mark in marks}) != len(marks):
        raise ValueError("una unión está dos veces.")
    return marks


class DrawingBody(Body):
    """El plano del spool y sus números, enteros: reemplazan lo que había."""

    plano: Annotated[str, Field(pattern=DRAWING_ID, description="De POST /api/planos.")] | None = Field(
        description="Sin plano: se quita el que había.", examples=[EXAMPLE_PHOTO]
    )
    marcas: Annotated[tuple[MarkBody, ...], Field(max_length=MARKS_MAX), AfterValidator(_each_once)] = ()
    version: Annotated[int, Field(ge=0, le=ID_MAX, description="La que se leyó; 0 si no había plano.")]


class MarkOut(ApiModel):
    n_union: int
    x: int = Field(description="Milésimas del ancho")
    y: int = Field(description="Milésimas del alto")


class DrawingOut(ApiModel):
    tag_spool: str = Field(examples=[EXAMPLE_TAG])
    plano: str | None = Field(description="Se lee en /api/planos/{id}.", examples=[EXAMPLE_PHOTO])
    ancho: int = Field(description="De la imagen, en puntos; 0 sin plano.")
    alto: int
    marcas: list[MarkOut]
    version: int
    guardado_en: str | None
    guardado_por: str | None


class DrawingSaved(DrawingOut):
    success: Literal[True]


class StoredDrawing(ApiModel):
    id: str = Field(examples=[EXAMPLE_PHOTO])
    ancho: int
    alto: int
    bytes: int
    pagina: int
    paginas: int = Field(description="Del PDF; 1 para una imagen.")
