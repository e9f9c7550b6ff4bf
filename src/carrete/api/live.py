"""`GET /api/sse/stream`: a live stream of all committed events. An ASGI endpoint that bypasses FastAPI's routing.

A viewer that does not read is dropped; it can resume with the last seq it saw. A stream uses no pooled connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import structlog
from fastapi.responses import Response
from starlette.types import Receive, Scope, Send

from carrete.api.actions import documented_problems
from carrete.api.problems import response_to
from carrete.api.request_refusals import TooManyStreams
from carrete.api.server.application import Application
from carrete.api.server.gatekeeper import author_of, device_of
from carrete.domain.refusals import NotValid
from carrete.identity.open_streams import OpenStreams, person_name
from carrete.ledger.errors import LedgerUnavailable
from carrete.live.limit import StreamLimit
from carrete.live.sse import StreamViewer, TooSlow
from carrete.live.tail import Tail
from carrete.services import Services

log = structlog.get_logger()

PATH = "/api/sse/stream"
SEND_S_MAX = 10.0  # how long a viewer may read nothing, once the network buffers are full
SEQ_MAX = 2**63 - 1

_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"x-accel-buffering", b"no"),
    (b"connection", b"close"),
]


_EVENTS = {"type": "string", "description": "El `data` de cada evento `spool_update` es un SpoolUpdate, en JSON."}


def add(app: Application, services: Services) -> None:
    stream = LiveStream(services.tail, services.stream_limit, services.identity.open_streams)
    app.add_direct("GET", PATH, stream, own_pages_only=True)
    _document(app)


class LiveStream:
    def __init__(
        self, tail: Tail, limit: StreamLimit, open_streams: OpenStreams, send_s_max: float = SEND_S_MAX
    ) -> None:
        self._tail = tail
        self._open_streams = open_streams
        self._send_s_max = send_s_max
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = scope.get("client")
        address = client[0] if client else ""
        if not self._limit.enter(address):
            await response_to(TooManyStreams(self._limit.per_address), PATH)(scope, receive, send)
            return
        try:
            await self._watch(scope, receive, send)
        finally:
            self._limit.leave(address)

    async def _watch(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            since = requested_seq(scope)
        except NotValid as error:
            await response_to(error, PATH, "GET")(scope, receive, send)
            return
        viewer = StreamViewer(self._tail)
        self._tail.join(viewer)
        leaving = asyncio.create_task(_on_disconnect(receive, viewer.drop))
        try:
            with self._open_streams.open(stream_owners(scope), viewer.drop):
                await self._serve(viewer, since, scope, receive, send)
        except asyncio.CancelledError:  # the server stops; the viewer reconnects
            pass
        finally:
            self._tail.leave(viewer)
            leaving.cancel()

    async def _serve(self, viewer: StreamViewer, since: int | None, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            first = await viewer.start(since)
        except LedgerUnavailable as error:
            await response_to(error, PATH, "GET")(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        try:
            await self._send(first, send)
            async for frames in viewer.events():
                await self._send(frames, send)
        except (TooSlow, TimeoutError):
            self._tail.dropped += 1
            self._tail.leave(viewer)
            log.info("a viewer did not keep up and was dropped", at=viewer.last_seq)
        except LedgerUnavailable as error:
            log.warning("a live stream ended while it was catching up", reason=str(error))
        # Waits until a slow viewer reads again or its connection is lost; then it reconnects with its last seq.
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send(self, frames: bytes, send: Send) -> None:
        async with asyncio.timeout(self._send_s_max):
            await send({"type": "http.response.body", "body": frames, "more_body": True})


async def _on_disconnect(receive: Receive, call: Callable[[], None]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    call()


def stream_owners(scope: Scope) -> list[str]:
    """The token, or the device and the person who is signed in there, with which the stream was opened; none without
    identity. When only the session ended, the device alone may open a stream again."""
    author, device = author_of(scope), device_of(scope)
    if author and author.token:
        return [author.token.id]
    person = [person_name(author.worker_id)] if author and author.worker_id is not None else []
    return [device.id, *person] if device else person


def requested_seq(scope: Scope) -> int | None:
    """The header wins over the query: a browser adds it when it reconnects, so it is newer."""
    query = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
    since = _seq("since", query["since"]) if "since" in query else None
    for name, value in scope["headers"]:
        if name == b"last-event-id":
            since = _seq("Last-Event-ID", value.decode("latin-1"))
    return since


def _seq(field: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 19 and int(text) <= SEQ_MAX):
        raise NotValid([{"campo": field, "motivo": "debe ser el número de un evento."}])
    return int(text)


def _document(app: Application) -> None:
    async def stream() -> Any:
        """Cada evento confirmado, en orden, sin huecos ni repeticiones. `id` es su número; con `Last-Event-ID` o
        `since` se repite primero lo perdido. Los datos son el spool como ese evento lo dejó."""
        raise AssertionError("served by the endpoint itself")

    app.router.add_api_route(
        PATH,
        stream,
        methods=["GET"],
        response_class=Response,
        response_model=None,
        responses={
            200: {"description": "Eventos", "content": {"text/event-stream": {"schema": _EVENTS}}},
            **documented_problems({422: "DATOS_INVALIDOS", 429: "DEMASIADOS_INTENTOS", 503: "LEDGER_UNAVAILABLE"}),
        },
        openapi_extra={"parameters": [_parameter("Last-Event-ID", "header"), _parameter("since", "query")]},
        summary="Lo que pasa, en vivo",
        tags=["en vivo"],
    )


def _parameter(name: str, where: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": where,
        "required": False,
        "description": "El número del último evento visto.",
        "schema": {"type": "integer", "minimum": 0, "maximum": SEQ_MAX},
        "example": 4711,
    }
