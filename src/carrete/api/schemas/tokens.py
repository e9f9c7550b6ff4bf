"""API tokens."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from carrete.api.schemas.devices import DeviceName
from carrete.api.schemas.fields import ApiModel, Body
from carrete.identity.records import TokenScope
from carrete.identity.tokens import DAYS_DEFAULT, DAYS_MAX


class TokenBody(Body):
    """`leer`: listas y reportes. `actuar`: acciones por un trabajador. `administrar`: personas y dispositivos. Ninguno
    incluye a otro: para leer y actuar, los dos."""

    nombre: DeviceName
    alcances: Annotated[list[TokenScope], Field(min_length=1, max_length=len(TokenScope))]
    dias: Annotated[int, Field(ge=1, le=DAYS_MAX)] = DAYS_DEFAULT


class TokenOut(ApiModel):
    id: str
    nombre: str
    alcances: list[TokenScope]
    creado_en: str
    creado_por: str | None
    vence: str | None
    ultimo_uso: str | None
    revocado_en: str | None
    revocado_por: str | None


class TokenList(ApiModel):
    tokens: list[TokenOut]


class NewTokenOut(ApiModel):
    token: str = Field(description="Se muestra una sola vez: Authorization: Bearer carrete_…")
    id: str
    nombre: str
    alcances: list[TokenScope]
    vence: str
