"""The receipt in a successful action's answer, and what a page sends and gets about receipts."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from carrete.api.schemas.fields import ApiModel


class Recibo(ApiModel):
    """The head of the chain at the end of the action's commit: it stands for every event up to it."""

    seq: Annotated[int, Field(examples=[4711])]
    hash: Annotated[str, Field(pattern="^[0-9a-f]{64}$", examples=["9f" * 32])]
    firma: Annotated[str, Field(description="Ed25519 por la clave del taller, base64url: docs/trail.md.")]


Receipt = Annotated[
    Recibo | None,
    Field(description="Prueba firmada de que el registro llega hasta este evento y es éste. Guárdela fuera."),
]
