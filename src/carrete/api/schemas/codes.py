"""What a code that was scanned means."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from carrete.api.schemas.fields import EXAMPLE_TAG, ApiModel, Body

TEXTS_MAX = 4
TEXT_LENGTH_MAX = 1_000

ReadText = Annotated[str, Field(max_length=TEXT_LENGTH_MAX, examples=[EXAMPLE_TAG])]


class CodeBody(Body):
    """Lo leído. Si puede leerse de varios modos (otro teclado), primero el más probable."""

    textos: Annotated[list[ReadText], Field(min_length=1, max_length=TEXTS_MAX)]


class CodeOut(ApiModel):
    tag_spool: str | None = Field(description="El spool de ese código, o null", examples=[EXAMPLE_TAG])
    parecidos: list[str] = Field(description="Tags que difieren en uno o dos signos; sólo si no es de ninguno")
