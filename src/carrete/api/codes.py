"""The route that says what a scanned code means: a spool, or none and which tags are nearly the same.

It never says whether a code is somebody's badge: only the PIN opens that. It takes the code in a body, because a badge
in an address would be in the logs of proxies."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import FastAPI, Request

from carrete.api.administration import body_of, changing
from carrete.api.responses import Json
from carrete.api.schemas.codes import CodeBody, CodeOut
from carrete.domain.near_tags import DIFFERENCES_MAX, near_tags
from carrete.domain.tags import clean_tag
from carrete.ledger import queries
from carrete.ledger.database import Tx
from carrete.services import Services

NEAR_MAX = 5


def add(app: FastAPI, services: Services) -> None:
    @app.post("/api/codigos", **changing(CodeOut, CodeBody, "spools"))
    async def code(request: Request) -> Json:
        """Qué spool es un código leído, y si no es de ninguno, qué tags se le parecen. No cambia nada."""
        body = await body_of(CodeBody, request)
        tags = list(dict.fromkeys(filter(None, map(_as_tag, body.textos))))
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
    near = _near(tx, tags)
    same = [found for found in near if any(found.lower() == tag.lower() for tag in tags)]
    if len(same) == 1:  # readers with Caps Lock on
        return {"tag_spool": same[0], "parecidos": []}
    return {"tag_spool": None, "parecidos": near[:NEAR_MAX]}


def _near(tx: Tx, tags: Sequence[str]) -> list[str]:
    lengths = [len(tag) for tag in tags]
    if not lengths:
        return []
    known = queries.tags_of_length(tx, min(lengths) - DIFFERENCES_MAX, max(lengths) + DIFFERENCES_MAX)
    return list(dict.fromkeys(found for tag in tags for found in near_tags(tag, known, NEAR_MAX)))
