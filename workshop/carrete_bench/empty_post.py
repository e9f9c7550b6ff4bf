"""The application under measurement: the product's own, with one empty POST beside it."""

from __future__ import annotations

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict

from carrete.api.schemas.occupation import ActionBody
from carrete.api.server.serving import app_from_environment
from carrete_bench.load import EMPTY_PATH


class EmptyBody(ActionBody):
    """The same fields. Not strict: FastAPI validates parsed JSON, in which an enumeration is still text."""

    model_config = ConfigDict(strict=False)


class Nothing(BaseModel):
    success: bool
    tag_spool: str


def app_with_an_empty_post() -> FastAPI:
    """The yardstick is what anybody would write with FastAPI: a validated body, a small answer, no work."""
    app = app_from_environment()

    @app.post(EMPTY_PATH)
    async def empty(body: EmptyBody) -> Nothing:
        return Nothing(success=True, tag_spool=body.tag_spool)

    # Routes are matched in order: in front, so that the yardstick pays for no other route's match.
    app.router.routes.insert(0, app.router.routes.pop())
    return app
