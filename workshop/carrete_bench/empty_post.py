"""The measured application: the product's own, plus the empty POST that serves as yardstick."""

from __future__ import annotations

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict

from carrete.api.schemas.occupation import ActionBody
from carrete.api.server.serving import app_from_environment
from carrete.optional_modules import without_modules
from carrete_bench.load import EMPTY_PATH


class EmptyPostBody(ActionBody):
    """The fields of an action. Not strict: FastAPI validates parsed JSON, in which an enumeration is still text."""

    model_config = ConfigDict(strict=False)


class EmptyPostResponse(BaseModel):
    success: bool
    tag_spool: str


def app_with_an_empty_post() -> FastAPI:
    """The empty POST is an ordinary FastAPI route: it validates a body, does no work and returns a small response."""
    app = app_from_environment()

    async def empty(body: EmptyPostBody) -> EmptyPostResponse:
        return EmptyPostResponse(success=True, tag_spool=body.tag_spool)

    with without_modules("pydantic.v1"):  # as for the product's routes: its memory is measured, not that of this route
        app.post(EMPTY_PATH)(empty)

    # Routes are matched in order. The yardstick goes first, so that it does not pay for matching the other routes.
    app.router.routes.insert(0, app.router.routes.pop())
    return app
