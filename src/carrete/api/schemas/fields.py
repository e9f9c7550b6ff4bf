"""Fields and limits that several bodies share. Strict: a number where text belongs is refused, never coerced."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

from carrete.domain.tags import TAG_LENGTH_MAX, clean_tag

BATCH_MAX = 50
UNIONS_MAX = 1_000
KEY_LENGTH_MAX = 128
ID_MAX = 2_147_483_647
EXAMPLE_TAG = "MK-1335-CW-25238-011"
Tag = Annotated[
    str,
    AfterValidator(clean_tag),
    WithJsonSchema(
        {"type": "string", "minLength": 1, "maxLength": TAG_LENGTH_MAX, "examples": [EXAMPLE_TAG]},
    ),
]
WorkerId = Annotated[int, Field(ge=0, le=ID_MAX, examples=[93])]
Token = Annotated[str, Field(max_length=64, description="El token que el cliente vio por última vez.")]


class Body(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    worker_nombre: Any = Field(None, exclude=True, description="De clientes antiguos; se ignora.")
