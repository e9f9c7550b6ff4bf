"""The route that says what a scanned code means: a spool, or none and which tags are nearly the same. It never says
whether a code is somebody's badge: that is asked for with a PIN only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import FastAPI, Query
from pydantic import StringConstraints

from carrete.api.actions import documented_problems
from carrete.api.responses import Json
from carrete.api.schemas.codes import CodeOut
from carrete.domain.near_tags import DIFFERENCES_MAX, near_tags
from carrete.domain.tags import clean_tag
from carrete.ledger import queries
from carrete.ledger.database import Tx
from carrete.services import Services

TEXTS_MAX = 4
TEXT_LENGTH_MAX = 1_000
NEAR_MAX = 5
_PROBLEMS = documented_problems({422: "DATOS_INVALIDOS", 503: "LEDGER_UNAVAILABLE"})

Text = Annotated[str, StringConstraints(max_length=TEXT_LENGTH_MAX)]
Texts = Annotated[
    list[Text],
    Query(
        min_length=1,
        max_length=TEXTS_MAX,
        description="Lo leído; si puede leerse de varios modos (otro teclado), primero el más probable",
    ),
]


def add(app: FastAPI, services: Services) -> None:
    @app.get("/api/codigos", response_model=CodeOut, responses=_PROBLEMS, tags=["spools"])
    async def code(texto: Texts) -> Json:
        """Qué spool es un código leído, y si no es de ninguno, qué tags se le parecen."""
        tags = list(dict.fromkeys(filter(None, map(_as_tag, texto))))
        return Json(await services.read(lambda tx: _meaning(tx, tags)))


def _as_tag(text: str) -> str | None:
    """None: no spool can have such a tag."""
    try:
        return clean_tag(text.replace("\0", "\uffff"))
    except ValueError:
        return None


def _meaning(tx: Tx, tags: Sequence[str]) -> dict[str, object]:
    exact = next((tag for tag in tags if queries.spool(tx, tag)), None)
    if exact is not None:
        return {"tag_spool": exact, "parecidos": []}
    near = list(dict.fromkeys(found for tag in tags for found in _near(tx, tag)))
    same = [found for found in near if any(found.lower() == tag.lower() for tag in tags)]
    if len(same) == 1:  # readers with Caps Lock on
        return {"tag_spool": same[0], "parecidos": []}
    return {"tag_spool": None, "parecidos": near[:NEAR_MAX]}


def _near(tx: Tx, tag: str) -> list[str]:
    tags = queries.tags_of_length(tx, len(tag) - DIFFERENCES_MAX, len(tag) + DIFFERENCES_MAX)
    return near_tags(tag, tags, NEAR_MAX)
