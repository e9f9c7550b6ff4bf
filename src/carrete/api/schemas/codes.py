"""What a code that was scanned means."""

from __future__ import annotations

from pydantic import BaseModel, Field

from carrete.api.schemas.fields import EXAMPLE_TAG


class CodeOut(BaseModel):
    tag_spool: str | None = Field(description="El spool de ese código, o null", examples=[EXAMPLE_TAG])
    parecidos: list[str] = Field(description="Tags que difieren en uno o dos signos; sólo si no es de ninguno")
