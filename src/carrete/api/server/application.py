"""FastAPI behind a table of fast routes: actions, live streams and the web app bypass FastAPI's own routing."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from carrete.api.actions import ActionEndpoint, document
from carrete.api.problems import response_to
from carrete.api.server.gatekeeper import Gatekeeper
from carrete.api.server.head_requests import as_get, head_alone
from carrete.api.server.headers import (
    API_HEADERS,
    HEADERS,
    STRICT_TRANSPORT_SECURITY,
    header_lines,
    headers_of_file,
    with_headers,
    with_missing_headers,
)
from carrete.api.server.origin import SAFE_METHODS, OriginCheck
from carrete.api.server.refusal_log import refusal_log
from carrete.api.server.refused_taps import note_refused_tap
from carrete.api.server.web import WebApp
from carrete.domain.refusals import Refusal
from carrete.identity.refusals import TapRefused
from carrete.identity.refused_requests import RefusedRequests
from carrete.ledger.errors import LedgerUnavailable


class Application(FastAPI):
    def __init__(
        self,
        web: WebApp,
        origin_check: OriginCheck,
        gatekeeper: Gatekeeper,
        refused_requests: RefusedRequests,
        own_certificate: bool = False,
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        always = [STRICT_TRANSPORT_SECURITY] if own_certificate else []
        self._headers, self._api_headers = [*HEADERS, *always], [*API_HEADERS, *always]
        self._api_lines = header_lines(self._api_headers)
        self._direct: dict[tuple[str, str], ASGIApp] = {}  # by method and path
        self._own_pages_only: set[str] = set()  # paths that pages of another site may not even GET
        self._web = web
        self._origin_check = origin_check
        self._gatekeeper = gatekeeper
        self._refused_requests = refused_requests

    def add_action(self, endpoint: ActionEndpoint[Any], answer: type[Any], refusals: dict[int, str], what: str) -> None:
        self.add_direct("POST", endpoint.path, endpoint)
        document(self, endpoint, answer, refusals, what)

    def add_direct(self, method: str, path: str, endpoint: ASGIApp, *, own_pages_only: bool = False) -> None:
        """FastAPI's routing and middleware would cost more than such an endpoint itself."""
        self._direct[method, path] = endpoint
        if own_pages_only:
            self._own_pages_only.add(path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        method, path = scope["method"], scope["path"]
        own_pages_only = method not in SAFE_METHODS or path in self._own_pages_only
        if refusal := self._origin_check.refusal(scope, own_pages_only):
            refusal_log.write(scope, refusal.code, **refusal.context)
            await response_to(refusal, path)(scope, receive, with_headers(send, self._api_headers))
        elif self._web.serves(method, path):
            await self._web(scope, receive, with_headers(send, headers_of_file(path, self._headers)))
        elif not self._gatekeeper.admits_at_once(scope, method, path) and (
            refused := await self._refused(scope, method, path)
        ):
            await refused(scope, receive, with_headers(send, self._api_headers))
        elif endpoint := self._direct.get((method, path)):
            await endpoint(scope, receive, with_headers(send, self._api_headers, self._api_lines))
        else:
            await self._through_fastapi(scope, receive, with_missing_headers(send, self._api_headers))

    async def _refused(self, scope: Scope, method: str, path: str) -> Response | None:
        """The answer to a request that the gatekeeper does not admit."""
        try:
            await self._gatekeeper.admit(scope, method, path)
        except (Refusal, LedgerUnavailable, HTTPException) as error:
            if isinstance(error, TapRefused):
                note_refused_tap(scope, error, self._refused_requests)
            elif isinstance(error, Refusal):
                refusal_log.write(scope, error.code)
            return response_to(error, path, method)
        return None

    async def _through_fastapi(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Everything else. A request that still waits for the ledger when the server stops is answered with 503."""
        if scope["method"] == "HEAD" and ("GET", scope["path"]) not in self._direct:
            scope, send = as_get(scope), head_alone(send)
        started = False

        async def send_noting_start(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await super().__call__(scope, receive, send_noting_start)
        except asyncio.CancelledError:
            if not started:
                error = LedgerUnavailable("stopped before the ledger answered")
                await response_to(error, scope["path"], scope["method"])(scope, receive, send)
