"""Bodies and answers of notes and photos."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from carrete.api.schemas.fields import EXAMPLE_TAG, ID_MAX, ApiModel, Body, Token, WorkerId
from carrete.api.schemas.receipts import Receipt
from carrete.domain.notes import PHOTOS_MAX, TEXT_LENGTH_MAX
from carrete.domain.texts import writable

PHOTO_ID = "^[0-9a-f]{64}$"
EXAMPLE_PHOTO = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
PhotoId = Annotated[str, Field(pattern=PHOTO_ID, examples=[EXAMPLE_PHOTO])]


def _clean(texto: str) -> str:
    """Lines stay lines; blanks at their ends do not."""
    lines = (line.strip() for line in unicodedata.normalize("NFC", texto).splitlines())
    cleaned = "\n".join(lines).strip()
    if not writable(cleaned):
        raise ValueError("el texto tiene caracteres de control.")
    return cleaned


def _no_repeats(photos: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(photos)) != len(photos):
        raise ValueError("hay fotos repetidas.")
    return photos


class NotaBody(Body):
    worker_id: WorkerId
    texto: Annotated[
        str, Field(max_length=TEXT_LENGTH_MAX, examples=["Poro en la raíz, lado norte"]), AfterValidator(_clean)
    ] = ""
    n_union: Annotated[int, Field(ge=1, le=ID_MAX, description="La unión; sin ella, la nota es del spool.")] | None = (
        None
    )
    fotos: Annotated[
        tuple[PhotoId, ...],
        Field(max_length=PHOTOS_MAX, description="De POST /api/fotos.", json_schema_extra={"uniqueItems": True}),
        AfterValidator(_no_repeats),
    ] = ()
    version: Token | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.texto and not self.fotos:
            raise ValueError("una nota tiene texto o una foto.")
        return self


class NotaOut(ApiModel):
    seq: int
    at: str
    worker: str | None
    worker_id: int | None
    n_union: int | None
    texto: str
    fotos: list[str] = Field(description="Se leen en /api/fotos/{id}.", examples=[[EXAMPLE_PHOTO]])


class NotaList(ApiModel):
    tag_spool: str = Field(examples=[EXAMPLE_TAG])
    notas: list[NotaOut] = Field(description="Lo más nuevo primero.")
    next_cursor: str | None


class NotaAnswer(ApiModel):
    success: Literal[True]
    tag_spool: str = Field(examples=[EXAMPLE_TAG])
    operacion: None
    action_taken: Literal["NOTA"]
    message: str = Field(examples=[f"Nota guardada en el spool {EXAMPLE_TAG}, con 1 foto."])
    ocupado_por: str | None
    fecha_ocupacion: str | None
    estado_detalle: str
    version: str = Field(description="El mismo de antes: una nota no cambia el spool.")
    event_seq: int
    recibo: Receipt = None


class FotoOut(ApiModel):
    id: str = Field(examples=[EXAMPLE_PHOTO])
    ancho: int
    alto: int
    bytes: int
