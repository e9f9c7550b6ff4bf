"""The endpoint of an action: validates the body, performs the commands under the idempotency key, sends the answer.

FastAPI only documents these endpoints. Its routing is bypassed, because it would cost more than the action itself.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from time import perf_counter, time
from typing import Any, Generic, TypeVar

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.types import Message, Receive, Scope, Send

from carrete.actions import KeyReused, Outcome, Performer, Request
from carrete.actions.answer import Answer
from carrete.api.access_table import TABLE
from carrete.api.authored import authored, authored_or_recorded
from carrete.api.problems import FORBIDDEN, MEDIA_TYPE, response_to
from carrete.api.request_refusals import BodyTooLarge, ClientGone, NotJson
from carrete.api.schemas.fields import KEY_LENGTH_MAX, Body
from carrete.api.schemas.problem import PROBLEM
from carrete.api.server.gatekeeper import author_of, tap_of
from carrete.api.server.headers import WHOLE_RESPONSE, header_lines, headers_of
from carrete.api.server.refusal_log import refusal_log
from carrete.api.server.refused_taps import note_refused_tap
from carrete.domain.commands import Command
from carrete.domain.refusals import NotValid, Refusal
from carrete.identity.assembly import IdentityServices
from carrete.identity.author import Author
from carrete.identity.refusals import PinRequired, TapRefused
from carrete.identity.taps import SignedTap
from carrete.ledger.errors import LedgerUnavailable
from carrete.services import Services

BODY_BYTES_MAX = 256 * 1024
DISCARD_BYTES_MAX = 32 * 1024 * 1024
DISCARD_S_MAX = 2.0

B = TypeVar("B", bound=Body)
Commands = Callable[[B], Sequence[Command]]
Render = Callable[[Sequence[Command], Sequence[Outcome]], Answer]


class ActionEndpoint(Generic[B]):
    """One POST of the API, as an ASGI application."""

    def __init__(
        self, services: Services, path: str, body_type: type[B], commands: Commands[B], render: Render
    ) -> None:
        self.path = path
        self.body_type = body_type
        body_type.model_rebuild()  # now and not at the first tap
        self._performer = services.performer
        self._identity = services.identity
        self._needs_fresh_pin = TABLE["POST", path].fresh_pin
        self._latency = services.action_metrics.latency(path)
        self._commands = commands
        self._render = render

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = perf_counter()
        try:
            await self._serve(scope, receive, send)
        finally:
            self._latency.observe(perf_counter() - began)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            answer = await self._answer(scope, receive)
        except ClientGone:
            return
        except asyncio.CancelledError:  # the server stops, and the outcome of the action is unknown
            error = LedgerUnavailable("stopped before the ledger answered")
            await response_to(error, self.path)(scope, receive, send)
            return
        except Exception as error:  # noqa: BLE001 - the request boundary: response_to logs unexpected errors
            if isinstance(error, TapRefused):
                note_refused_tap(scope, error, self._identity.refused)
            await response_to(error, self.path)(scope, receive, send)
            return
        await _send(answer, scope, send)

    async def _answer(self, scope: Scope, receive: Receive) -> Answer:
        require_json(headers_of(scope).get(b"content-type", b""))
        key, path = idempotency_key(scope), self._path_of(scope)
        author, tap = author_of(scope), tap_of(scope)
        raw = await whole_body(receive)
        if tap:
            tap.require_signature(self._identity.tap_key(tap.session_id), path, key, raw)
        body = authored_or_recorded(self.body_type, raw, scope, self._identity)
        known = fingerprint(path, key, body) if key else ""
        context = event_context(author, tap) if author else None
        request = Request(self._commands_of(body, scope), self._render, key, known, context)
        try:
            answer = await self._perform(request, author, tap)
        except KeyReused as refusal:
            _log_refused(scope, refusal.code, body)
            raise
        if answer.status == FORBIDDEN:
            _log_refused(scope, json.loads(answer.body)["code"], body)
        return answer

    def _path_of(self, _: Scope) -> str:
        """The path that a tap signs, and that an idempotency key belongs to."""
        return self.path

    def _commands_of(self, body: B, _: Scope) -> Sequence[Command]:
        return self._commands(body)

    async def _perform(self, request: Request, author: Author | None, tap: SignedTap | None) -> Answer:
        if tap and author and author.session and not tap.is_awaited(author.session):
            refusal = TapRefused("al salir, el tablet no lo contó entre los toques que le faltaba enviar.")
            return await stored_answer_or(refusal, request, self._performer)
        if author and self._needs_fresh_pin:
            return await perform_with_fresh_pin(request, author, self._performer, self._identity)
        return await self._performer.perform(request)


async def perform_with_fresh_pin(
    request: Request, author: Author, performer: Performer, identity: IdentityServices
) -> Answer:
    """Also without a fresh PIN, a repeated request gets the answer that was committed under its key."""
    if await identity.lookups.has_fresh_pin(author.session):
        return await performer.perform(request)
    return await stored_answer_or(PinRequired(), request, performer)


async def stored_answer_or(refusal: Refusal, request: Request, performer: Performer) -> Answer:
    """The answer that was committed under the key; no action is performed."""
    stored = await performer.stored_answer(request)
    if stored is None:
        raise refusal
    return stored


def fingerprint(path: str, key: str, body: Body) -> str:
    """A hash of the validated request: blanks and the order of fields in the JSON do not matter."""
    if len(key) > KEY_LENGTH_MAX:
        raise NotValid([{"campo": "Idempotency-Key", "motivo": f"a lo más {KEY_LENGTH_MAX} caracteres."}])
    return hashlib.blake2b(f"{path}\n{body.model_dump_json()}".encode(), digest_size=16).hexdigest()


def idempotency_key(scope: Scope) -> str | None:
    value = headers_of(scope).get(b"idempotency-key")
    return _decoded(value) if value else None


def document(
    app: FastAPI, endpoint: ActionEndpoint[Any], answer: type[Any], refusals: dict[int, str], what: str
) -> None:
    """Adds the endpoint to the OpenAPI document. `refusals` lists the codes of each status."""

    async def documented(body: Any) -> Any:
        raise AssertionError(f"{body} is served by the endpoint itself")

    documented.__annotations__ = {"body": endpoint.body_type}
    document_route(app, endpoint.path, documented, answer, refusals, what)


def document_route(
    app: FastAPI,
    path: str,
    documented: Callable[..., Any],
    answer: type[Any],
    refusals: dict[int, str],
    what: str,
    route_class: type[APIRoute] = APIRoute,
) -> None:
    documented.__name__ = re.sub(r"\W+", "_", path.removeprefix("/api/"))
    app.router.add_api_route(
        path,
        documented,
        methods=["POST"],
        response_model=answer,
        responses=documented_problems({**refusals, **_ALWAYS}),
        openapi_extra={"parameters": [KEY_PARAMETER]},
        summary=what,
        tags=["acciones"],
        route_class_override=route_class,
    )


def require_json(content_type: bytes) -> None:
    """The header is required: requests that a foreign page can send without a CORS preflight have another type."""
    if content_type != b"application/json":
        kind = content_type.partition(b";")[0].strip().lower()
        if kind != b"application/json":
            raise NotJson("El cuerpo debe ser application/json, y la cabecera Content-Type debe decirlo.")


def _log_refused(scope: Scope, code: str, body: Body) -> None:
    fields = body.model_dump(mode="json")
    worker_id = fields.get("worker_id", fields.get("supervisor_id"))
    refusal_log.write(scope, code, worker_id, tag_spool=fields.get("tag_spool", fields.get("tag_spools")))


def _decoded(header: bytes) -> str:
    """A key may be any string. Clients that send more than ASCII mostly send UTF-8."""
    try:
        return header.decode()
    except UnicodeDecodeError:
        return header.decode("latin-1")


async def whole_body(receive: Receive) -> bytes:
    body = b""
    more = True
    while more:
        message: Message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > BODY_BYTES_MAX:
            await _discard_the_rest(receive, message)
            raise BodyTooLarge(f"El cuerpo pasa de {BODY_BYTES_MAX // 1024} KiB.")
    return body


async def _discard_the_rest(receive: Receive, message: Message) -> None:
    """Reads on, within bounds: a client that still sends when the connection is reset never sees the answer."""
    discarded = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(DISCARD_S_MAX):
            while message.get("more_body") and discarded < DISCARD_BYTES_MAX:
                message = await receive()
                discarded += len(message.get("body", b""))


def event_context(author: Author, tap: SignedTap | None) -> Mapping[str, Any]:
    """What each event records about how it came about. A late tap also has its own time."""
    if tap and (tapped_at := tap.tapped_at(time())):
        return {**author.event_context, "hecho_en": tapped_at}
    return author.event_context


def validated(body_type: type[B], raw: bytes) -> B:
    return authored(body_type, raw, None)


async def _send(answer: Answer, scope: Scope, send: Send) -> None:
    """Sends the answer with its headers: a replayed one is marked, a version conflict says when to retry."""
    body = answer.body.encode()
    refused = answer.status >= 400
    media_type = MEDIA_TYPE.encode() if refused else b"application/json"
    more: list[tuple[bytes, bytes]] = []
    if answer.replayed:
        more.append((b"idempotency-replayed", b"true"))
    if refused and '"VERSION_CONFLICT"' in answer.body:
        more.append((b"retry-after", b"1"))
    if WHOLE_RESPONSE in scope.get("extensions", ()):
        lines = b"content-type: %b\r\ncontent-length: %d\r\n%b" % (media_type, len(body), header_lines(more))
        await send({"type": WHOLE_RESPONSE, "status": answer.status, "lines": lines, "body": body})
        return
    headers = [(b"content-type", media_type), (b"content-length", b"%d" % len(body)), *more]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


KEY_PARAMETER = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "La misma clave con la misma solicitud da la misma respuesta y no hace nada más.",
    "schema": {"type": "string", "maxLength": KEY_LENGTH_MAX},
    "example": "7d0a3c1e-5d5b-4f0e-8a63-0c8f5d0f2a11",
}
_ALWAYS = {
    413: "CUERPO_DEMASIADO_GRANDE",
    415: "NO_ES_JSON",
    422: "DATOS_INVALIDOS, IDEMPOTENCY_KEY_REUSED",
    503: "LEDGER_UNAVAILABLE: no se sabe si quedó hecha; repetir con la misma clave",
}


def documented_problems(codes: dict[int, str]) -> dict[int | str, dict[str, Any]]:
    content = {MEDIA_TYPE: {"schema": {"$ref": f"#/components/schemas/{PROBLEM}"}}}
    return {status: {"description": text, "content": content} for status, text in codes.items()}
