"""Fields and limits that several bodies share. Strict: a number where text belongs is refused, never coerced."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

from carrete.domain.tags import TAG_LENGTH_MAX, clean_tag
from carrete.domain.texts import writable

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


def searchable(text: str) -> str:
    """PostgreSQL accepts no NUL, not even to look for it."""
    if not writable(text):
        raise ValueError("el texto tiene caracteres de control.")
    return text


_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def iso_day(value: object) -> date:
    """Only `AAAA-MM-DD`: a bare number, which pydantic would take for a day, is a mistake."""
    try:
        if not isinstance(value, str) or not _DAY.fullmatch(value):
            raise ValueError
        return date.fromisoformat(value)
    except ValueError:
        raise ValueError("debe ser una fecha AAAA-MM-DD.") from None


def _author_is_optional(schema: dict[str, Any], body_type: type[BaseModel]) -> None:
    """In the document of the API: with a session, the person who acts may be left out."""
    field = getattr(body_type, "author_field", "")
    if field in schema.get("required", ()):
        schema["required"] = [name for name in schema["required"] if name != field]
        schema["properties"][field]["description"] = (
            "Quien actúa. Con una sesión se puede omitir; si se da, debe ser su persona. Sin identidad es obligatorio."
        )


class ApiModel(BaseModel):
    """A type of the API. Pydantic builds it when it is first used: of the answers, which are sent without it, only the
    OpenAPI document is ever made, and building all at the start would take a sixth of it. The bodies of actions are
    built at the start all the same (`ActionEndpoint`), so that no tap waits for it."""

    model_config = ConfigDict(defer_build=True)


class Body(ApiModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, json_schema_extra=_author_is_optional)

    author_field: ClassVar[str] = "worker_id"  # the field that names the person who acts

    worker_nombre: Any = Field(None, exclude=True, description="De clientes antiguos; se ignora.")
