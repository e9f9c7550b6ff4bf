"""Labels of spools and cards with badges: what is printed, on which paper, and how a page of them looks."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from carrete.api.schemas.fields import ApiModel, Body, Tag, WorkerId
from carrete.labels.badges import CARDS_MAX
from carrete.labels.drawing import LABELS_MAX, LabelWarning
from carrete.labels.stock import GRID_COLUMNS_MAX, GRID_ROWS_MAX, MARGIN_MM_MAX, LabelFormat

Millimetres = Annotated[float, Field(ge=0, le=MARGIN_MM_MAX, allow_inf_nan=False)]
Tags = Annotated[list[Tag], Field(min_length=1, max_length=LABELS_MAX)]


class GridBody(ApiModel):
    """Una hoja A4 con otra cuadrícula. Los márgenes son iguales a ambos lados."""

    model_config = Body.model_config

    columnas: Annotated[int, Field(ge=1, le=GRID_COLUMNS_MAX)]
    filas: Annotated[int, Field(ge=1, le=GRID_ROWS_MAX)]
    margen_superior_mm: Millimetres = 0.0
    margen_izquierdo_mm: Millimetres = 0.0
    separacion_horizontal_mm: Millimetres = 0.0
    separacion_vertical_mm: Millimetres = 0.0


class LabelsBody(Body):
    """Qué etiquetas, en qué papel."""

    tags: Tags
    formato: Annotated[LabelFormat, Field(strict=False)] = LabelFormat.A4_3X8
    cuadricula: GridBody | None = Field(None, description="Sólo con `a4-libre`.")
    saltar: Annotated[int, Field(ge=0, lt=GRID_COLUMNS_MAX * GRID_ROWS_MAX)] = Field(
        0, description="Etiquetas ya usadas de la primera hoja."
    )
    codigo: Literal["tag", "direccion"] = Field(
        "tag", description="Qué dice el código: el tag solo, o la dirección de su ficha en este servidor."
    )


class LabelSheetsBody(LabelsBody):
    solo_primera: bool = Field(False, description="Sólo la primera hoja, para mostrarla.")


class LabelsPrintedBody(Body):
    tags: Tags


class BadgeCardsBody(Body):
    """Sin `personas`: todas las activas que tienen credencial."""

    personas: Annotated[list[WorkerId], Field(min_length=1, max_length=CARDS_MAX)] | None = None


class LabelOut(ApiModel):
    tag_spool: str
    ot: str | None
    uniones: int | None
    impresa_en: str | None


class WorkOrderOut(ApiModel):
    ot: str
    spools: int
    sin_imprimir: int


class LabelList(ApiModel):
    etiquetas: list[LabelOut] = Field(description=f"Hasta {LABELS_MAX}, por tag.")
    total: int
    ots: list[WorkOrderOut]


class LabelTextOut(ApiModel):
    """En milímetros desde arriba a la izquierda; `y` es la línea base."""

    x: float
    y: float
    alto: float
    ancho: float
    negrita: bool
    texto: str


class LabelCodeOut(ApiModel):
    x: float
    y: float
    modulo: float
    lado: int = Field(description="Cuántos módulos tiene de lado.")
    trazo: str = Field(description="Trazo SVG; su unidad es un módulo.")


class LabelSheetOut(ApiModel):
    textos: list[LabelTextOut]
    codigos: list[LabelCodeOut]


class LabelWarningOut(ApiModel):
    tag_spool: str
    motivo: LabelWarning


class LabelSheets(ApiModel):
    ancho_mm: float
    alto_mm: float
    hojas: list[LabelSheetOut]
    total_hojas: int
    por_hoja: int
    etiquetas: int
    desconocidos: list[str] = Field(description="Tags de la lista que ningún spool tiene.")
    avisos: list[LabelWarningOut]


class LabelsPrinted(ApiModel):
    success: Literal[True]
    impresas: int
