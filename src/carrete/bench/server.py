"""The server under measurement: the product's own, as `carrete serve` runs it, with one empty POST beside it."""

from __future__ import annotations

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict

from carrete import settings
from carrete.api import serving
from carrete.api.app import create_app
from carrete.api.schemas import ActionBody
from carrete.bench.load import EMPTY_PATH
from carrete.wiring import House


class EmptyBody(ActionBody):
    """The same fields. Not strict: FastAPI validates parsed JSON, in which an enumeration is still text."""

    model_config = ConfigDict(strict=False)


class Nothing(BaseModel):
    success: bool
    tag_spool: str


def app_with_an_empty_post() -> FastAPI:
    """The yardstick is what anybody would write with FastAPI: a validated body, a small answer, no work."""
    app = create_app(House(settings.load()))

    @app.post(EMPTY_PATH)
    async def empty(body: EmptyBody) -> Nothing:
        return Nothing(success=True, tag_spool=body.tag_spool)

    # Routes are matched in order: in front, so that the yardstick pays for no other route's match.
    app.router.routes.insert(0, app.router.routes.pop())
    return app


def main() -> None:
    """Serves on a free port, which is the one line it prints."""
    sock = serving.bound_socket("127.0.0.1", 0)
    print(sock.getsockname()[1], flush=True)
    # In place of the product's own factory, so that everything else of `serve` is the same.
    serving.app_from_environment = app_with_an_empty_post
    serving.run(sock, workers=1)


if __name__ == "__main__":
    main()
