"""What a browser sees at /: who has which spool right now, read from the API like any other client."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from importlib.resources import files
from typing import Any

from fastapi import FastAPI
from fastapi.responses import Response

_HEADERS = {"Cache-Control": "no-cache"}
_FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
}

PATHS = frozenset(_FILES)


def add(app: FastAPI) -> None:
    for path, (name, media_type) in _FILES.items():
        content = files("carrete.api").joinpath("static", name).read_bytes()
        app.add_api_route(path, _serving(content, media_type), methods=["GET"], include_in_schema=False)


def _serving(content: bytes, media_type: str) -> Callable[[], Coroutine[Any, Any, Response]]:
    async def serve() -> Response:
        return Response(content, headers=_HEADERS, media_type=media_type)

    return serve
