"""Workbooks that are uploaded, their previews, and the connection to a Google workbook."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from carrete.api.schemas.fields import ApiModel, Body
from carrete.uploads.upload import UploadState
from carrete.workbook.effects import RowKind

ADDRESS_LENGTH_MAX = 1_000


class ImportSummaryOut(ApiModel):
    """Filas del archivo. Una con celdas aceptadas y rechazadas cuenta en los dos."""

    nuevos: int
    cambiados: int
    retirados: int
    rechazados: int
    iguales: int
    avisos: int


class ProgressOut(ApiModel):
    hecho: int
    total: int


class UploadOut(ApiModel):
    id: str
    nombre: str
    bytes: int
    estado: UploadState
    avance: ProgressOut
    resumen: ImportSummaryOut
    vista: str = Field(description="Qué vista previa es; cambia cuando se lee de nuevo.")
    error: str | None
    subida_por: str | None
    subida_en: str


class UploadList(ApiModel):
    cargas: list[UploadOut]


class PreviewCellOut(ApiModel):
    columna: str = Field(description="Vacía: la fila entera.")
    antes: str
    despues: str
    motivo: str


class PreviewRowOut(ApiModel):
    hoja: str
    fila: int = Field(description="0: la fila no está en el archivo.")
    clave: str
    tipo: RowKind
    celdas: list[PreviewCellOut]


class PreviewPageOut(ApiModel):
    filas: list[PreviewRowOut]
    next_cursor: str | None


class ApplyBody(Body):
    vista: Annotated[str | None, Field(max_length=64)] = None


class SheetAddressBody(Body):
    direccion: Annotated[str, Field(min_length=1, max_length=ADDRESS_LENGTH_MAX)]


class GoogleSheetOut(ApiModel):
    id: str
    titulo: str
    direccion: str


class GoogleConnectionOut(ApiModel):
    conectada: bool
    hoja: GoogleSheetOut | None
    cuenta: str | None = Field(description="La dirección con la que se comparte la planilla, como editor.")
    fijado: bool = Field(description="GOOGLE_SHEET_ID está en el servidor: aquí no se cambia.")
    estado: str


class GoogleKeyOut(ApiModel):
    cuenta: str


class GoogleTestOut(ApiModel):
    titulo: str
    hojas: list[str]
    puede_escribir: bool


class GooglePreviewOut(ApiModel):
    resumen: ImportSummaryOut
    lineas: list[str] = Field(description="Qué se encontró, y qué se agrega a la planilla.")
    problemas: list[str]


class GoogleKeyBody(ApiModel):
    """El archivo JSON de la clave, tal como Google lo da; sólo lo principal."""

    type: Literal["service_account"]
    client_email: str
    private_key: str
    token_uri: str
